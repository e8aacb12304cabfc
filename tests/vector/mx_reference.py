"""MX blocks again, from the formulas of the OCP Microscaling specification 1.0 (5.1 to 5.3, 6.3) and of the
sources that profiles cite, by fractions and tables of all numbers of a format. It knows no code of detcheck's.

    quantise(codes, source, element, profile, rounding, randoms) -> (codes of elements, code of the scale)
    dequantise(codes, scale, element, target) -> codes, rounded to nearest, ties to even
"""

import bisect
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

INF, NAN = "inf", "nan"
BLOCK = 32
# Exponent bits, fraction bits, bias, what the highest exponent holds beside numbers.
FORMATS = {"fp32": (8, 23, 127, "ieee"), "fp16": (5, 10, 15, "ieee"), "bf16": (8, 7, 127, "ieee"),
           "mxfp8_e5m2": (5, 2, 15, "ieee"), "mxfp8_e4m3": (4, 3, 7, "one nan"), "mxfp6_e3m2": (3, 2, 3, ""),
           "mxfp6_e2m3": (2, 3, 1, ""), "mxfp4_e2m1": (2, 1, 1, "")}
ELEMENTS = ("mxfp8_e5m2", "mxfp8_e4m3", "mxfp6_e3m2", "mxfp6_e2m3", "mxfp4_e2m1", "mxint8")
TORCHAO_POWERS = ("torchao-floor", "torchao-ceil", "torchao-even")
TORCHAO = ("torchao-floor", "torchao-ceil", "torchao-even", "torchao-rceil")
PROFILES = {**{name: ELEMENTS for name in ("ocp", "ocp-up", "microxcaling")},
            **{name: ELEMENTS[:5] for name in TORCHAO}, "transformer-engine": ELEMENTS[:2]}
NAN_CODES = {"mxfp8_e5m2": 0x7e, "mxfp8_e4m3": 0x7f, "mxfp6_e3m2": 0x20, "mxfp6_e2m3": 0x20, "mxfp4_e2m1": 8,
             "mxint8": 0, "fp32": 0x7fc00000, "fp16": 0x7e00, "bf16": 0x7fc0}


@lru_cache(maxsize=None)
def power(n):
    return Fraction(2) ** n


def floor_log2(x):
    n = x.numerator.bit_length() - x.denominator.bit_length()
    return n if power(n) <= x else n - 1


def ceil_log2(x):
    n = floor_log2(x)
    return n if power(n) == x else n + 1


@lru_cache(maxsize=1 << 16)
def decode(code, name):
    """(negative, magnitude), the magnitude a fraction, INF or NAN."""
    if name == "mxint8":
        value = code - 256 if code >= 128 else code
        return value < 0, Fraction(abs(value), 64)
    e_bits, m_bits, bias, special = FORMATS[name]
    negative = bool(code >> (e_bits + m_bits))
    e, m = code >> m_bits & ((1 << e_bits) - 1), code & ((1 << m_bits) - 1)
    if special == "ieee" and e == (1 << e_bits) - 1:
        return negative, NAN if m else INF
    if special == "one nan" and e == (1 << e_bits) - 1 and m == (1 << m_bits) - 1:
        return negative, NAN
    if e == 0:
        return negative, m * power(1 - bias - m_bits)
    return negative, (m + (1 << m_bits)) * power(e - bias - m_bits)


_tables = {}


def numbers(name):
    """All finite magnitudes that a code of a positive number has, by code."""
    if name not in _tables:
        top = 128 if name == "mxint8" else 1 << sum(FORMATS[name][:2])
        values = [decode(code, name)[1] for code in range(top)]
        _tables[name] = [value for value in values if value not in (INF, NAN)]
    return _tables[name]


def rounded(values, x, negative, rounding, random=0):
    """The index in the sorted `values` of the one that x >= 0 is rounded to; the last beyond them."""
    at = bisect.bisect_right(values, x) - 1
    if values[at] == x or at == len(values) - 1:
        return at
    part = (x - values[at]) / (values[at + 1] - values[at])
    half = Fraction(1, 2)
    up = {"nearest-even": part > half or (part == half and at % 2), "nearest-away": part >= half,
          "toward-zero": False, "up": not negative, "down": negative,
          "stochastic": int(part * (1 << 16)) > random}
    return at + bool(up[rounding])


def to_fp32(x):
    """A fraction >= 0 as the bits of the nearest number of fp32."""
    if x == 0:
        return 0
    e = max(floor_log2(x), -126)
    units = x / power(e - 23)
    low = int(units)
    rest = units - low
    low += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2)
    return ((e + 126) << 23) + low


