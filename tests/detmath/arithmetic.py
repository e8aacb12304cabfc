"""Dyadic integers and scaled numbers by integers and fractions alone. It knows the definitions of
detcheck-dyadic(7) and detcheck-scaled(7), and no code of detmath's. Operations on rows are in
arithmetic_rows.py."""
from fractions import Fraction
from functools import lru_cache
from math import floor

OVERFLOW, BAD_SCALE, BAD_SHIFT, DIVISION_BY_ZERO = 1, 2, 4, 8
DOWN, UP, TOWARD_ZERO, NEAREST_EVEN, NEAREST_AWAY, STOCHASTIC, NEAREST_UP = range(7)


class Accumulator:
    def __init__(self, bits, overflow):
        self.bits, self.overflow, self.status = bits, overflow, 0

    def hold(self, v):
        least = -1 << (self.bits - 1)
        if least <= v < -least:
            return v
        if self.overflow == 1:
            return least if v < 0 else -least - 1
        if self.overflow == 2:
            self.status |= OVERFLOW
        return (v - least) % (1 << self.bits) + least


def shifted(v, k, rounding, random):
    """v / 2^k as an integer."""
    exact = Fraction(v, 2**k)
    low = floor(exact)
    rest = exact - low
    if rounding == STOCHASTIC:
        bits = min(k, 63)
        return low + (v % 2**k >> (k - bits) > random % 2**bits)
    up = {DOWN: False, UP: rest > 0, TOWARD_ZERO: rest > 0 and v < 0,
          NEAREST_EVEN: rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2),
          NEAREST_AWAY: rest > Fraction(1, 2) or (rest == Fraction(1, 2) and v > 0),
          NEAREST_UP: rest >= Fraction(1, 2)}
    return low + bool(up[rounding])


