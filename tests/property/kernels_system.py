"""Kernels of a transformer drawn at random, and what they return, line by line by kernels_model.py."""

import struct
from fractions import Fraction

import arrays_system
import kernels_attention
import kernels_model
import kernels_more
import kernels_slopes
from arrays_system import cast_to, lines
from counted import FORMATS, number
from enclosed import codes_of, times

KINDS = {name: kind for kind in (*kernels_more.KINDS, *kernels_slopes.SLOPES, kernels_attention.AttentionGradient) for name in kind.NAMES}
ALONG, OF_CHANNELS = ("rms_norm", "layer_norm", "l2_norm"), ("group_norm", "batch_norm")
PAIRS, HALVES = ("silu_mul", "gelu_mul"), ("swiglu", "geglu")
ORDERINGS = ("sort", "top_k", "argmax")
ATTENTION, ATTENTION_GRADIENT = "attention", "attention_gradient"
ROPE, ROPE_GRADIENT = "rope", "rope_gradient"
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


def rope_words(random):
    shape, chosen = [random.choice((1, 2, 3)) for _ in range(random.choice((0, 0, 1)))] + [random.choice((2, 4, 6, 8))], []
    if random.random() < 0.3:
        shape[-1] += random.choice((1, 2))
        chosen = ["--rotary", random.randrange(2, shape[-1], 2)] if shape[-1] > 2 else []
    chosen += ["--interleaved"] * (random.random() < 0.5)
    for name, values in (("base", ("500000", "1", "0x1p64", "2.5")), ("factor", ("none", "8", "1.5", "0x1p24"))):
        chosen += [f"--{name}", random.choice(values)] * (random.random() < 0.5)
    if random.random() < 0.2:
        chosen += ["--dtype", random.choice(sorted(FORMATS))]
    return [random.choice((ROPE, ROPE_GRADIENT)), *chosen, "--shape", "x".join(map(str, shape))], sorted(FORMATS), ("normal", "far", "first", "any", "denormals", "large", "special")


def words(random):
    if random.random() < 0.4:
        name = random.choice(sorted(KINDS))
        chosen, families = KINDS[name].words(random, name)
        return [name, *chosen], sorted(FORMATS), families
    if random.random() < 0.25:
        chosen, families = kernels_attention.attention_words(random)
        return [ATTENTION, *chosen], sorted(FORMATS), families
    kind = random.random()
    if kind > 0.8:
        return rope_words(random)
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
    results = {"sgd": 2, "adam": 3, "adamw": 3, "convolution_gradient": 3, ATTENTION_GRADIENT: 3}.get(
        group["operation"], 2 if group["operation"].endswith(("norm_weight_gradient", "mul_gradient")) else 1)
    return {"argmax": ["int64"], "sort": [*real, "int64"], "top_k": [*real, "int64"]}.get(group["operation"], real * results)


def operand_formats(group):
    if group["operation"] in KINDS:
        return KINDS[group["operation"]].formats(group)
    if group["operation"] in ORDERINGS:
        return [group["format"]]
    if group["operation"] in PAIRS:
        return [group["format"]] * 2
    if group["operation"] == ATTENTION:
        return [group["format"]] * (3 + (group["parameters"].get("bias", "none") != "none"))
    if group["operation"] in (ROPE, ROPE_GRADIENT):
        return [group["format"], "int64"]
    return [group["format"]] * (1 + ("none", "weight", "bias").index(group["parameters"].get("affine", "none")))


def draw(random, group, operand, form):
    """Of attention no score is beyond what tells the larger one from others."""
    if form == "int64" and group["operation"] in KINDS:
        return KINDS[group["operation"]].index(random, group, operand)
    if form == "int64":
        position = random.choice((random.randrange(4), random.randrange(10 ** 7), random.getrandbits(random.randrange(1, 64))))
        return position if random.random() < 0.7 else -position
    while True:
        code = arrays_system.draw(random, group, operand, form)
        if group["operation"] not in (ATTENTION, ATTENTION_GRADIENT) or operand == 2:
            return code
        value = FORMATS[group["format"]].read(code)
        if value.kind != "num" or value.size < (8 if "soft-cap" in group["parameters"] else 256):
            return code


def settled(group, operand, codes):
    kind = KINDS.get(group["operation"])
    return kind.settled(group, operand, codes) if hasattr(kind, "settled") else codes


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


def number_of(group, name, otherwise):
    text = group["parameters"].get(name, otherwise)
    return Fraction(1 if text == "none" else float.fromhex(text))


def rope_lines_of(group, operands):
    """For each line its places, and what kernels_model.pairs_of takes."""
    form, given = result_formats(group)[0], group["parameters"]
    read = {code: cast_to(form, FORMATS[group["format"]].read(code)) for code in operands[0]}
    length = given["shape"][-1]
    for number_of_line, places in enumerate(lines(given["shape"], -1)):
        yield places, ([read[operands[0][i]] for i in places], operands[1][number_of_line] * (-1 if group["operation"] == ROPE_GRADIENT else 1), int(given.get("rotary", length)),
                       bool(given.get("interleaved")), number_of(group, "base", "0x1.388p13"), number_of(group, "factor", "none"),
                       group["rounding"])


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


