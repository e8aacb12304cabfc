"""Casts to formats of 16 bits and fewer, by another way than detcheck's: all numbers of the target are listed,
the nearest is looked up, and what a profile makes of the rest stands in a table of words. Standard library
only."""

import bisect
import fractions
import re

Fraction = fractions.Fraction


class Target:
    """A format by the bits of its exponent and its fraction; e8m0 is powers of two alone."""

    def __init__(self, name, bias, largest, infinity, nan, layout=None):
        exponent_bits, places = map(int, re.search(r"e(\d+)m(\d+)", layout or name).groups())
        self.name, self.largest, self.infinity, self.nan = name, largest, infinity, nan
        self.sign = 1 << (exponent_bits + places)
        self.scale = places == 0
        if self.scale:
            self.numbers = [Fraction(2) ** (code - bias) for code in range(largest + 2)]
            return
        self.numbers = []
        for code in range(largest + 1):
            exponent, fraction = divmod(code, 1 << places)
            fraction += (1 << places) if exponent else 0
            self.numbers.append(fraction * Fraction(2) ** (max(exponent, 1) - bias - places))
        self.numbers.append(2 * self.numbers[-1] - self.numbers[-2])  # where overflow begins

    def least_from(self, magnitude):
        """The code of the least number that is not below; largest + 1 or more: overflow."""
        return bisect.bisect_left(self.numbers, magnitude)

    def nearest(self, magnitude):
        """The code of the nearest number, of two the even one, or the larger where both are odd, as powers of
        two are (IEEE 754-2019, 4.3.1); largest + 1 or more: overflow."""
        above = self.least_from(magnitude)
        if above == len(self.numbers):
            return above
        if above == 0 or self.numbers[above] == magnitude:
            return above
        up, down = self.numbers[above] - magnitude, magnitude - self.numbers[above - 1]
        return above if up < down or (up == down and (self.scale or above % 2 == 0)) else above - 1


TARGETS = {target.name: target for target in (
    Target("fp8_e5m2", 15, 0x7b, 0x7c, 0x7e), Target("fp8_e4m3", 7, 0x77, 0x78, 0x7c),
    Target("fp8_e3m4", 3, 0x6f, 0x70, 0x78), Target("fp8_e4m3fn", 7, 0x7e, None, 0x7f),
    Target("fp8_e4m3fnuz", 8, 0x7f, None, 0x80), Target("fp8_e5m2fnuz", 16, 0x7f, None, 0x80),
    Target("fp8_e4m3b11fnuz", 11, 0x7f, None, 0x80), Target("fp6_e2m3fn", 1, 0x1f, None, 0x20),
    Target("fp6_e3m2fn", 3, 0x1f, None, 0x20), Target("fp4_e2m1fn", 1, 0x07, None, 0x08),
    Target("fp8_e8m0fnu", 127, 0xfe, None, 0xff), Target("fp16", 15, 0x7bff, 0x7c00, 0x7e00, "e5m10"),
    Target("bf16", 127, 0x7f7f, 0x7f80, 0x7fc0, "e8m7"))}
WIDE = ("fp16", "bf16")

# What becomes of overflow, infinity and NaN in the targets with infinity, those with NaN (fn), those without
# -0 (fnuz) and those with neither. "nan-": with the source's sign.
ENDS = {
    "ieee": {"infinite": "inf inf nan", "fn": "nan nan nan", "fnuz": "nan nan nan", "finite": "max max nan"},
    "saturate": {"infinite": "max max nan", "fn": "max max nan", "fnuz": "max max nan", "finite": "max max nan"},
    "onnx-19": {"infinite": "max max nan", "fn": "max max nan", "fnuz": "max nan nan"},
    "onnx-19-unsaturated": {"infinite": "inf inf nan-", "fn": "nan nan- nan-", "fnuz": "nan nan nan"},
    "onnx-24": {"infinite": "max max nan", "fn": "max max nan", "fnuz": "max max nan", "finite": "max max +max"},
    "onnx-24-unsaturated": {"infinite": "inf inf nan-", "fn": "nan nan- nan-", "fnuz": "nan nan nan",
                            "finite": "max max +max"},
    "ocp": {"infinite": "max max nan", "fn": "max max nan", "finite": "max max +max"},
    "ocp-unsaturated": {"infinite": "inf inf nan", "fn": "nan nan nan"},
    "ml_dtypes": {"infinite": "inf inf nan-", "fn": "nan- nan- nan-", "fnuz": "nan nan nan",
                  "finite": "max max nan-"},
}
# Of scales: overflow, infinity, zero, and numbers below the smallest; all else is NaN.
SCALES = {"ieee": "nan nan nan min", "saturate": "max max min min", "onnx-24": "max max min min",
          "onnx-24-unsaturated": "nan nan nan nan", "ml_dtypes": "nan nan nan min"}


def kind_of(target):
    if target.infinity is not None:
        return "infinite"
    return "fnuz" if target.name.endswith("fnuz") else "fn" if target.name.startswith("fp8") else "finite"


def end(target, word, negative):
    sign = target.sign if negative and not target.scale else 0
    return {"inf": (target.infinity or 0) | sign, "max": target.largest | sign, "+max": target.largest,
            "nan": target.nan, "nan-": target.nan ^ sign, "min": 0}[word]


def rounding(target, profile):
    """What a profile rounds by where nobody asks for another."""
    return "up" if target.scale and profile.startswith("onnx") else "nearest-even"


def cast_scale(target, profile, kind, negative, magnitude):
    overflow, infinite, zero, below = SCALES[profile].split()
    if kind == "nan" or (negative and magnitude != 0):
        return target.nan
    if kind == "infinite":
        return end(target, infinite, False)
    if magnitude == 0:
        return end(target, zero, False)
    if magnitude < target.numbers[0]:
        return end(target, below, False)
    code = (target.least_from if rounding(target, profile) == "up" else target.nearest)(magnitude)
    return code if code <= target.largest else end(target, overflow, False)


def cast(source, target, profile, code):
    """By the profile's own rounding; the source is a Layout of reader.py."""
    kind, _, magnitude = source.decode(code)
    negative = bool(code & source.sign)
    if target.scale:
        return cast_scale(target, profile, kind, negative, magnitude)
    overflow, infinite, nan = ENDS[profile][kind_of(target)].split()
    if kind != "number":
        return end(target, nan if kind == "nan" else infinite, negative)
    found = target.nearest(magnitude)
    if found > target.largest:
        return end(target, overflow, negative)
    lacks = found == 0 and target.name.endswith("fnuz")  # -0
    return found | (target.sign if negative and not lacks else 0)
