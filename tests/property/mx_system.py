"""Blocks with a shared scale drawn at random, and what they become, by mx_model.py."""

from fractions import Fraction

import mx_model
import reals
from counted import FORMATS, philox
from mx_model import BLOCK

NUMBERS = ("normal", "spread", "bits", "equal", "outlier", "boundary", "ties", "denormals", "small", "zeros",
           "large", "nan", "infinity", "mixed")
SOURCES = ("fp32", "fp16", "bf16")


def words(random):
    chosen = ["--shape", random.choice(("3", "33", "2x5", "5x2", "35x2"))]
    if "x" in chosen[1]:
        chosen += ["--axis", random.choice((0, 1, -1, -2))]
    if random.random() < 0.3:
        chosen += ["--stochastic", random.getrandbits(63)]
    if random.random() < 0.3:
        return ["mx.dequantise", *chosen, "--to", random.choice(SOURCES)], list(mx_model.ELEMENTS), ("codes", "pairs")
    profile = random.choice(mx_model.PROFILES)
    to = random.choice(mx_model.targets(profile))
    return ["mx.quantise", *chosen, "--profile", profile, "--to", to], SOURCES, NUMBERS


def operand_formats(group):
    return [group["format"]] + ["fp8_e8m0fnu"] * (group["operation"] == "mx.dequantise")


def width_of(form):
    return reals.FORMATS[form].width if form in reals.FORMATS else int(form[4]) if form != "mxint8" else 8


def draw(random, group, operand, form):
    width = width_of(form)
    code = random.getrandbits(width)
    if form in SOURCES and random.random() < 0.8:  # within a few binades of 1, or of an end of the format
        form = reals.FORMATS[form]
        value = Fraction(random.getrandbits(24) + 1, 1 << random.randrange(20, 30))
        value *= random.choice((1,) * 12 + (form.value(1), form.value(form.greatest) / 2))
        return form.encode(min(value, form.value(form.greatest)) * random.choice((1, -1)))
    return code


def slices(shape, axis):
    """Lists of places in the flattened array, one for each line along the axis; and of their blocks' scales."""
    axis %= len(shape)
    stride, count = 1, shape[axis]
    for extent in shape[axis + 1:]:
        stride *= extent
    elements = stride * count
    for extent in shape[:axis]:
        elements *= extent
    blocks = -(-count // BLOCK)
    for line in range(elements // count):
        outer, inner = divmod(line, stride)
        yield ([outer * stride * count + inner + i * stride for i in range(count)],
               [outer * stride * blocks + inner + i * stride for i in range(blocks)])


def results(group, operands):
    given = group["parameters"]
    stochastic = "stochastic" in given
    rounding = "stochastic" if stochastic else group["rounding"]
    random = [philox(i, given["stochastic"]) & 0xffff if stochastic else 0 for i in range(len(operands[0]))]
    found, scales = [None] * len(operands[0]), {}
    for places, blocks in slices(given["shape"], given.get("axis", -1)):
        for number, place in enumerate(blocks):
            part = places[number * BLOCK:(number + 1) * BLOCK]
            codes = [operands[0][i] for i in part]
            if group["operation"] == "mx.dequantise":
                made = [mx_model.dequantise(code, operands[1][place], group["format"], given["to"], rounding, random[i])
                        for code, i in zip(codes, part)]
            else:
                made, scales[place] = mx_model.quantise([FORMATS[group["format"]].read(code) for code in codes], given["to"],
                                                        given["profile"], rounding, [random[i] for i in part])
            for i, code in zip(part, made):
                found[i] = code
    if group["operation"] == "mx.dequantise":
        return [found]
    return [found, [scales[i] for i in sorted(scales)]]


def result_formats(group):
    return [group["parameters"]["to"], "fp8_e8m0fnu"]


def exact_implementation(group):
    return "det"
