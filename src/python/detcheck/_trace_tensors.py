"""Elements of tensors for traces: where they lie, what their digest is, and files of safetensors. numpy is not needed."""

from __future__ import annotations

import ctypes
import functools
import json
import math
import os
import re
import struct
import sys
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence, Tuple

from ._program import FOLDER, Error

# What safetensors calls the types that it has.
SAFETENSORS = {"fp64": "F64", "fp32": "F32", "fp16": "F16", "bf16": "BF16", "fp8_e4m3fn": "F8_E4M3", "fp8_e4m3fnuz": "F8_E4M3FNUZ",
               "fp8_e5m2": "F8_E5M2", "fp8_e5m2fnuz": "F8_E5M2FNUZ", "fp8_e8m0fnu": "F8_E8M0", "int8": "I8", "int16": "I16",
               "int32": "I32", "int64": "I64", "uint8": "U8", "uint16": "U16", "uint32": "U32", "uint64": "U64", "bool": "BOOL",
               "complex64": "C64"}
# Types that detcheck has, too, and files have not.
OTHERS = ("complex128", "fp8_e4m3b11fnuz", "fp8_e3m4", "fp8_e4m3")
BUFFERS = {"e": "float16", "f": "float32", "d": "float64", "?": "bool", "Zf": "complex64", "Zd": "complex128"}


class LeftOut(Exception):
    """Why the elements of a tensor cannot be had: "sparse"."""


class Elements(NamedTuple):
    """A tensor's elements in C's order, in this machine's byte order. `owner` has the memory."""

    type: str
    shape: Tuple[int, ...]
    address: int
    size: int
    owner: Any


@functools.lru_cache(maxsize=None)
def type_named(name: str, library: str) -> str:
    """detcheck's name of a type: float32 is fp32. One that detcheck has not keeps its own, with the library's in front."""
    ours = "bf16" if name == "bfloat16" else re.sub(r"^float(?=\d)", "fp", name)
    return ours if ours in SAFETENSORS or ours in OTHERS else f"{library}.{name}"


def _of_numpy(array: Any) -> Elements:
    import numpy as np
    kind = array.dtype.kind
    if kind not in "biufcmMV" or array.dtype.names or array.dtype.subdtype or array.dtype in (np.longdouble, np.clongdouble):
        raise LeftOut(f"numpy's {array.dtype.name}")
    if kind == "V" and array.dtype.type is np.void:
        raise LeftOut("numpy's void")
    shape = array.shape  # which ascontiguousarray changes where there are no dimensions
    if not array.flags.c_contiguous or not array.flags.aligned:
        array = np.ascontiguousarray(array)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return Elements(type_named(array.dtype.name, "numpy"), shape, array.ctypes.data, array.nbytes, array)


def _of_buffer(value: Any) -> Elements:
    view = memoryview(value)
    letter = view.format.lstrip("@=<")
    if view.format[0] in ">!" or (view.format[0] == "<" and sys.byteorder == "big"):
        raise LeftOut("a buffer in another byte order")
    integer = letter in "bBhHiIlLqQnN" and f"{'u' if letter.isupper() else ''}int{8 * view.itemsize}"
    name = integer or BUFFERS.get(letter) or ("uint8" if letter == "c" else None)
    if name is None:
        raise LeftOut(f"a buffer of the format {view.format}")
    if view.c_contiguous and not view.readonly and view.nbytes:
        place = (ctypes.c_char * view.nbytes).from_buffer(view)
        return Elements(type_named(name, "buffer"), tuple(view.shape or ()), ctypes.addressof(place), view.nbytes, place)
    return of_bytes(type_named(name, "buffer"), tuple(view.shape or ()), view.tobytes())


def of_bytes(type_: str, shape: Tuple[int, ...], data: bytes) -> Elements:
    place = ctypes.create_string_buffer(data, len(data) or 1)
    return Elements(type_, shape, ctypes.addressof(place), len(data), place)


