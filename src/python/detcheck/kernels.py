"""Kernels of transformers whose bits are the same on every machine: rms_norm, layer_norm, group_norm, batch_norm, l2_norm,
silu_mul, gelu_mul, swiglu, geglu, rope, sort, top_k, argmax, attention, cross_entropy, embedding_bag, average_pool, convolution,
steps of sgd and adam, and gradients of the norms, gates, softmax, cross_entropy, rope, attention, pools, convolutions and bags.

Operands and results are arrays of numpy, of float32 and narrower types. The order of additions in a line depends only on the length
of the line, so each row of a batch has the same bits as alone. detcheck-kernels(7) describes the operations.
"""

from __future__ import annotations

import ctypes
import math
import sys
from typing import Any, Optional, Sequence

import numpy as np

from ._functions import address, apart, number_of, place_for, shared_library, whole_number
from ._scaled_sides import in_elements, strided

RMS, LAYER, L2 = range(3)


def _have_shapes(name: str, shape: Sequence[int], **arguments: Any) -> None:
    """Each that is not None has that shape."""
    for which, one in arguments.items():
        if one is not None and np.shape(one) != tuple(shape):
            raise ValueError(f"{name}: {which} has the shape {np.shape(one)}, and {tuple(shape)} would be right here")


def _side_of(x: Any, axis: Optional[int]) -> Sequence[int]:
    """The shape of weights along an axis; of none that is there, what the library says of it."""
    shape = np.shape(x)
    if axis is None:
        return (math.prod(shape),)
    return (shape[axis],) if -len(shape) <= axis < len(shape) else ()


def _norm(name: str, symbol: str, x: Any, weight: Any, bias: Any, side: Sequence[int], out: Any, before: Sequence[Any],
          after: Sequence[Any]) -> Any:
    found = in_elements(np.asarray(x))
    if found.dtype.kind in "iub" or found.dtype == np.float64:
        raise TypeError(f"{name} needs an array of float32 or a narrower type of floating point, not {found.dtype}")
    if side:
        _have_shapes(name, side, weight=weight, bias=bias)
    number = number_of(found.dtype)
    place = np.empty(found.shape, found.dtype) if out is None else place_for(name, out, found.shape, found.dtype)
    given = [None if one is None else in_elements(np.asarray(one, found.dtype)) for one in (weight, bias)]
    sides = [None if one is None else ctypes.byref(strided(one, number))
             for one in (place, *apart([found], [place]), *apart(given, [place], in_place=False))]
    status = getattr(shared_library(), symbol)(*before, *sides, *after)
    if status:
        raise ValueError(f"{name}: {shared_library().detmath_trouble_text(status).decode()}")
    return place


def _epsilon(epsilon: float) -> Any:
    single = np.float32(epsilon) if abs(epsilon) <= np.finfo(np.float32).max else math.inf
    if not (single == 0 or np.finfo(np.float32).tiny <= single < math.inf):
        raise ValueError(f"epsilon is 0 or a normal number of float32 above 0, not {epsilon}")
    return ctypes.c_float(single)


def _along(name: str, which: int, x: Any, weight: Any, bias: Any, axis: Optional[int], epsilon: float, out: Any) -> Any:
    whole = -(1 << 31)
    return _norm(name, "detmath_norm_along", x, weight, bias, _side_of(x, axis), out, [ctypes.c_int(which)],
                 [ctypes.c_int(whole if axis is None else axis), _epsilon(epsilon)])


def rms_norm(x: Any, weight: Any = None, bias: Any = None, *, axis: Optional[int] = -1, epsilon: float = 1e-5, out: Any = None) -> Any:
    """x / (mean of x^2 + epsilon)^(1/2), times the weight, plus the bias."""
    return _along("rms_norm", RMS, x, weight, bias, axis, epsilon, out)


def layer_norm(x: Any, weight: Any = None, bias: Any = None, *, axis: Optional[int] = -1, epsilon: float = 1e-5, out: Any = None) -> Any:
    """(x - mean) / (variance + epsilon)^(1/2), times the weight, plus the bias."""
    return _along("layer_norm", LAYER, x, weight, bias, axis, epsilon, out)


def _norm_gradient(name: str, symbol: str, x: Any, g: Any, weight: Any, axis: Optional[int], before: Sequence[Any], after: Sequence[Any],
                   out: Any) -> Any:
    found = _floats(name, x)
    _have_shapes(name, found.shape, g=g)
    if _side_of(x, axis):
        _have_shapes(name, _side_of(x, axis), weight=weight)
    place = np.empty(found.shape, found.dtype) if out is None else place_for(name, out, found.shape, found.dtype)
    sides = _sides(name, place, found, g, weight)
    _call(name, symbol, *before, *sides, *after)
    return place


def _along_gradient(name: str, which: int, x: Any, g: Any, weight: Any, axis: Optional[int], epsilon: float, out: Any) -> Any:
    return _norm_gradient(name, "detmath_norm_gradient_along", x, g, weight, axis, [ctypes.c_int(which)],
                          [ctypes.c_int(-(1 << 31) if axis is None else axis), _epsilon(epsilon)], out)


def rms_norm_gradient(x: Any, g: Any, weight: Any = None, *, axis: Optional[int] = -1, epsilon: float = 1e-5, out: Any = None) -> Any:
    """The gradient of rms_norm with respect to x; g is the gradient of its result."""
    return _along_gradient("rms_norm_gradient", RMS, x, g, weight, axis, epsilon, out)


def layer_norm_gradient(x: Any, g: Any, weight: Any = None, *, axis: Optional[int] = -1, epsilon: float = 1e-5, out: Any = None) -> Any:
    """The gradient of layer_norm with respect to x; g is the gradient of its result."""
    return _along_gradient("layer_norm_gradient", LAYER, x, g, weight, axis, epsilon, out)


def l2_norm(x: Any, weight: Any = None, bias: Any = None, *, axis: Optional[int] = -1, epsilon: float = 1e-12, out: Any = None) -> Any:
    """x / max((sum of x^2)^(1/2), epsilon), times the weight, plus the bias."""
    return _along("l2_norm", L2, x, weight, bias, axis, epsilon, out)


