"""Calls of PyTorch for a trace: each that the dispatcher makes, forward and backward, by a TorchDispatchMode."""

from __future__ import annotations

import contextlib
import sys
import threading
import weakref
from typing import Any, Dict, Iterator, List, NamedTuple, Set, Tuple

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.nn.modules import module as hooks
from torch.utils._python_dispatch import TorchDispatchMode

from ._trace import source_line
from ._trace_tensors import Elements, LeftOut, copied, digests, type_named
from ._trace_writer import OVERWRITTEN, Known, Seen, Writer, attributes_text, left_out, said

MOST_NODES = 1 << 20  # of which it is known where their forward call was
PLAIN = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer) if hasattr(torch.nn, "Buffer") else (torch.Tensor, torch.nn.Parameter)
QUANTISED = {torch.qint8, torch.quint8, torch.qint32, getattr(torch, "quint4x2", None), getattr(torch, "quint2x4", None)}
TYPES: Dict[Any, str] = {}


def type_of(dtype: Any) -> str:
    found = TYPES.get(dtype)
    if found is None:
        found = TYPES[dtype] = type_named(str(dtype).rpartition(".")[2], "torch")
    return found


def why_not(tensor: Any) -> str:
    """Why the elements of a tensor cannot be had; empty where they can."""
    if type(tensor) not in PLAIN and type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
        return "nested" if getattr(tensor, "is_nested", False) else f"of class {type(tensor).__name__}"
    if tensor.is_nested:
        return "nested"
    if tensor.layout is not torch.strided:
        return str(tensor.layout).replace("torch.", "").lstrip("_").partition("_")[0]
    if tensor.dtype in QUANTISED:
        return "quantised"
    return "meta" if tensor.is_meta else ""


def elements(tensor: Any) -> Elements:
    """The elements of a tensor in C's order; copied where they do not lie so."""
    why = why_not(tensor)
    if why:
        raise LeftOut(why)
    return strided(tensor)


def strided(tensor: Any) -> Elements:
    with torch._C._DisableTorchDispatch(), torch.no_grad():
        one = tensor.detach()
        if not one.is_cpu:
            one = one.cpu()
        one = one.resolve_conj().resolve_neg().contiguous()
        return Elements(type_of(one.dtype), tuple(one.shape), one.data_ptr(), one.numel() * one.element_size(), one)


class Function(NamedTuple):
    """What is known of a function of the dispatcher: names of arguments, which of them it writes to, and what else matters."""

    name: str
    arguments: Tuple[str, ...]
    written: frozenset[str]
    results: frozenset[str]  # of written, those whose old elements do not matter
    is_random: bool
    is_empty: bool  # its result has whatever lay in memory


EMPTY = ("aten.empty", "aten.new_empty", "aten.empty_like", "aten.empty_strided", "aten.new_empty_strided", "aten.empty_quantized")
OVERWRITES = {f"aten.{name}_" for name in ("bernoulli cauchy copy exponential fill geometric log_normal normal random resize set uniform zero"
                                           .split())}


def function_of(called: Any) -> Function:
    schema = getattr(called, "_schema", None)
    name = str(called)
    if schema is None:
        return Function(name, (), frozenset(), frozenset(), False, False)
    bare = name.rpartition(".")[0]
    written = {one.name for one in schema.arguments if one.alias_info is not None and one.alias_info.is_write}
    given = {one.name for one in schema.arguments if one.kwarg_only}
    return Function(name, tuple(one.name for one in schema.arguments), frozenset(written),
                    frozenset(written if bare in OVERWRITES else written & given), torch.Tag.nondeterministic_seeded in called.tags,
                    bare in EMPTY)


class Storage:
    """Memory of tensors, and what is known of those that lie in it until something is written there."""

    # is_made: by PyTorch, as far as one sees; before: what was known before the writes so far, and how many of these came earlier
    __slots__ = ("reference", "known", "is_new", "is_made", "is_empty", "before", "writes", "written")

    def __init__(self, reference: Any) -> None:
        self.reference, self.is_new, self.is_made, self.is_empty = reference, True, False, False
        self.known: Dict[Any, Any] = {}
        self.before: Dict[Any, Tuple[Known, int]] = {}
        self.writes, self.written = 0, []  # type: int, List[Known]


MOST_BEFORE = 64  # for each storage
SLICES, SLICE = 8, 4096


def probe(elements_: Elements) -> Any:
    """Of memory to which others may write unseen: digests of some parts of it."""
    if elements_.size <= SLICES * SLICE:
        return digests(elements_)
    step = (elements_.size - SLICE) // (SLICES - 1)
    return [digests(Elements("uint8", (SLICE,), elements_.address + at * step, SLICE, None)) for at in range(SLICES)]


