"""Elements of QuantizeLinear and DequantizeLinear, by the texts of ONNX's operators and, where these leave something
open, detcheck-onnx(7)."""

from fractions import Fraction
from casts_model import cast
from counted import FORMATS, INF, NAN, Value, number
from enclosed import times

INTEGERS = {f"{kind}{bits}": ((-(1 << bits - 1), (1 << bits - 1) - 1) if kind == "int" else (0, (1 << bits) - 1))
            for kind in ("int", "uint") for bits in (2, 4, 8, 16)}
INTEGERS["int32"] = (-2 ** 31, 2 ** 31 - 1)


def to_format(value, form):
    """IEEE 754's conversion to nearest, ties to even."""
    return FORMATS[form].read(cast(value, form, "ieee", "nearest-even"))


def quotient(x, s):
    negative = x.negative != s.negative
    if NAN in (x.kind, s.kind) or (x.kind == s.kind == INF) or (x.is_zero() and s.is_zero()):
        return Value(NAN, x.negative if x.kind == NAN else s.negative if s.kind == NAN else False)
    if x.kind == INF or s.is_zero():
        return Value(INF, negative)
    return Value("num", negative, Fraction(0) if s.kind == INF else x.size / s.size)


def integer(value, rounding):
    low, rest = divmod(value.size, 1)
    if rest:
        low += {"toward-zero": False, "up": not value.negative, "down": value.negative, "nearest-away": rest * 2 >= 1,
                "nearest-even": rest * 2 > 1 or (rest * 2 == 1 and low % 2 == 1)}[rounding]
    return -int(low) if value.negative else int(low)


def ratio(x, s, precision):
    return to_format(quotient(to_format(x, precision), to_format(s, precision)), precision)


def quantise(x, s, z, to, precision, opset, unsaturated, rounding):
    """x and s Values; of an integer format the number, else the code."""
    q = ratio(x, s, precision)
    if to in INTEGERS:
        least, most = INTEGERS[to]
        if q.kind == NAN:
            return least
        if q.kind == INF:
            return least if q.negative else most
        return min(max(integer(q, rounding) + z, least), most)
    if to.startswith("fp6"):
        profile = "onnx-reference"
    else:
        profile = ("onnx-19" if opset < 24 and to.startswith("fp8") else "onnx-24") + ("-unsaturated" if unsaturated else "")
    return cast(q, to, profile, rounding)


def dequantise(y, s, z, form, to, rounding):
    """y a number of an integer format, or a code; s a Value."""
    if form in INTEGERS:
        value = number(y - z)
        if form == "int32":
            value = to_format(value, "fp32")
    else:
        value = FORMATS[form].read(y)
    return cast(times(value, s), to, "ieee", rounding)
