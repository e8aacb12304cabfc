"""Kernels that torch.compile has made, for a trace: those of C++ by TorchInductor, which the dispatcher does not see.

Each function that is compiled has a module of Python, which TorchInductor writes. While a recording lasts, the kernels in these
modules, and what allocates their results, are wrapped. Calls that such a module leaves to ATen go through the dispatcher anyway.
"""

from __future__ import annotations

import contextlib
import functools
import re
import sys
from typing import Any, Callable, Iterator, List, Tuple

import torch
import torch._guards  # whose state is asked below
from torch.utils._python_dispatch import TorchDispatchMode

from . import _trace
from ._trace_imports import OnImport
from ._trace_writer import Writer

# PyTorch runs a compiled function eagerly under a mode that does not say that it leaves such functions alone. Kernels of Triton
# are not wrapped, so where there may be any, it stays so.
RUNS_COMPILED = hasattr(TorchDispatchMode, "ignore_compile_internals") and not torch.cuda.is_available()
_MADE = re.compile(r"^(\w+) = async_compile\.(\w+)\(((?:(?!^\w+ = async_compile\.).)*)", re.MULTILINE | re.DOTALL)
_PARAMETERS = re.compile(r"\bvoid\s+kernel\(([^)]*)\)")
CACHE = "torch._inductor.codecache"
ALLOCATORS = ("empty_strided_cpu", "empty_strided_cpu_pinned")


is_compiling: Callable[[], bool] = getattr(getattr(torch, "compiler", None), "is_compiling", bool)


def runs_eagerly() -> bool:
    """Whether a mode, of this recording or of the program, keeps PyTorch from compiling."""
    asked = getattr(sys.modules["torch.utils._python_dispatch"], "is_in_any_mode_without_ignore_compile_internals", None)
    return not RUNS_COMPILED or asked is None or bool(asked())


_compiles: Any = getattr(sys.modules.get("torch._guards"), "_TLS", None)  # which a thread has its own of


def is_tracing() -> bool:
    """Whether this thread is compiling: what is called then is no part of the run."""
    return getattr(_compiles, "tracing_context", None) is not None


def parameters_of(text: str) -> List[Tuple[str, bool, bool]]:
    """The parameters of a kernel in C: names, whether it reads them, and whether it writes to them."""
    found = []
    for one in text.split(","):
        name = (re.findall(r"\w+", one) or [""])[-1]
        is_constant = re.match(r"\s*const\b", one) is not None
        found.append((name, is_constant or not name.startswith("out_ptr"), "*" in one and not is_constant))
    return found


class Modules:
    """Wraps kernels of the modules that there are, and of those that come; undoes it."""

    def __init__(self, writer: Writer, wrapped: Callable[[str, List[Tuple[str, bool, bool]], Any], Any], allocated: Callable[[Any], Any],
                 undo: contextlib.ExitStack) -> None:
        self.writer, self.wrapped, self.allocated, self.undo = writer, wrapped, allocated, undo
        self.taken: List[Any] = []

    def watch(self) -> None:
        """From here on those that are loaded are taken."""
        cache = sys.modules[CACHE].PyCodeCache
        load = cache.__dict__["load_by_key_path"]

        @functools.wraps(load.__func__)
        def loaded(cls: Any, *args: Any, **kwargs: Any) -> Any:
            module = load.__func__(cls, *args, **kwargs)
            self.take(module)
            return module
        for module in [*cache.modules]:
            self.take(module)
        cache.load_by_key_path = classmethod(loaded)
        self.undo.callback(setattr, cache, "load_by_key_path", load)

    def take(self, module: Any) -> None:
        path = getattr(module, "__file__", None)
        if not path or any(one is module for one in self.taken):
            return
        self.taken.append(module)
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError):
            return
        _trace.is_library(path)
        for name, kind, rest in _MADE.findall(text):
            parameters = _PARAMETERS.search(rest) if kind == "cpp_pybinding" else None
            if parameters:
                self.replace(module, name, functools.partial(self.wrapped, re.sub(r"_\d+$", "", name), parameters_of(parameters[1])))
            else:
                self.writer.omits(f"kernels of torch.compile by {kind}")
        for name in ALLOCATORS:
            self.replace(module, name, self.allocating)

    def allocating(self, allocate: Any) -> Any:
        return lambda *args, **kwargs: self.allocated(allocate(*args, **kwargs))

    def replace(self, module: Any, name: str, wrapped: Callable[[Any], Any]) -> None:
        own = getattr(module, name, None)
        if callable(own):
            setattr(module, name, wrapped(own))
            self.undo.callback(setattr, module, name, own)


@contextlib.contextmanager
def compiled_kernels(writer: Writer, wrapped: Callable[[str, List[Tuple[str, bool, bool]], Any], Any],
                     allocated: Callable[[Any], Any]) -> Iterator[None]:
    """While it lasts, kernels are what wrapped(name, parameters, kernel) gives, and memory for results goes through allocated()."""
    if not RUNS_COMPILED:
        yield
        return
    with contextlib.ExitStack() as undo:
        modules = Modules(writer, wrapped, allocated, undo)
        if CACHE in sys.modules:
            modules.watch()
        else:  # to import it takes seconds
            finder = OnImport((CACHE,), lambda _: modules.watch())
            sys.meta_path.insert(0, finder)
            undo.callback(sys.meta_path.remove, finder)
        yield
