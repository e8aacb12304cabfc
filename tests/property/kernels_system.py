"""Kernels of a transformer drawn at random, and what they return, line by line by kernels_model.py."""

from fractions import Fraction

import arrays_system
import kernels_model
from arrays_system import cast_to, lines
from counted import FORMATS, number
from enclosed import codes_of

ALONG, OF_CHANNELS = ("rms_norm", "layer_norm", "l2_norm"), ("group_norm", "batch_norm")
PAIRS, HALVES = ("silu_mul", "gelu_mul"), ("swiglu", "geglu")
ORDERINGS = ("sort", "top_k", "argmax")
FAMILIES = ("normal", "uniform", "log_uniform", "cancelling", "outlier", "ascending", "descending", "denormals",
            "large", "special", "shuffled")


def gate_words(random):
    name = random.choice(PAIRS + HALVES)
    shape, chosen = [random.choice((1, 2, 3, 4, 7)) for _ in range(random.choice((1, 1, 2)))], []
    if name in HALVES:
        axis = random.randrange(-len(shape), len(shape))
        shape[axis] *= 2
        chosen += ["--axis", axis, *["--reverse"] * (random.random() < 0.4)]
    if name in ("gelu_mul", "geglu"):
        chosen += random.choice(([], ["--approximate", "none"], ["--approximate", "tanh"]))
    return [name, *chosen, "--shape", "x".join(map(str, shape))], sorted(FORMATS), FAMILIES + ("minus_infinity",)


def ordering_words(random):
    name = random.choice(ORDERINGS)
    shape, chosen = [random.choice((1, 2, 3, 5, 8)) for _ in range(random.choice((1, 2, 2)))], []
    axis = random.randrange(-len(shape), len(shape))
    if name == "top_k":
        chosen = ["--k", random.randint(1, shape[axis])]
    chosen += ["--reverse"] * (random.random() < 0.4)
    return [name, *chosen, "--axis", axis, "--shape", "x".join(map(str, shape))], sorted(FORMATS), FAMILIES


def words(random):
    kind = random.random()
    if kind < 0.5:
        return gate_words(random) if kind < 0.3 else ordering_words(random)
    name = random.choice(ALONG + OF_CHANNELS)
    shape = [random.choice((1, 2, 3, 4, 7)) for _ in range(random.choice((1, 1, 2, 3)))]
    chosen = []
    if name in OF_CHANNELS:
        groups = random.choice((1, 2, 3))
        each = random.choice((1, 2))
        shape = [random.choice((1, 2)), groups * each, *[random.choice((1, 2, 3)) for _ in range(random.choice((0, 1, 2)))]]
        if name == "group_norm":
            chosen += ["--groups", groups]
    elif random.random() < 0.5:
        chosen += ["--axis", random.randrange(-len(shape), len(shape))]
    chosen += ["--shape", "x".join(map(str, shape))]
    if random.random() < 0.7:
        chosen += ["--epsilon", random.choice(("none", "1e-6", "0x1p-40", "3", "1e30"))]
    if random.random() < 0.7:
        chosen += ["--affine", random.choice(("none", "weight", "bias"))]
    if random.random() < 0.3:
        chosen += ["--dtype", random.choice(sorted(FORMATS))]
    return [name, *chosen], sorted(FORMATS), FAMILIES + ("offset",) * (name != "rms_norm")


def result_formats(group):
    real = arrays_system.result_formats(group)
    return {"argmax": ["int64"], "sort": [*real, "int64"], "top_k": [*real, "int64"]}.get(group["operation"], real)


def operand_formats(group):
    if group["operation"] in ORDERINGS:
        return [group["format"]]
    if group["operation"] in PAIRS:
        return [group["format"]] * 2
    return [group["format"]] * (1 + ("none", "weight", "bias").index(group["parameters"].get("affine", "none")))


draw = arrays_system.draw


def places_of(group):
    """The lines of a call: places in the array, and of each the place of its weight."""
    name, given = group["operation"], group["parameters"]
    shape = given["shape"]
    if name in ALONG:
        return [(places, range(len(places))) for places in lines(shape, given.get("axis", -1))]
    samples, channels, spots = shape[0], shape[1], 1
    for extent in shape[2:]:
        spots *= extent

    def place(sample, channel, spot):
        return (sample * channels + channel) * spots + spot
    if name == "batch_norm":
        return [([place(n, c, s) for n in range(samples) for s in range(spots)], [c] * (samples * spots))
                for c in range(channels)]
    groups = int(given.get("groups", 1))
    each = channels // groups
    return [([place(n, g * each + c, s) for c in range(each) for s in range(spots)],
             [g * each + c for c in range(each) for _ in range(spots)]) for n in range(samples) for g in range(groups)]


