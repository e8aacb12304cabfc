"""llama.cpp's searches for the scales of q2_K to q6_K, q8_K and iq4_nl, written anew for arrays of numpy from the text of ggml-quants.c.

Every step is a single operation of numpy in fp32, for many blocks at a time, and sums go from the left. NaN is left out: C does not
say which integer it becomes. `compute(layout, x)` has the bytes of the blocks of x; as a program it is a worker of detcheck-exec(7)."""

import os
import sys

import numpy as np

ONE = np.float32
SMALL = ONE(1e-15)
IQ4_NL = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], ONE)


def integer(x):
    """Nearest, ties to even, by the low bits of the sum with 1.5 * 2^23."""
    return ((x + ONE(12582912)).view(np.int32) & 0x7fffff) - 0x400000


def clamp(x, least, most):
    return np.minimum(np.maximum(x, least), most)


def add_up(terms):
    """From the left, along the last axis."""
    total = terms[..., 0].copy()
    for i in range(1, terms.shape[-1]):
        total = total + terms[..., i]
    return total


def half(x):
    """The bytes of fp16, and the numbers that they stand for."""
    stored = x.astype(np.float16)
    return stored[..., None].view(np.uint8), stored.astype(ONE)


def largest(x):
    """The first number of the largest magnitude along the last axis."""
    at = np.argmax(np.abs(x), axis=-1)
    return np.take_along_axis(x, at[..., None], -1)[..., 0]


# ---- A scale and a minimum: q2_K, q4_K, q5_K ----

def squared(off):
    return off * off


def scale_and_minimum(x, weights, most, first, tries, error_of):
    """For parts of a block: the scale, the negated minimum and the codes of least error among the tries."""
    low, high = np.minimum(x.min(-1), ONE(0)), x.max(-1)
    flat = high == low
    sum_w, sum_x = add_up(weights), add_up(weights * x)
    inverse = ONE(most) / (high - low)
    codes = clamp(integer(inverse[..., None] * (x - low[..., None])), 0, most)
    scale = ONE(1) / inverse
    error = add_up(weights * error_of(scale[..., None] * codes.astype(ONE) + low[..., None] - x))
    for turn in range(tries + 1):
        inverse = ONE(ONE(first) + ONE(0.1) * ONE(turn) + ONE(most)) / (high - low)
        tried = clamp(integer(inverse[..., None] * (x - low[..., None])), 0, most)
        code = tried.astype(ONE)
        sum_l, sum_l2, sum_xl = add_up(weights * code), add_up(weights * code * code), add_up(weights * code * x)
        determinant = sum_w * sum_l2 - sum_l * sum_l
        new_scale = (sum_w * sum_xl - sum_x * sum_l) / determinant
        new_low = (sum_l2 * sum_x - sum_l * sum_xl) / determinant
        positive = new_low > 0
        new_low, new_scale = np.where(positive, ONE(0), new_low), np.where(positive, sum_xl / sum_l2, new_scale)
        new_error = add_up(weights * error_of(new_scale[..., None] * code + new_low[..., None] - x))
        better = (determinant > 0) & (new_error < error) & ~flat
        codes, scale = np.where(better[..., None], tried, codes), np.where(better, new_scale, scale)
        error, low = np.where(better, new_error, error), np.where(better, new_low, low)
    return np.where(flat, ONE(0), scale), -low, np.where(flat[..., None], 0, codes)


def sub_integers(numbers, most):
    """Integers of positive numbers, and what they are multiples of in fp16."""
    top = np.maximum(numbers.max(-1), ONE(0))
    inverse = np.where(top > 0, ONE(most) / top, ONE(0))
    return np.where(top[:, None] > 0, integer(inverse[:, None] * numbers), 0) & 0xff, half(np.where(top > 0, top / ONE(most), ONE(0)))


def with_minima(x, parts, most, first, tries, integers, weigh, error_of):
    x = x.reshape(len(x), parts, -1)
    scales, minima, codes = scale_and_minimum(x, weigh(x), most, first, tries, error_of)
    (sub_scales, (d_bytes, d)), (sub_minima, (m_bytes, m)) = sub_integers(scales, integers), sub_integers(minima, integers)
    if integers == 63:
        sub_scales, sub_minima = np.minimum(sub_scales, 63), np.minimum(sub_minima, 63)
    unit, shift = d[:, None] * sub_scales.astype(ONE), m[:, None] * sub_minima.astype(ONE)
    again = clamp(integer((x + shift[..., None]) / unit[..., None]), 0, most)
    codes = np.where(unit[..., None] != 0, again, codes).astype(np.uint8)
    return sub_scales.astype(np.uint8), sub_minima.astype(np.uint8), d_bytes, m_bytes, codes.reshape(len(x), 256)


