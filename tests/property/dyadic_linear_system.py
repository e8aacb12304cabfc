"""Products, mean squared errors and steps of training of dyadic integers drawn at random, and what they return, by
Python's integers (arithmetic.py)."""

from fractions import Fraction

import arithmetic
import reals
from dyadic_system import FAMILIES, OVERFLOWS, ROUNDINGS, WIDTHS, shift_of
from dyadic_system import draw as draw_mantissa

NAMES = ("dot", "matmul", "affine", "mse", "step")


def words(random):
    name = random.choice(NAMES)
    s1, s2 = random.randrange(-9, 20), random.choice((random.randrange(-9, 20), random.randrange(-9, 20), random.randrange(-140, 140)))
    chosen = ["--accumulator", random.choice((32, 64)), "--s1", s1, "--s2", s2]
    if name in ("dot", "matmul", "affine"):
        chosen += ["--q", random.choice((random.randrange(20), shift_of(random)))]
    if name == "matmul":
        chosen += ["--transpose", random.choice(("none", "first", "second"))]
    if name == "affine" and random.random() < 0.7:
        chosen += ["--s3", s1 + s2 + random.choice((random.randrange(-9, 10), random.randrange(-140, 140)))]
    if name == "mse":
        chosen += ["--p", random.choice((random.randrange(20), shift_of(random))), "--align", random.choice(("coarser", "finer"))]
    if name == "step":
        chosen += ["--lr-shift", random.randrange(9), "--momentum-shift", random.randrange(4)]
        chosen += ["--clip", 1 << random.randrange(12)] if random.random() < 0.6 else []
    if random.random() < 0.3:
        chosen += ["--stochastic", random.getrandbits(40)]
    chosen += ["--on-overflow", random.choice(("wrap", "saturate"))]
    shape = random.choice(("2x3x4", "1x7x2", "3x1x3")) if name in ("matmul", "affine") else random.choice(("1", "9"))
    return [f"dyadic.{name}", *chosen, "--shape", shape], sorted(WIDTHS), FAMILIES


def operand_formats(group):
    wide, own = f"int{group['parameters']['accumulator']}", group["format"]
    return {"step": [wide, wide, own], "affine": [own, own, wide]}.get(group["operation"].split(".")[1], [own, own])


def result_formats(group):
    wide = f"int{group['parameters']['accumulator']}"
    return [wide, wide if group["operation"] == "dyadic.step" else "int32"]


def draw(random, group, operand, form):
    return draw_mantissa(random, group, operand, form)


def results(group, operands):
    given, name = group["parameters"], group["operation"].removeprefix("dyadic.")
    stochastic = "stochastic" in given
    rounding = arithmetic.STOCHASTIC if stochastic else ROUNDINGS[group["rounding"]]
    accumulator = arithmetic.Accumulator(int(given["accumulator"]), OVERFLOWS.index(given["on-overflow"]))
    hold, s1, s2 = accumulator.hold, given["s1"], given["s2"]

    def random_of(index, other=False):
        bits = reals.random_bits(given["stochastic"], index) if stochastic else 0
        return bits >> 32 | (bits & 0xffffffff) << 32 if other else bits

    def shift(v, by, random):
        return hold(v << by) if by >= 0 else arithmetic.shifted(v, -by, rounding, random)

    if name == "step":
        weights, velocities = [], []
        for i, (w, m, g) in enumerate(zip(*operands)):
            bound = given.get("clip", 2**63 - 1)
            g = max(-bound, min(bound, hold(g)))
            m = hold(m) if given["momentum-shift"] else 0
            m = hold(hold(m - shift(m, -given["momentum-shift"], random_of(i))) + g)
            velocities.append(m)
            weights.append(hold(hold(w) - shift(m, s1 - s2 - given["lr-shift"], random_of(i, True))))
        return [weights, velocities]
    if name == "mse":
        t = (min if given.get("align", "coarser") == "coarser" else max)(s1, s2)
        total = 0
        for i, (x, y) in enumerate(zip(*operands)):
            d = hold(shift(hold(x), t - s1, random_of(i)) - shift(hold(y), t - s2, random_of(i)))
            total = hold(total + hold(d * d))
        total = hold(total << max(given["p"], 0))
        quotient = abs(total) // (len(operands[0]) << max(-given["p"], 0))
        return [[hold(-quotient if total < 0 else quotient)], [2 * t + given["p"]]]
    rows, inner, columns = (1, len(operands[0]), 1) if name == "dot" else given["shape"]
    turned, s3, out = given.get("transpose", "none"), given.get("s3", s1 + s2), []
    for r in range(rows):
        for c in range(columns):
            i, total = r * columns + c, 0
            for k in range(inner):
                x = operands[0][k * rows + r if turned == "first" else r * inner + k]
                y = operands[1][c * inner + k if turned == "second" else k * columns + c]
                total = hold(total + hold(hold(x) * hold(y)))
            if name == "affine":
                total = hold(total + shift(hold(operands[2][r]), s1 + s2 - s3, random_of(i, True)))
            out.append(shift(total, -given["q"], random_of(i)))
    return [out, [s1 + s2 - given["q"]]]


def numbers(group, operands):
    """Those of the first result with nothing rounded, held or lost, in units of its scale; a step clips its gradients."""
    given, name = group["parameters"], group["operation"].removeprefix("dyadic.")
    s1, s2 = given["s1"], given["s2"]
    s3 = given.get("s3", s1 + s2) if name == "affine" else s2
    x, y, z = ([v / Fraction(2) ** s for v in one] for one, s in zip(operands + [[]] * (3 - len(operands)), (s1, s2, s3)))
    if name == "step":
        bound = given.get("clip", 2**63 - 1)
        gradients = [max(-bound, min(bound, g)) / Fraction(2) ** s2 for g in operands[2]]
        moved = [g + (m - m / 2 ** given["momentum-shift"] if given["momentum-shift"] else 0) for m, g in zip(y, gradients)]
        return [(w - m / 2 ** given["lr-shift"]) * Fraction(2) ** s1 for w, m in zip(x, moved)]
    unit = Fraction(2) ** results(group, operands)[1][0]
    if name == "mse":
        return [sum((a - b) ** 2 for a, b in zip(x, y)) / len(x) * unit]
    rows, inner, columns = (1, len(x), 1) if name == "dot" else given["shape"]
    turned = given.get("transpose", "none")
    return [(sum(x[k * rows + r if turned == "first" else r * inner + k] *
                 y[c * inner + k if turned == "second" else k * columns + c] for k in range(inner)) +
             (z[r] if name == "affine" else 0)) * unit for r in range(rows) for c in range(columns)]


def exact_implementation(group):
    return "det"
