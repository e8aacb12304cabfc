"""One call of PyTorch for a trace: what its function is, its tensors and its attributes."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple

import torch

from ._trace_tensors import Elements
from ._trace_torch_digests import Digests, strided, type_of
from ._trace_writer import OVERWRITTEN, Seen, Writer, left_out, quoted, value_text

Place = Tuple[str, str, bool]  # the module's path, the source line, and whether it is backward


class Function(NamedTuple):
    """A function of the dispatcher: names of arguments, which of them it writes to, and other properties."""

    name: str
    arguments: Tuple[str, ...]
    written: frozenset[str]
    results: frozenset[str]  # of written, those whose old elements do not matter
    is_random: bool
    is_empty: bool  # its result has whatever lay in memory
    overwrites: bool  # what lay there does not matter
    resizes: bool
    unsaid: frozenset[str] = frozenset()  # what it writes to in training though its schema does not say so


EMPTY = ("aten.empty", "aten.new_empty", "aten.empty_like", "aten.empty_strided", "aten.new_empty_strided", "aten.empty_quantized",
         "aten.empty_permuted")
RESIZES = ("aten.resize_", "aten.resize_as_")
OVERWRITES = {f"aten.{name}_" for name in ("bernoulli cauchy copy exponential fill geometric log_normal normal random resize set uniform zero"
                                           .split())}
STATISTICS = frozenset(("running_mean", "running_var"))
UNSAID = {f"aten.{name}": STATISTICS for name in ("native_batch_norm cudnn_batch_norm miopen_batch_norm batch_norm_update_stats "
                                                  "batch_norm_gather_stats batch_norm_gather_stats_with_counts").split()}


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
                    bare in EMPTY, bare in OVERWRITES, bare in RESIZES, UNSAID.get(bare, frozenset()) - written)


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


SIMPLE = frozenset((int, bool, float, str))
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


class Call:
    """One call: its tensors and attributes."""

    __slots__ = ("function", "digests", "wanted", "inputs", "attributes", "in_place", "written", "changed", "place", "elements")

    def __init__(self, function: Function, digests_: Digests, wanted: bool, place: Place) -> None:
        self.function, self.digests, self.wanted, self.place = function, digests_, wanted, place
        self.inputs: List[Seen] = []
        self.attributes: List[str] = []  # as JSON
        self.in_place: List[int] = []
        self.written: List[Tuple[str, Any]] = []
        self.changed: List[Tuple[List[Seen], Seen]] = []  # inputs that were written to through others

    def take_all(self, args: Sequence[Any], kwargs: Dict[str, Any]) -> None:
        names = self.function.arguments
        if self.function.unsaid and {**dict(zip(names, args)), **kwargs}.get("training", True):
            self.function = self.function._replace(written=self.function.written | self.function.unsaid)
        for name, value in zip(names, args):
            self.take(name, value)
        for at in range(len(names), len(args)):  # of what has no schema
            self.take(str(at), args[at])
        for name, value in kwargs.items():
            self.take(name, value)

    def take(self, name: str, value: Any) -> None:
        kind = type(value)
        if kind in SIMPLE:
            self.attributes.append(f"{quoted(name)}:{value_text(value, attribute)}")
        elif isinstance(value, torch.Tensor):
            self.tensor(name, name, value)
        elif (kind is list or kind is tuple or isinstance(value, (list, tuple))) and any(isinstance(one, torch.Tensor) for one in value):
            for at, one in enumerate(value):
                if isinstance(one, torch.Tensor):
                    self.tensor(name, f"{name}[{at}]", one)
        elif value is not None:
            self.attributes.append(f"{quoted(name)}:{attribute_text(value)}")

    def tensor(self, argument: str, name: str, tensor: Any) -> None:
        function, digests_ = self.function, self.digests
        if function.written and argument in function.written and self.is_written(argument, name, tensor):
            return
        seen = digests_.seen(tensor, name, self.wanted, bool(function.written))
        if digests_.has_writes:
            gave = digests_.gave(tensor, seen.known)
            if gave:
                self.changed.append((gave, seen._replace(name="")))
        self.inputs.append(seen)

    def is_written(self, argument: str, name: str, tensor: Any) -> bool:
        """Takes an argument that is written to. Whether its old elements do not matter."""
        function = self.function
        self.written.append((name, tensor))
        if function.resizes:
            self.elements = tensor.numel()
        if argument not in function.results:
            self.in_place.append(len(self.inputs))
            return False
        if function.overwrites:
            self.in_place.append(len(self.inputs))
            self.inputs.append(Seen(name, left_out(tensor, OVERWRITTEN, type_of(tensor.dtype)), None))
        return True  # else out=

    def written_to(self) -> None:
        for _, tensor in self.written:
            self.digests.changes(tensor)
            if self.function.resizes and tensor.numel() > self.elements:
                self.digests.grew(tensor)

    def outputs(self, result: Any) -> List[Seen]:
        """The tensors that were returned, and others that were written to."""
        if isinstance(result, torch.Tensor):
            flat = [result]
        else:
            returned = result if isinstance(result, (list, tuple)) else ()
            flat = [each for one in returned for each in (one if isinstance(one, (list, tuple)) else (one,)) if isinstance(each, torch.Tensor)]
        found = [self.output("", one) for one in flat]
        for name, tensor in self.written:
            if all(tensor is not one for one in flat):
                found.append(self.output(name, tensor))
        return found

    def output(self, name: str, tensor: Any) -> Seen:
        digests_ = self.digests
        known = digests_.known(tensor, True, self.function.is_empty)
        if digests_.has_writes:
            digests_.gave(tensor, known)  # by this operation
        return Seen(name, known, later(tensor) if self.wanted and not known.kept else None)

    def returned(self, writer: Writer, result: Any) -> None:
        """It came to its end: it is added to the trace."""
        if self.written:
            self.written_to()
        outputs = self.outputs(result)
        if self.inputs or outputs:
            self.add(writer, outputs)

    def raised(self, writer: Writer, error: Exception) -> None:
        self.written_to()
        self.add(writer, [], f"{type(error).__name__}: {error}")

    def add(self, writer: Writer, outputs: List[Seen], error: str = "") -> None:
        path, source, backward = self.place
        for gave, seen in self.changed:
            writer.add("detcheck.written", gave, [seen], path=path, source=source, backward=backward)
        function = self.function
        writer.add(function.name, self.inputs, outputs, path=path, source=source, backward=backward, random=function.is_random,
                   attributes=f"{{{','.join(self.attributes)}}}" if self.attributes else "", in_place=self.in_place, error=error)
        for _, tensor in self.written:
            self.digests.wrote(tensor)


def later(tensor: Any) -> Callable[[], Elements]:
    return lambda: strided(tensor)
