"""Number formats in exact arithmetic, written from their definitions, to hold the program against.

Nothing here is shared with the program: codes are decoded to fractions and fractions are rounded
with integer arithmetic.
"""

from fractions import Fraction

INFINITY = "infinity"
NAN = "nan"
ROUNDINGS = ("nearest-even", "toward-zero", "up", "down", "nearest-away")


class Format:
    """Exponent and fraction bits, bias, and which of five families the special codes follow."""

    def __init__(self, name, exponent_bits, fraction_bits, bias, family="ieee"):
        self.name = name
        self.width = (family != "scale") + exponent_bits + fraction_bits
        self.precision = fraction_bits + 1
        self.fraction_bits = fraction_bits
        self.emin = 1 - bias
        self.bias = bias
        self.family = family
        self.sign = 1 << (self.width - 1)
        top = (1 << exponent_bits) - 1
        if family == "ieee":
            self.greatest = (top << fraction_bits) - 1
            self.nan = (top << fraction_bits) | 1 << (fraction_bits - 1)
        elif family == "fn":  # all ones is NaN, everything else a number
            self.greatest = self.sign - 2
            self.nan = self.sign - 1
        elif family == "scale":  # powers of two alone: no sign, no zero; all ones is NaN
            self.sign = 0
            self.greatest = top - 1
            self.nan = top
            self.emin = -bias
        else:  # fnuz: the code of -0 is NaN; all: every code is a number, that of -0 stands for NaN
            self.greatest = self.sign - 1
            self.nan = self.sign
        self.emax = (self.greatest >> fraction_bits) - bias

    def bits(self, code):
        return f"0x{code:0{(self.width + 3) // 4}x}"

    def is_nan(self, code):
        if self.family in ("fnuz", "scale"):
            return code == self.nan
        if self.family == "all":
            return False
        return code & (self.sign - 1) > self.greatest + (self.family == "ieee")

    def decode(self, code):
        """(negative, value): a fraction of either sign, INFINITY or NAN."""
        if self.family == "scale":
            return False, NAN if code == self.nan else Fraction(2) ** (code - self.bias)
        negative, magnitude = bool(code & self.sign), code & (self.sign - 1)
        if self.is_nan(code):
            return negative, NAN
        if magnitude > self.greatest:
            return negative, INFINITY
        biased = magnitude >> self.fraction_bits
        fraction = magnitude & ((1 << self.fraction_bits) - 1)
        if biased:
            fraction |= 1 << self.fraction_bits
        scale = max(biased, 1) - self.bias - self.fraction_bits
        value = Fraction(fraction << scale) if scale >= 0 else Fraction(fraction, 1 << -scale)
        return negative, -value if negative else value

    def value(self, code):
        return self.decode(code)[1]

    def overflowed(self, negative, to_infinity):
        if not to_infinity:
            magnitude = self.greatest
        elif self.family == "ieee":
            magnitude = self.greatest + 1
        elif self.family == "all":
            magnitude = self.greatest
        else:
            return self.nan
        return magnitude | self.sign if negative else magnitude

    def encode(self, value, rounding="nearest-even", negative=None):
        """The code of a fraction rounded once; beyond the greatest number as IEEE 754 has it."""
        negative = value < 0 if negative is None else negative
        if self.family == "scale" and (negative or value == 0):
            return self.nan
        magnitude = max(abs(value), Fraction(2) ** self.emin) if self.family == "scale" else abs(value)
        exponent = max(exponent_of(magnitude), self.emin)
        one, ulps = magnitude.denominator, magnitude.numerator  # how many ulps there are, over this many
        if exponent < self.fraction_bits:
            ulps <<= self.fraction_bits - exponent
        else:
            one <<= exponent - self.fraction_bits
        whole, rest = divmod(ulps, one)
        whole += {"nearest-even": rest * 2 > one or (rest * 2 == one and whole % 2 == 1),
                  "nearest-away": rest * 2 >= one,
                  "toward-zero": False,
                  "up": rest > 0 and not negative,
                  "down": rest > 0 and negative}[rounding]
        # A significand of 2 carries into the exponent.
        code = ((exponent + self.bias - 1) << self.fraction_bits) + whole
        if code > self.greatest:
            inward = {"toward-zero": True, "up": negative, "down": not negative}
            return self.overflowed(negative, not inward.get(rounding, False))
        if negative and not (code == 0 and self.family == "fnuz"):
            code |= self.sign
        return code

    def ulp(self, value):
        exponent = min(max(exponent_of(abs(value)), self.emin), self.emax)
        return Fraction(2) ** (exponent - self.fraction_bits)

    def boundary_distance(self, exact, rounding):
        """From the nearest number at which what encode returns changes, in ulps."""
        ulp, tiny = self.ulp(exact), self.ulp(exact) / (1 << 60)

        def changes(at):
            return len({self.encode(-x if exact < 0 else x, rounding, exact < 0)
                        for x in (at - tiny, at, at + tiny) if x >= 0}) > 1
        start = abs(exact) // ulp * ulp
        places = (start + ulp * Fraction(quarters, 4) for quarters in range(-8, 13))
        return min(abs(abs(exact) - at) for at in places if at >= 0 and changes(at)) / ulp

    def error(self, exact, got):
        """|got - exact| / ulp(exact) where neither is NaN; infinity stands for 2^(emax+1)."""
        limit = Fraction(2) ** (self.emax + 1)
        negative, value = self.decode(got)
        if value == INFINITY:
            value = -limit if negative else limit
        exact = max(-limit, min(limit, exact))
        return abs(value - exact) / self.ulp(exact)


def exponent_of(magnitude):
    """e with 2^e <= magnitude < 2^(e+1); far below everything for zero."""
    if magnitude == 0:
        return -10000
    e = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    above = magnitude.denominator << e > magnitude.numerator if e >= 0 else magnitude.denominator > magnitude.numerator << -e
    return e - above


FORMATS = {row.name: row for row in (
    Format("fp4_e2m1fn", 2, 1, 1, "all"),
    Format("fp6_e2m3fn", 2, 3, 1, "all"),
    Format("fp6_e3m2fn", 3, 2, 3, "all"),
    Format("fp8_e3m4", 3, 4, 3),
    Format("fp8_e4m3", 4, 3, 7),
    Format("fp8_e4m3b11fnuz", 4, 3, 11, "fnuz"),
    Format("fp8_e4m3fn", 4, 3, 7, "fn"),
    Format("fp8_e4m3fnuz", 4, 3, 8, "fnuz"),
    Format("fp8_e5m2", 5, 2, 15),
    Format("fp8_e5m2fnuz", 5, 2, 16, "fnuz"),
    Format("fp8_e8m0fnu", 8, 0, 127, "scale"),
    Format("fp16", 5, 10, 15),
    Format("bf16", 8, 7, 127),
    Format("tf32", 8, 10, 127),
    Format("fp32", 8, 23, 127),
    Format("fp64", 11, 52, 1023),
)}
FP16, FP32, FP64 = FORMATS["fp16"], FORMATS["fp32"], FORMATS["fp64"]