def root_and_magnitude(x):
    return np.sqrt(add_up(x * x) / ONE(32))[..., None] + np.abs(x)


def in_twelve_bytes(scales, minima):
    packed = np.zeros((len(scales), 12), np.uint8)
    packed[:, :4] = scales[:, :4] | scales[:, 4:] >> 4 << 6
    packed[:, 4:8] = minima[:, :4] | minima[:, 4:] >> 4 << 6
    packed[:, 8:] = scales[:, 4:] & 15 | (minima[:, 4:] & 15) << 4
    return packed


def quarters(codes):
    """2-bit codes of 128 elements in 32 bytes."""
    by = codes.reshape(len(codes), 2, 4, 32)
    return (by[:, :, 0] | by[:, :, 1] << 2 | by[:, :, 2] << 4 | by[:, :, 3] << 6).reshape(len(codes), 64)


def nibbles(codes):
    """4-bit codes of 64 elements in 32 bytes."""
    by = codes.reshape(len(codes), 4, 2, 32)
    return (by[:, :, 0] | by[:, :, 1] << 4).reshape(len(codes), 128)


def q2_k(x):
    scales, minima, d, m, codes = with_minima(x, 16, 3, -0.5, 15, 15, np.abs, np.abs)
    return scales | minima << 4, quarters(codes), d, m


def q4_k(x):
    scales, minima, d, m, codes = with_minima(x, 8, 15, -1, 20, 63, root_and_magnitude, squared)
    return d, m, in_twelve_bytes(scales, minima), nibbles(codes)


def q5_k(x):
    scales, minima, d, m, codes = with_minima(x, 8, 31, -0.5, 15, 63, root_and_magnitude, squared)
    tops = np.packbits((codes >> 4).reshape(len(x), 8, 32), axis=1, bitorder="little").reshape(len(x), 32)
    return d, m, in_twelve_bytes(scales, minima), tops, nibbles(codes & 15)


# ---- A scale alone: q3_K, q6_K ----

def exchange(x):
    """q3_K: changes one code after the other while that makes the fit better."""
    top = largest(x)
    empty = np.abs(top) < SMALL
    codes = clamp(integer(ONE(-4) / top[..., None] * x), -4, 3)
    weights = x * x
    products, squares = add_up(weights * x * codes.astype(ONE)), add_up(weights * codes.astype(ONE) * codes.astype(ONE))
    going = np.ones(top.shape, bool)
    for _ in range(5):
        changed = np.zeros(top.shape, bool)
        for i in range(x.shape[-1]):
            w, one, code = weights[..., i], x[..., i], codes[..., i].astype(ONE)
            left, left_squares = products - w * one * code, squares - w * code * code
            other = clamp(integer(one * left_squares / left), -4, 3)
            new = other.astype(ONE)
            new_products, new_squares = left + w * one * new, left_squares + w * new * new
            take = going & (left > 0) & (other != codes[..., i]) & (new_squares > 0)
            take &= new_products * new_products * squares > products * products * new_squares
            codes[..., i] = np.where(take, other, codes[..., i])
            products, squares = np.where(take, new_products, products), np.where(take, new_squares, squares)
            changed |= take
        going &= changed
    scale = np.where(squares > 0, products / squares, ONE(0))
    return np.where(empty, ONE(0), scale), np.where(empty[..., None], 0, codes + 4)


def nineteen_tries(x):
    """q6_K: scales near the one that makes the largest magnitude -32."""
    top, weights = largest(x), x * x
    empty = np.abs(top) < SMALL
    scale = best = codes = None
    for step in (0, *range(-9, 0), *range(1, 10)):
        inverse = -(ONE(32) + ONE(0.1) * ONE(step)) / top
        tried = clamp(integer(inverse[..., None] * x), -32, 31)
        products, squares = add_up(weights * x * tried.astype(ONE)), add_up(weights * tried.astype(ONE) * tried.astype(ONE))
        new = np.where(squares != 0, products / squares, ONE(0))
        take = np.ones(top.shape, bool) if scale is None else (squares > 0) & (products * products > best * squares)
        scale = new if scale is None else np.where(take, new, scale)
        best = new * products if best is None else np.where(take, new * products, best)
        codes = tried if codes is None else np.where(take[..., None], tried, codes)
    return np.where(empty, ONE(0), scale), np.where(empty[..., None], 0, codes + 32)