def _channels(name: str, x: Any) -> Any:
    if np.ndim(x) < 2:
        raise ValueError(f"{name} needs an array of SAMPLESxCHANNELS or more extents, not one of the shape {np.shape(x)}")
    return x


def group_norm(x: Any, groups: int, weight: Any = None, bias: Any = None, *, epsilon: float = 1e-5, out: Any = None) -> Any:
    """layer_norm of the elements of each group of channels of a sample; x is SAMPLESxCHANNELSx..."""
    count = whole_number("groups=", groups, 1, sys.maxsize)
    return _norm("group_norm", "detmath_group_norm", _channels("group_norm", x), weight, bias, _side_of(x, 1), out, [],
                 [ctypes.c_size_t(count), _epsilon(epsilon)])


def batch_norm(x: Any, weight: Any = None, bias: Any = None, *, epsilon: float = 1e-5, out: Any = None) -> Any:
    """layer_norm of the elements of each channel of all samples; x is SAMPLESxCHANNELSx..."""
    return _norm("batch_norm", "detmath_batch_norm", _channels("batch_norm", x), weight, bias, _side_of(x, 1), out, [], [_epsilon(epsilon)])


def l2_norm_gradient(x: Any, g: Any, weight: Any = None, *, axis: Optional[int] = -1, epsilon: float = 1e-12, out: Any = None) -> Any:
    """The gradient of l2_norm with respect to x; g is the gradient of its result."""
    return _along_gradient("l2_norm_gradient", L2, x, g, weight, axis, epsilon, out)


def group_norm_gradient(x: Any, g: Any, groups: int, weight: Any = None, *, epsilon: float = 1e-5, out: Any = None) -> Any:
    """The gradient of group_norm with respect to x; g is the gradient of its result."""
    count = whole_number("groups=", groups, 1, sys.maxsize)
    return _norm_gradient("group_norm_gradient", "detmath_group_norm_gradient", _channels("group_norm_gradient", x), g, weight, 1, [],
                          [ctypes.c_size_t(count), _epsilon(epsilon)], out)


def batch_norm_gradient(x: Any, g: Any, weight: Any = None, *, epsilon: float = 1e-5, out: Any = None) -> Any:
    """The gradient of batch_norm with respect to x; g is the gradient of its result."""
    return _norm_gradient("batch_norm_gradient", "detmath_batch_norm_gradient", _channels("batch_norm_gradient", x), g, weight, 1, [],
                          [_epsilon(epsilon)], out)


def _weight_gradient(name: str, symbol: str, count: int, x: Any, g: Any, before: Sequence[Any], after: Sequence[Any]) -> Any:
    found = _floats(name, x)
    _have_shapes(name, found.shape, g=g)
    places = [np.empty(count, found.dtype) for _ in range(2)]
    _call(name, symbol, *before, *_sides(name, places[0]), *_sides(name, places[1], found, g), *after)
    return tuple(places)


def _along_weight_gradient(name: str, which: int, x: Any, g: Any, axis: Optional[int], epsilon: float) -> Any:
    if axis is not None and not -np.ndim(x) <= axis < np.ndim(x):
        raise ValueError(f"{name} needs an axis of x, which {axis} of the shape {np.shape(x)} is not")
    return _weight_gradient(name, "detmath_norm_weight_gradient_along", np.size(x) if axis is None else np.shape(x)[axis], x, g,
                            [ctypes.c_int(which)], [ctypes.c_int(-(1 << 31) if axis is None else axis), _epsilon(epsilon)])


def rms_norm_weight_gradient(x: Any, g: Any, *, axis: Optional[int] = -1, epsilon: float = 1e-5) -> Any:
    """The gradients of rms_norm with respect to its weight and its bias; g is the gradient of its result."""
    return _along_weight_gradient("rms_norm_weight_gradient", RMS, x, g, axis, epsilon)


def layer_norm_weight_gradient(x: Any, g: Any, *, axis: Optional[int] = -1, epsilon: float = 1e-5) -> Any:
    """The gradients of layer_norm with respect to its weight and its bias; g is the gradient of its result."""
    return _along_weight_gradient("layer_norm_weight_gradient", LAYER, x, g, axis, epsilon)


def l2_norm_weight_gradient(x: Any, g: Any, *, axis: Optional[int] = -1, epsilon: float = 1e-12) -> Any:
    """The gradients of l2_norm with respect to its weight and its bias; g is the gradient of its result."""
    return _along_weight_gradient("l2_norm_weight_gradient", L2, x, g, axis, epsilon)


def group_norm_weight_gradient(x: Any, g: Any, groups: int, *, epsilon: float = 1e-5) -> Any:
    """The gradients of group_norm with respect to its weight and its bias; g is the gradient of its result."""
    count = whole_number("groups=", groups, 1, sys.maxsize)
    return _weight_gradient("group_norm_weight_gradient", "detmath_group_norm_weight_gradient",
                            np.shape(_channels("group_norm_weight_gradient", x))[1], x, g, [], [ctypes.c_size_t(count), _epsilon(epsilon)])


def batch_norm_weight_gradient(x: Any, g: Any, *, epsilon: float = 1e-5) -> Any:
    """The gradients of batch_norm with respect to its weight and its bias; g is the gradient of its result."""
    return _weight_gradient("batch_norm_weight_gradient", "detmath_batch_norm_weight_gradient",
                            np.shape(_channels("batch_norm_weight_gradient", x))[1], x, g, [], [_epsilon(epsilon)])


def _gate(name: str, which: int, operands: Sequence[Any], shape: Any, symbol: str, after: Sequence[Any], out: Any) -> Any:
    found = [in_elements(np.asarray(one)) for one in operands]
    dtype = found[0].dtype
    if dtype.kind in "iub" or dtype == np.float64 or any(one.dtype != dtype for one in found):
        raise TypeError(f"{name} needs arrays of float32 or one narrower type of floating point, not "
                        f"{', '.join(str(one.dtype) for one in found)}")
    place = np.empty(shape, dtype) if out is None else place_for(name, out, tuple(shape), dtype)
    number = number_of(dtype)
    sides = [ctypes.byref(strided(one, number)) for one in (place, *apart(found, [place], in_place=len(found) == 2))]
    status = getattr(shared_library(), symbol)(ctypes.c_int(which), *sides, *after)
    if status:
        raise ValueError(f"{name}: {shared_library().detmath_trouble_text(status).decode()}")
    return place