def key_of(tensor: Any) -> Tuple[Any, Any, Any]:
    """What tells tensors of one storage from each other; None at its end where the elements lie in C's order."""
    is_whole = tensor.is_contiguous() and tensor.is_cpu and not tensor.is_neg() and not tensor.is_conj()
    place = (tensor.data_ptr(), tensor.dtype, -1 if tensor.is_inference() else tensor._version)
    return place, tuple(tensor.shape), None if is_whole else (tensor.stride(), tensor.is_neg(), tensor.is_conj())


def place_of(key: Tuple[Any, Any, Any]) -> Tuple[Any, ...]:
    """Without the count of writes."""
    return (*key[0][:2], *key[1:])


class Digests:
    """What is said of tensors, which is worked out once for each and for what shares its elements until these change."""

    def __init__(self, writer: Writer) -> None:
        self.writer, self.storages, self.next_sweep = writer, {}, 4096  # type: Writer, Dict[int, Storage], int
        self.has_writes = False

    def storage(self, tensor: Any) -> Storage:
        whole = tensor.untyped_storage()
        found = self.storages.get(whole._cdata)
        if found is None or found.reference.expired():
            if len(self.storages) > self.next_sweep:
                self.storages = {at: one for at, one in self.storages.items() if not one.reference.expired()}
                self.next_sweep = 2 * len(self.storages) + 4096
            found = self.storages[whole._cdata] = Storage(StorageWeakRef(whole))
        return found

    def changes(self, tensor: Any) -> None:
        """Something was written to a tensor."""
        if not why_not(tensor):
            with contextlib.suppress(RuntimeError):
                storage = self.storage(tensor)
                for key, found in storage.known.items():
                    if len(key) == 3:
                        at = place_of(key)
                        storage.before.pop(at, None)
                        storage.before[at] = (found[0], storage.writes)
                while len(storage.before) > MOST_BEFORE:
                    del storage.before[next(iter(storage.before))]
                storage.known.clear()
                storage.is_new = storage.is_empty = False

    def wrote(self, tensor: Any) -> None:
        """What lies there now, of which other tensors in the same memory have a part."""
        known = self.known(tensor, True)
        if known.key is not None:
            storage = self.storage(tensor)
            storage.writes += 1
            self.has_writes = True
            storage.written = [*storage.written[1 - MOST_BEFORE:], known]

    def gave(self, tensor: Any, known: Known) -> List[Seen]:
        """Where a tensor is seen first after writes through others, such as slices of it: what it was, and what was written. It is
        told once."""
        if known.key is None or not self.has_writes:
            return []
        storage = self.storage(tensor)
        before, at = storage.before.pop(place_of(key_of(tensor)), (None, 0)) if storage.before else (None, 0)
        since = storage.writes - at
        if before is None or before.key == known.key or not 0 < since <= len(storage.written):
            return []
        writes = storage.written[len(storage.written) - since:]
        if any(one.key == known.key for one in writes):
            return []  # the tensor itself was written to
        return [Seen("self", before, None), *(Seen(f"written[{place}]", one, None) for place, one in enumerate(writes))]

    def known(self, tensor: Any, is_result: bool = False, is_empty: bool = False) -> Known:
        why = why_not(tensor)
        if not why:
            try:
                return self.known_of(tensor, is_result, is_empty)
            except RuntimeError:  # of NotImplementedError, too: a tensor that stands for others, as in torch.func
                why = "without memory"
        return left_out(tensor, why, type_of(tensor.dtype))

    def known_of(self, tensor: Any, is_result: bool, is_empty: bool) -> Known:
        storage = self.storage(tensor)
        if storage.is_new:
            storage.is_new, storage.is_made, storage.is_empty = False, is_result or type(tensor) is not torch.Tensor, is_empty
        if storage.is_empty:
            return left_out(tensor, "uninitialised", type_of(tensor.dtype))
        key = key_of(tensor)
        place, shape, is_whole = key[0], key[1], key[2] is None
        is_foreign = not storage.is_made
        found = storage.known.get(key)
        if found is not None and not (is_foreign and found[1] != probe(strided(tensor))):
            return found[0]  # type: ignore[no-any-return]
        if is_whole:
            elements_ = Elements(type_of(tensor.dtype), shape, place[0], tensor.nbytes, None)
            same = storage.known.get((place, tensor.nbytes)) if not is_foreign else None
            digest = storage.known[place, tensor.nbytes] = same or digests(elements_)
        else:
            elements_ = strided(tensor)
            digest = digests(elements_)
        known = Known(*said(elements_, digest))
        storage.known[key] = (known, probe(elements_) if is_foreign else None)
        return known

    def seen(self, tensor: Any, name: str, wanted: bool = False, is_overwritten: bool = False) -> Seen:
        known = self.known(tensor)
        if not wanted or known.key is None or known.kept:
            return Seen(name, known, None)
        if is_overwritten:  # or what shares its memory may be
            before = copied(strided(tensor))
            return Seen(name, known, lambda: before)
        return Seen(name, known, lambda: strided(tensor))


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

    def enter_module(self, module: Any, _: Any) -> None:
        stack = self.local.__dict__.setdefault("stack", [])
        if not stack and module not in self.names:
            for name, one in module.named_modules():
                self.names.setdefault(one, name)
        path = self.names.get(module)
        stack.append(path if path is not None else f"{stack[-1]}.{type(module).__name__}".lstrip("."))

    def leave_module(self, *_: Any) -> None:
        stack = self.local.__dict__.get("stack")
        if stack:
            stack.pop()

    def look_for_compile(self) -> None:
        """A compiled function runs eagerly under a mode of the dispatcher."""
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
            path, source = stack[-1] if stack else "", source_line(3)
            if source not in self.sources:
                self.sources.add(source)
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


