"""Operations of a trace that was written before, also of one whose last line is torn."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List

from ._program import UsageError


def of_lines(text: str) -> Dict[str, Any]:
    """Each operation has a line; behind the last whole one lies what a write has left."""
    head, *lines = text.split("\n")
    if not head.startswith('{"schema":"detcheck/trace/1"') or lines[:1] != ['"operations":[']:
        return {}
    found: List[Dict[str, Any]] = []
    for line in lines[1:]:
        try:
            one = json.loads(line.rstrip(","))
        except ValueError:
            break
        if not isinstance(one, dict):
            break
        found.append(one)
    return {"schema": "detcheck/trace/1", "operations": found, "complete": False}


def load(folder: str) -> Dict[str, Any]:
    """trace.json; where a run was killed while it wrote, the whole lines of it."""
    path = os.path.join(folder, "trace.json")
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    try:
        document: Dict[str, Any] = json.loads(text)
    except ValueError:
        document = of_lines(text)
    if isinstance(document, dict) and document.get("schema") == "detcheck/trace/1" and isinstance(document.get("operations"), list):
        return document
    raise UsageError(f"{path}: this is not a trace")


def operations(folder: str) -> List[Dict[str, Any]]:
    found: List[Dict[str, Any]] = load(folder)["operations"]
    return found