def dyadic(name, v1, s1, v2, s2, t, shift, bits, signed, width, overflow, rounding, alignment,
           random):
    accumulator = Accumulator(width, overflow)
    hold = accumulator.hold

    def align(v, s, to):
        v = hold(v)
        return hold(v << (to - s)) if to >= s else shifted(v, s - to, rounding, random)

    least, most = (-1 << (bits - 1), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if name == "align":
        v, s = align(v1, s1, t), t
    elif name in ("add", "sub"):
        s = max(s1, s2) if alignment else min(s1, s2)
        a, b = align(v1, s1, s), align(v2, s2, s)
        v = hold(a + b if name == "add" else a - b)
    elif name == "mul":
        s = s1 + s2 - shift
        v = hold(hold(v1) * hold(v2))
        v = shifted(v, shift, rounding, random) if shift >= 0 else hold(v << -shift)
    elif name == "div":
        s = s1 - s2 + shift
        a, b = hold(v1), hold(v2)
        if b == 0:
            return 0, 0, accumulator.status | DIVISION_BY_ZERO
        a = hold(a << max(shift, 0))
        quotient = abs(a) // (abs(b) << max(-shift, 0))
        v = hold(quotient if (a < 0) == (b < 0) else -quotient)
    elif name == "relu":
        v, s = max(hold(v1), 0), s1
    elif name == "relu_gradient":
        held = hold(v1)
        v, s = (held if hold(v2) > 0 else 0), s1
    elif name == "equal":
        v, s = int(hold(v1) * Fraction(2)**-s1 == hold(v2) * Fraction(2)**-s2), 0
    elif name == "requantise":
        v, s = max(least, min(most, align(v1, s1, t))), t
    else:
        held = hold(v1)
        v, s = (held if least <= align(v2, s2, t) <= most else 0), s1
    return v, s, accumulator.status


def from_real(x, t, bits, signed, width, overflow, rounding, random):
    """A fraction as the mantissa of scale t."""
    accumulator = Accumulator(width, overflow)
    exact = x * Fraction(2)**t
    if rounding == STOCHASTIC:
        v = floor(exact) + (floor((exact - floor(exact)) * 2**63) > random % 2**63)
    else:
        k = exact.denominator.bit_length() - 1
        v = shifted(exact.numerator, k, rounding, 0)
    least, most = (-1 << (bits - 1), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return accumulator.hold(max(least, min(most, v))), t


# exponent bits, fraction bits, bias, kind
FORMATS = {"fp32": (8, 23, 127, "ieee"), "fp16": (5, 10, 15, "ieee"), "bf16": (8, 7, 127, "ieee"),
           "fp8_e4m3fn": (4, 3, 7, "fn"), "fp8_e4m3fnuz": (4, 3, 8, "fnuz"),
           "fp8_e5m2": (5, 2, 15, "ieee"), "fp8_e5m2fnuz": (5, 2, 16, "fnuz")}
INF = float("inf")


@lru_cache(maxsize=None)
def power_of_two(n):
    return Fraction(2)**n


@lru_cache(maxsize=1 << 16)
def decode(code, name):
    """A fraction, or inf, -inf, or None for NaN; and the sign bit."""
    e_bits, m_bits, bias, kind = FORMATS[name]
    sign = code >> (e_bits + m_bits)
    magnitude = code & ((1 << (e_bits + m_bits)) - 1)
    e, m = magnitude >> m_bits, magnitude & ((1 << m_bits) - 1)
    if kind == "ieee" and e == (1 << e_bits) - 1:
        return (None if m else (-INF if sign else INF)), sign
    if (kind == "fn" and magnitude == (1 << (e_bits + m_bits)) - 1) or (
            kind == "fnuz" and sign and not magnitude):
        return None, 0
    value = (Fraction(m) if e == 0 else Fraction(m + (1 << m_bits)) * 2**(e - 1))
    value = value * power_of_two(1 - bias - m_bits)
    return (-value if sign else value), sign


def largest_code(name):
    e_bits, m_bits, _, kind = FORMATS[name]
    top = 1 << (e_bits + m_bits)
    return {"ieee": (((1 << e_bits) - 1) << m_bits) - 1, "fn": top - 2, "fnuz": top - 1}[kind]


def encode(value, negative, name):
    e_bits, m_bits, bias, kind = FORMATS[name]
    top = 1 << (e_bits + m_bits)
    nan = {"ieee": (((1 << e_bits) - 1) << m_bits) | 1 << (m_bits - 1), "fn": top - 1,
           "fnuz": top}[kind]
    largest = largest_code(name)
    if value is None:
        return nan
    if value in (INF, -INF):
        return (largest + 1 | (top if value < 0 else 0)) if kind == "ieee" else nan
    magnitude = abs(value)
    code = 0
    if magnitude:
        e = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        e -= power_of_two(e) > magnitude
        e = max(e, 1 - bias)
        code = round(magnitude / power_of_two(e - m_bits)) + ((e - 1 + bias) << m_bits)
    if code > largest:
        return (largest + 1 | (top if negative else 0)) if kind == "ieee" else nan
    if kind == "fnuz" and code == 0:
        return 0
    return code | (top if negative else 0)


def real(code, e):
    m, _ = decode(code, "fp32")
    if m in (None, INF, -INF):
        return None
    return m, e


def rounded_scale(m, e, power):
    """m 2^e, positive, as a scale; its m as a fraction."""
    e = max(-2**31, min(2**31 - 1, e))
    if power:
        return Fraction(1), e
    least, most = Fraction(2)**-126, decode(0x7f7fffff, "fp32")[0]
    return decode(encode(max(least, min(most, m)), False, "fp32"), "fp32")[0], e


def times_power(value, n):
    return value * Fraction(2)**max(-2000, min(2000, n))


def scaled(name, form, x, y, n, am, ae, bm, be, power):
    """The data's code, and the scale as m (a fraction) and e; None where operands are special in a
    way that this check leaves to others: NaN and infinite data."""
    two = name in ("add", "sub", "mul", "div", "max", "min")
    (x, _), (y, _) = decode(x, form), decode(y, form)
    if x in (None, INF, -INF) or (two and y in (None, INF, -INF)):
        return None
    a, b = real(am, ae), real(bm, be)
    if a is None or (two and b is None):
        return encode(None, False, form), Fraction(1), 0
    x = x if a[0] else Fraction(0)
    y = y if b is not None and b[0] else Fraction(0)
    if name in ("add", "sub", "max", "min"):
        live = [s for s in (a, b) if s[0]]
        c = max(((s[1], abs(s[0])) for s in live), default=(0, Fraction(1)))
        c = (c[1], c[0])
        u, v = times_power(x * a[0], a[1] - c[1]), times_power(y * b[0], b[1] - c[1])
        value = {"add": u + v, "sub": u - v, "max": max(u, v), "min": min(u, v)}[name] / c[0]
    elif name in ("mul", "div"):
        if name == "div" and y == 0:
            return None
        if a[0] and b[0]:
            m = a[0] * b[0] if name == "mul" else a[0] / b[0]
            e = a[1] + b[1] if name == "mul" else a[1] - b[1]
            c = rounded_scale(abs(m), e, power)
            value = times_power((x * y if name == "mul" else x / y) * m / c[0], e - c[1])
        else:
            c, value = (Fraction(1), 0), Fraction(0)
    elif name == "relu":
        c = (abs(a[0]), a[1]) if a[0] else (Fraction(1), 0)
        value = max(x if a[0] >= 0 else -x, Fraction(0))
    else:
        if not a[0]:
            c, value = (Fraction(1), 0), Fraction(0)
        else:
            m = a[0] if power else times_power(a[0], n)
            c = rounded_scale(abs(m), a[1] + (n if power else 0), power)
            value = times_power(x * abs(a[0]) / c[0], a[1] - c[1])
            c = (c[0] if a[0] > 0 else -c[0], c[1])
    return encode(value, value < 0, form), c[0], c[1]