def _approximation(approximate: str) -> int:
    if approximate not in ("none", "tanh"):
        raise ValueError(f"approximate is 'none' or 'tanh', not {approximate!r}")
    return 1 + (approximate == "tanh")


def silu_mul(x: Any, u: Any, *, out: Any = None) -> Any:
    """silu(x) u."""
    _have_shapes("silu_mul", np.shape(x), u=u)
    return _gate("silu_mul", 0, [x, u], np.shape(x), "detmath_gate", [], out)


def gelu_mul(x: Any, u: Any, *, approximate: str = "none", out: Any = None) -> Any:
    """gelu(x) u."""
    _have_shapes("gelu_mul", np.shape(x), u=u)
    return _gate("gelu_mul", _approximation(approximate), [x, u], np.shape(x), "detmath_gate", [], out)


def _half(name: str, x: Any, axis: int) -> Sequence[int]:
    """The shape of the results."""
    shape = list(np.shape(x))
    if not -len(shape) <= axis < len(shape) or shape[axis] % 2:
        raise ValueError(f"{name} needs an even extent along an axis of x, which {axis} of the shape {tuple(shape)} has not")
    shape[axis] //= 2
    return shape


def _halves(name: str, which: int, x: Any, axis: int, reverse: bool, out: Any) -> Any:
    return _gate(name, which, [x], _half(name, x, axis), "detmath_gate_along", [ctypes.c_int(axis), ctypes.c_int(reverse)], out)


def swiglu(x: Any, *, axis: int = -1, reverse: bool = False, out: Any = None) -> Any:
    """silu of the first half of each line times the second half; with reverse=, silu of the second half times the first."""
    return _halves("swiglu", 0, x, axis, reverse, out)


def geglu(x: Any, *, axis: int = -1, approximate: str = "none", reverse: bool = False, out: Any = None) -> Any:
    """gelu of the first half of each line times the second half; with reverse=, gelu of the second half times the first."""
    return _halves("geglu", _approximation(approximate), x, axis, reverse, out)


def _mul_gradient(name: str, which: int, x: Any, u: Any, g: Any) -> Any:
    found = _floats(name, x)
    _have_shapes(name, found.shape, u=u, g=g)
    places = [np.empty(found.shape, found.dtype) for _ in range(2)]
    _call(name, "detmath_gate_gradient", ctypes.c_int(which), *_sides(name, places[0]), *_sides(name, places[1], found, u, g))
    return tuple(places)


def silu_mul_gradient(x: Any, u: Any, g: Any) -> Any:
    """The gradients of silu_mul with respect to x and u; g is the gradient of its result."""
    return _mul_gradient("silu_mul_gradient", 0, x, u, g)


def gelu_mul_gradient(x: Any, u: Any, g: Any, *, approximate: str = "none") -> Any:
    """The gradients of gelu_mul with respect to x and u; g is the gradient of its result."""
    return _mul_gradient("gelu_mul_gradient", _approximation(approximate), x, u, g)


def _halves_gradient(name: str, which: int, x: Any, g: Any, axis: int, reverse: bool, out: Any) -> Any:
    found = _floats(name, x)
    _have_shapes(name, _half(name, x, axis), g=g)
    place = np.empty(found.shape, found.dtype) if out is None else place_for(name, out, found.shape, found.dtype)
    _call(name, "detmath_gate_gradient_along", ctypes.c_int(which), *_sides(name, place, found, g), ctypes.c_int(axis), ctypes.c_int(reverse))
    return place


def swiglu_gradient(x: Any, g: Any, *, axis: int = -1, reverse: bool = False, out: Any = None) -> Any:
    """The gradient of swiglu with respect to x; g is the gradient of its result."""
    return _halves_gradient("swiglu_gradient", 0, x, g, axis, reverse, out)


def geglu_gradient(x: Any, g: Any, *, axis: int = -1, approximate: str = "none", reverse: bool = False, out: Any = None) -> Any:
    """The gradient of geglu with respect to x; g is the gradient of its result."""
    return _halves_gradient("geglu_gradient", _approximation(approximate), x, g, axis, reverse, out)


def softmax_gradient(x: Any, g: Any, *, axis: int = -1, out: Any = None) -> Any:
    """The gradient of softmax with respect to its operand x; g is the gradient of its result."""
    found = _floats("softmax_gradient", x)
    _have_shapes("softmax_gradient", found.shape, g=g)
    place = np.empty(found.shape, found.dtype) if out is None else place_for("softmax_gradient", out, found.shape, found.dtype)
    _call("softmax_gradient", "detmath_softmax_gradient_along", *_sides("softmax_gradient", place, found, g), ctypes.c_int(axis))
    return place


def _order(name: str, x: Any, axis: int, kept: Optional[int], falls: bool, wants_values: bool) -> Any:
    found = np.asarray(x)
    if found.dtype.kind in "iub":
        raise TypeError(f"{name} needs an array of float64 or a narrower type of floating point, not {found.dtype}")
    if not -found.ndim <= axis < found.ndim:
        raise ValueError(f"{name} needs an axis of x, which {axis} of the shape {found.shape} is not")
    shape = list(found.shape)
    shape[axis] = shape[axis] if kept is None else kept
    if not 0 <= shape[axis] <= found.shape[axis] or (name == "argmax" and not found.shape[axis]):
        raise ValueError(f"{name} needs k of 0 to the elements of a line, {found.shape[axis]}, not {shape[axis]}")
    number = number_of(found.dtype)
    values, indices = np.empty(shape, found.dtype), np.empty(shape, np.int64)
    status = shared_library().detmath_order_along(
        ctypes.byref(strided(values, number)) if wants_values else None, address(indices), ctypes.byref(strided(in_elements(found), number)),
        ctypes.c_int(axis), ctypes.c_size_t(shape[axis]), ctypes.c_int(falls))
    if status:
        raise ValueError(f"{name}: {shared_library().detmath_trouble_text(status).decode()}")
    return values, indices


