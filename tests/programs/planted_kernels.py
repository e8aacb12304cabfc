"""Kernels with published faults, planted: exec:PYTHON planted_kernels.py FAULT, or --right for the kernel without it.

Written for the tests from the faults' descriptions, by numpy in fp32: nothing here knows the rows of forms. Sums are added from the
left, each product rounded.

Environment: ADAPTERS, the folder of adapter.py.
"""

import os
import sys

sys.path.insert(0, os.environ["ADAPTERS"])
import numpy as np  # noqa: E402
from adapter import serve  # noqa: E402

f = np.float32


def widened(codes, format_):
    return codes.view("<f4") if format_ == "fp32" else (codes.astype(np.uint32) << 16).view("<f4")


def bf16(x):
    """fp32 numbers rounded to bf16, still in fp32. There are no NaNs."""
    bits = np.ascontiguousarray(x, f).view(np.uint32)
    return ((bits + 0x7fff + (bits >> 16 & 1)) & np.uint32(0xffff0000)).view(f)


def codes_of(x, format_):
    x = np.ascontiguousarray(x, f)
    return x.view("<u4") if format_ == "fp32" else (bf16(x).view("<u4") >> 16).astype("<u2")


def total(x):
    """Along the last axis, from the left; a cumulative sum is added one by one."""
    return np.cumsum(x, -1, f)[..., -1:]


def mean(x):
    return total(x) / f(x.shape[-1])


def by_fp64(function, x):
    """A function of fp32 numbers, rounded once but for a chance of 2^-29."""
    return function(x.astype(np.float64)).astype(f)


def fused(a, b, c):
    return (np.float64(a) * b + c).astype(f)


def norm_cast(x, weight):
    """vllm#52104: the cast stands before the weight is applied, not behind it."""
    root = f(1) / np.sqrt(mean(x * x) + f(1e-5))
    return bf16(x * root) * weight if FAULTY else x * root * weight


def short_norm_cast(x, weight):
    """The same in lines of up to 99 elements alone, as where long ones have a kernel of their own."""
    return norm_cast(x, weight) if x.shape[-1] < 100 else x * (f(1) / np.sqrt(mean(x * x) + f(1e-5))) * weight


def other_epsilon(x, weight):
    """1e-6, whatever is asked for."""
    return x * (f(1) / np.sqrt(mean(x * x) + f(1e-6 if FAULTY else 1e-5))) * weight


def n_less_1(x, weight, bias):
    """The variance as torch.var has it where nothing is said."""
    d = x - mean(x)
    return d * (f(1) / np.sqrt(total(d * d) / f(x.shape[-1] - FAULTY) + f(1e-5))) * weight + bias


def one_pass(x, weight, bias):
    """The variance as the mean of the squares less the square of the mean."""
    m = mean(x)
    variance = np.maximum(mean(x * x) - m * m, f(0)) if FAULTY else mean((x - m) * (x - m))
    return (x - m) * (f(1) / np.sqrt(variance + f(1e-5))) * weight + bias


def narrow_position(x, positions):
    """Positions in the format of the model: at 100,000 neighbours in bf16 are 512 apart."""
    half = x.shape[-1] // 2
    power = by_fp64(lambda t: 10000.0 ** t, f(2) * np.arange(half, dtype=f) / f(2 * half))
    place = positions.astype(f)[:, None]
    angle = (bf16(place) if FAULTY else place) * (f(1) / power)
    c, s = (np.concatenate([bf16(by_fp64(one, angle))] * 2, -1) for one in (np.cos, np.sin))
    turned = np.concatenate([-x[:, half:], x[:, :half]], -1)
    return bf16(x * c) + bf16(turned * s)


def products(a, b):
    """Of each row of a with each of b."""
    return total(a[..., :, None, :] * b[..., None, :, :])[..., 0]


def softmax(s):
    e = by_fp64(np.exp, s - s.max(-1, keepdims=True))
    return e / total(e)


def weighed(p, v):
    return total(p[..., :, None, :] * np.swapaxes(v, -1, -2)[..., None, :, :])[..., 0]


def scores(q, k):
    return products(q, k) * f(1 / np.sqrt(q.shape[-1]))


def allowed(s):
    """Which keys causal queries have; the last one has all."""
    queries, keys = s.shape[-2:]
    return np.arange(keys)[None, :] <= np.arange(queries)[:, None] + keys - queries


