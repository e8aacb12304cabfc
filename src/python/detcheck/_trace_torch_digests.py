"""Digests of tensors of PyTorch for traces; each is computed once until something writes to the memory."""

from __future__ import annotations

import contextlib
import weakref
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from ._trace_tensors import Elements, LeftOut, copied, digests, digests_of_bytes, digests_of_view, type_named
from ._trace_writer import Known, Seen, Writer, left_out, said

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


class Kind(NamedTuple):
    """The properties that tensors with the same keys of the dispatcher share."""

    why: str  # their elements cannot be had; or empty
    is_direct: bool  # they lie in this machine's memory as they are
    is_counted: bool  # PyTorch counts writes to them
    number: int


_keys_of = torch._C._dispatch_keys
KINDS: Dict[Tuple[Any, int], Kind] = {}


def kind_of(tensor: Any) -> Kind:
    key = (type(tensor), _keys_of(tensor).raw_repr())
    found = KINDS.get(key)
    if found is None:
        is_direct = tensor.is_cpu and not tensor.is_neg() and not tensor.is_conj() and not tensor._is_zerotensor()
        found = KINDS[key] = Kind(why_not(tensor), is_direct, not tensor.is_inference(), len(KINDS))
    return found


def elements(tensor: Any) -> Elements:
    """The elements of a tensor in C's order; copied where they do not lie so."""
    why = why_not(tensor)
    if why:
        raise LeftOut(why)
    try:
        return strided(tensor)
    except RuntimeError:  # it stands for others, as in torch.func
        raise LeftOut("without memory") from None


def strided(tensor: Any) -> Elements:
    with torch._C._DisableTorchDispatch(), torch.no_grad():
        one = tensor.detach()
        if not one.is_cpu:
            one = one.cpu()
        if one._is_zerotensor():  # which has no memory; derivatives are such zeros
            one = torch.zeros(one.shape, dtype=one.dtype)
        one = one.resolve_conj().resolve_neg().contiguous()
        if one.numel() and not one.data_ptr():
            raise RuntimeError("without memory")
        return Elements(type_of(one.dtype), tuple(one.shape), one.data_ptr(), one.numel() * one.element_size(), one)


class Storage:
    """Memory of tensors, and what is known of those that lie in it until something is written there."""

    # reference: as long as it is there, no other memory has its number
    # is_made: by PyTorch, as far as one sees; before: what was known before the writes so far, and how many of these came earlier
    __slots__ = ("reference", "known", "is_new", "is_made", "is_empty", "before", "writes", "written")

    def __init__(self, reference: Any) -> None:
        self.reference, self.is_new, self.is_made, self.is_empty = reference, True, False, False
        self.known: Dict[Any, Any] = {}  # of tensors, and by PIECE the digests of memory, whatever its shape
        self.before: Optional[Dict[Any, Tuple[Known, int]]] = None
        self.writes, self.written = 0, ()  # type: int, Tuple[Known, ...]


MOST_BEFORE = 64  # for each storage
PIECE = 4  # members of a key
MOST_TENSORS = 4096  # whose identity is known
SWEEP = 256  # so many storages may be gone: few, so that what comes next lies where they were


def key_of(tensor: Any, kind: Kind) -> Tuple[Any, ...]:
    """A key that distinguishes tensors of one storage. The first is how often something was written to them."""
    return (tensor._version if kind.is_counted else -1, tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride(), kind.number)