def sort(x: Any, *, axis: int = -1, reverse: bool = False) -> Any:
    """The elements of each line from the smallest to the largest, or with reverse= from the largest, and their indices. NaN is larger than
    all numbers, +0 and -0 are equal, and among equal elements the one with the lowest index comes first."""
    return _order("sort", x, axis, None, reverse, True)


def top_k(x: Any, k: int, *, axis: int = -1, reverse: bool = False) -> Any:
    """The k largest elements of each line from the largest, or with reverse= the k smallest, and their indices, in the order of sort."""
    return _order("top_k", x, axis, k, not reverse, True)


def argmax(x: Any, *, axis: int = -1, reverse: bool = False) -> Any:
    """The index of the largest element of each line, or with reverse= of the smallest, in the order of sort."""
    return np.squeeze(_order("argmax", x, axis, 1, not reverse, False)[1], axis)


class _AttentionOptions(ctypes.Structure):
    """struct detmath_attention_options of transformer.h."""

    _fields_ = [("scale", ctypes.c_float), ("soft_cap", ctypes.c_float), ("window", ctypes.c_size_t), ("causal", ctypes.c_int),
                ("bias", ctypes.c_int), ("page", ctypes.c_size_t), ("keys", ctypes.c_size_t), ("pages", ctypes.c_void_p)]


def _pages(pages: Any, page: int, keys: Optional[int], batches: int, places: int) -> Any:
    """The table of pages with the keys of each batch, in the form that the library takes, and the number of keys."""
    given = np.asarray(pages)
    size = whole_number("page=", page, 1, sys.maxsize)
    if given.dtype.kind not in "iu" or given.ndim not in (1, 2):
        raise ValueError(f"pages has whole numbers, one for each page of a batch, or of all batches, not {given.dtype} of the shape {given.shape}")
    if given.ndim == 2 and given.shape[0] not in (1, batches):
        raise ValueError(f"attention: pages has the shape {given.shape}, and {(batches, given.shape[1])} would be right here")
    there, count = places // size, given.shape[-1]
    if given.size and not 0 <= int(given.min()) <= int(given.max()) < there:
        raise ValueError(f"pages has numbers from 0 to {there - 1}, as k has {places} places in pages of {size}, not {int(given.min())} to {int(given.max())}")
    last = max((count - 1) * size + 1, 0)
    return (np.ascontiguousarray(np.broadcast_to(given, (batches, count)), np.uintp), size,
            count * size if keys is None else whole_number("keys=", keys, last, count * size))


def _attention_shapes(found: Sequence[Any], is_paged: bool, slopes: Any) -> Sequence[Any]:
    """q, k and v as they fit to one another; those of pages serve all batches where they have one."""
    q, k, v = found
    if is_paged and q.shape[0] != 1:
        k, v = (np.broadcast_to(one, (q.shape[0], *one.shape[1:])) if one.shape[0] == 1 else one for one in (k, v))
    _have_shapes("attention", (q.shape[0], k.shape[1], k.shape[2], q.shape[3]), k=k)
    _have_shapes("attention", (*k.shape[:3], v.shape[3]), v=v)
    if slopes is not None:
        _have_shapes("attention", (q.shape[1],), slopes=slopes)
    return [q, k, v]


def _attention_call(name: str, operands: Sequence[Any], places: Sequence[Any], mask: Any, slopes: Any, options: Sequence[Any],
                    paged: Any = (None, 0, None)) -> None:
    """The call on places for results and operands, of which q, k and v are the first three. paged is a table of pages, the places
    of each, and how many keys there are."""
    found = [np.asarray(one) for one in operands]
    (scale, soft_cap, window, causal), (table, page, keys) = options, paged
    if (mask is not None and slopes is not None) or window < 0:
        raise ValueError(f"{name} needs a mask or slopes but not both, and a window of 0 (none) or more")
    bias, (q, k) = None, (one.shape for one in found[:2])
    if mask is not None:
        bias = np.broadcast_to(np.asarray(mask, found[0].dtype), (*q[:3], k[2] if keys is None else keys))
    elif slopes is not None:
        bias = np.asarray(slopes, found[0].dtype)
    number = number_of(found[0].dtype)
    laid = [*places, *(in_elements(one) for one in apart([*found, *([] if bias is None else [bias])], places, in_place=False))]
    sides = [ctypes.byref(strided(one, number)) for one in laid] + [None] * (bias is None)
    chosen = _AttentionOptions(np.float32(max(q[3], 1) ** -0.5) if scale is None else scale, soft_cap, window, causal,
                               0 if bias is None else 1 if slopes is None else 2, page, k[2] if keys is None else keys,
                                None if table is None else table.ctypes.data)
    _call(name, f"detmath_{name}", *sides, ctypes.byref(chosen))


def _attention_operands(name: str, operands: Sequence[Any]) -> Any:
    found = [np.asarray(one) for one in operands]
    dtype = found[0].dtype
    if dtype.kind in "iub" or dtype == np.float64 or any(one.dtype != dtype for one in found):
        raise TypeError(f"{name} needs arrays of float32 or one narrower type of floating point, not "
                        f"{', '.join(str(one.dtype) for one in found)}")
    if any(one.ndim != 4 for one in found):
        raise ValueError(f"{name} needs arrays of four dimensions")
    return found


def attention(q: Any, k: Any, v: Any, *, mask: Any = None, slopes: Any = None, causal: bool = False, window: int = 0,
              soft_cap: float = 0.0, scale: Optional[float] = None, pages: Any = None, page: int = 16, keys: Optional[int] = None,
              out: Any = None) -> Any:
    """Softmax of the scaled products of queries and keys, times the values. q is BATCHxHEADSxQUERIESxWIDTH, k and v are
    BATCHxGROUPSxKEYSx..., where GROUPS divides HEADS. The last query has the position of the last key. mask is added to the scores, in
    any shape that broadcasts; slopes are those of ALiBi, one for each head.

    With pages=, k and v are a pool of pages with `page` keys each. pages[b, i] is the index of the page with the keys i page, i page + 1
    and so on of batch b. Each batch has `keys` keys (by default all of its pages). All batches may share one pool."""
    found = _attention_operands("attention", (q, k, v))
    if pages is None and keys is not None:
        raise ValueError("keys= is how many keys lie in pages=, which is not there")
    paged = (None, 0, None) if pages is None else _pages(pages, page, keys, found[0].shape[0], found[1].shape[2])
    found = list(_attention_shapes(found, pages is not None, slopes))
    shape = (*found[0].shape[:3], found[2].shape[3])
    place = np.empty(shape, found[0].dtype) if out is None else place_for("attention", out, shape, found[0].dtype)
    _attention_call("attention", found, [place], mask, slopes, (scale, soft_cap, window, causal), paged)
    return place