def attention_of(group, operands):
    """For each element of the result the scores of its query, and the values in its column."""
    form, given = result_formats(group)[0], group["parameters"]
    read = {code: cast_to(form, FORMATS[group["format"]].read(code)) for one in operands for code in one}
    batches, heads, queries, keys, width = given["shape"]
    groups = int(given.get("groups", heads))
    cap = Fraction(0 if given.get("soft-cap", "none") == "none" else float.fromhex(given["soft-cap"]))
    window, kind = int(given.get("window", queries + keys)), given.get("bias", "none")
    scale = Fraction(struct.unpack("f", struct.pack("f", width ** -0.5))[0])
    numbers = [[read[code] for code in one] for one in operands]
    for at in range(batches * heads * queries):
        batch, head, i = at // queries // heads, at // queries % heads, at % queries
        start = (batch * groups + head // (heads // groups)) * keys
        place = i + keys - queries
        there = [j for j in range(keys) if abs(place - j) < window and not (given.get("causal") and j > place)]
        lines = [[one[(start + j) * width:(start + j + 1) * width] for j in there] for one in numbers[1:3]]
        biases = [number(Fraction(0)) if kind == "none" else numbers[3][i * keys + j] if kind == "mask" else
                  times(numbers[3][head], number(Fraction(j - place))) for j in there]
        scores = [kernels_model.Score(numbers[0][at * width:(at + 1) * width], k, scale, cap, bias) for k, bias in zip(lines[0], biases)]
        for column in range(width):
            yield scores, [v[column] for v in lines[1]]


def results(group, operands):
    if group["operation"] in KINDS:
        return [[codes_of(form, [group["rounding"]], one)[0] for one in found]
                for form, found in zip(result_formats(group), KINDS[group["operation"]].values(group, operands))]
    if group["operation"] == ATTENTION:
        form = result_formats(group)[0]
        return [[codes_of(form, [group["rounding"]], kernels_model.attended(*one, group["rounding"]))[0] for one in attention_of(group, operands)]]
    if group["operation"] in ORDERINGS:
        return order_of(group, operands)
    form, found = result_formats(group)[0], {}
    if group["operation"] in PAIRS + HALVES:
        found = {place: kernels_model.gate(*one) for place, one in gates_of(group, operands)}
    if group["operation"] in (ROPE, ROPE_GRADIENT):
        for places, line in rope_lines_of(group, operands):
            found.update(zip(places, kernels_model.pairs_of(*line)[0]))
    if found:
        return [[codes_of(form, [group["rounding"]], found[i])[0] for i in sorted(found)]]
    for places, line in lines_of(group, operands):
        found.update(zip(places, kernels_model.norm(*line, group["rounding"])))
    return [[codes_of(form, [group["rounding"]], found[i])[0] for i in sorted(found)]]


def is_of_det(group):
    """Whether det is held against what is right, and not cr, which is where the shape is odd."""
    form = result_formats(group)[0]
    return group["operation"] not in ORDERINGS and "soft-cap" not in group["parameters"] and form not in ("fp64", "fp8_e8m0fnu") and sum(group["parameters"]["shape"]) % 2 == 0


def exact_implementation(group):
    if group["operation"] in ORDERINGS:
        return "det" if sum(group["parameters"]["shape"]) % 2 else "cr"
    return "cr" if group["rounding"] == "nearest-even" and not is_of_det(group) else None


# In ulps of the results' format, of what fp32 itself can be off by.
MOST_ULP = {**{name: 0.8 for name in PAIRS + HALVES}, **{name: float(kind.most) for name, kind in KINDS.items()}, ROPE: 1, ROPE_GRADIENT: 1, ATTENTION: 8}


def near_implementation(group):
    """Of a narrow result what det is off by in fp32 is less of an ulp."""
    most, narrower = MOST_ULP.get(group["operation"], 0.51), 23 - FORMATS[result_formats(group)[0]].fraction_bits
    most = most if most < 2 else 0.51 + most / (1 << max(narrower, 0))
    return ["det", "--max-ulp", f"{most:.6g}"] if group["rounding"] == "nearest-even" and is_of_det(group) else None


def fits_near(group, operands):
    if group["operation"] in KINDS:
        return KINDS[group["operation"]].is_near(group, operands)
    if group["operation"] == ATTENTION:
        return all(kernels_model.is_near_attended(*one) for one in attention_of(group, operands))
    if group["operation"] in PAIRS + HALVES:
        return all(kernels_model.is_near_gate(*one) for _, one in gates_of(group, operands))
    if group["operation"] in (ROPE, ROPE_GRADIENT):
        return all(kernels_model.is_near_turn(*one) for _, line in rope_lines_of(group, operands)
                   for one in kernels_model.pairs_of(*line)[1].values())
    return all(kernels_model.is_near(*line) for _, line in lines_of(group, operands))
