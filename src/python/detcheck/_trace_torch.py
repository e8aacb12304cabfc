"""Calls of PyTorch for a trace: each that the dispatcher makes, forward and backward, by a TorchDispatchMode."""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import weakref
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Set, Tuple

import torch
from torch.nn.modules import module as hooks
from torch.utils._python_dispatch import TorchDispatchMode

from ._trace import source_line
from ._trace_torch_compiled import RUNS_COMPILED, compiled_kernels, is_compiling, is_tracing, runs_eagerly
from ._trace_torch_digests import Digests, later, type_of
from ._trace_writer import OVERWRITTEN, Seen, Writer, left_out, quoted, value_text

MOST_NODES = 1 << 20  # of which it is known where their forward call was
class Function(NamedTuple):
    """What is known of a function of the dispatcher: names of arguments, which of them it writes to, and what else matters."""

    name: str
    arguments: Tuple[str, ...]
    written: frozenset[str]
    results: frozenset[str]  # of written, those whose old elements do not matter
    is_random: bool
    is_empty: bool  # its result has whatever lay in memory
    overwrites: bool  # what lay there does not matter
    resizes: bool


EMPTY = ("aten.empty", "aten.new_empty", "aten.empty_like", "aten.empty_strided", "aten.new_empty_strided", "aten.empty_quantized",
         "aten.empty_permuted")
RESIZES = ("aten.resize_", "aten.resize_as_")
OVERWRITES = {f"aten.{name}_" for name in ("bernoulli cauchy copy exponential fill geometric log_normal normal random resize set uniform zero"
                                           .split())}


def function_of(called: Any) -> Function:
    schema = getattr(called, "_schema", None)
    name = str(called)
    if schema is None:
        return Function(name, (), frozenset(), frozenset(), False, False, False, False)
    bare = name.rpartition(".")[0]
    written = {one.name for one in schema.arguments if one.alias_info is not None and one.alias_info.is_write}
    given = {one.name for one in schema.arguments if one.kwarg_only}
    return Function(name, tuple(one.name for one in schema.arguments), frozenset(written),
                    frozenset(written if bare in OVERWRITES else written & given), torch.Tag.nondeterministic_seeded in called.tags,
                    bare in EMPTY, bare in OVERWRITES, bare in RESIZES)


def attribute(value: Any) -> Any:
    """An argument that is no tensor."""
    if isinstance(value, torch.dtype):
        return type_of(value)
    if isinstance(value, complex):
        return [value.real, value.imag]
    if isinstance(value, (list, tuple)):
        return [attribute(one) for one in value]
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return str(value)
    if isinstance(value, torch.Generator):
        return f"seed {value.initial_seed()}"
    if isinstance(value, (torch.device, torch.layout, torch.memory_format)):
        return str(value).replace("torch.", "")
    return value


SIMPLE = (int, bool, float, str)
FIXED = {type(one) for one in (torch.float32, torch.strided, torch.contiguous_format, torch.device("cpu"))}
TEXTS: Dict[Any, str] = {}  # of values of these types


def attribute_text(value: Any) -> str:
    """An argument that is no tensor, as JSON."""
    if type(value) not in FIXED:
        return value_text(value, attribute)
    found = TEXTS.get(value)
    if found is None:
        found = TEXTS[value] = value_text(value, attribute)
    return found


def is_compiled(frame: Any) -> bool:
    """Whether a frame is that of the function in which torch.compile wraps another. What it leaves alone is wrapped in that file, too."""
    code = frame.f_code
    return code.co_filename.endswith("torch/_dynamo/eval_frame.py") and (
        code.co_name == "compile_wrapper" or type(frame.f_locals.get("self")).__name__ == "OptimizeContext")


class State:
    """Shared by the modes of all threads."""

    def __init__(self, writer: Writer) -> None:
        self.writer, self.digests = writer, Digests(writer)
        self.functions: Dict[Any, Function] = {}
        self.nodes: Dict[int, Tuple[int, str, str]] = {}  # of the forward call: its thread, path and source line
        self.names: Any = weakref.WeakKeyDictionary()
        self.local = threading.local()
        self.sources: Set[str] = set()  # lines that have called
        self.has_compile = False

    def enter_module(self, module: Any) -> None:
        stack = self.local.__dict__.setdefault("stack", [])
        if not stack and module not in self.names:
            for name, one in module.named_modules():
                self.names.setdefault(one, name)
        path = self.names.get(module)
        stack.append(path if path is not None else f"{stack[-1]}.{type(module).__name__}".lstrip("."))

    def leave_module(self) -> None:
        stack = self.local.__dict__.get("stack")
        if stack:
            stack.pop()

    def look_for_compile(self) -> None:
        """Where a mode of the dispatcher lets no compiled function run, it runs eagerly."""
        frame = sys._getframe(2)
        while frame and not is_compiled(frame):
            frame = frame.f_back  # type: ignore[assignment]
        if frame and not self.has_compile:
            self.has_compile = True
            self.writer.omits("functions of torch.compile, which ran eagerly")

    def place(self) -> Tuple[str, str, bool]:
        """Where a call is: the module's path, the source line, and whether it is backward, where both are those of the forward call."""
        node = torch._C._current_autograd_node()
        local = self.local.__dict__
        if node is not None:
            _, path, source = self.nodes.get(node._sequence_nr(), (0, "", ""))
        else:
            stack = local.get("stack")
            path, source = stack[-1] if stack else "", source_line(4)
            if source not in self.sources:
                self.sources.add(source)
                if runs_eagerly():
                    self.look_for_compile()
        number = torch.autograd._get_sequence_nr() - 1
        if number != local.get("number"):  # this call has a node of its own
            local["number"] = number
            thread = threading.get_ident()
            same = self.nodes.get(number, (thread,))[0] == thread  # else nobody can tell whose node it will be
            self.nodes[number] = (thread, path, source) if same else (-1, "", "")
            if len(self.nodes) > MOST_NODES:
                del self.nodes[next(iter(self.nodes))]
        return path, source, node is not None


    def begins(self, function: Function) -> Call:
        path, source, backward = self.place()
        keep = self.writer.keep
        wanted = keep.may and (keep.kind != "names" or keep.named(self.writer.count, function.name, path))
        return Call(function, self.digests, wanted, (path, source, backward))

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
            call.done(self.writer, lambda: kernel(*args))
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
        for name, value in zip(known.arguments, args):
            call.take(name, value)
        for at, value in enumerate(args[len(known.arguments):]):  # of what has no schema
            call.take(str(at), value)
        for name, value in kwargs.items():
            call.take(name, value)
        return call.done(writer, lambda: func(*args, **kwargs))