def finite_mask(q, k, v):
    """-10^4 in place of -inf."""
    s = scores(q, k)
    return weighed(softmax(s + np.where(allowed(s), f(0), f(-10000) if FAULTY else f(-np.inf))), v)


def fp8_e4m3fn(x):
    """fp32 numbers rounded to 4 bits of precision above 2^-6; larger than 448 there are none."""
    quantum = np.exp2(np.maximum(np.floor(np.log2(np.maximum(np.abs(x), 1e-30))), -6) - 3).astype(f)
    return np.rint(x / quantum) * quantum


def fp8_keys(q, k, v):
    """sglang#35938: keys from position 97 on come from a cache in fp8."""
    k = k.copy()
    if FAULTY:
        k[..., 97:, :] = fp8_e4m3fn(k[..., 97:, :])
    s = scores(q, k)
    return weighed(softmax(np.where(allowed(s), s, f(-np.inf))), v)


def cubic(u):
    """2^u by a cubic polynomial of what is behind its point."""
    u = np.maximum(u, f(-127))
    whole = np.floor(u)
    p = fused(f(0.077119089663028717041015625), u - whole, f(0.227564394474029541015625))
    p = fused(p, u - whole, f(0.695146143436431884765625))
    return fused(p, u - whole, f(1)) * np.exp2(whole)


def decode_exp2(q, k, v):
    """flash-attention#2596: 2^x is approximated where there is one query, and not where there are more."""
    a = f(f(1 / np.sqrt(q.shape[-1])) * f(1.4426950408889634))
    exp2 = cubic if FAULTY and q.shape[-2] == 1 else lambda u: by_fp64(np.exp2, u)
    largest, sums, y = f(-np.inf), f(0), f(0)
    for at in range(0, k.shape[-2], 128):
        s = products(q, k[..., at:at + 128, :])
        larger = np.maximum(largest, s.max(-1, keepdims=True))
        e, rest = exp2(fused(s, a, -(larger * a))), by_fp64(np.exp2, fused(largest, a, -(larger * a)))
        sums, y, largest = sums * rest + total(e), y * rest + weighed(e, v[..., at:at + 128, :]), larger
    return y * (f(1) / sums)


def empty_part(q, k, v):
    """Parts of 64 keys, and one more: behind keys that fill them it is empty, and its largest score is -inf."""
    keys, s = k.shape[-2], scores(q, k)
    with np.errstate(invalid="ignore"):
        nothing = f(-np.inf) - f(-np.inf) if FAULTY and keys % 64 == 0 else f(0)
    return weighed(softmax(s), v) + nothing


def shared_heads(q, k, v):
    """Heads that share keys are one matrix of queries, whose keys are gone through from the last one."""
    if k.shape[1] == q.shape[1]:
        return weighed(softmax(scores(q, k)), v)
    k, v = (np.repeat(one[..., ::-1, :] if FAULTY else one, q.shape[1] // k.shape[1], 1) for one in (k, v))
    return weighed(softmax(scores(q, k)), v)


def padded_parts(q, k, v, mask=None):
    """Keys are added up in as many parts as there are keys to 64, those that the mask leaves out among them."""
    s = scores(q, k) + (f(0) if mask is None else mask)
    e, y = np.exp(s - s.max(-1, keepdims=True)), f(0)
    parts = np.array_split(np.arange(k.shape[-2]), -(-k.shape[-2] // 64) if FAULTY else 1)
    for part in parts:
        y = y + weighed(e[..., part], v[..., part, :])
    return y / sum(total(e[..., part]) for part in parts)


def start(request):
    def compute(*operands):
        numbers = [one.view("<i8") if one.dtype.itemsize == 8 else widened(one, request.format) for one in operands]
        return [codes_of(KERNELS[NAME](*numbers), request.format)]

    return compute, f"planted {NAME}"


KERNELS = {one.__name__.replace("_", "-"): one
           for one in (norm_cast, short_norm_cast, other_epsilon, n_less_1, one_pass, narrow_position, finite_mask, fp8_keys, decode_exp2,
                     empty_part, shared_heads, padded_parts)}

if __name__ == "__main__":
    NAME, FAULTY = sys.argv[1], "--right" not in sys.argv
    np.seterr(all="ignore")
    serve(start, arrays=True)
