"""Operations on arrays drawn at random, and what they return, line by line by lines_model.py."""

from fractions import Fraction

import lines_model
import reals
from casts_model import cast
from counted import FORMATS
from enclosed import codes_of, times, total

SUMS = ("sum", "mean", "cumsum", "dot", "matmul", "rms_norm")
EXPONENTIALS = ("logsumexp", "logcumsumexp", "softmax", "log_softmax")
GRADIENT, OF_SUM, OF_SHARES = "logcumsumexp_gradient", "logsumexp_gradient", "log_softmax_gradient"
GRADIENTS = (GRADIENT, OF_SUM, OF_SHARES)
SCANS = ("cumsum", "logcumsumexp", GRADIENT)
FAMILIES = ("normal", "uniform", "log_uniform", "cancelling", "outlier", "ascending", "descending", "denormals",
            "large", "special", "shuffled")


def words(random):
    name = random.choice(SUMS + EXPONENTIALS + GRADIENTS)
    shape = [random.choice((1, 2, 3, 4, 7)) for _ in range(random.choice((1, 1, 2, 3)))]
    if name == "matmul":
        shape = [random.choice((1, 2, 3)), random.choice((1, 4, 9)), random.choice((1, 2))]
    while len(shape) > 1 and name != "matmul" and shape[0] * shape[1] > 14:
        del shape[0]
    chosen = ["--shape", "x".join(map(str, shape))]
    if name != "matmul" and random.random() < 0.6:
        chosen += ["--axis", random.randrange(-len(shape), len(shape))]
    if name in SCANS:
        chosen += [word for word in ("--exclusive", "--reverse") if random.random() < 0.4]
    if name == "rms_norm" and random.random() < 0.7:
        chosen += ["--epsilon", random.choice(("none", "1e-6", "0x1p-40", "3", "1e30"))]
    if random.random() < 0.3:
        chosen += ["--dtype", random.choice(sorted(FORMATS))]
    if random.random() < 0.2:
        chosen += ["--accumulate", "fp64"]
    return [name, *chosen], sorted(FORMATS), FAMILIES + ("minus_infinity",) * (name in EXPONENTIALS + GRADIENTS)


def operand_formats(group):
    return [group["format"]] * (2 if group["operation"] in ("dot", "matmul", *GRADIENTS) else 1)


def draw(random, group, operand, form):
    """Any code, a special one, often that of others, or a number near 1."""
    form, kind = reals.FORMATS[form], random.random()
    if kind < 0.1:
        return random.getrandbits(form.width)
    if kind < 0.25:
        return random.choice([form.greatest, form.sign | form.greatest, form.encode(Fraction(1)), form.encode(Fraction(-2))])
    if kind < 0.35:
        special = [form.greatest, 0, form.sign, 1, form.sign | 1, form.sign | form.greatest, form.nan,
                   form.overflowed(False, True), form.overflowed(True, True)]
        return random.choice(special)
    value = Fraction(random.getrandbits(random.choice((2, 12, 53))) + 1, 1 << random.randrange(6))
    while value > 30:
        value /= 2
    return form.encode(-value if random.random() < 0.5 else value)


def lines(shape, axis):
    """Lists of places in the flattened array, one for each line along the axis; without one, all."""
    elements = 1
    for extent in shape:
        elements *= extent
    if axis is None:
        return [list(range(elements))]
    stride = 1
    for extent in shape[axis % len(shape) + 1:]:
        stride *= extent
    count = shape[axis % len(shape)]
    return [[outer * stride * count + inner + i * stride for i in range(count)]
            for outer in range(elements // count // stride) for inner in range(stride)]


def results(group, operands):
    given, name, rounding = group["parameters"], group["operation"], group["rounding"]
    form = result_formats(group)[0]
    read = {code: cast_to(form, FORMATS[group["format"]].read(code)) for one in operands for code in one}
    operands = [[read[code] for code in one] for one in operands]
    if name == "matmul":
        rows, inner, columns = given["shape"]
        made = [total([times(operands[0][i * inner + k], operands[1][k * columns + j]) for k in range(inner)], rounding)
                for i in range(rows) for j in range(columns)]
        return [[codes_of(form, [rounding], one)[0] for one in made]]
    axis = given.get("axis", -1 if name in ("softmax", "log_softmax", OF_SHARES, "rms_norm") else None)
    text = given.get("epsilon", "none")
    epsilon = Fraction(0 if text == "none" else float.fromhex(text))
    found = {}
    for number, places in enumerate(lines(given["shape"], axis)):
        if given.get("reverse"):
            places = places[::-1]
        second = [operands[1][i] for i in ([number] if name == OF_SUM else places)] if len(operands) > 1 else None
        made = lines_model.line_results(name, [operands[0][i] for i in places], second, rounding, given.get("exclusive"), epsilon)
        found.update(zip([number] if name in lines_model.REDUCING else places, made))
    return [[codes_of(form, [rounding], found[i])[0] for i in sorted(found)]]


def cast_to(form, value):
    return FORMATS[form].read(cast(value, form, "ieee", "nearest-even"))


def result_formats(group):
    return [group["parameters"].get("dtype", group["format"])]


def exact_implementation(group):
    without = ("softmax", *GRADIENTS)
    return "cr" if group["operation"] not in without and group["rounding"] == "nearest-even" else None


def near_implementation(group):
    """det's gradients are computed in pairs of doubles: cancelling terms leave enough of these but for fp64."""
    is_narrow = result_formats(group)[0] != "fp64"
    return ["det", "--max-ulp", "0.5001"] if is_narrow and group["operation"] in GRADIENTS and (
        group["rounding"] == "nearest-even") else None


def fits_near(group, operands):
    """Whether no sum of det's cancels below 2^-20 of its terms, beyond which the manual promises nothing from 2^-30 on."""
    if group["operation"] != GRADIENT:
        return True
    form, sign = result_formats(group)[0], FORMATS[group["format"]].sign
    sizes = results(group, [operands[0], [code & ~sign for code in operands[1]]])[0]
    found = [[FORMATS[form].read(code) for code in codes] for codes in (results(group, operands)[0], sizes)]
    return all(one.kind != "num" or size.kind != "num" or one.size * (1 << 20) >= size.size for one, size in zip(*found))
