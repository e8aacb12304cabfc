"""The program's commands as functions: operands, implementations and keywords in, results as objects out."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import library_names
from ._options import options, path_of, words
from ._program import CallableError, Done, UsageError, run_program, shows_progress
from ._results import Document, Report, document_of

Implementation = Union[str, Callable[..., Any]]
Operations = Union[str, Sequence[str]]
# Kinds of implementations that are written with a colon, and so are no modules of Python.
PREFIXES = ("lib", "exec", "file", "py", "via")
NO_PROGRESS = ("list", "env", "eval", "table", "merge")


def as_text(implementation: str) -> str:
    """What the program calls it: a module of Python with a function behind a colon is py:MODULE:FUNCTION."""
    kind, colon, _ = implementation.partition(":")
    is_python = kind in library_names.NAMES or (colon and kind not in PREFIXES and not kind.startswith("variant"))
    return f"py:{implementation}" if is_python else implementation


class Trial:
    """What a call needs besides its words: files that come and go, and functions that are served."""

    def __init__(self, implementations: Sequence[Implementation], scalar: bool, library: Optional[str]) -> None:
        self.scalar, self.library = scalar, library
        self.names = {as_text(one) for one in implementations if isinstance(one, str)}
        self.served: List[Any] = []
        self.stack = contextlib.ExitStack()
        self._folder: Optional[Path] = None

    @property
    def folder(self) -> Path:
        self._folder = self._folder or Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="detcheck-")))
        return self._folder

    def spelled(self, implementation: Implementation) -> str:
        if isinstance(implementation, str):
            return as_text(implementation)
        from ._callables import Served  # numpy is needed from here on
        served = implementation if isinstance(implementation, Served) else Served(implementation, scalar=self.scalar, of=self.library)
        bare, count = served.name, 1
        while f"py:{served.name}" in self.names:
            count += 1
            served.name = f"{bare}#{count}"
        self.names.add(f"py:{served.name}")
        self.served.append(served)
        return f"py:{served.name}"

    def file_of(self, value: Any, name: str) -> Any:
        """What the program reads as a file: a document, or numbers."""
        if isinstance(value, (str, os.PathLike)) or value is None:
            return value
        if isinstance(value, (dict, Document)):
            import json
            path = self.folder / f"{name}.json"
            path.write_text(json.dumps(value if isinstance(value, dict) else value.to_dict()))
            return path
        path = self.folder / f"{name}.txt"
        path.write_text("".join(f"{line_of(one)}\n" for one in value))
        return path


def line_of(numbers: Any) -> str:
    """The numbers of one input, as a file of inputs has them."""
    each = numbers if hasattr(numbers, "__len__") and not isinstance(numbers, str) else [numbers]
    return " ".join(one if isinstance(one, str) else repr(float(one)) for one in each)


FILES = ("inputs", "inputs_of", "policy", "baseline")


def call(command: str, operands: Sequence[Any], implementations: Sequence[Implementation] = (), *,
         progress: Optional[bool] = None, scalar: bool = False, library: Optional[str] = None,
         **given: Any) -> Tuple[Done, Optional[str]]:
    """Runs a command; gives what it printed, and the text of its JSON where it writes any."""
    known = options(command)
    named = given.pop("impl", None)
    every = [*implementations, *([] if named is None else [named] if isinstance(named, str) or callable(named) else named)]
    trial = Trial(every, scalar, library)
    with trial.stack:
        given = {keyword: trial.file_of(value, keyword) if keyword in FILES else value for keyword, value in given.items()}
        made = [command, *(path_of(trial.file_of(one, f"operand{at}")) for at, one in enumerate(operands)),
                *words(command, given), *(f"--impl={trial.spelled(one)}" for one in every)]
        document = trial.folder / "result.json" if "json" in known and given.get("json") is None else None
        if document:
            made.append(f"--json={document}")
        server = None
        if trial.served:
            from ._serving import Server
            server = Server(trial.served, float(given.get("timeout") or 10))
        wanted = shows_progress() if progress is None else progress
        done = run_program(made, server, wanted and command not in NO_PROGRESS)
        text = document.read_text() if document and document.exists() else None
        check_numbers(trial.served, text)
    return done, text


def check_numbers(functions: Sequence[Any], text: Optional[str]) -> None:
    """A function whose every result is a NaN, where numbers are right, is no function of what was asked for."""
    for served in functions:
        if served.has_result and not served.has_number and text and '"nan_mismatches"' in text:
            import json
            for result in json.loads(text).get("results", []):
                for entry in result.get("implementations", []):
                    if entry["name"] == f"py:{served.name}" and entry.get("nan_mismatches"):
                        raise CallableError(f"{served.name} returned a NaN for every input of {result['operation']} in "
                                            f"{result['format']}, {entry['nan_mismatches']:,} of which have a number as result")


def run(command: str, *operands: Any, progress: Optional[bool] = None, **given: Any) -> Any:
    """Any command of the program, by its name."""
    done, text = call(command, operands, progress=progress, **given)
    return document_of(text, done) if text else done.text


def listed(operation: Operations) -> List[str]:
    return [operation] if isinstance(operation, str) else [*operation]


def judged(command: str, operation: Operations, implementations: Sequence[Implementation], given: Dict[str, Any]) -> Report:
    done, text = call(command, listed(operation), implementations, **given)
    if text is None:
        raise UsageError("json= is not for this function: the result has it, and .save(path) writes it")
    result = document_of(text, done)
    assert isinstance(result, Report)
    return result


def sweep(operation: Operations, *implementations: Implementation, **given: Any) -> Report:
    """Runs implementations over every input of a format, and judges each output against the exact result.

    An implementation is a function on arrays (numpy.exp, torch.nn.functional.gelu, anything that takes and gives arrays
    of one library), a function of one number with scalar=True (math.exp), a name ("numpy:exp", "torch:nn.functional.gelu",
    "jax", which has its own function for each operation), or what the program knows: "libm", "det", "lib:libm.so.6".

    Keywords are the options of 'detcheck sweep' (detcheck.options("sweep")): format=, range=, samples=, flags=True, ...
    library= says whose arrays a function wants, where that does not show. Without a function, the platform's libm and det
    are swept.
    """
    return judged("sweep", operation, implementations, given)


def cast(implementation: Optional[Implementation] = None, *, from_: str = "fp32", to: str, **given: Any) -> Report:
    """Sweeps a conversion from one format to another: detcheck.cast(lambda x: x.astype(bfloat16), to="bf16")."""
    return sweep("cast", *([] if implementation is None else [implementation]), from_=from_, to=to, **given)


def search(operation: Operations, *implementations: Implementation, **given: Any) -> Report:
    """Finds the inputs with the largest errors where there are too many to try: detcheck-search(1)."""
    return judged("search", operation, implementations, given)


def invariance(operation: Operations, *implementations: Implementation, **given: Any) -> Report:
    """Tests that the same inputs give the same bits, wherever and whenever they are computed: detcheck-invariance(1)."""
    return judged("invariance", operation, implementations, given)


def eval(operation: str, *values: Any, **given: Any) -> Document:
    """One input: the exact value, its rounding, and what implementations (impl=) return: detcheck-eval(1)."""
    numbers = [one if isinstance(one, str) else repr(float(one)) for one in values]
    done, text = call("eval", [operation, *numbers], **given)
    return document_of(text, done)


def verify(vectors: Any, *implementations: Implementation, **given: Any) -> Document:
    """Runs implementations against test vectors, a file or what `emit` gave: detcheck-verify(1)."""
    done, text = call("verify", [vectors], implementations, **given)
    return document_of(text, done)


def emit(operation: Operations, **given: Any) -> Any:
    """Test vectors as a document, or as text where as_= asks for lines of another kind: detcheck-emit(1)."""
    done, _ = call("emit", listed(operation), **given)
    return document_of(done.text, done) if done.text.lstrip().startswith("{") else done.text


def table(what: str, *more: str, **given: Any) -> Any:
    """The codes of a format, a conversion or a look-up table: detcheck-table(1)."""
    done, _ = call("table", [what, *more], **given)
    return document_of(done.text, done) if done.text.lstrip().startswith("{") else done.text


def compare(*operands: Any, **given: Any) -> Document:
    """Where two reports, fingerprints or implementations (impl=[a, b]) part: detcheck-compare(1)."""
    done, text = call("compare", operands, **given)
    return document_of(text, done)


def explain(*operands: Any, **given: Any) -> Document:
    """Why two reports or implementations (impl=[a, b]) differ: detcheck-explain(1)."""
    done, text = call("explain", operands, **given)
    return document_of(text, done)


def bench(operation: Operations, *implementations: Implementation, **given: Any) -> Document:
    """Times implementations, beside their largest errors: detcheck-bench(1)."""
    done, text = call("bench", listed(operation), implementations, **given)
    return document_of(text, done)


def gate(*reports: Any, **given: Any) -> Document:
    """Judges reports by limits, a policy or a report of before; .passed says how it went: detcheck-gate(1)."""
    done, text = call("gate", reports, **given)
    return document_of(text, done)


def merge(*reports: Any, **given: Any) -> Report:
    """One report of several, or of the shards of one: detcheck-merge(1)."""
    done, _ = call("merge", reports, **given)
    result = document_of(done.text, done)
    assert isinstance(result, Report)
    return result


def list(what: Optional[str] = None) -> Document:  # pylint: disable=redefined-builtin
    """Which operations, formats, roundings and implementations there are."""
    done, text = call("list", [what] if what else [])
    return document_of(text, done)


def env() -> Document:
    """What results depend on here: processor, compiler, libm, rounding."""
    done, text = call("env", [])
    return document_of(text, done)
