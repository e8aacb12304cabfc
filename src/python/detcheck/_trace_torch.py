"""Calls of PyTorch for a trace: each that the dispatcher makes, forward and backward, by a TorchDispatchMode."""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import weakref
from typing import Any, Dict, Iterator, List, Set, Tuple

import torch
from torch.nn.modules import module as hooks
from torch.utils._python_dispatch import TorchDispatchMode

from ._trace import source_line
from ._trace_torch_calls import Call, Function, Place, function_of
from ._trace_torch_compiled import RUNS_COMPILED, compiled_kernels, is_compiling, is_tracing, runs_eagerly
from ._trace_torch_digests import Digests
from ._trace_writer import Writer

MOST_NODES = 1 << 20  # of which it is known where their forward call was
def is_compiled(frame: Any) -> bool:
    """Whether a frame is that of the function in which torch.compile wraps another. The same file wraps the calls that it leaves alone."""
    code = frame.f_code
    return code.co_filename.endswith("torch/_dynamo/eval_frame.py") and (
        code.co_name == "compile_wrapper" or type(frame.f_locals.get("self")).__name__ == "OptimizeContext")


class Local(threading.local):
    """The state of each thread: the paths of running modules, and the number of the last node of autograd."""

    def __init__(self) -> None:
        self.stack: List[str] = []
        self.number = -1


class State:
    """Shared by the modes of all threads."""

    def __init__(self, writer: Writer) -> None:
        self.writer, self.digests = writer, Digests(writer)
        self.functions: Dict[Any, Function] = {}
        self.nodes: Dict[int, Tuple[int, str, str]] = {}  # of the forward call: its thread, path and source line
        self.names: Any = weakref.WeakKeyDictionary()
        self.local = Local()
        self.sources: Set[str] = set()  # lines that have called
        self.has_compile = False

    def enter_module(self, module: Any) -> None:
        stack = self.local.stack
        if not stack and module not in self.names:
            for name, one in module.named_modules():
                self.names.setdefault(one, name)
        path = self.names.get(module)
        stack.append(path if path is not None else f"{stack[-1]}.{type(module).__name__}".lstrip("."))

    def leave_module(self) -> None:
        if self.local.stack:
            self.local.stack.pop()

    def look_for_compile(self) -> None:
        """If a mode of the dispatcher does not allow compiled functions, the function runs eagerly."""
        frame = sys._getframe(2)
        while frame and not is_compiled(frame):
            frame = frame.f_back  # type: ignore[assignment]
        if frame and not self.has_compile:
            self.has_compile = True
            self.writer.omits("functions of torch.compile, which ran eagerly")

    def place(self) -> Place:
        """The place of a call: the module's path, the source line, and whether it is backward; then both belong to the forward call."""
        node = torch._C._current_autograd_node()
        local = self.local
        if node is not None:
            _, path, source = self.nodes.get(node._sequence_nr(), (0, "", ""))
        else:
            stack = local.stack
            path, source = stack[-1] if stack else "", source_line(3)
            if source not in self.sources:
                self.sources.add(source)
                if runs_eagerly():
                    self.look_for_compile()
        number = torch.autograd._get_sequence_nr() - 1
        if number != local.number:  # this call has a node of its own
            local.number = number
            thread = threading.get_ident()
            same = self.nodes.get(number, (thread,))[0] == thread  # else nobody can tell whose node it will be
            self.nodes[number] = (thread, path, source) if same else (-1, "", "")
            if len(self.nodes) > MOST_NODES:
                del self.nodes[next(iter(self.nodes))]
        return path, source, node is not None

    def begins(self, function: Function) -> Call:
        place = self.place()
        keep = self.writer.keep
        wanted = keep.may and (keep.kind != "names" or keep.named(self.writer.count, function.name, place[0]))
        return Call(function, self.digests, wanted, place)

    def kernel(self, name: str, parameters: List[Tuple[str, bool, bool]], kernel: Any) -> Any:
        """A kernel of a compiled function: it writes to some of its arguments, and returns nothing."""
        names = tuple(one for one, _, _ in parameters)
        written = frozenset(one for one, _, is_written in parameters if is_written)
        function = Function(f"inductor.{name}", names, written, frozenset(one for one, is_read, _ in parameters if not is_read), False, False,
                            False, False)

        def called(*args: Any) -> None:
            if self.writer.stopped or is_tracing():
                kernel(*args)
                return
            call = self.begins(function)
            for at, value in enumerate(args):
                call.take(names[at] if at < len(names) else str(at), value)
            call.written.sort(key=lambda one: -one[1].numel())  # what is for the kernel's own use is small, as sums of rows are
            try:
                kernel(*args)
            except Exception as error:
                call.raised(self.writer, error)
                raise
            call.returned(self.writer, None)
        return called

    def allocated(self, tensor: Any) -> Any:
        self.digests.known(tensor, True, True)
        return tensor