def lines_of(group, operands):
    """For each line its places, and what kernels_model's functions take."""
    form, given = result_formats(group)[0], group["parameters"]
    read = {code: cast_to(form, FORMATS[group["format"]].read(code)) for one in operands for code in one}
    text = given.get("epsilon", "none")
    epsilon = Fraction(0 if text == "none" else float.fromhex(text))
    name = group["operation"]
    for places, at in places_of(group):
        x = [read[operands[0][i]] for i in places]
        weights = [read[operands[1][i]] if len(operands) > 1 else number(1) for i in at]
        biases = [read[operands[2][i]] if len(operands) > 2 else None for i in at]
        yield places, (name if name in ALONG else kernels_model.LAYER, x, weights, biases, epsilon)


def gates_of(group, operands):
    """For each element of the result its place, the activation and the two numbers."""
    form, given = result_formats(group)[0], group["parameters"]
    read = {code: cast_to(form, FORMATS[group["format"]].read(code)) for one in operands for code in one}
    which = "silu" if group["operation"] in ("silu_mul", "swiglu") else {"tanh": "gelu_tanh"}.get(given.get("approximate"), "gelu")
    if group["operation"] in PAIRS:
        yield from ((i, (which, read[x], read[u])) for i, (x, u) in enumerate(zip(*operands)))
        return
    shape, axis = list(given["shape"]), given.get("axis", -1)
    halved = list(shape)
    halved[axis] //= 2
    for places, out in zip(lines(shape, axis), lines(halved, axis)):
        halves = places[:len(out)], places[len(out):]
        first, second = halves[::-1] if given.get("reverse") else halves
        yield from ((at, (which, read[operands[0][i]], read[operands[0][j]])) for at, i, j in zip(out, first, second))


def order_of(group, operands):
    """Codes of the elements in order, and their indices."""
    given, name = group["parameters"], group["operation"]
    form = arrays_system.result_formats(group)[0]
    read = {code: cast_to(form, FORMATS[group["format"]].read(code)) for code in operands[0]}
    shape, axis = list(given["shape"]), given.get("axis", -1)
    places = lines(shape, axis)
    kept = {"argmax": 1, "top_k": int(given.get("k", 1))}.get(name, shape[axis])
    shape[axis] = kept
    values, indices = {}, {}
    for line, out in zip(places, lines(shape, axis)):
        x = [read[operands[0][i]] for i in line]
        for at, i in zip(out, kernels_model.ordered(x, (name != "sort") != bool(given.get("reverse")))):
            values[at], indices[at] = codes_of(form, [group["rounding"]], x[i])[0], i
    both = [[found[i] for i in sorted(found)] for found in (values, indices)]
    return both[1:] if name == "argmax" else both


def results(group, operands):
    if group["operation"] in ORDERINGS:
        return order_of(group, operands)
    form, found = result_formats(group)[0], {}
    if group["operation"] in PAIRS + HALVES:
        found = {place: kernels_model.gate(*one) for place, one in gates_of(group, operands)}
        return [[codes_of(form, [group["rounding"]], found[i])[0] for i in sorted(found)]]
    for places, line in lines_of(group, operands):
        found.update(zip(places, kernels_model.norm(*line, group["rounding"])))
    return [[codes_of(form, [group["rounding"]], found[i])[0] for i in sorted(found)]]


def is_of_det(group):
    """Whether det is held against what is right, and not cr, which is where the shape is odd."""
    form = result_formats(group)[0]
    return group["operation"] not in ORDERINGS and form not in ("fp64", "fp8_e8m0fnu") and sum(group["parameters"]["shape"]) % 2 == 0


def exact_implementation(group):
    if group["operation"] in ORDERINGS:
        return "det" if sum(group["parameters"]["shape"]) % 2 else "cr"
    return "cr" if group["rounding"] == "nearest-even" and not is_of_det(group) else None


def near_implementation(group):
    return ["det", "--max-ulp", "0.8" if group["operation"] in PAIRS + HALVES else "0.51"] if group["rounding"] == "nearest-even" and is_of_det(group) else None


def fits_near(group, operands):
    if group["operation"] in PAIRS + HALVES:
        return all(kernels_model.is_near_gate(*one) for _, one in gates_of(group, operands))
    return all(kernels_model.is_near(*line) for _, line in lines_of(group, operands))