def elements_of(value: Any) -> Elements:
    """The elements of an array of numpy or JAX, a tensor of PyTorch, or an object with the buffer protocol or DLPack. Raises LeftOut if they cannot be read."""
    library = type(value).__module__.partition(".")[0]
    if library == "torch":
        from ._trace_torch_digests import elements
        return elements(value)
    if library == "numpy" or hasattr(value, "__array_interface__"):
        import numpy as np
        return _of_numpy(np.asarray(value))
    if hasattr(value, "__array__"):  # as arrays of JAX have, for whose bf16 DLPack does not do
        import numpy as np
        try:
            return _of_numpy(np.asarray(value))
        except TypeError:
            raise LeftOut(f"{library}'s {getattr(value, 'dtype', type(value).__name__)}") from None
    try:
        return _of_buffer(value)
    except TypeError:
        pass
    if hasattr(value, "__dlpack__"):
        import numpy as np
        try:
            return _of_numpy(np.from_dlpack(value))
        except (BufferError, RuntimeError, TypeError) as error:
            raise LeftOut(f"{library}: {error}") from None
    raise LeftOut(f"no tensor: {type(value).__name__}")


@functools.lru_cache(maxsize=None)
def _library() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(str(FOLDER / "lib" / "libdetcheck_tensor.so"))
    except OSError as error:
        raise Error(f"libdetcheck_tensor.so is not in the package: {error}") from None
    library.tensor_type_named.restype = ctypes.c_void_p
    library.tensor_digest_text.restype = ctypes.c_bool
    library.tensor_digest_text.argtypes = [*[ctypes.c_void_p] * 2, *[ctypes.c_size_t] * 2, *[ctypes.c_void_p] * 3]
    return library


@functools.lru_cache(maxsize=None)
def _row(type_: str) -> Optional[int]:
    found: Optional[int] = _library().tensor_type_named(type_.encode())
    return found


@functools.lru_cache(maxsize=None)
def _extents(rank: int) -> Any:
    return ctypes.c_int64 * rank


_Text = ctypes.c_char * 65  # TENSOR_DIGEST_TEXT of digest.h


@functools.lru_cache(maxsize=None)
def _hashing(type_: str) -> Callable[..., Tuple[str, str]]:
    """Hashes elements of a type."""
    row, hashed = _row(type_), _library().tensor_digest_text

    def texts(address: int, width: int, rank: int = 0, shape: Any = None, strides: Any = None) -> Tuple[str, str]:
        place = _Text()
        if not hashed(row, address, width, rank, shape, strides, place):
            raise MemoryError("out of memory")
        text = place.value.decode()
        return (text, text) if len(text) == 32 else (text[:32], text[32:])
    return texts


def digests_of_bytes(type_: str, address: int, size: int) -> Tuple[str, str]:
    """XXH3-128 of elements, little-endian, and the same with each NaN as the canonical one, as hex digits."""
    return _hashing(type_)(address, size)


def digests(elements: Elements) -> Tuple[str, str]:
    return digests_of_bytes(elements.type, elements.address, elements.size)


def digests_of_view(type_: str, address: int, width: int, shape: Sequence[int], strides: Sequence[int]) -> Tuple[str, str]:
    """The same of elements of `width` bytes that do not lie one behind another; strides are counted in elements."""
    rank = len(shape)
    extents = _extents(rank)
    return _hashing(type_)(address, width, rank, extents(*shape), extents(*strides))


def copied(elements: Elements) -> Elements:
    """With memory of its own, for one that is about to be overwritten."""
    return of_bytes(elements.type, elements.shape, ctypes.string_at(elements.address, elements.size))


def _write_all(descriptor: int, data: Any) -> None:
    view = memoryview(data).cast("B")
    while view:
        view = view[os.write(descriptor, view[:1 << 30]):]


def write_safetensors(path: str, tensors: Sequence[Tuple[str, Elements]]) -> None:
    """A file that appears when it is whole."""
    header: Dict[str, Any] = {}
    at = 0
    for name, one in tensors:
        header[name] = {"dtype": SAFETENSORS[one.type], "shape": [*one.shape], "data_offsets": [at, at + one.size]}
        at += one.size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    beside = f"{path}.part"
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
        try:
            _write_all(descriptor, struct.pack("<Q", len(text)) + text)
            for _, one in tensors:
                if one.size:
                    _write_all(descriptor, _little_endian(one))
        finally:
            os.close(descriptor)
        os.rename(beside, path)
    except OSError:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


def _little_endian(one: Elements) -> Any:
    place = (ctypes.c_char * one.size).from_address(one.address)
    width = one.size // math.prod(one.shape) // (2 if one.type.startswith("complex") else 1)
    if sys.byteorder == "little" or width == 1:
        return place
    data = bytes(place)
    swapped = bytearray(len(data))
    for byte in range(width):
        swapped[byte::width] = data[width - 1 - byte::width]
    return swapped