def attention_gradient(q: Any, k: Any, v: Any, g: Any, *, mask: Any = None, slopes: Any = None, causal: bool = False, window: int = 0,
                       soft_cap: float = 0.0, scale: Optional[float] = None) -> Any:
    """The gradients of attention with respect to q, k and v; g is the gradient of its result."""
    found = _attention_operands("attention_gradient", (q, k, v, g))
    _attention_shapes(found[:3], False, slopes)
    places = [np.empty(one.shape, one.dtype) for one in found[:3]]
    _attention_call("attention_gradient", found, places, mask, slopes, (scale, soft_cap, window, causal))
    return tuple(places)


def rope(x: Any, positions: Any, *, base: float = 10000.0, factor: float = 1.0, rotary: Optional[int] = None,
         interleaved: bool = False, out: Any = None) -> Any:
    """Rotates x by its positions along the last axis: pair i of the first `rotary` elements (all of them) by the angle
    position base^(-2i/rotary) / factor. `positions` has integers, and broadcasts to x's shape without the last axis."""
    found = np.asarray(x)
    if found.dtype.kind in "iub" or found.dtype == np.float64:
        raise TypeError(f"rope needs an array of float32 or a narrower type of floating point, not {found.dtype}")
    given = np.asarray(positions)
    if given.dtype.kind not in "iu":
        raise TypeError(f"rope needs positions that are whole numbers, not {given.dtype}")
    if not found.ndim:
        raise ValueError("rope needs an array with an axis")
    places = np.broadcast_to(_int64("positions", given), found.shape[:-1])
    turning = found.shape[-1] if rotary is None else rotary
    if turning % 2 or not 0 <= turning <= found.shape[-1]:
        raise ValueError(f"rope turns an even number of elements: rotary= is one from 0 to {found.shape[-1]}, the extent of x's last axis, "
                         f"not {turning}")
    place = np.empty(found.shape, found.dtype) if out is None else place_for("rope", out, found.shape, found.dtype)
    number = number_of(found.dtype)
    sides = [ctypes.byref(strided(one, number)) for one in (place, *map(in_elements, apart([found], [place])))]
    strides = (ctypes.c_ssize_t * max(places.ndim, 1))(*(one // 8 for one in places.strides))
    status = shared_library().detmath_rope(*sides, ctypes.c_void_p(places.ctypes.data), strides, ctypes.c_float(base),
                                           ctypes.c_float(factor), ctypes.c_size_t(turning), ctypes.c_int(interleaved))
    if status:
        raise ValueError(f"rope: {shared_library().detmath_trouble_text(status).decode()}")
    return place


def _floats(name: str, x: Any) -> Any:
    found = np.asarray(x)
    if found.dtype.kind in "iub" or found.dtype == np.float64:
        raise TypeError(f"{name} needs an array of float32 or a narrower type of floating point, not {found.dtype}")
    return found


def _whole_numbers(name: str, x: Any, shape: Any) -> Any:
    found = np.asarray(x)
    if found.dtype.kind not in "iu":
        raise TypeError(f"{name} are whole numbers, not {found.dtype}")
    if found.shape != tuple(shape):
        raise ValueError(f"{name} have the shape {tuple(shape)} here, not {found.shape}")
    return _int64(name, found)


def _int64(name: str, found: Any) -> Any:
    """Whole numbers in C's order; those beyond int64 would come out as others."""
    if found.dtype.kind == "u" and found.size and int(found.max()) >= 1 << 63:
        raise ValueError(f"{name} are whole numbers below 2^63, not {int(found.max())}")
    return np.ascontiguousarray(found, np.int64).reshape(found.shape)  # which would have an axis where there is none


def _call(name: str, symbol: str, *arguments: Any) -> None:
    status = getattr(shared_library(), symbol)(*arguments)
    if status:
        raise ValueError(f"{name}: {shared_library().detmath_trouble_text(status).decode()}")


class _CrossEntropyOptions(ctypes.Structure):
    """struct detmath_cross_entropy_options of transformer.h."""

    _fields_ = [("smoothing", ctypes.c_float), ("reduction", ctypes.c_int), ("ignored", ctypes.c_int64), ("weights", ctypes.c_void_p)]


def cross_entropy(x: Any, target: Any, *, axis: int = -1, smoothing: float = 0.0, ignore_index: int = -100,
                  reduction: str = "none", weight: Any = None, out: Any = None) -> Any:
    """The cross entropy of each line along the axis and its target, which is the index of a class, with label smoothing and a weight for
    each class; reduction= selects their "sum" or "mean". Lines whose target is ignore_index have no loss. If a target is not the index of
    a class, the result is NaN."""
    found, reductions = _floats("cross_entropy", x), ("none", "sum", "mean")
    if reduction not in reductions:
        raise ValueError(f"reduction is 'none', 'sum' or 'mean', not {reduction!r}")
    if not -found.ndim <= axis < found.ndim:
        raise ValueError(f"cross_entropy needs an axis of x, which {axis} of the shape {found.shape} is not")
    left = [extent for at, extent in enumerate(found.shape) if at != axis % found.ndim]
    targets = _whole_numbers("targets", target, left)
    shape = tuple(left) if reduction == "none" else ()
    place = np.empty(shape, found.dtype) if out is None else place_for("cross_entropy", out, shape, found.dtype)
    _have_shapes("cross_entropy", _side_of(found, axis), weight=weight)
    y, from_x, w = _sides("cross_entropy", place, found, weight)
    options = _CrossEntropyOptions(_rate("smoothing", smoothing, 1), reductions.index(reduction),
                                   whole_number("ignore_index=", ignore_index, -(1 << 63), (1 << 63) - 1), ctypes.cast(w, ctypes.c_void_p))
    _call("cross_entropy", "detmath_cross_entropy", y, from_x, address(targets), ctypes.c_int(axis), ctypes.byref(options))
    return place


def _sides(name: str, place: Any, *operands: Any) -> Any:
    """References to a place for the result and to operands of its type, apart from it."""
    number = number_of(place.dtype)
    if any(one is not None and np.asarray(one).dtype != place.dtype for one in operands):
        raise TypeError(f"{name} needs arrays of one type, {place.dtype}")
    found = [None if one is None else np.asarray(one) for one in operands]
    laid = [place, *(None if one is None else in_elements(one) for one in apart(found, [place], in_place=False))]
    return [None if one is None else ctypes.byref(strided(one, number)) for one in laid]


def cross_entropy_gradient(x: Any, target: Any, gradient: Any = 1.0, *, axis: int = -1, smoothing: float = 0.0, ignore_index: int = -100,
                           weight: Any = None, out: Any = None) -> Any:
    """The gradient of cross_entropy without a reduction with respect to x: softmax minus the label, times the gradient of each loss."""
    found = _floats("cross_entropy_gradient", x)
    if not -found.ndim <= axis < found.ndim:
        raise ValueError(f"cross_entropy_gradient needs an axis of x, which {axis} of the shape {found.shape} is not")
    left = tuple(extent for at, extent in enumerate(found.shape) if at != axis % found.ndim)
    targets = _whole_numbers("targets", target, left)
    given = np.ascontiguousarray(np.broadcast_to(np.asarray(gradient, found.dtype), left))
    place = np.empty(found.shape, found.dtype) if out is None else place_for("cross_entropy_gradient", out, found.shape, found.dtype)
    _have_shapes("cross_entropy_gradient", _side_of(found, axis), weight=weight)
    y, from_x, g, w = _sides("cross_entropy_gradient", place, found, given, weight)
    options = _CrossEntropyOptions(smoothing, 0, ignore_index, ctypes.cast(w, ctypes.c_void_p))
    _call("cross_entropy_gradient", "detmath_cross_entropy_gradient", y, from_x, address(targets), g, ctypes.c_int(axis), ctypes.byref(options))
    return place


def rope_gradient(g: Any, positions: Any, **options: Any) -> Any:
    """The gradient of rope with respect to x: g, the gradient of its result, rotated by the negative angles."""
    return rope(g, -np.asarray(positions), **options)


class _Bags(ctypes.Structure):
    """struct detmath_bags of transformer.h."""

    _fields_ = [("indices", ctypes.c_void_p), ("count", ctypes.c_size_t), ("offsets", ctypes.c_void_p), ("weights", ctypes.c_void_p),
                ("padding", ctypes.c_void_p)]


def _bags(name: str, indices: Any, offsets: Any, weights: Any, padding_index: Optional[int]) -> Any:
    """The bags of indices, how many they are, and what they refer to."""
    given = np.asarray(indices)
    if given.ndim != (2 if offsets is None else 1):
        raise ValueError(f"{name} needs indices of {'two dimensions' if offsets is None else 'one dimension, as there are offsets'}, not of {given.ndim}")
    found = _whole_numbers("indices", given, given.shape)
    starts = None if offsets is None else _whole_numbers("offsets", offsets, (np.size(offsets),))
    if weights is not None and np.shape(weights) != found.shape:
        raise ValueError(f"weights have the shape of the indices, {found.shape}, not {np.shape(weights)}")
    padding = None if padding_index is None else ctypes.c_int64(whole_number("padding_index=", padding_index, -(1 << 63), (1 << 63) - 1))
    bags = _Bags(found.ctypes.data, found.size, None if starts is None else starts.ctypes.data, None,
                 None if padding is None else ctypes.addressof(padding))
    return bags, found.shape[0] if starts is None else starts.size, (found, starts, padding)


def _mode(mode: str, weights: Any, modes: Sequence[str]) -> Any:
    if mode not in modes:
        raise ValueError(f"mode is one of {', '.join(map(repr, modes))}, not {mode!r}")
    if weights is not None and mode != "sum":
        raise ValueError(f"weights are of sums, not of mode={mode!r}")
    return ctypes.c_int(modes.index(mode))


def _two_dimensional(name: str, what: str, x: Any) -> Any:
    found = _floats(name, x)
    if found.ndim != 2:
        raise ValueError(f"{name} needs {what} of two dimensions, not of {found.ndim}")
    return found


def embedding_bag(table: Any, indices: Any, *, mode: str = "mean", weights: Any = None, padding_index: Optional[int] = None, offsets: Any = None,
                  out: Any = None) -> Any:
    """For each row of indices, the sum, mean or maximum ("max") of the rows of the table with these indices; a sum may have a weight for
    each index. With offsets, the indices have one dimension, and a bag has the indices from its offset to the next one. The index
    padding_index is skipped. If the table has no row for an index, the result is NaN."""
    found, which = _two_dimensional("embedding_bag", "a table", table), _mode(mode, weights, ("sum", "mean", "max"))
    bags, count, _kept = _bags("embedding_bag", indices, offsets, weights, padding_index)
    shape = (count, found.shape[1])
    place = np.empty(shape, found.dtype) if out is None else place_for("embedding_bag", out, shape, found.dtype)
    y, x, w = _sides("embedding_bag", place, found, weights)
    bags.weights = ctypes.cast(w, ctypes.c_void_p)
    _call("embedding_bag", "detmath_embedding_bag", which, y, x, ctypes.byref(bags))
    return place


def embedding_bag_gradient(indices: Any, g: Any, rows: int, *, mode: str = "mean", weights: Any = None, padding_index: Optional[int] = None,
                           offsets: Any = None, out: Any = None) -> Any:
    """The gradient of embedding_bag with respect to its table, which has `rows` rows, for a sum or a mean; g is the gradient of its result."""
    found, which = _two_dimensional("embedding_bag_gradient", "a gradient", g), _mode(mode, weights, ("sum", "mean"))
    bags, count, _kept = _bags("embedding_bag_gradient", indices, offsets, weights, padding_index)
    if count != found.shape[0]:
        raise ValueError(f"embedding_bag_gradient needs a row of g for each of {count} bags, not {found.shape[0]}")
    shape = (whole_number("rows", rows, 0, sys.maxsize), found.shape[1])
    place = np.empty(shape, found.dtype) if out is None else place_for("embedding_bag_gradient", out, shape, found.dtype)
    y, x, w = _sides("embedding_bag_gradient", place, found, weights)
    bags.weights = ctypes.cast(w, ctypes.c_void_p)
    _call("embedding_bag_gradient", "detmath_embedding_bag_gradient", which, y, x, ctypes.byref(bags))
    return place


def embedding_bag_weight_gradient(table: Any, indices: Any, g: Any, *, padding_index: Optional[int] = None, offsets: Any = None,
                                  out: Any = None) -> Any:
    """The gradient of embedding_bag, for a sum, with respect to its weights; g is the gradient of its result."""
    found, slopes = (_two_dimensional("embedding_bag_weight_gradient", what, one) for what, one in (("a table", table), ("a gradient", g)))
    bags, count, _kept = _bags("embedding_bag_weight_gradient", indices, offsets, None, padding_index)
    if slopes.shape[0] != count:
        raise ValueError(f"embedding_bag_weight_gradient needs a row of g for each of {count} bags, not {slopes.shape[0]}")
    place = np.empty(np.shape(indices), found.dtype) if out is None else place_for("embedding_bag_weight_gradient", out, np.shape(indices), found.dtype)
    _call("embedding_bag_weight_gradient", "detmath_embedding_bag_weight_gradient", *_sides("embedding_bag_weight_gradient", place, found, slopes),
          ctypes.byref(bags))
    return place


class _Windows(ctypes.Structure):
    """struct detmath_windows of transformer.h."""

    _fields_ = [(name, ctypes.c_size_t) for name in ("taps", "stride", "padding", "dilation")]


def _windows(name: str, x: Any, taps: Sequence[int], stride: Any, padding: Any, dilation: Any) -> Any:
    """Windows along the axes after the second, and how many of them fit, and begin, along each."""
    def for_each(what: str, given: Any, least: int) -> Sequence[int]:
        values = [given] * len(taps) if np.ndim(given) == 0 else list(given)
        if len(values) != len(taps):
            raise ValueError(f"{name} needs {what} for each of {len(taps)} axes, not {given!r}")
        return [whole_number(what, one, least, 1 << 31) for one in values]
    if np.ndim(x) < 3:
        raise ValueError(f"{name} needs an array of SAMPLESxCHANNELSx..., not one of the shape {np.shape(x)}")
    rows = [*zip(for_each("taps", taps, 1), for_each("stride=", stride, 1), for_each("padding=", padding, 0), for_each("dilation=", dilation, 1))]
    return (_Windows * len(rows))(*(_Windows(*row) for row in rows)), rows


def _count(name: str, extent: int, row: Any, ceil: bool) -> int:
    taps, stride, padding, dilation = row
    room = extent + 2 * padding - (taps - 1) * dilation - 1 + (stride - 1 if ceil else 0)
    if room < 0:
        raise ValueError(f"{name}: the windows reach beyond the array")
    count = room // stride + 1
    return int(count - (ceil and (count - 1) * stride >= extent + padding))


def average_pool(x: Any, window: Any, *, stride: Any = None, padding: Any = 0, count_include_pad: bool = False, ceil_mode: bool = False,
                 out: Any = None) -> Any:
    """Means of windows of x, SAMPLESxCHANNELSx..., with `window` elements along each axis; by default they lie side by side."""
    found = _floats("average_pool", x)
    taps = [window] * max(found.ndim - 2, 1) if np.ndim(window) == 0 else list(window)
    windows, rows = _windows("average_pool", found, taps, taps if stride is None else stride, padding, 1)
    if len(rows) != found.ndim - 2:
        raise ValueError(f"average_pool needs a window for each of {found.ndim - 2} axes, not {window!r}")
    shape = (*found.shape[:2], *(_count("average_pool", extent, row, ceil_mode) for extent, row in zip(found.shape[2:], rows)))
    place = np.empty(shape, found.dtype) if out is None else place_for("average_pool", out, shape, found.dtype)
    _call("average_pool", "detmath_average_pool", *_sides("average_pool", place, found), windows, ctypes.c_int(count_include_pad),
          ctypes.c_int(ceil_mode))
    return place


def average_pool_gradient(g: Any, shape: Sequence[int], window: Any, *, stride: Any = None, padding: Any = 0, count_include_pad: bool = False,
                          ceil_mode: bool = False, out: Any = None) -> Any:
    """The gradient of average_pool with respect to x, which has that shape; g is the gradient of its result."""
    found, extents = _floats("average_pool_gradient", g), tuple(whole_number("shape", one, 0, sys.maxsize) for one in shape)
    taps = [window] * max(found.ndim - 2, 1) if np.ndim(window) == 0 else list(window)
    windows, rows = _windows("average_pool_gradient", found, taps, taps if stride is None else stride, padding, 1)
    if len(rows) != found.ndim - 2 or len(extents) != found.ndim:
        raise ValueError(f"average_pool_gradient needs a window for each of {found.ndim - 2} axes, and a shape of {found.ndim}")
    place = np.empty(extents, found.dtype) if out is None else place_for("average_pool_gradient", out, extents, found.dtype)
    _call("average_pool_gradient", "detmath_average_pool_gradient", *_sides("average_pool_gradient", place, found), windows,
          ctypes.c_int(count_include_pad), ctypes.c_int(ceil_mode))
    return place


def convolution(x: Any, weight: Any, bias: Any = None, *, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1,
                out: Any = None) -> Any:
    """Convolution as in neural networks: x is SAMPLESxCHANNELSx..., the weight is OUTPUTSxCHANNELS/GROUPSxTAPSx..., and the bias has
    a number for each output."""
    found, given = _floats("convolution", x), np.asarray(weight)
    if found.ndim < 3 or given.ndim != found.ndim:
        raise ValueError(f"convolution needs an array of SAMPLESxCHANNELSx... and a weight of as many dimensions, not of {found.ndim} and {given.ndim}")
    if bias is not None and np.shape(bias) != given.shape[:1]:
        raise ValueError(f"bias has the shape {given.shape[:1]} here, not {np.shape(bias)}")
    windows, rows = _windows("convolution", found, given.shape[2:], stride, padding, dilation)
    shape = (found.shape[0], given.shape[0], *(_count("convolution", extent, row, False) for extent, row in zip(found.shape[2:], rows)))
    place = np.empty(shape, found.dtype) if out is None else place_for("convolution", out, shape, found.dtype)
    _call("convolution", "detmath_convolution", *_sides("convolution", place, found, given, bias), windows,
          ctypes.c_size_t(whole_number("groups=", groups, 1, sys.maxsize)))
    return place


def convolution_gradient(x: Any, weight: Any, g: Any, *, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Any:
    """The gradients of convolution with respect to x, its weight and its bias; g is the gradient of its result."""
    found, given = _floats("convolution_gradient", x), np.asarray(weight)
    if found.ndim < 3 or given.ndim != found.ndim or np.ndim(g) != found.ndim:
        raise ValueError("convolution_gradient needs arrays of SAMPLESxCHANNELSx..., and a weight of as many dimensions")
    windows, _ = _windows("convolution_gradient", found, given.shape[2:], stride, padding, dilation)
    places = [np.empty(shape, found.dtype) for shape in (found.shape, given.shape, given.shape[:1])]
    _call("convolution_gradient", "detmath_convolution_gradient", *(_sides("convolution_gradient", place)[0] for place in places[:2]),
          *_sides("convolution_gradient", places[2], found, given, g), windows, ctypes.c_size_t(whole_number("groups=", groups, 1, sys.maxsize)))
    return tuple(places)


class _Sgd(ctypes.Structure):
    """struct detmath_sgd of optimisers.h."""

    _fields_ = [*((name, ctypes.c_float) for name in ("rate", "momentum", "dampening", "decay")), ("nesterov", ctypes.c_int), ("is_first", ctypes.c_int)]


def _step(name: str, symbol: str, arrays: Sequence[Any], rates: Any) -> Any:
    """Copies of the arrays but the gradient, which is the second of them, a step on."""
    found = [_floats(name, one) for one in arrays]
    if any(one.shape != found[0].shape for one in found):
        raise ValueError(f"{name} needs arrays of one shape, not {', '.join(str(one.shape) for one in found)}")
    laid = [in_elements(one) if at == 1 else np.array(one) for at, one in enumerate(found)]
    _call(name, symbol, *(ctypes.byref(strided(one, number_of(one.dtype))) for one in laid), ctypes.byref(rates))
    return (laid[0], *laid[2:])


def _rate(name: str, value: float, most: float = math.inf) -> Any:
    single = float(np.float32(value)) if abs(value) < np.finfo(np.float32).max else math.inf
    if not 0 <= single < math.inf or single > most:
        raise ValueError(f"{name} is a number of float32 from 0 on{'' if most == math.inf else f', and {most:g} at most'}, not {value}")
    return ctypes.c_float(single)


def sgd(parameter: Any, gradient: Any, velocity: Any = None, *, learning_rate: float = 1e-3, momentum: float = 0.0, dampening: float = 0.0,
        weight_decay: float = 0.0, nesterov: bool = False, step: int = 2) -> Any:
    """The new parameter and velocity after a step of gradient descent. In the first step the velocity is None."""
    rates = _Sgd(_rate("learning_rate", learning_rate), _rate("momentum", momentum), _rate("dampening", dampening, 1),
                 _rate("weight_decay", weight_decay), nesterov, step == 1 or velocity is None)
    kept = np.zeros(np.shape(parameter), np.asarray(parameter).dtype) if velocity is None else velocity
    return _step("sgd", "detmath_sgd", (parameter, gradient, kept), rates)


class _Parts(ctypes.Structure):
    """struct detmath_parts of parts.h."""

    _fields_ = [("high", ctypes.c_float), ("low", ctypes.c_float)]


class _Adam(ctypes.Structure):
    """struct detmath_adam of optimisers.h."""

    _fields_ = [*((name, ctypes.c_float) for name in ("decay", "beta1", "beta2", "epsilon")), ("is_decoupled", ctypes.c_int),
                *((name, _Parts) for name in ("rest1", "rest2", "rate", "second", "keeps"))]


def _adam(name: str, decoupled: bool, arrays: Sequence[Any], rates: Sequence[Any], step: int) -> Any:
    settled = _Adam()
    shared_library().detmath_adam_rates(ctypes.byref(settled), *rates, ctypes.c_uint32(whole_number("step=", step, 1, (1 << 31) - 1)),
                                        ctypes.c_int(decoupled))
    return _step(name, "detmath_adam", arrays, settled)


def adam(parameter: Any, gradient: Any, mean: Any, square: Any, *, step: int, learning_rate: float = 1e-3, beta1: float = 0.9,
         beta2: float = 0.999, epsilon: float = 1e-8, weight_decay: float = 0.0) -> Any:
    """The new parameter, mean and mean of squares after a step of Adam; the decay is added to the gradient."""
    below_one = float(np.nextafter(np.float32(1), np.float32(0)))
    return _adam("adam", False, (parameter, gradient, mean, square), [
        _rate("learning_rate", learning_rate), _rate("beta1", beta1, below_one), _rate("beta2", beta2, below_one), _epsilon(epsilon),
        _rate("weight_decay", weight_decay)], step)


def adamw(parameter: Any, gradient: Any, mean: Any, square: Any, *, step: int, learning_rate: float = 1e-3, beta1: float = 0.9,
          beta2: float = 0.999, epsilon: float = 1e-8, weight_decay: float = 0.01) -> Any:
    """The new parameter, mean and mean of squares after a step of AdamW, in which the parameter itself decays."""
    below_one = float(np.nextafter(np.float32(1), np.float32(0)))
    return _adam("adamw", True, (parameter, gradient, mean, square), [
        _rate("learning_rate", learning_rate), _rate("beta1", beta1, below_one), _rate("beta2", beta2, below_one), _epsilon(epsilon),
        _rate("weight_decay", weight_decay)], step)