class Call:
    """One call: its tensors and attributes."""

    __slots__ = ("function", "digests", "wanted", "inputs", "attributes", "in_place", "written", "changed", "place", "elements")

    def __init__(self, function: Function, digests_: Digests, wanted: bool, place: Tuple[str, str, bool]) -> None:
        self.function, self.digests, self.wanted, self.place = function, digests_, wanted, place
        self.inputs: List[Seen] = []
        self.attributes: List[str] = []  # as JSON
        self.in_place: List[int] = []
        self.written: List[Tuple[str, Any]] = []
        self.changed: List[Tuple[List[Seen], Seen]] = []  # inputs that were written to through others

    def take(self, name: str, value: Any) -> None:
        if type(value) in SIMPLE:
            self.attributes.append(f"{quoted(name)}:{value_text(value, attribute)}")
        elif isinstance(value, torch.Tensor):
            self.tensor(name, name, value)
        elif isinstance(value, (list, tuple)) and any(isinstance(one, torch.Tensor) for one in value):
            for at, one in enumerate(value):
                if isinstance(one, torch.Tensor):
                    self.tensor(name, f"{name}[{at}]", one)
        elif value is not None:
            self.attributes.append(f"{quoted(name)}:{attribute_text(value)}")

    def tensor(self, argument: str, name: str, tensor: Any) -> None:
        is_written = argument in self.function.written
        if is_written:
            self.written.append((name, tensor))
            if self.function.resizes:
                self.elements = tensor.numel()
            if argument not in self.function.results:
                self.in_place.append(len(self.inputs))
            elif self.function.overwrites:
                self.in_place.append(len(self.inputs))
                self.inputs.append(Seen(name, left_out(tensor, OVERWRITTEN, type_of(tensor.dtype)), None))
                return
            else:
                return  # out=
        seen = self.digests.seen(tensor, name, self.wanted, bool(self.function.written))
        gave = self.digests.gave(tensor, seen.known)
        if gave:
            self.changed.append((gave, seen._replace(name="")))
        self.inputs.append(seen)

    def written_to(self) -> None:
        for _, tensor in self.written:
            self.digests.changes(tensor)
            if self.function.resizes and tensor.numel() > self.elements:
                self.digests.grew(tensor)

    def outputs(self, result: Any) -> List[Seen]:
        """What was returned, and what was written to besides."""
        returned = [one for one in (result if isinstance(result, (list, tuple)) else (result,))]
        flat = [each for one in returned for each in (one if isinstance(one, (list, tuple)) else (one,)) if isinstance(each, torch.Tensor)]
        found: List[Seen] = []
        for name, tensor in [*(("", one) for one in flat), *((name, one) for name, one in self.written if all(one is not each for each in flat))]:
            known = self.digests.known(tensor, True, self.function.is_empty)
            self.digests.gave(tensor, known)  # by this operation
            found.append(Seen(name, known, later(tensor) if self.wanted and not known.kept else None))
        return found

    def done(self, writer: Writer, compute: Callable[[], Any]) -> Any:
        """What compute() gives, with the call in the trace."""
        try:
            result = compute()
        except Exception as error:
            self.written_to()
            self.add(writer, [], f"{type(error).__name__}: {error}")
            raise
        self.written_to()
        outputs = self.outputs(result)
        if self.inputs or outputs:
            self.add(writer, outputs)
        return result

    def add(self, writer: Writer, outputs: List[Seen], error: str = "") -> None:
        path, source, backward = self.place
        for gave, seen in self.changed:
            writer.add("detcheck.written", gave, [seen], path=path, source=source, backward=backward)
        writer.add(self.function.name, self.inputs, outputs, path=path, source=source, backward=backward, random=self.function.is_random,
                   attributes=f"{{{','.join(self.attributes)}}}" if self.attributes else "", in_place=self.in_place, error=error)
        for _, tensor in self.written:
            self.digests.wrote(tensor)


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
