"""ONNX's quantisation drawn at random, and what it returns, by the fractions of quantise_test.py."""

from fractions import Fraction

import quantise_test
from quantise_test import FLOAT8, INTEGERS, OPSETS, REALS, SINCE
from reals import FORMATS

ROUNDINGS = ("nearest-even",)
QUANTISE = "onnx.quantise"


def words(random):
    opset, quantises = random.choice(OPSETS), random.random() < 0.6
    narrow = [name for name, since in SINCE.items() if since <= opset]
    wide = REALS if opset >= 19 else REALS[:1]
    shape = [random.randint(1, 4) for _ in range(random.randint(1, 3))]
    chosen = ["--opset", opset, "--shape", "x".join(map(str, shape))]
    granularity = random.randint(0, 0 if opset < 13 else 1 if opset < 21 else 2)
    if granularity:
        chosen += ["--axis", random.randrange(-len(shape), len(shape))]
    if granularity == 2:
        chosen += ["--block", random.randint(1, 5)]
    if opset >= 23 and random.random() < 0.5:
        chosen += ["--scale-format", random.choice(REALS + (("fp8_e8m0fnu",) if opset >= 24 else ()))]
    if not quantises:
        formats, to = narrow + ["int32"], random.choice(wide)
        return ["onnx.dequantise", *chosen, "--to", to], formats, ("codes", "scales")
    to = random.choice(narrow)
    if to in FLOAT8 and opset >= 19 and random.random() < 0.4:
        chosen += ["--unsaturated"]
    if opset >= 23 and random.random() < 0.3:
        chosen += ["--precision", random.choice(REALS)]
    return [QUANTISE, *chosen, "--to", to], list(wide) + ["int32"], ("normal", "ties", "ends", "codes")


def operator_of(group):
    """The operator that the group's parameters stand for."""
    given, one = group["parameters"], quantise_test.Operator.__new__(quantise_test.Operator)
    one.quantises, one.opset = group["operation"] == QUANTISE, given["opset"]
    one.narrow, one.wide = (given["to"], group["format"])[::1 if one.quantises else -1]
    own = "fp32" if one.wide == "int32" else one.wide
    one.scale, one.precision = given.get("scale-format", own), given.get("precision")
    one.unsaturated, one.extents = given.get("unsaturated", False), given["shape"]
    one.axis, one.block, one.has_zero = given.get("axis", 1), given.get("block", 1), True
    one.granularity = 2 if "block" in given else 1 if "axis" in given else 0
    one.scale_extents = [[1], [one.extents[one.axis]] if one.granularity else [], list(one.extents)][one.granularity]
    if one.granularity == 2:
        one.scale_extents[one.axis] = -(-one.extents[one.axis] // one.block)
    return one


def operand_formats(group):
    one = operator_of(group)
    return [one.source(), one.scale, one.narrow]


def result_formats(group):
    return [operator_of(group).target()]


def signed(name, code):
    return quantise_test.signed(name, code) if name in INTEGERS else code


def draw(random, group, operand, form):
    """A number near what the scales stand for, a scale near 1, or any code."""
    if form in INTEGERS:
        zero_point = operand == 2
        return 0 if zero_point and form == "int32" else signed(form, random.getrandbits(INTEGERS[form][0]))
    form = FORMATS[form]
    if operand == 2:
        return 0
    if random.random() < 0.15:
        return random.getrandbits(form.width)
    value = Fraction(2 * random.getrandbits(8) + 1, 2) * Fraction(2) ** random.randint(-4, 1)
    if operand == 1:
        value = Fraction(random.choice((2, 3, 5, random.getrandbits(20) + 1)), 4)
    negative = form.family != "scale" and random.random() < 0.4
    return form.encode(min(value, form.value(form.greatest)) * (-1 if negative else 1))


def canonical(name, code):
    """Of a NaN the canonical one, as vectors of arrays have it."""
    return FORMATS[name].nan if name in FORMATS and FORMATS[name].is_nan(code) else signed(name, code)


def results(group, operands):
    one = operator_of(group)
    return [[canonical(one.target(), code) for code, _ in one.wanted(*operands)]]


def exact_implementation(group):
    return "det"