class Mode(TorchDispatchMode):
    """Records what one thread calls."""

    def __init__(self, state: State) -> None:
        super().__init__()
        self.state = state

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        state, kwargs = self.state, kwargs or {}
        writer = state.writer
        if writer.stopped:
            return func(*args, **kwargs)
        known = state.functions.get(func)
        if known is None:
            known = state.functions[func] = function_of(func)
        path, source, backward = state.place()
        keep = writer.keep
        wanted = keep.may and (keep.kind != "names" or keep.named(writer.count, known.name, path))
        call = Call(known, state.digests, wanted)
        for name, value in zip(known.arguments, args):
            call.take(name, value)
        for at, value in enumerate(args[len(known.arguments):]):  # of what has no schema
            call.take(str(at), value)
        for name, value in kwargs.items():
            call.take(name, value)
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            call.written_to()
            call.add(writer, [], path, source, backward, f"{type(error).__name__}: {error}")
            raise
        call.written_to()
        outputs = call.outputs(result)
        if call.inputs or outputs:
            call.add(writer, outputs, path, source, backward)
        return result


class Call:
    """One call: its tensors and attributes."""

    __slots__ = ("function", "digests", "wanted", "inputs", "attributes", "in_place", "written", "changed")

    def __init__(self, function: Function, digests_: Digests, wanted: bool) -> None:
        self.function, self.digests, self.wanted = function, digests_, wanted
        self.inputs: List[Seen] = []
        self.attributes: Dict[str, Any] = {}
        self.in_place: List[int] = []
        self.written: List[Tuple[str, Any]] = []
        self.changed: List[Tuple[List[Seen], Seen]] = []  # inputs that were written to through others

    def take(self, name: str, value: Any) -> None:
        if isinstance(value, torch.Tensor):
            self.tensor(name, name, value)
        elif isinstance(value, (list, tuple)) and any(isinstance(one, torch.Tensor) for one in value):
            for at, one in enumerate(value):
                if isinstance(one, torch.Tensor):
                    self.tensor(name, f"{name}[{at}]", one)
        elif value is not None:
            self.attributes[name] = attribute(value)

    def tensor(self, argument: str, name: str, tensor: Any) -> None:
        is_written = argument in self.function.written
        if is_written:
            self.written.append((name, tensor))
            if argument not in self.function.results:
                self.in_place.append(len(self.inputs))
            elif self.function.name.rpartition(".")[0] in OVERWRITES:
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

    def outputs(self, result: Any) -> List[Seen]:
        """What was returned, and what was written to besides."""
        returned = [one for one in (result if isinstance(result, (list, tuple)) else (result,))]
        flat = [each for one in returned for each in (one if isinstance(one, (list, tuple)) else (one,)) if isinstance(each, torch.Tensor)]
        found: List[Seen] = []
        for name, tensor in [*(("", one) for one in flat), *((name, one) for name, one in self.written if all(one is not each for each in flat))]:
            known = self.digests.known(tensor, True, self.function.is_empty)
            self.digests.gave(tensor, known)  # by this operation
            found.append(Seen(name, known, self.later(tensor) if self.wanted and not known.kept else None))
        return found

    def later(self, tensor: Any) -> Any:
        return lambda: strided(tensor)

    def add(self, writer: Writer, outputs: List[Seen], path: str, source: str, backward: bool, error: str = "") -> None:
        for gave, seen in self.changed:
            writer.add("detcheck.written", gave, [seen], path=path, source=source, backward=backward)
        writer.add(self.function.name, self.inputs, outputs, path=path, source=source, backward=backward, random=self.function.is_random,
                   attributes=attributes_text(self.attributes), in_place=self.in_place, error=error)
        for _, tensor in self.written:
            self.digests.wrote(tensor)


@contextlib.contextmanager
def recorder(writer: Writer) -> Iterator[None]:
    """While it lasts, calls of this thread and of those that it starts are recorded."""
    writer.joins("torch")
    state = State(writer)
    handles = [hooks.register_module_forward_pre_hook(state.enter_module),
               hooks.register_module_forward_hook(state.leave_module, always_call=True)]
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
        with Mode(state):
            yield
    finally:
        if threading.Thread.start is started:
            threading.Thread.start = start  # type: ignore[method-assign]
        for handle in handles:
            handle.remove()
