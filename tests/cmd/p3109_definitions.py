"""The definitions of P3109's report 4.0 in fractions: formats, projections and operations on their values. Nothing of detcheck."""

import functools
import re
from fractions import Fraction

NAN, PLUS, MINUS = "nan", "inf", "-inf"
SATURATIONS = ("sat-none", "sat-finite", "sat-propagate")
ROUNDINGS = ("nearest-even", "nearest-away", "toward-zero", "up", "down", "to-odd")
DRAWN = ("stochastic-a", "stochastic-b", "stochastic-c")


class Format:
    """Sections 3.1, 4.7.2 and 4.7.6."""

    def __init__(self, name):
        width, precision, self.sign, domain = re.fullmatch(r"binary(\d+)p(\d+)([su])([ef])", name).groups()
        self.name, self.width, self.precision = name, int(width), int(precision)
        self.signed, self.extended = self.sign == "s", domain == "e"
        self.bias = 1 << (self.width - self.precision - self.signed)
        self.values = [self.decode(code) for code in range(1 << self.width)]
        self.numbers = [value for value in self.values if not isinstance(value, str)]
        self.least, self.greatest = min(self.numbers), max(self.numbers)

    # Fractions with thousands of digits take long to hash and to sort.
    @functools.cached_property
    def codes(self):
        return {value: code for code, value in enumerate(self.values)}

    @functools.cached_property
    def places(self):
        return {value: place for place, value in enumerate(sorted(self.numbers))}

    def decode(self, code):
        end = 1 << self.width
        if code == (end // 2 if self.signed else end - 1):
            return NAN
        if self.extended and code == (end // 2 - 1 if self.signed else end - 2):
            return PLUS
        if self.signed and code > end // 2:
            value = self.decode(code - end // 2)
            return MINUS if value == PLUS else -value
        trailing, exponent = code % (1 << (self.precision - 1)), code >> (self.precision - 1)
        fraction = Fraction(trailing, 1 << (self.precision - 1)) + (exponent > 0)
        return fraction * Fraction(2) ** (max(exponent, 1) - self.bias)


def round_to_precision(value, target, rounding, bits=0, drawn=0):
    """4.7.4."""
    if isinstance(value, str) or value == 0:
        return value
    size = abs(value)
    log = size.numerator.bit_length() - size.denominator.bit_length()
    log -= size < Fraction(2) ** log
    scale = max(log, 1 - target.bias) - target.precision + 1
    significand = size / Fraction(2) ** scale
    whole = significand.numerator // significand.denominator
    rest = significand - whole
    even = whole % 2 == 0 if target.precision > 1 else whole == 0 or (scale + target.bias) % 2 == 0
    half = Fraction(1, 2)
    away = {"toward-zero": False, "up": rest > 0 and value > 0, "down": rest > 0 and value < 0, "nearest-away": rest >= half,
            "nearest-even": rest > half or (rest == half and not even), "to-odd": rest > 0 and even,
            "stochastic-a": int(rest * 2 ** bits) + drawn >= 2 ** bits,
            "stochastic-b": int(rest * 2 ** (bits + 1)) + 2 * drawn + 1 >= 2 ** (bits + 1),
            "stochastic-c": round(rest * 2 ** bits) + drawn >= 2 ** bits}[rounding]
    return (whole + away) * Fraction(2) ** scale * (1 if value > 0 else -1)


def saturate(value, target, rounding, saturation):
    """4.7.5, in its order."""
    low, high = target.least, target.greatest
    if value == NAN:
        return NAN
    infinite = isinstance(value, str)
    above = value == PLUS if infinite else value > high
    if not infinite and low <= value <= high:
        return value
    if saturation == "sat-finite" or (saturation == "sat-propagate" and not infinite):
        return high if above else low
    if infinite:
        if above:
            return PLUS if target.extended else high
        if target.signed:
            return MINUS if target.extended else low
        return NAN if saturation == "sat-none" else low
    if rounding == "to-odd" and not target.signed and target.extended and above:
        return high
    if rounding in ("toward-zero", "down" if above else "up"):
        return high if above else low
    if above:
        return PLUS if target.extended else high
    return (MINUS if target.extended else low) if target.signed else NAN


def project(value, target, rounding="nearest-even", saturation="sat-none", bits=0, drawn=0):
    return target.codes[saturate(round_to_precision(value, target, rounding, bits, drawn), target, rounding, saturation)]


def add(x, y):
    if NAN in (x, y) or {x, y} == {PLUS, MINUS}:
        return NAN
    return x if isinstance(x, str) else y if isinstance(y, str) else x + y


def sign(x):
    return (1 if x == PLUS else -1) if isinstance(x, str) else (x > 0) - (x < 0)


def multiply(x, y):
    if NAN in (x, y):
        return NAN
    if isinstance(x, str) or isinstance(y, str):
        return {0: NAN, 1: PLUS, -1: MINUS}[sign(x) * sign(y)]
    return x * y


def divide(x, y):
    if NAN in (x, y) or y == 0 or (isinstance(x, str) and isinstance(y, str)):
        return NAN
    if isinstance(x, str):
        return PLUS if sign(x) * sign(y) > 0 else MINUS
    return Fraction(0) if isinstance(y, str) else x / y


def extended(x):
    return float(x)


def minimum_finite(x, y):
    if NAN in (x, y):
        return y if x == NAN else x
    if isinstance(x, str) != isinstance(y, str):
        return y if isinstance(x, str) else x
    return x if extended(x) < extended(y) else y


def ordered(holds):
    """Comparisons of which NaN is none (section 4.12)."""
    return lambda x, y: int(NAN not in (x, y) and holds(extended(x), extended(y)))


PREDICATES = {"is_zero": lambda x, least: x == 0, "is_one": lambda x, least: x == 1, "is_nan": lambda x, least: x == NAN,
              "is_infinite": lambda x, least: x in (PLUS, MINUS), "is_finite": lambda x, least: not isinstance(x, str),
              "is_sign_minus": lambda x, least: x != NAN and sign(x) < 0,
              "is_normal": lambda x, least: not isinstance(x, str) and abs(x) >= least,
              "is_subnormal": lambda x, least: not isinstance(x, str) and 0 < abs(x) < least}
COMPARISONS = {"compare_less": ordered(lambda a, b: a < b), "compare_less_equal": ordered(lambda a, b: a <= b),
               "compare_equal": ordered(lambda a, b: a == b), "compare_greater_equal": ordered(lambda a, b: a >= b),
               "compare_greater": ordered(lambda a, b: a > b),
               "total_order": lambda x, y: int(x == NAN or y != NAN and extended(x) <= extended(y))}


def class_of(x, least):
    """The place in table 2; `least` is the smallest normal number."""
    if x in (NAN, MINUS, PLUS):
        return {NAN: 0, MINUS: 1, PLUS: 7}[x]
    return 4 + sign(x) * (2 if abs(x) >= least else 1) if x else 4


def maximum_finite(x, y):
    if NAN in (x, y):
        return y if x == NAN else x
    if isinstance(x, str) != isinstance(y, str):
        return y if isinstance(x, str) else x
    return x if extended(x) > extended(y) else y


def magnitude(x):
    return PLUS if x == MINUS else x if isinstance(x, str) else abs(x)


def copysign(x, y):
    if NAN in (x, y):
        return NAN
    return multiply(magnitude(x), Fraction(-1)) if sign(y) < 0 else magnitude(x)


def fma(x, y, z):
    return add(multiply(x, y), z)


def faa(x, y, z):
    return add(add(x, y), z)


def clamp(x, low, high):
    """4.11.4, in its order."""
    if NAN in (x, low, high) or extended(low) > extended(high):
        return NAN
    if low == high and isinstance(low, str):
        return low
    if MINUS == high or PLUS == low:
        return NAN
    return low if extended(x) <= extended(low) else high if extended(x) >= extended(high) else x


def to_block(x, scale):
    """5.1.2."""
    if NAN in (x, scale):
        return NAN
    if scale == 0:
        return Fraction(0)
    return Fraction(sign(x) * sign(scale)) if isinstance(scale, str) else divide(x, scale)


def extreme(greatest, by_size=False, of_numbers=False):
    """The minima and maxima of 4.11.1 and 4.11.2."""
    def of(x, y):
        if NAN in (x, y):
            return NAN if not of_numbers else y if x == NAN else x
        if by_size and abs(extended(x)) != abs(extended(y)):
            return x if (abs(extended(x)) > abs(extended(y))) == greatest else y
        return x if (extended(x) > extended(y)) == greatest else y
    return of


def following(format_, step):
    """NextGreaterThan and NextLessThan: beyond the last number, an infinity included, is NaN."""
    ends = [MINUS] * (format_.extended and format_.signed), [PLUS] * format_.extended
    row = ends[0] + sorted(format_.places) + ends[1]
    return lambda x: NAN if x == NAN or not 0 <= row.index(x) + step < len(row) else row[row.index(x) + step]


EXTREMES = {"fminimum": extreme(False), "fmaximum": extreme(True), "fminimum_num": extreme(False, of_numbers=True),
            "fmaximum_num": extreme(True, of_numbers=True), "fminimum_mag": extreme(False, True),
            "fmaximum_mag": extreme(True, True), "fminimum_mag_num": extreme(False, True, True),
            "fmaximum_mag_num": extreme(True, True, True), "p3109.minimum_finite": minimum_finite,
            "p3109.maximum_finite": maximum_finite}
ARITHMETIC = {"add": add, "sub": lambda x, y: add(x, multiply(Fraction(-1), y)), "mul": multiply, "div": divide,
              "p3109.copysign": copysign, "p3109.to_block": to_block}
TRIPLES = {"fma": fma, "p3109.faa": faa, "p3109.clamp": clamp}