class Digests:
    """Digests of tensors, computed once for all that share the same elements, until these change."""

    def __init__(self, writer: Writer) -> None:
        self.writer, self.storages, self.next_sweep = writer, {}, SWEEP  # type: Writer, Dict[int, Storage], int
        # Of tensors that were seen, by their id(), until something is written anywhere: a reference, as that of one that is gone is
        # taken again; what it was then; what is known of it; and its memory with the number, which no other has as long as this is
        # here: a tensor whose data is replaced may get other memory at the same address.
        self.tensors: Dict[int, Tuple[Any, Kind, Tuple[Any, ...], Known, Storage, int]] = {}
        self.has_writes = self.has_streams = False

    def storage(self, tensor: Any) -> Storage:
        whole = tensor.untyped_storage()
        found = self.storages.get(whole._cdata)
        if found is None:
            if len(self.storages) > self.next_sweep:
                for at, one in [*self.storages.items()]:  # which other threads may add to
                    if one.reference.expired():
                        self.storages.pop(at, None)
                self.next_sweep = 2 * len(self.storages) + SWEEP
            found = self.storages[whole._cdata] = Storage(StorageWeakRef(whole))
        return found

    def shares(self, tensor: Any) -> None:
        """Others, such as numpy, have the memory of a tensor from here on, and may write to it."""
        if not why_not(tensor):
            with contextlib.suppress(RuntimeError):
                storage = self.storage(tensor)
                storage.is_new = storage.is_made = storage.is_empty = False
        self.tensors.clear()

    def grew(self, tensor: Any) -> None:
        """Some of its elements are whatever lay in memory."""
        self.tensors.clear()
        if not why_not(tensor):
            self.storage(tensor).is_empty = True

    def changes(self, tensor: Any) -> None:
        """Something was written to a tensor."""
        self.tensors.clear()
        if not why_not(tensor):
            with contextlib.suppress(RuntimeError):
                storage = self.storage(tensor)
                before = storage.before = storage.before or {}
                for key, found in [*storage.known.items()]:
                    if len(key) != PIECE:
                        before.pop(key[1:], None)
                        before[key[1:]] = (found, storage.writes)
                while len(before) > MOST_BEFORE:
                    del before[next(iter(before))]
                storage.known = {}
                if storage.is_new:
                    storage.is_new, storage.is_made = False, type(tensor) is not torch.Tensor
                storage.is_empty = False

    def wrote(self, tensor: Any) -> None:
        """The tensor that lies there now; other tensors share parts of its memory."""
        known = self.known(tensor, True)
        if known.key is not None:
            storage = self.storage(tensor)
            storage.writes += 1
            self.has_writes = True
            storage.written = (*storage.written[1 - MOST_BEFORE:], known)

    def gave(self, tensor: Any, known: Known) -> List[Seen]:
        """A tensor seen for the first time after writes through others, such as slices of it: its earlier value, and the writes. It is
        told once."""
        if known.key is None or not self.has_writes:
            return []
        storage = self.storage(tensor)
        before, at = storage.before.pop(key_of(tensor, kind_of(tensor))[1:], (None, 0)) if storage.before else (None, 0)
        since = storage.writes - at
        if before is None or before.key == known.key or not 0 < since <= len(storage.written):
            return []
        writes = storage.written[len(storage.written) - since:]
        if any(one.key.partition(" ")[0] == known.key.partition(" ")[0] for one in writes if one.key):
            return []  # the tensor itself was written to, in this shape or another
        return [Seen("self", before, None), *(Seen(f"written[{place}]", one, None) for place, one in enumerate(writes))]

    def known(self, tensor: Any, is_result: bool = False, is_empty: bool = False) -> Known:
        entry = self.tensors.get(id(tensor))
        if entry is not None and entry[0]() is tensor and entry[2] == key_of(tensor, entry[1]) and (
                tensor.untyped_storage()._cdata == entry[5]):
            return entry[3]
        kind = KINDS.get((type(tensor), _keys_of(tensor).raw_repr())) or kind_of(tensor)
        why = kind.why
        if not why:
            try:
                storage = self.storages.get(tensor.untyped_storage()._cdata) or self.storage(tensor)
                key = key_of(tensor, kind)
                found = storage.known.get(key) if storage.is_made else None
                if found is None:
                    found = self.looked_at(tensor, kind, storage, key, is_result, is_empty)
                if storage.is_made and kind.is_direct:
                    self.keep(tensor, kind, key, found, storage)
                return found
            except RuntimeError:  # of NotImplementedError, too: a tensor that stands for others, as in torch.func
                why = "without memory"
        return left_out(tensor, why, type_of(tensor.dtype))

    def keep(self, tensor: Any, kind: Kind, key: Tuple[Any, ...], found: Known, storage: Storage) -> None:
        tensors = self.tensors
        if len(tensors) >= MOST_TENSORS:
            for at, one in [*tensors.items()]:
                if one[0]() is None:
                    tensors.pop(at, None)
            if 2 * len(tensors) > MOST_TENSORS:
                tensors.clear()
        tensors[id(tensor)] = (weakref.ref(tensor), kind, key, found, storage, tensor.untyped_storage()._cdata)

    def looked_at(self, tensor: Any, kind: Kind, storage: Storage, key: Tuple[Any, ...], is_result: bool, is_empty: bool) -> Known:
        if storage.is_new:
            storage.is_new, storage.is_made, storage.is_empty = False, is_result or type(tensor) is not torch.Tensor, is_empty
            if not kind.is_direct and tensor.is_cuda and not self.has_streams:
                self.has_streams = True
                self.writer.omits("in which order streams of CUDA ran")
        type_ = type_of(tensor.dtype)
        if storage.is_empty:
            return left_out(tensor, "uninitialised", type_)
        found = storage.known[key] = Known(*said(type_, key[3], self.digests(tensor, type_, kind, storage, key)))
        return found

    def digests(self, tensor: Any, type_: str, kind: Kind, storage: Storage, key: Tuple[Any, ...]) -> Tuple[str, str]:
        if not kind.is_direct or tensor.dim() > 64 or not key[1]:
            return digests(strided(tensor))
        if not tensor.is_contiguous():
            return digests_of_view(type_, key[1], tensor.element_size(), key[3], key[4])
        if not storage.is_made:
            return digests_of_bytes(type_, key[1], tensor.nbytes)
        piece = (*key[:3], tensor.nbytes)
        found = storage.known.get(piece)
        if found is None:
            found = storage.known[piece] = digests_of_bytes(type_, key[1], tensor.nbytes)
        return found

    def seen(self, tensor: Any, name: str, wanted: bool = False, is_overwritten: bool = False) -> Seen:
        known = self.known(tensor)
        if not wanted or known.key is None or known.kept:
            return Seen(name, known, None)
        if is_overwritten:  # or what shares its memory may be
            before = copied(strided(tensor))
            return Seen(name, known, lambda: before)
        return Seen(name, known, lambda: strided(tensor))