def with_scales(x, search, most, element):
    """The integers of the 16 scales, what they are multiples of, and the codes of the elements."""
    x = x.reshape(len(x), 16, 16)
    scales, codes = search(x)
    top = largest(scales)
    inverse = ONE(-most) / top
    d_bytes, d = half(np.where(top != 0, ONE(1) / inverse, ONE(0)))
    integers = integer(inverse[:, None] * scales)
    integers = np.minimum(integers, 127) if most == 128 else clamp(integers, -32, 31)
    integers = np.where(top[:, None] != 0, integers, -32 if most == 32 else 0)
    unit = d[:, None] * integers.astype(ONE)
    again = clamp(integer(x / unit[..., None]), -element, element - 1) + element
    codes = np.where(unit[..., None] != 0, again, codes).astype(np.uint8)
    return integers, d_bytes, codes.reshape(len(x), 256), top


def q3_k(x):
    integers, d, codes, top = with_scales(x, exchange, 32, 4)
    stored = (integers + 32).astype(np.uint8)
    packed = np.zeros((len(x), 12), np.uint8)
    packed[:, :8] = stored[:, :8] & 15 | (stored[:, 8:] & 15) << 4
    for j in range(16):
        packed[:, 8 + j % 4] |= stored[:, j] >> 4 << 2 * (j // 4)
    packed[top == 0] = 0
    tops = np.packbits((codes >> 2).reshape(len(x), 8, 32), axis=1, bitorder="little").reshape(len(x), 32)
    return tops, quarters(codes & 3), packed, d


def q6_k(x):
    integers, d, codes, top = with_scales(x, nineteen_tries, 128, 32)
    low = (codes & 15).reshape(len(x), 2, 4, 32)
    low = np.concatenate([low[:, :, 0] | low[:, :, 2] << 4, low[:, :, 1] | low[:, :, 3] << 4], axis=2).reshape(len(x), 128)
    made = np.concatenate([low, quarters(codes >> 4), integers.astype(np.int8).view(np.uint8), d], axis=1)
    made[np.abs(top) < SMALL] = 0
    return (made,)


# ---- One scale: q8_K, iq4_nl ----

def q8_k(x):
    top = largest(x)
    inverse = ONE(-127) / top
    codes = np.where(top[:, None] != 0, np.minimum(integer(inverse[:, None] * x), 127), 0).astype(np.int8)
    sums = codes.reshape(len(x), 16, 16).astype(np.int16).sum(-1, dtype=np.int16)
    scale = np.where(top != 0, ONE(1) / inverse, ONE(0))
    return scale[:, None].view(np.uint8), codes.view(np.uint8), sums.view(np.uint8)


def iq4_nl(x):
    top = largest(x)
    empty = np.abs(top) < SMALL
    scaled = (ONE(1) / (top / IQ4_NL[0]))[:, None] * x
    above = clamp(np.searchsorted(IQ4_NL, scaled, "right"), 1, 15)
    codes = np.where(scaled - IQ4_NL[above - 1] < IQ4_NL[above] - scaled, above - 1, above)
    codes = np.where(scaled <= IQ4_NL[0], 0, np.where(scaled >= IQ4_NL[15], 15, codes))
    weights, numbers = x * x, IQ4_NL[codes]
    products, squares = add_up(weights * numbers * x), add_up(weights * numbers * numbers)
    d, _ = half(np.where(empty | ~(squares > 0), ONE(0), products / squares))
    codes = np.where(empty[:, None], 0, codes).astype(np.uint8)
    return d, codes[:, :16] | codes[:, 16:] << 4


LAYOUTS = {"q2_K": (256, q2_k), "q3_K": (256, q3_k), "q4_K": (256, q4_k), "q5_K": (256, q5_k), "q6_K": (256, q6_k), "q8_K": (256, q8_k),
           "iq4_nl": (32, iq4_nl)}


def compute(layout, x):
    count, made = LAYOUTS[layout]
    with np.errstate(all="ignore"):
        return np.concatenate(made(x.reshape(-1, count)), axis=1)


def serve(fault):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "impl", "adapters"))
    import adapter

    def start(request):
        layout = request.parameters["layout"]

        def blocks(x, _tensor):
            made = compute(layout, x.view(np.float32).reshape(-1)).reshape(-1)
            made[-1] ^= fault
            return [made]
        return blocks, "numpy"
    adapter.serve(start, arrays=True)


if __name__ == "__main__":
    serve(len(sys.argv) > 1)