class Mode(TorchDispatchMode):
    """Records what one thread calls."""

    def __init__(self, state: State) -> None:
        super().__init__()
        self.state = state

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        return RUNS_COMPILED

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        state, kwargs = self.state, kwargs or {}
        writer = state.writer
        if writer.stopped or is_tracing():
            return func(*args, **kwargs)
        known = state.functions.get(func)
        if known is None:
            known = state.functions[func] = function_of(func)
        call = state.begins(known)
        call.take_all(args, kwargs)
        try:
            result = func(*args, **kwargs) if kwargs else func(*args)
        except Exception as error:
            call.raised(writer, error)
            raise
        call.returned(writer, result)
        return result


_states: List[State] = []


def enters(module: Any, _: Any) -> None:
    if not is_compiling():  # else it would be compiled, too
        for state in _states:
            state.enter_module(module)


def leaves(*_: Any) -> None:
    if not is_compiling():
        for state in _states:
            state.leave_module()


@functools.lru_cache(maxsize=None)
def numbers_of_hooks() -> Tuple[int, int]:
    """PyTorch's numbers for the hooks above. They stay: a compiled function is compiled anew for other numbers, and not for ever."""
    handles = hooks.register_module_forward_pre_hook(enters), hooks.register_module_forward_hook(leaves, always_call=True)
    for one in handles:
        one.remove()
    return handles[0].id, handles[1].id


@contextlib.contextmanager
def modules_are_known(state: State) -> Iterator[None]:
    """While it lasts, the state knows which modules run."""
    first, second = numbers_of_hooks()
    _states.append(state)
    hooks._global_forward_pre_hooks[first], hooks._global_forward_hooks[second] = enters, leaves
    hooks._global_forward_hooks_always_called[second] = True
    try:
        yield
    finally:
        _states.remove(state)
        if not _states:
            for table, number in ((hooks._global_forward_pre_hooks, first), (hooks._global_forward_hooks, second),
                                  (hooks._global_forward_hooks_always_called, second)):
                table.pop(number, None)


@contextlib.contextmanager
def shared_memory_is_known(digests_: Digests) -> Iterator[None]:
    """While it lasts, tensors whose memory the program hands to others are hashed whenever they are seen."""
    names, own = ("numpy", "__dlpack__"), vars(torch.Tensor)
    before = {name: own.get(name) for name in names}

    def wrapped(whole: Any) -> Any:
        @functools.wraps(whole)
        def shared(self: Any, *args: Any, **kwargs: Any) -> Any:
            digests_.shares(self)
            return whole(self, *args, **kwargs)
        return shared

    for name in names:
        setattr(torch.Tensor, name, wrapped(getattr(torch.Tensor, name)))
    try:
        yield
    finally:
        for name, one in before.items():
            if one is None:
                delattr(torch.Tensor, name)  # and so that of its base is there again
            else:
                setattr(torch.Tensor, name, one)


@contextlib.contextmanager
def recorder(writer: Writer) -> Iterator[None]:
    """While it lasts, calls of this thread and of those that it starts are recorded."""
    writer.joins("torch")
    state = State(writer)
    start = threading.Thread.start

    def started(self: Any) -> None:
        run = self.run

        def recorded() -> None:
            with Mode(state):
                run()
        self.run = recorded
        start(self)

    threading.Thread.start = started  # type: ignore[method-assign]
    try:
        with modules_are_known(state), shared_memory_is_known(state.digests), compiled_kernels(writer, state.kernel, state.allocated), Mode(state):
            yield
    finally:
        if threading.Thread.start is started:
            threading.Thread.start = start  # type: ignore[method-assign]