def ceil_of_log2_in_fp32(x):
    """The logarithm of a fraction above 0 by 40 digits, rounded to fp32, and then up."""
    near = Context(prec=40)
    log2 = near.divide(near.ln(near.divide(Decimal(x.numerator), Decimal(x.denominator))), near.ln(Decimal(2)))
    if log2 == log2.to_integral_value():
        return int(log2)
    last = power(floor_log2(abs(Fraction(log2))) - 23)  # of the fraction that fp32 keeps
    return -((-round(Fraction(log2) / last) * last) // 1)


def e8m0_rounded_up(bits):
    """Of fp32 bits: Transformer Engine's float_to_e8m0 without its ends."""
    biased, mantissa = bits >> 23, bits & 0x7fffff
    return biased + (mantissa > 0x400000 if biased == 0 else mantissa != 0)


def scale_code(magnitudes, element, profile):
    largest = numbers(element)[-1]
    top = floor_log2(largest)  # 2^top: the largest power of two among elements
    if profile == "transformer-engine":
        magnitudes = [x for x in magnitudes if x != NAN]  # fmaxf leaves NaN out
    if INF in magnitudes and NAN not in magnitudes and profile in ("transformer-engine", "torchao-rceil"):
        return 0xfe
    if NAN in magnitudes or (INF in magnitudes and profile not in TORCHAO_POWERS):
        return 0xff
    if INF in magnitudes:  # to_mx reads its exponent
        magnitudes = [power(128)]
    m = max(magnitudes, default=Fraction(0))
    if profile == "torchao-rceil":
        _, quotient = decode(to_fp32(m / largest), "fp32")
        return max(ceil_of_log2_in_fp32(quotient) + 127, 0) if quotient else 0
    if profile == "transformer-engine":
        _, reciprocal = decode(to_fp32(1 / largest), "fp32")
        return e8m0_rounded_up(to_fp32(m * reciprocal))
    if profile == "torchao-even":
        m_bits = FORMATS[element][1]
        bits = ((0x7f800000 if m == power(128) else to_fp32(m)) + (1 << (23 - m_bits - 1))) & 0xff800000
        n = (bits >> 23) - 127 - top
    elif profile == "microxcaling":
        n = floor_log2(m or power(-126)) - top
    elif m == 0:
        n = -127
    elif profile == "ocp-up":
        n = next(n for n in range(ceil_log2(m / largest) - 1, 300) if power(n) * largest >= m)
    else:
        n = (ceil_log2 if profile == "torchao-ceil" else floor_log2)(m) - top
    return 0xff if n > 127 else max(n, -127) + 127


def element_code(negative, magnitude, scale, element, profile, rounding, random):
    if scale == 0xff or magnitude == NAN:
        return NAN_CODES[element]
    values = numbers(element)
    if element == "mxint8" and negative and profile != "microxcaling":
        values = values + [Fraction(2)]
    if magnitude == INF:
        code = len(values) - 1
    else:
        if profile == "torchao-rceil" and scale == 0:  # torch.where(exponent == 0, 1.0, ...)
            quotient = magnitude
        elif profile in TORCHAO_POWERS:  # clamp(min=F32_MIN_NORMAL)
            quotient = magnitude / max(power(scale - 127), power(-126))
        else:
            quotient = magnitude / power(scale - 127)
        code = rounded(values, quotient, negative, rounding, random)
    if not negative:
        return code
    return -code & 0xff if element == "mxint8" else code | 1 << sum(FORMATS[element][:2])


def quantise(codes, source, element, profile, rounding="nearest-even", randoms=None):
    x = [decode(code, source) for code in codes]
    scale = scale_code([magnitude for _, magnitude in x], element, profile)
    randoms = randoms or [0] * len(codes)
    return [element_code(negative, magnitude, scale, element, profile, rounding, random)
            for (negative, magnitude), random in zip(x, randoms)], scale


def dequantise(codes, scale, element, target):
    """v = X P (5.1); beyond fp32, which the specification leaves open, infinity."""
    e_bits, m_bits, bias, _ = FORMATS[target]
    sign_bit, infinity = 1 << (e_bits + m_bits), ((1 << e_bits) - 1) << m_bits
    found = []
    for code in codes:
        negative, magnitude = decode(code, element)
        if scale == 0xff or magnitude == NAN:
            found.append(NAN_CODES[target])
            continue
        magnitude_code = infinity
        if magnitude != INF:
            value = magnitude * power(scale - 127)
            e = max(floor_log2(value), 1 - bias) if value else 1 - bias
            units = value / power(e - m_bits)
            magnitude_code = min(((e - 1 + bias) << m_bits) + round(units), infinity)
        found.append(magnitude_code | sign_bit * negative)
    return found
