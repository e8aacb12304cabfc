"""Dyadic operations drawn at random, and what they return, by Python's integers (arithmetic.py)."""

from fractions import Fraction

import reals
import arithmetic

ONE = ("align", "requantise", "relu")
TWO = ("add", "sub", "mul", "div", "equal", "gradient", "relu_gradient")
ROUNDINGS = {"nearest-even": arithmetic.NEAREST_EVEN, "down": arithmetic.DOWN, "up": arithmetic.UP,
             "toward-zero": arithmetic.TOWARD_ZERO, "nearest-away": arithmetic.NEAREST_AWAY}
OVERFLOWS = ("wrap", "saturate", "report")
FAMILIES = ("pairs", "uniform", "edges")
WIDTHS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}


def shift_of(random):
    return random.choice((random.randint(0, 63), random.randint(-63, 0), random.randint(-140, 140)))


def words(random):
    """A command line: operation, formats, roundings, parameters."""
    name = random.choice(ONE + TWO)
    s1, s2 = (random.choice((random.randrange(-20, 44), random.randrange(-2, 9))) for _ in range(2))
    if random.random() < 0.2:  # scales far apart
        s1 = random.choice((s2 + random.randrange(-140, 140), random.randrange(-40000, 40000)))
    chosen = ["--accumulator", random.choice((32, 64)), "--s1", s1]
    if name in TWO:
        chosen += ["--s2", s2]
    if name in ("align", "requantise", "gradient"):
        chosen += ["--target", random.choice((random.randrange(-20, 44), s1 + random.randrange(-140, 140)))]
    if name in ("requantise", "gradient"):
        unsigned = random.random() < 0.5
        chosen += ["--bits", random.randint(1, 64 - unsigned)] + ["--unsigned"] * unsigned
    if name in ("add", "sub"):
        chosen += ["--align", random.choice(("coarser", "finer"))]
    if name == "mul":
        chosen += ["--q", shift_of(random)]
    if name == "div":
        chosen += ["--p", shift_of(random)]
    if name not in ("equal", "relu", "relu_gradient") and random.random() < 0.3:
        chosen += ["--stochastic", random.getrandbits(random.choice((4, 63)))]
    chosen += ["--on-overflow", random.choice(("wrap", "saturate"))]
    return [f"dyadic.{name}", *chosen, "--shape", random.choice(("1", "5", "2x3", "8"))], sorted(WIDTHS), FAMILIES


def operand_formats(group):
    return [group["format"]] * (1 if group["operation"].split(".")[1] in ONE else 2)


def refusable(random, group):
    """The group with rules by which some calls are errors."""
    return {**group, "parameters": {**group["parameters"], "on-overflow": "report"}} if random.random() < 0.3 else group


def draw(random, group, operand, form):
    """A mantissa: any, near 0, or near a power of two."""
    width = WIDTHS[form]
    v = random.choice((random.getrandbits(width), random.randrange(-9, 10),
                       (1 << random.randrange(width)) + random.randrange(-2, 3), -(1 << random.randrange(width))))
    v = (v + (1 << (width - 1))) % (1 << width) - (1 << (width - 1))
    held = v % (1 << int(group["parameters"]["accumulator"]))
    if group["operation"] == "dyadic.div" and operand == 1 and held == 0 and (
            group["parameters"]["on-overflow"] != "report"):
        return 1
    return v


def results(group, operands):
    """[mantissas, [scale]]."""
    given, name = group["parameters"], group["operation"].removeprefix("dyadic.")
    stochastic = "stochastic" in given
    rounding = arithmetic.STOCHASTIC if stochastic else ROUNDINGS[group["rounding"]]
    mantissas, refused = [], 0
    for index, x in enumerate(operands[0]):
        v, s, status = arithmetic.dyadic(
            name, x, given["s1"], operands[1][index] if len(operands) > 1 else 0, given.get("s2", 0),
            given.get("target", 0), given.get("p" if name == "div" else "q", 0), given.get("bits", 8),
            not given.get("unsigned"), int(given["accumulator"]), OVERFLOWS.index(given["on-overflow"]),
            rounding, ("coarser", "finer").index(given.get("align", "coarser")),
            reals.random_bits(given["stochastic"], index) if stochastic else 0)
        refused |= status
        mantissas.append(v)
    if refused:
        raise reals.Refused("a division by zero" if refused & arithmetic.DIVISION_BY_ZERO else "accumulator overflows")
    return [mantissas, [s]]


def numbers(group, operands):
    """The numbers that the mantissas of the result stand for, with nothing rounded or lost, in units of its scale."""
    given, name = group["parameters"], group["operation"].removeprefix("dyadic.")
    s1, s2 = given["s1"], given.get("s2", 0)
    unit = Fraction(2) ** results(group, operands)[1][0]
    x = [v / Fraction(2) ** s1 for v in operands[0]]
    y = [v / Fraction(2) ** s2 for v in operands[1]] if len(operands) > 1 else x
    made = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "relu": lambda a, _: max(a, 0), "relu_gradient": lambda a, b: a if b > 0 else 0,
            "div": lambda a, b: a / b if b else 0, "equal": lambda a, b: Fraction(a == b)}.get(name, lambda a, _: a)
    if name == "gradient":  # what was clipped has none
        most = 2 ** (int(given.get("bits", 8)) - (not given.get("unsigned"))) - 1
        least = 0 if given.get("unsigned") else -most - 1
        aligned = results({**group, "operation": "dyadic.align", "parameters": {**given, "s1": s2}}, [operands[1]])[0]
        return [a * unit if least <= v <= most else 0 for a, v in zip(x, aligned)]
    return [made(a, b) * unit for a, b in zip(x, y)]


def result_formats(group):
    return [f"int{group['parameters']['accumulator']}", "int32"]


def exact_implementation(group):
    return "det"
