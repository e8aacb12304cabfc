"""Keywords of Python as options of the program: which there are is what --help says."""

from __future__ import annotations

import difflib
import functools
import keyword
import os
import re
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterable, List, NamedTuple, Optional

from ._program import UsageError, program


class Option(NamedTuple):
    """An option of a command: its name on the command line, what stands behind it (None: nothing), what it is for."""

    name: str
    value: Optional[str]
    summary: str
    letter: str = ""

    @property
    def keyword(self) -> str:
        word = self.name.replace("-", "_")
        return word + "_" * keyword.iskeyword(word)  # from_, as_


LINE = re.compile(r"^ +(?:-(?P<letter>\w), )?--(?P<name>[a-z0-9-]+)(?: (?P<value>[A-Z][A-Z:/]*))?(?:  +(?P<summary>.*))?$")


@functools.lru_cache(maxsize=None)
def options(command: str) -> Dict[str, Option]:
    """The options of a command, by their keywords; 'detcheck COMMAND --help all' describes them."""
    done = subprocess.run([program(), command, "--help", "all"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise UsageError(done.stderr.strip())
    found: Dict[str, Option] = {}
    last: Optional[Option] = None
    for line in done.stdout.splitlines():
        match = LINE.match(line)
        if match and match["name"] == "help":
            last = None
        elif match:
            last = Option(match["name"], match["value"], match["summary"] or "", match["letter"] or "")
            found[last.keyword] = last
        elif last and line.startswith(" " * 20):
            last = last._replace(summary=f"{last.summary} {line.strip()}".strip())
            found[last.keyword] = last
        else:
            last = None
    return found


def spelled(value: Any, kind: str = "") -> str:
    """A value as the command line has it: a tuple is a range, a shard of so many or extents, as the option wants it."""
    if isinstance(value, (tuple, range)):
        return {"K/N": "/", "EXTENTS": "x"}.get(kind, ":").join(spelled(one) for one in value)
    if isinstance(value, float):
        return str(int(value)) if kind == "N" and value.is_integer() else repr(value)
    name = getattr(value, "name", None) or getattr(value, "__name__", None)  # of a numpy dtype or scalar type
    return str(name) if name and not isinstance(value, (str, os.PathLike)) else os.fspath(value) if isinstance(
        value, os.PathLike) else str(value)


def options_of(command: str) -> Dict[str, Option]:
    """The same of "plan sweep": the options of the command that is planned are plan's too, where it has none of the name."""
    planned = command.split()
    return {keyword: option for one in reversed(planned) for keyword, option in options(one).items()}


def words(command: str, given: Dict[str, Any]) -> List[str]:
    """The words of the command line for these keywords."""
    known = options_of(command)
    made: List[str] = []
    for name, value in given.items():
        option = known.get(name)
        if not option:
            near = [one for one, option in known.items() if option.letter == name] or difflib.get_close_matches(name, known, 1)
            raise TypeError(f"detcheck {command} has no option {name}=" + (f"; did you mean {near[0]}=?" if near else
                            f"; detcheck.options('{command}') has those there are"))
        made += words_of(option, value)
    return made


def words_of(option: Option, value: Any) -> Iterable[str]:
    if value is None or value is False:
        return []
    if option.value is None:
        if value is not True:
            raise TypeError(f"{option.keyword}= takes True or False, not {value!r}")
        return [f"--{option.name}"]
    if value is True:
        raise TypeError(f"{option.keyword}= takes a value: {option.summary}")
    values = value if isinstance(value, list) else [value]
    return [f"--{option.name}={spelled(one, option.value)}" for one in values]


def path_of(path: Any) -> str:
    """A file among the operands, which is never taken for an option."""
    text = os.fspath(path)
    return str(Path(".") / text) if text.startswith("-") else text
