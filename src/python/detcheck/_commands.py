"""The program's commands as functions: operands, implementations and keywords in, results as objects out."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import library_names
from ._options import options, path_of, words
from ._program import CallableError, Done, run_program, shows_progress
from ._results import Document, Report, document_of

__tracebackhide__ = True  # pytest shows the line that called, not these
Implementation = Union[str, Callable[..., Any]]
Operations = Union[str, Sequence[str]]
# Kinds of implementations that are written with a colon, and so are no modules of Python.
PREFIXES = ("lib", "exec", "file", "py", "via", "steps", "order", "form", "mma", "svml")
NO_PROGRESS = ("list", "env", "eval", "table", "merge")


def as_text(implementation: str) -> str:
    """Its name for the program: a module of Python with a function behind a colon is py:MODULE:FUNCTION."""
    kind, colon, _ = implementation.partition(":")
    is_python = kind in library_names.NAMES or (colon and kind not in PREFIXES and not kind.startswith("variant"))
    return f"py:{implementation}" if is_python else implementation


class Trial:
    """The needs of a call besides its words: temporary files, and functions that are served."""

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
        """A file for the program: a document, several of them, or numbers if the option takes a file of numbers."""
        if isinstance(value, (dict, Document)):
            import json
            path = self.folder / f"{name}.json"
            path.write_text(json.dumps(value if isinstance(value, dict) else value.to_dict()))
            return path
        if isinstance(value, (list_type, tuple)) and value and all(isinstance(one, (dict, Document)) for one in value):
            return [self.file_of(one, f"{name}{at}") for at, one in enumerate(value)]
        if name not in OF_NUMBERS or isinstance(value, (str, os.PathLike)) or value is None:
            return value
        path = self.folder / f"{name}.txt"
        path.write_text("".join(f"{line_of(one)}\n" for one in value))
        return path

    def bare(self, text: str) -> str:
        """Text without the name of the folder, which is gone when somebody reads it."""
        return text.replace(f"{self._folder}{os.sep}", "") if self._folder else text


def line_of(numbers: Any) -> str:
    """The numbers of one input, as a file of inputs has them."""
    each = numbers if hasattr(numbers, "__len__") and not isinstance(numbers, str) else [numbers]
    return " ".join(one if isinstance(one, str) else repr(float(one)) for one in each)


OF_NUMBERS = ("inputs", "inputs_of", "start", "hard")  # options for a file of inputs
WRITTEN = ("json", "output", "update")  # options that name where the document goes
PLANNED = ("sweep", "search", "invariance")
list_type = list  # a command has that name here


def call(command: str, operands: Sequence[Any], implementations: Sequence[Implementation] = (), *,
         progress: Optional[bool] = None, scalar: bool = False, library: Optional[str] = None,
         **given: Any) -> Tuple[Done, Optional[str]]:
    """Runs a command; gives what it printed, and the text of its JSON where it writes any."""
    command_words = command if command != "plan" else f"plan {operands[0] if operands[:1] and operands[0] in PLANNED else 'sweep'}"
    named = given.pop("impl", None)
    every = [*implementations, *([] if named is None else [named] if isinstance(named, str) or callable(named) else named)]
    trial = Trial(every, scalar, library)
    with trial.stack:
        given = {keyword: trial.file_of(value, keyword) for keyword, value in given.items()}
        # Implementations stand before the options: --via adds two, which come after the one on trial then.
        made = [command, *(path_of(trial.file_of(one, f"operand{at}")) for at, one in enumerate(operands)),
                *(f"--impl={trial.spelled(one)}" for one in every), *words(command_words, given)]
        wanted = next((given[name] for name in WRITTEN if given.get(name) is not None), None)
        document = Path("-" if wanted is None else wanted)
        if "json" in options(command) and wanted is None:
            document = trial.folder / "result.json"
            made.append(f"--json={document}")
        server = None
        if trial.served:
            from ._serving import Server
            server = Server(trial.served, float(given.get("timeout") or 10))
        shown = shows_progress() if progress is None else progress
        done = run_program(made, server, shown and command not in NO_PROGRESS, trial.bare)
        text = done.text if str(document) == "-" else trial.bare(document.read_text()) if document.exists() else None
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
    return written(done, text)


def written(done: Done, text: Optional[str]) -> Any:
    """The output of a command: a document, or other text."""
    return document_of(text, done) if text and text.lstrip().startswith("{") else text if text is not None else done.text


def listed(operation: Operations) -> List[str]:
    return [operation] if isinstance(operation, str) else [*operation]


def in_order(operation: Any, implementations: Sequence[Any]) -> Tuple[Operations, List[Implementation]]:
    """The operation and the implementations in this order. Where a function comes first, the first that is no function is the
    operation. Implementations may stand in a list."""
    if not callable(operation):
        return operation, [each for one in implementations for each in (one if isinstance(one, (list_type, tuple)) else [one])]
    at = next((at for at, one in enumerate(implementations) if not callable(one)), None)
    if at is None:
        raise TypeError(f"which operation is {getattr(operation, '__name__', operation)} to compute? Say its name too, such as \"exp\"")
    return implementations[at], [operation, *implementations[:at], *implementations[at + 1:]]


def judged(command: str, operation: Any, implementations: Sequence[Any], given: Dict[str, Any]) -> Report:
    operation, implementations = in_order(operation, implementations)
    done, text = call(command, listed(operation), implementations, **given)
    result = document_of(text, done)
    assert isinstance(result, Report)
    return result


def sweep(operation: Union[Operations, Callable[..., Any]], *implementations: Union[Operations, Implementation], **given: Any) -> Report:
    """Runs implementations over every input of a format, and judges each output by the exact result.

    An implementation is one of these:
    - a function on arrays of one library, such as numpy.exp or torch.nn.functional.gelu;
    - a function of one number with scalar=True, such as math.exp;
    - a name: "numpy:exp", "torch:nn.functional.gelu", or "jax", which selects JAX's function for each operation;
    - an implementation of the program: "libm", "det", "lib:libm.so.6".

    The function may also be the first argument: sweep(numpy.exp, "exp"). Keywords are the options of 'detcheck sweep'
    (detcheck.options("sweep")): format=, range=, samples=, flags=True, ... library= names the library whose arrays a function needs, if
    detcheck cannot find it out. Without an implementation, the platform's libm and det are swept.
    """
    return judged("sweep", operation, implementations, given)


def cast(implementation: Optional[Implementation] = None, *, from_: str = "fp32", to: str, **given: Any) -> Report:
    """Sweeps a conversion from one format to another: detcheck.cast(lambda x: x.astype(bfloat16), to="bf16")."""
    if "format" in given:
        raise TypeError("cast: the format to convert from is from_=, not format=")
    return sweep("cast", *([] if implementation is None else [implementation]), from_=from_, to=to, **given)


def search(operation: Union[Operations, Callable[..., Any]], *implementations: Union[Operations, Implementation], **given: Any) -> Report:
    """Finds the inputs with the largest errors if there are too many inputs to try all of them: detcheck-search(1)."""
    return judged("search", operation, implementations, given)


def invariance(operation: Union[Operations, Callable[..., Any]], *implementations: Union[Operations, Implementation], **given: Any) -> Report:
    """Tests that the same inputs give the same bits, wherever and whenever they are computed: detcheck-invariance(1)."""
    return judged("invariance", operation, implementations, given)


def eval(operation: str, *values: Any, **given: Any) -> Document:
    """Computes one input: the exact result, its rounding, and the outputs of implementations (impl=): detcheck-eval(1)."""
    numbers = [one if isinstance(one, str) else repr(float(one)) for one in values]
    done, text = call("eval", [operation, *numbers], **given)
    return document_of(text, done)


def verify(vectors: Any, *implementations: Implementation, **given: Any) -> Document:
    """Tests implementations with test vectors, which are a file or the result of `emit`: detcheck-verify(1)."""
    done, text = call("verify", [vectors], implementations, **given)
    return document_of(text, done)


def emit(operation: Operations, **given: Any) -> Any:
    """Returns test vectors as a document, or with as_= as text of lines of another kind: detcheck-emit(1)."""
    return written(*call("emit", listed(operation), **given))


def table(what: str, *more: str, **given: Any) -> Any:
    """Returns the codes of a format, a conversion or a look-up table: detcheck-table(1)."""
    return written(*call("table", [what, *more], **given))


def without_functions(command: str, operands: Sequence[Any]) -> Sequence[Any]:
    """The operands, of which none may be a function: implementations of these commands are those of impl."""
    if any(callable(one) for one in operands):
        raise TypeError(f"{command} takes functions by impl, such as detcheck.{command}(\"exp\", impl=[f, \"cr\"])")
    return operands


def compare(*operands: Any, **given: Any) -> Document:
    """Finds where two reports, fingerprints or implementations (impl=[a, b]) differ: detcheck-compare(1)."""
    done, text = call("compare", without_functions("compare", operands), **given)
    return document_of(text, done)


def explain(*operands: Any, **given: Any) -> Document:
    """Finds out why two reports or implementations (impl=[a, b]) differ: detcheck-explain(1)."""
    done, text = call("explain", without_functions("explain", operands), **given)
    return document_of(text, done)


def bench(operation: Union[Operations, Callable[..., Any]], *implementations: Union[Operations, Implementation], **given: Any) -> Document:
    """Times implementations, beside their largest errors: detcheck-bench(1)."""
    name, ordered = in_order(operation, implementations)
    done, text = call("bench", listed(name), ordered, **given)
    return document_of(text, done)


def gate(*reports: Any, **given: Any) -> Document:
    """Judges reports by limits, a policy or an earlier report; .passed is whether all checks passed: detcheck-gate(1)."""
    done, text = call("gate", reports, **given)
    return document_of(text, done)


def merge(*reports: Any, **given: Any) -> Report:
    """Merges several reports, or the shards of one, into one report: detcheck-merge(1)."""
    done, text = call("merge", reports, **given)
    result = document_of(text, done)
    assert isinstance(result, Report)
    return result


def plan(*operands: str, **given: Any) -> str:
    """Returns, as text, what a scheduler needs to run a command in shards: detcheck.plan("sweep", "pow", for_="slurm", impl="libm").
    Options of the planned command are allowed, too. Implementations have to be names: detcheck-plan(1)."""
    named = given.get("impl")
    if any(callable(one) for one in (named if isinstance(named, list_type) else [named])):
        raise TypeError("other machines run a plan: its implementations have names, such as impl=\"numpy:exp\"")
    return str(written(*call("plan", operands, **given)))


def list(what: Optional[str] = None) -> Document:  # pylint: disable=redefined-builtin
    """Returns the operations, formats, roundings and implementations."""
    done, text = call("list", [what] if what else [])
    return document_of(text, done)


def env() -> Document:
    """Returns the environment that results depend on: processor, compiler, libm, rounding."""
    done, text = call("env", [])
    return document_of(text, done)
