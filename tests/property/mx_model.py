"""Blocks that share a scale, by the OCP Microscaling Formats specification 1.0 (5.1 to 5.3, 6.3) and, for what other
profiles do, detcheck-mx(7)."""

from decimal import Decimal, localcontext
from fractions import Fraction
from counted import FORMATS, INF, NAN, Value, binary_exponent, number, two

SCALE_NAN = 255
ELEMENTS = {"mxfp8_e5m2": "fp8_e5m2", "mxfp8_e4m3": "fp8_e4m3fn", "mxfp6_e3m2": "fp6_e3m2fn", "mxfp6_e2m3": "fp6_e2m3fn",
            "mxfp4_e2m1": "fp4_e2m1fn", "mxint8": None}
BLOCK = 32
PROFILES = ("ocp", "ocp-up", "microxcaling", "torchao-floor", "torchao-ceil", "torchao-even", "torchao-rceil", "transformer-engine")


def targets(profile):
    if profile.startswith("torchao"):
        return [one for one in ELEMENTS if one != "mxint8"]
    return ["mxfp8_e5m2", "mxfp8_e4m3"] if profile == "transformer-engine" else list(ELEMENTS)


def largest(element):
    return Fraction(127, 64) if element == "mxint8" else FORMATS[ELEMENTS[element]].largest()


def is_nan(code, element):
    return element != "mxint8" and FORMATS[ELEMENTS[element]].read(code).kind == NAN


def exponent_above(x):
    e = binary_exponent(x)
    return e if x == two(e) else e + 1


def fp32(x):
    """To nearest, ties to even; a fraction above 0 that does not overflow."""
    return FORMATS["fp32"].size_of(FORMATS["fp32"].rounded(number(x), "nearest-even"))


def exponent_by_logarithm(quotient):
    """The logarithm of a fraction above 0, first as fp32 has it and then rounded up: by its bounds in 50 digits."""
    e = binary_exponent(quotient)
    if quotient == two(e):
        return e
    with localcontext() as context:
        context.prec = 50
        over = (Decimal(quotient.numerator) / Decimal(quotient.denominator) / (Decimal(2) ** e)).ln() / Decimal(2).ln()
        logarithm = Fraction(over) + e
    shown = FORMATS["fp32"].rounded(number(abs(logarithm)), "nearest-even")
    return (e if FORMATS["fp32"].size_of(shown) == abs(e) and abs(logarithm - e) < Fraction(1, 2) else e + 1)


def exponent_of_scale(m, element, profile):
    """Of the greatest magnitude; None where the scale is NaN."""
    if m == 0:
        return -126 if profile == "microxcaling" and element == "mxint8" else -127  # 2^-126 over its top, but 2^-127 at least
    top = binary_exponent(largest(element))
    if profile in ("ocp", "microxcaling", "torchao-floor"):
        e = binary_exponent(m) - top
    elif profile == "ocp-up":
        e = exponent_above(m / largest(element))
    elif profile == "torchao-ceil":
        e = exponent_above(m) - top
    elif profile == "torchao-even":
        step = two(binary_exponent(m) - FORMATS[ELEMENTS[element]].fraction_bits)
        e = binary_exponent((m / step + Fraction(1, 2)).__floor__() * step)
        e -= top
    elif profile == "torchao-rceil":
        quotient = fp32(m / largest(element))
        e = exponent_by_logarithm(quotient) if quotient else -127
    else:
        product = fp32(m * fp32(1 / largest(element)))
        e = exponent_above(product) if product else -127
    return None if e > 127 else max(e, -127)


def element_code(value, e, element, profile, rounding, chance):
    """x / 2^e, rounded once, and the largest where it is beyond that."""
    if element == "mxint8":
        if value.kind == NAN:
            return 0
        x = value.size / two(e) * 64
        whole = x.numerator // x.denominator
        low, rest = whole, x - whole
        away = {"toward-zero": False, "up": not value.negative, "down": value.negative,
                "nearest-away": 2 * rest >= 1, "nearest-even": 2 * rest > 1 or (2 * rest == 1 and low % 2),
                "stochastic": chance is not None and int(rest * 65536) > chance}[rounding]
        if rest:
            low += bool(away)
        least = 127 if profile == "microxcaling" else 128
        return -min(low, least) & 255 if value.negative else min(low, 127)
    form = FORMATS[ELEMENTS[element]]
    if value.kind == NAN:
        return form.nan if form.nan is not None else form.sign
    sign = form.sign if value.negative else 0
    if value.kind == INF:
        return form.last | sign
    return min(form.rounded(Value("num", value.negative, value.size / two(e)), rounding, (16, chance)), form.last) | sign


def quantise(values, element, profile, rounding, chances):
    """Of one block: codes of elements, and the scale's."""
    numbers = [one for one in values if one.kind == "num"]
    m = max([one.size for one in numbers], default=Fraction(0))
    if profile == "transformer-engine" or (profile == "torchao-rceil" and all(one.kind != NAN for one in values)):
        if any(one.kind == INF for one in values):
            e = 127
        else:
            e = exponent_of_scale(m, element, profile)
        divide = 0 if e == -127 and profile == "torchao-rceil" else e
    elif profile in ("torchao-floor", "torchao-ceil", "torchao-even") and all(one.kind != NAN for one in values):
        m = two(128) if len(numbers) < len(values) else m
        e = exponent_of_scale(m, element, profile)
        divide = max(e, -126)
    else:
        e = divide = exponent_of_scale(m, element, profile) if len(numbers) == len(values) else None
    if e is None:
        return [element_code(Value(NAN), 0, element, profile, rounding, None)] * len(values), SCALE_NAN
    return [element_code(one, divide, element, profile, rounding, chance) for one, chance in zip(values, chances)], e + 127


def dequantise(code, scale, element, to, rounding, chance):
    form = FORMATS[to]
    if element == "mxint8":
        value = number(Fraction(code - 256 if code > 127 else code, 64))
    else:
        value = FORMATS[ELEMENTS[element]].read(code)
    if scale == SCALE_NAN or value.kind == NAN:
        return form.nan
    sign = form.sign if value.negative else 0
    if value.kind == INF:
        return form.infinity | sign
    count = form.rounded(Value("num", value.negative, value.size * two(scale - 127)), rounding, (16, chance))
    if count > form.last:
        inward = rounding == "toward-zero" or rounding == ("up" if value.negative else "down")
        return (form.last if inward else form.infinity) | sign
    return count | sign
