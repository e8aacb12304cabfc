"""detcheck.trace: what a run does, operation by operation, into a folder (detcheck-trace(7)).

    with detcheck.trace("here.trace"):
        model(x)

Calls of PyTorch are seen as they are; detcheck.trace.numpy, .jax and .onnx trace what they are given, and detcheck.trace.add
records anything else.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import sys
import threading
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._trace_writer import Seen, Writer, attributes_text

Tensors = Union[Mapping[str, Any], Sequence[Any]]
_open: List["Recording"] = []


def current() -> Optional["Recording"]:
    """The recording that was begun last, if one is open."""
    return _open[-1] if _open else None


def source_line(depth: int = 2) -> str:
    """The line that called: the first outside of this package and of libraries that record."""
    frame = sys._getframe(depth)
    while frame:
        code = frame.f_code
        place = (id(code), frame.f_lasti)
        known = _lines.get(place)
        if known is None:
            named = place_of(code.co_filename)
            known = _lines[place] = (code, f"{named}:{frame.f_lineno}" if named else "")
        if known[1]:
            return known[1]
        frame = frame.f_back  # type: ignore[assignment]
    return ""


_places: Dict[str, str] = {}
_lines: Dict[Tuple[int, int], Tuple[Any, str]] = {}  # by code, which stays as long as its number is used, and instruction
# What calls that are recorded go through on their way from the program.
_LIBRARIES = re.compile(r"/(site|dist)-packages/(torch|functorch|jax|jaxlib|numpy|onnxruntime)/"
                        r"|^<(frozen |__array_function__|eval_with_key)")
_STANDARD = (contextlib.__file__, threading.__file__)
_OWN = os.path.dirname(os.path.abspath(__file__))
_directory = os.getcwd()  # before the program changes it


def place_of(file: str) -> str:
    """A file as traces name it: from the working directory, or from where packages lie; empty for those of libraries above."""
    found = _places.get(file)
    if found is None:
        whole = os.path.normpath(os.path.join(_directory, file))
        roots = [os.path.normpath(os.path.join(_directory, one)) for one in ("", *sys.path)]
        inside = [os.path.relpath(whole, one) for one in roots if whole.startswith(one.rstrip(os.sep) + os.sep)]
        is_between = _LIBRARIES.search(file) or os.path.dirname(whole) == _OWN or file in _STANDARD
        found = _places[file] = "" if is_between else min(inside, key=len) if inside else os.path.basename(whole)
    return found


def is_library(file: str) -> None:
    """Lines of this file are between the program and what it calls."""
    _places[file] = ""
    _lines.clear()


class Recording:
    """A trace that is being written. Leaving its `with` block closes the trace."""

    def __init__(self, folder: Union[str, "os.PathLike[str]"], keep: str = "digests", replace: bool = False) -> None:
        self.writer = Writer(os.fspath(folder), keep, replace)
        self.frameworks = contextlib.ExitStack()
        self.attached: List[str] = []

    def __enter__(self) -> "Recording":
        _open.append(self)
        others = [one for one in threading.enumerate() if one is not threading.current_thread()]
        if others:
            self.writer.omits("threads that ran before the recording", len(others))
        if "torch" in sys.modules:
            self.attach("torch")
        return self

    def attach(self, framework: str) -> None:
        """Records the operations of a framework in this thread from now on."""
        self.attached.append(framework)
        module = importlib.import_module(f"detcheck._trace_{framework}")
        self.frameworks.enter_context(module.recorder(self.writer))

    def close(self, complete: bool = True) -> None:
        if self in _open:
            _open.remove(self)
        self.writer.close(complete)

    def __exit__(self, kind: Any, *_: Any) -> None:
        try:
            self.frameworks.close()
        finally:
            self.close(kind is None)

    def add(self, name: str, operation: str, inputs: Tensors, outputs: Tensors, attributes: Optional[Mapping[str, Any]] = None,
            source: str = "") -> None:
        """See detcheck.trace.add."""
        self.writer.joins("calls")

        def seen(given: Tensors) -> List[Seen]:
            pairs = given.items() if isinstance(given, Mapping) else (("", one) for one in given)
            return [self.writer.seen(value, label) for label, value in pairs]

        self.writer.add(operation, seen(inputs), seen(outputs), path=name, source=source or source_line(),
                        attributes=attributes_text(dict(attributes or {})))


class Tracing:
    """What detcheck.trace is: called, it makes a recording; its functions add to the one that was begun last."""

    def __call__(self, folder: Union[str, "os.PathLike[str]"], keep: str = "digests", replace: bool = False) -> Recording:
        """A recording, for `with`. keep= has the values of `detcheck trace record --keep`. If the folder has an earlier trace, ValueError is
        raised, unless replace= allows to replace it."""
        return Recording(folder, keep, replace)

    def add(self, name: str, operation: str, inputs: Tensors, outputs: Tensors, attributes: Optional[Mapping[str, Any]] = None) -> None:
        """Records that `operation` ("matmul") was computed at `name` ("layers.7.mlp"). Its inputs and outputs are arrays or tensors of any
        library, as a list or by the names of their parameters. Attributes are numbers, strings and lists of them. Without a recording
        nothing happens."""
        recording = current()
        if recording:
            recording.add(name, operation, inputs, outputs, attributes, source_line())

    def numpy(self, array: Any) -> Any:
        """The array, traced: detcheck records each operation of numpy on it, and the results are traced, too."""
        from ._trace_numpy import traced
        return traced(array)

    def jax(self, function: Callable[..., Any], whole: bool = False) -> Callable[..., Any]:
        """The function, traced: the equations of its jaxpr are evaluated one after the other, and each is recorded. With whole=True a call of
        a function under jit is one operation, as XLA compiles it."""
        from ._trace_jax import traced
        return traced(function, whole)

    def onnx(self, model: Any, inputs: Mapping[str, Any], **options: Any) -> List[Any]:
        """Runs a model by onnxruntime and records the outputs of each node; returns the outputs of the model."""
        from ._trace_onnx import run
        return run(model, inputs, **options)


trace = Tracing()
