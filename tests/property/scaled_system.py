"""Operations on scaled arrays drawn at random, and what they return, by fractions and mpmath.

The definitions are those of detcheck-scaled(7), on the numbers that arrays stand for: real_of() multiplies data out, the
operation is that of real numbers with IEEE 754's infinities and signs of zero, and datum() divides by the scale of the
result. So no rule about special numbers, zero arrays or negative scales is one of an operation, and none is from the
program. Rules that are nobody's but the manual's: scale_of_two() and rounded() choose scales, divisor_of() the static
ones, exponent_to() those to rebalance by, summed() the sign of a sum that is 0, and an infinite or NaN scale makes
everything NaN."""

from fractions import Fraction
from itertools import product
from math import isqrt, lcm, prod

import mpmath

import casts_system
import powers
import reals
from reals import FORMATS, INFINITY, NAN, NAN_NUMBER

TWO = ("add", "sub", "mul", "div", "max", "min")
FUNCTIONS = ("exp", "log", "sigmoid", "tanh")
GRADIENTS = ("relu_gradient", "sigmoid_gradient", "tanh_gradient", "gelu_gradient", "exp_gradient")
PAIRS = TWO + GRADIENTS + ("rescale", "step", "div_gradient")
EACH = PAIRS + FUNCTIONS + ("relu", "gelu", "cast")
BACKWARD = ("mul_gradient", "matmul_gradient", "convolution_gradient")
PRODUCTS = ("matmul", "convolution") + BACKWARD
SUMS = PRODUCTS + ("sum", "mean")
LINES = ("reduce_max", "softmax", "sum", "mean")
LINE_GRADIENTS = ("reduce_max_gradient", "softmax_gradient")
NAMES = EACH + PRODUCTS + LINES + LINE_GRADIENTS + ("rebalance",)
DATA = ("fp32", "fp16", "bf16", "fp8_e4m3fn", "fp8_e4m3fnuz", "fp8_e5m2", "fp8_e5m2fnuz")
FAMILIES = ("near", "small", "gradual", "large", "apart", "signs", "pairs")
ZERO = (False, Fraction(0))
ONE_SCALE = (Fraction(1), 0)
LEAST, MOST = Fraction(2) ** -126, FORMATS["fp32"].value(FORMATS["fp32"].greatest)


# Shapes and their scales: the result's, the first operand's and its scales', the second's.
SHAPES = (("2x3", "1", "2x3", "3"), ("2x3", "2x1", "3", "3"), ("2x3", "1x3", "1", "1"), ("4x3", "2x1", "4x1", "4x1"),
          ("4x6", "2x3", "4x6", "1x2"), ("3x1", "3x1", "1x4", "2"), ("2x1x2", "2x1x1", "2x1", "2x1"), ("2", "2", "2x2", "1"))
# Of lines: the array's, its scales' that do not vary along the axis, and the axis.
LINE_SHAPES = (("2x3", "1", 0), ("2x3", "2x1", 1), ("2x3x2", "3x1", -1), ("2x3x2", "2x1x2", 1), ("4x2x2", "1x2x1", 0),
               ("5", "1", -1))
# Of sums and largest values, those that may; None for all elements.
VARYING_SHAPES = (("4x3", "2x3", 0), ("4x3", "4x3", None), ("2x6", "2x3", 1), ("2x6", "1x2", -1), ("3x2x2", "3x1x2", None))
CELLS = (("4x6", "2x3"), ("2x3x2", "3x1"), ("6", "2"))
MATRICES = (("2x3", "2x1", "3x2", "1x2"), ("2x4", "2x2", "4x3", "4x1"), ("2x1x2x3", "2x1x1x1", "2x3x1", "2x1x1"),
            ("3x2x2", "1x2x2", "2x2", "2x2"), ("1x2", "1", "3x2x1", "3x1x1"))
IMAGES = (("1x2x5", "1", "3x2x2", "1", ""), ("2x2x4", "2x2x1", "2x2x3", "2x1x1", "--padding 1 --stride 2"),
          ("1x4x5", "4x1", "2x2x2", "1x2x1", "--groups 2 --dilation 2"), ("1x2x3x3", "1", "1x2x2x2", "1", "--padding 1"),
          ("2x1x4x3", "2x1x1x1", "3x1x2x1", "3x1x1x1", "--stride 2"), ("1x1x2x2x2", "1", "1x1x1x2x1", "1", ""))
# Of backward rules along an axis: the array's shape, its scales', the axis, and the scales' of what comes back.
BACK_LINES = (("2x3", "1", -1, "2x1"), ("3x2", "1x2", 0, "2"), ("2x3x2", "2x1x1", 1, "1"), ("4", "1", None, "1"))
BACK_VARYING = (("2x4", "2x2", 1, "2x1"), ("4x2", "2x2", 0, "1x2"), ("2x3", "2x3", None, "1"))
# Of backward rules: the shapes of the forward operands, and the scales of the other one and of what comes back, where
# the derivative is by the first operand and by the second.
BACKWARDS = {
    "mul_gradient": (("2x3", "3", ("3", "2x1"), ("2x3", "1x3")), ("2x3", "2x3", ("2x1", "1"), ("3", "2x3")),
                     ("1x3", "4x1", ("2x1", "1x3"), ("4x1", "1")), ("2x2x2", "2x1", ("1", "2x1x2"), ("2x1x1", "2x2x1"))),
    "matmul_gradient": (("2x3", "3x2", ("3x1", "2x3"), ("2x1", "1x2")), ("2x1x2x3", "2x3x2", ("2x1x2", "2x1x2x1"), ("2x2x1x1", "2x1x2x2")),
                        ("3x2x2", "2x3", ("2x1", "3x1x1"), ("3x2x1", "3x1x3")), ("2x1", "1x2", ("1x2", "2x1"), ("2x1", "1x2"))),
    "convolution_gradient": (
        ("1x2x5", "3x2x2", ("3x2x1", "2x1"), ("3x1", "1x3x1"), ""),
        ("2x2x4", "2x2x3", ("1x2x1", "2x2x1"), ("2x2x1", "2x1x1"), "--padding 1 --stride 2"),
        ("1x4x5", "2x2x2", ("1", "1"), ("1", "2x1"), "--groups 2 --dilation 2"),
        ("2x2x3x3", "1x2x2x2", ("1x2x1x1", "2x1x1x1"), ("2x1x1x1", "1"), "--padding 1"),
        ("2x1x4x3", "3x1x2x1", ("3x1x1x1", "2x1x1x1"), ("2x3x1x1", "3x1x1"), "--stride 2"))}


def layout_words(random, name):
    """Shapes, those of scales, and an axis."""
    if name in LINE_GRADIENTS:
        shape, scales, axis, back = random.choice(BACK_LINES + BACK_VARYING * (name != "softmax_gradient"))
        return ["--shape", shape, "--scales", scales, "--second-scales", back] + ["--axis", axis] * (axis is not None)
    if name in BACKWARD:
        shape, second, scales, back, *more = random.choice(
            BACKWARDS[name] if random.random() < 0.7 else [(*one[:2], ("1", "1"), ("1", "1"), *one[4:]) for one in BACKWARDS[name]])
        of = random.randrange(2)
        return ["--shape", shape, "--second-shape", second, "--scales", scales[of], "--second-scales", back[of],
                *" ".join(more).split(), "--of", ("first", "second")[of]]
    if name in PRODUCTS and (name == "convolution" or random.random() < 0.6):
        shape, scales, second, second_scales, *more = random.choice(IMAGES if name == "convolution" else MATRICES)
        return ["--shape", shape, "--scales", scales, "--second-shape", second, "--second-scales", second_scales,
                *" ".join(more).split()]
    if name in LINES and random.random() < 0.6:
        shape, scales, axis = random.choice(LINE_SHAPES + VARYING_SHAPES * (name != "softmax"))
        return ["--shape", shape, "--scales", scales] + ["--axis", axis] * (axis is not None)
    if name == "rebalance" and random.random() < 0.6:
        shape, scales = random.choice(CELLS)
        return ["--shape", shape, "--scales", scales]
    if name in EACH and random.random() < 0.6:
        shape, scales, second, second_scales = random.choice(SHAPES)
        more = ["--second-shape", second, "--second-scales", second_scales] * (name in PAIRS)
        return ["--shape", shape, "--scales", scales, *more]
    return ["--per", random.choice(("one", "row") + ("column",) * (name in EACH)),
            "--shape", random.choice(("2x3x2", "1x5x1") if name == "matmul" else ("5", "2x3", "3x2", "2x2x2"))]


def words(random):
    name = random.choice(NAMES)
    scale = random.choice(("fp32", "fp32", "power", "none"))
    chosen = ["--scale", scale, *layout_words(random, name)]
    if name in PRODUCTS + ("sum",):
        chosen += ["--static", random.choice(("one", "power", "power-down", "0x1p-3", "64") if scale == "power" else
                                             ("one", "unit", "power", "power-down", "mean", "3.5", "0x1.fffffep-7", "0x1p+20"))
                   if random.random() < 0.7 else "measured"]
    if name in PAIRS + PRODUCTS + LINE_GRADIENTS and random.random() < 0.5:
        chosen += ["--second-format", random.choice(DATA)]
    to = random.choice(DATA)
    if name in ("cast", "rebalance") or random.random() < 0.5:
        chosen += ["--to", to]
        profile = random.choice(sorted(casts_system.TARGETS))
        if to in casts_system.TARGETS[profile] and random.random() < 0.6:
            chosen += ["--profile", profile]
    if name == "mul" and random.random() < 0.3:
        chosen.append("--scalar-in-data")
    if name == "rebalance":
        chosen += ["--by", random.choice(("maximum", "squares"))]
        chosen += ["--margin", random.choice((-3, -1, 1, 2, 40))] * (random.random() < 0.5)
    return [f"scaled.{name}", *chosen], DATA, FAMILIES


def operand_formats(group):
    scale = "int32" if group["parameters"]["scale"] == "power" else "fp32"
    name = group["operation"].removeprefix("scaled.")
    second = [group["parameters"].get("second-format", group["format"]), scale]
    return [group["format"], scale] + second * (name in PAIRS + PRODUCTS + LINE_GRADIENTS)


def special(random, form, zeros):
    """A zero, with that probability, or the end of a range, an infinity or a NaN, of either sign."""
    if random.random() < zeros:
        return random.choice((form.encode(0), form.encode(0, negative=True)))
    return random.choice((form.greatest, form.sign | form.greatest, 1, form.sign | 1, form.encode(1), form.encode(-1), form.nan,
                          form.overflowed(False, True), form.overflowed(True, True)))


def draw(random, group, operand, form):
    kind = random.random()
    if form == "int32":
        far = 1000 if group["operation"].removeprefix("scaled.") in SUMS + LINE_GRADIENTS + ("reduce_max",) else 1 << 31
        return random.choice((random.randrange(-9, 10), random.randrange(-300, 301), random.randrange(-far, far)))
    form = FORMATS[form]
    if kind < 0.1:
        return random.getrandbits(form.width)
    if kind < (0.2 if operand % 2 else 0.4):
        return special(random, form, 0.8 if operand % 2 else 0.4)
    value = Fraction(random.getrandbits(24) + 1, 1 << random.randrange(20, 28))
    if operand % 2 and random.random() < 0.5:
        value *= Fraction(2) ** random.randrange(-100, 100)
    return form.encode(-value if random.random() < 0.4 else value)


def scale_of(code, power):
    """(m, e): the scale m 2^e, m a fraction; None where it is no number."""
    if power:
        return Fraction(1), code
    x = reals.number(FORMATS["fp32"], code)
    return (reals.signed(x), 0) if reals.is_finite(x) else None


def scale_code(scale, power):
    return scale[1] if power else FORMATS["fp32"].encode(scale[0])


def not_a_number(code):
    """An infinite scale stays, and any NaN is one NaN."""
    fp32 = FORMATS["fp32"]
    return fp32.nan if fp32.is_nan(code) else code


def rounded(m, e, power):
    """m 2^e, positive, as a scale."""
    e = max(-1 << 31, min((1 << 31) - 1, e))
    if power:
        return Fraction(1), e
    fp32 = FORMATS["fp32"]
    return fp32.value(fp32.encode(max(LEAST, min(MOST, m)))), e


def real_of(x, a):
    """The number that a datum at a scale is, 2^(the third) times the pair: all of a zero array is +0."""
    if a is None:
        return *NAN_NUMBER, 0
    if not a[0]:
        return *ZERO, 0
    negative, magnitude = x[0] != (a[0] < 0), x[1]
    return negative, magnitude if magnitude in (INFINITY, NAN) else magnitude * abs(a[0]), a[1]


def datum(v, c):
    """What a number is over a scale that is not 0."""
    return times(v[:2], 1 / c[0], v[2] - c[1])


def multiplied(u, v):
    return *reals.product(u[:2], v[:2]), u[2] + v[2]


def divided(u, v):
    return *quotient(u[:2], v[:2]), u[2] - v[2]


def times(x, m, e=0):
    """x m 2^e; beyond every format where the power is: nothing nearer than TINY to 0."""
    negative, magnitude = x[0] != (m < 0), x[1]
    if magnitude in (INFINITY, NAN) or magnitude == 0:
        return negative, magnitude
    magnitude *= abs(m)
    if abs(e) > 8000:
        return negative, Fraction(2) ** (7000 if e > 0 else -7000)
    return negative, magnitude * Fraction(2) ** e


def larger(x, y):
    if NAN in (x[1], y[1]):
        return NAN_NUMBER
    order = {True: -1, False: 1}

    def key(z):
        return order[z[0]] * (Fraction(1 << 20000) if z[1] == INFINITY else z[1])
    if key(x) == key(y):
        return y if x[0] else x
    return x if key(x) > key(y) else y


def quotient(x, y):
    negative = x[0] != y[0]
    if NAN in (x[1], y[1]) or (x[1] == y[1] and x[1] in (0, INFINITY)):
        return NAN_NUMBER
    if x[1] == INFINITY or y[1] == 0:
        return negative, INFINITY
    return negative, Fraction(0) if y[1] == INFINITY else x[1] / y[1]


def stepped(u, v):
    """1 where u is the larger, 1/2 where the two are equal, else 0."""
    if NAN in (u[1], v[1]):
        return NAN_NUMBER

    def key(z):
        return (-1 if z[0] else 1) * (Fraction(1 << 20000) if z[1] == INFINITY else z[1])
    return reals.of(Fraction((key(u) > key(v)) - (key(u) < key(v)) + 1, 2))


def product_scale(a, b, power, divide=0, divisor=Fraction(1)):
    """The scale of a product or of a quotient by that power of b; 1 where one is zero."""
    if not (a[0] and b[0]):
        return ONE_SCALE
    m, e = (a[0] / b[0] ** divide, a[1] - divide * b[1]) if divide else (a[0] * b[0], a[1] + b[1])
    if power:  # the divisor is a power of two
        return rounded(abs(m), e + divisor.numerator.bit_length() - divisor.denominator.bit_length(), power)
    return rounded(abs(m * divisor), e, power)


def larger_scale(scales):
    """The largest magnitude of those that are not 0."""
    return max((magnitude_scale(one) for one in scales if one[0]), key=lambda one: (one[1], one[0]), default=ONE_SCALE)


def scalar_factor(group, data, power):
    """What the scalar of a product, if it has one, adds to the scale: its magnitude, or the power of two that is not below."""
    counts = [len(one) for one in data]
    if 1 not in counts or counts[0] == counts[1] or "scalar-in-data" in group["parameters"]:
        return Fraction(1)
    magnitude = data[counts.index(1)][0][1]
    if magnitude in (INFINITY, NAN) or not magnitude:
        return Fraction(1)
    factor = Fraction(1)
    while power and factor < magnitude:
        factor *= 2
    while power and factor / 2 >= magnitude:
        factor /= 2
    return factor if power else magnitude


def scale_of_two(name, a, b, power, factor):
    if a is None or b is None:
        return ONE_SCALE
    if name == "mul" and a[0] and b[0]:
        m, e = a[0] * b[0], a[1] + b[1]
        return rounded(abs(m), e + log_of(factor), power) if power else rounded(abs(m * factor), e, power)
    if name in ("mul", "div", "div_gradient"):
        return product_scale(a, b, power, ("mul", "div", "div_gradient").index(name))
    return larger_scale((a, b))


def log_of(power_of_two):
    return power_of_two.numerator.bit_length() - power_of_two.denominator.bit_length()


def of_two(name, x, y, a, b, power, rounding, factor):
    """The data as a number, and the scale."""
    c, u, v = scale_of_two(name, a, b, power, factor), real_of(x, a), real_of(y, b)
    if NAN in (u[1], v[1]):
        return NAN_NUMBER, ONE_SCALE if name == "step" else c
    if name == "div_gradient":
        return datum(divided((not u[0], *u[1:]), multiplied(v, v)), c), c
    if name in ("mul", "div"):
        return datum((multiplied if name == "mul" else divided)(u, v), c), c
    u, v = datum(u, c), datum(v, c)
    if name == "step":
        return stepped(u, v), ONE_SCALE
    if name == "max":
        return larger(u, v), c
    if name == "min":
        return reals.negated(larger(reals.negated(u), reals.negated(v))), c
    return reals.total([u, reals.negated(v) if name == "sub" else v], rounding), c


def finite_or_beyond(form, code, negative):
    found = reals.number(form, code)
    return found if reals.is_finite(found) else (negative, Fraction(2) ** 7000)


def gelu(x, a, form, rounding, profile=None):
    """The code of the data: x Phi(s x), with the sign of s in x; beyond the largest number it is only where it is x."""
    if a is None:
        return form.nan
    x = datum(real_of(x, a), magnitude_scale(a))
    if not reals.is_finite(x) or not x[1]:
        return profile_code(form, profile, (True, Fraction(0)) if x == (True, INFINITY) else x, rounding)
    v = times(x, abs(a[0]), a[1])
    code = reals.decided(form, rounding, lambda precision: sorted(
        reals.signed(x) * bound for bound in reals.normal_distribution(reals.signed(v), precision)))
    return profile_code(form, profile, finite_or_beyond(form, code, x[0]), rounding)


def softmax(x, a, form, rounding):
    """The codes of the data, and that of the scale."""
    fp32, n = FORMATS["fp32"], len(x)
    if a is not None:
        x = [times(one, Fraction(-1 if a[0] < 0 else 1)) if a[0] else ZERO for one in x]
    best = (True, INFINITY)
    for one in x:
        best = larger(best, one)
    if a is None or not reals.is_finite(best):
        return [form.nan] * n, fp32.encode(Fraction(1))
    arguments = [reals.signed(times(reals.of(reals.signed(one) - reals.signed(best)), abs(a[0]), a[1]))
                 if reals.is_finite(one) else None for one in x]
    others = [one for one in arguments if one]
    ties = sum(one == 0 for one in arguments)
    data = [reals.encode(form, ZERO) if one is None else
            reals.encode(form, (False, Fraction(1))) if one == 0 else
            reals.decided(form, rounding, lambda precision, one=one: reals.power_bounds(one, precision))
            for one in arguments]
    if not others:
        return data, fp32.encode(Fraction(1, ties))

    def share(precision):
        tail = reals.bounds_of(sum(reals.exponential(one) for one in others), precision)
        return [1 / (ties + bound) for bound in reversed(tail)]
    return data, reals.decided(fp32, "nearest-even", share)


def divisor_of(static, count):
    """What matmul divides its sums of so many products by: the root is cut to 24 bits, downwards."""
    if static[:1].isdigit():
        return Fraction(float.fromhex(static))
    root = isqrt(count << 80)
    cut = Fraction(root >> (root.bit_length() - 24) << (root.bit_length() - 24), 1 << 40)
    power = down = Fraction(1)
    while power * power * 2 <= count:
        power *= 2
    while down * down * 4 <= count:
        down *= 2
    return {"one": Fraction(1), "measured": Fraction(1), "unit": cut, "power": power, "power-down": down, "mean": Fraction(count)}[static]


def summed(terms, static, mean, power, varies):
    """Of terms (x, a, y, b): the data of their sum, and the scale, the largest of theirs. A sum that is 0 is +0, and has
    the sign of the scales where all terms have one place for them."""
    if any(a is None or b is None for _, a, _, b in terms):
        return NAN_NUMBER, ONE_SCALE
    divisor = Fraction(1) if mean else divisor_of(static, len(terms))
    live = [product_scale(a, b, power, divisor=divisor) for _, a, _, b in terms if a[0] and b[0]]
    c = larger_scale(live)
    negative, magnitude = reals.total([ZERO] + [datum(multiplied(real_of(x, a), real_of(y, b)), c) for x, a, y, b in terms])
    if magnitude == 0:
        _, a, _, b = terms[0]
        negative = not varies and a[0] * b[0] < 0
    return (negative, magnitude / len(terms) if mean and magnitude not in (INFINITY, NAN) else magnitude), c


def moved(x, a, n, power):
    """The number and its scale, which is positive, with 2^n more in the scale."""
    m, e = (a[0], a[1] + n) if power else (a[0] * Fraction(2) ** n, a[1])
    c = rounded(m, e, power)
    return datum(real_of(x, a), c), c


def measured(sums, form, power):
    """The same (data, scale, place), each scale times the power of two that its data, rounded to 53 bits, need."""
    places = {}
    for x, _, place in sums:
        counts = reals.is_finite(x) and Fraction(1, 1 << 200) <= x[1] < 1 << 400
        places.setdefault(place, []).extend([(x[0], Fraction(float(x[1])))] if counts else [])
    found = {place: exponent_to(data, form, "maximum") for place, data in places.items()}
    return [(*moved(x, c, found[place], power), place) for x, c, place in sums]


def exponent_to(data, form, by, margin=0):
    """The n to rebalance data by, 0 where none but 0 counts, else the margin and the least for which the largest does not overflow, or of that and the 24 below it
    the one that loses the least sum of squares, the largest of equal ones."""
    magnitudes = [magnitude for _, magnitude in data if magnitude not in (INFINITY, NAN)]
    largest, most = max(magnitudes, default=0), form.value(form.greatest)
    if not largest:
        return 0
    first = -400  # below what any data need
    while largest > most * Fraction(2) ** first:
        first += 1

    def lost(n):
        kept = (form.value(form.encode(min(x / Fraction(2) ** n, most))) for x in magnitudes)
        return sum((x - value * Fraction(2) ** n) ** 2 for x, value in zip(magnitudes, kept))
    return margin + (first if by == "maximum" else max(range(first - 24, first + 1), key=lambda n: (-lost(n), n)))


def rebalance(data, a, to, by, margin, power):
    c = ONE_SCALE
    if a and a[0]:
        n = exponent_to(data, to, by, margin)
        m, e = (a[0], a[1] + n) if power else (a[0] * Fraction(2) ** n, a[1])
        c = rounded(abs(m), e, power)
        c = (-c[0] if a[0] < 0 else c[0]), c[1]
    return [datum(real_of(x, a), c) for x in data], c


def largest_of(terms):
    """Of terms (x, a): the data of the largest value, at the largest scale."""
    if any(a is None for _, a in terms):
        return NAN_NUMBER, ONE_SCALE
    c = larger_scale([a for _, a in terms])
    best = (True, INFINITY)
    for x, a in terms:
        best = larger(best, datum(real_of(x, a), c))
    return best, c


def magnitude_scale(a):
    return ONE_SCALE if a is None or not a[0] else (abs(a[0]), a[1])


def decided(form, rounding, enclose, negative):
    """As a number of the format, or one beyond it, which a profile may have rules for."""
    return finite_or_beyond(form, reals.decided(form, rounding, enclose), negative)


def function(name, x, a, form, rounding, power):
    """The data, or an infinity to be rounded by a profile, and the scale."""
    if a is None:
        return NAN_NUMBER, ONE_SCALE
    m, e = abs(a[0]), a[1]
    c = ONE_SCALE
    if name == "tanh" and m and (e <= 0 if power else m <= 1):
        c = (m, e)
    if name == "log" and m:
        c = (Fraction(1), max(0, abs(e).bit_length() - 7))
    v = datum(real_of(x, a), ONE_SCALE)
    if v[1] == NAN or name == "log" and v[0] and v[1]:
        return NAN_NUMBER, c
    if name == "log" and v[1] in (0, 1, INFINITY):
        return ((True, INFINITY), (False, Fraction(0)), v)[(0, 1, INFINITY).index(v[1])], c
    if not v[1]:
        return {"exp": (False, Fraction(1)), "sigmoid": (False, Fraction(1, 2)), "tanh": v}[name], c
    if v[1] == INFINITY:
        low = name == "exp" and v or (False, Fraction(1))
        return times((v[0], Fraction(1)), 1 / c[0], -c[1]) if name == "tanh" else ZERO if v[0] else low, c
    v = reals.signed(v)
    if name in ("exp", "sigmoid") and abs(v) > 1000:  # beyond every format, or a number just below 1
        far = (False, Fraction(2) ** 7000) if v > 0 else (False, reals.TINY)
        return far if name == "exp" or v < 0 else (False, 1 - reals.TINY), c
    if name == "tanh" and e < -3000:  # just below the data
        return (v < 0, x[1] * (1 - reals.TINY)), c
    if name == "tanh" and abs(v) > 1000:
        return times((v < 0, 1 - reals.TINY), 1 / c[0], -c[1]), c

    def enclose(precision):
        if name == "log" and abs(e) > 8000:  # where times gives up, and nothing cancels
            y = mpmath.log(mpmath.mpf(x[1].numerator) / x[1].denominator) + e * mpmath.log(2)
            return sorted(reals.bounds_of(y / mpmath.mpf(2) ** c[1], precision))
        argument = mpmath.mpf(v.numerator) / v.denominator
        y = {"exp": mpmath.exp, "log": mpmath.log, "tanh": mpmath.tanh,
             "sigmoid": lambda z: 1 / (1 + mpmath.exp(-z))}[name](argument)
        if name == "exp" and y == 1 or name == "sigmoid" and y == 0.5:  # but for less than the precision
            side = reals.TINY if v > 0 else -reals.TINY
            return [reals.fraction_of(y) + side] * 2
        return reals.bounds_of(y / (mpmath.mpf(c[0].numerator) / c[0].denominator) * mpmath.mpf(2) ** -c[1], precision)
    return decided(form, rounding, enclose, v < 0), c


def gradient(name, x, y, a, b, form, rounding):
    """The derivative at x times y, over the scale of y."""
    if a is None or b is None:
        return NAN_NUMBER
    v, y = datum(real_of(x, a), ONE_SCALE), datum(real_of(y, b), magnitude_scale(b))
    if NAN in (v[1], y[1]):
        return NAN_NUMBER
    if name == "relu_gradient":
        return reals.product(y, (False, Fraction(1 if v[1] and not v[0] else 0)))
    slope = slope_of(name, v)
    if y[1] == INFINITY or not callable(slope):
        limit = slope if not callable(slope) else reals.of(slope(160)[0])
        return reals.product(y, limit)

    def enclose(precision):
        return sorted(reals.signed(y) * bound for bound in slope(precision))
    if not y[1]:
        with mpmath.workprec(160):
            return y[0] != (slope(160)[0] < 0), Fraction(0)
    with mpmath.workprec(160):
        negative = y[0] != (slope(160)[0] < 0)
    return decided(form, rounding, enclose, negative)


def slope_of(name, v):
    """The slope at a number or an infinity, or bounds of it by precision."""
    if v[1] == INFINITY:
        one = (False, Fraction(1))
        return {"gelu_gradient": ZERO if v[0] else one, "exp_gradient": ZERO if v[0] else v}.get(name, ZERO)
    u, gelu = reals.signed(v), name == "gelu_gradient"
    at_0 = {"sigmoid_gradient": Fraction(1, 4), "gelu_gradient": Fraction(1, 2)}.get(name, Fraction(1))
    if not u:
        return False, at_0
    if abs(u) < Fraction(1, 1 << 500):
        above = u > 0 and name in ("gelu_gradient", "exp_gradient")
        return False, at_0 + (reals.TINY if above else -reals.TINY)
    if abs(u) > (60 if gelu else 1000):
        if gelu:
            return (False, 1 + reals.TINY) if u > 0 else (True, reals.TINY)
        return False, Fraction(2) ** 7000 if name == "exp_gradient" and u > 0 else reals.TINY

    def enclose(precision):
        x = mpmath.mpf(u.numerator) / u.denominator
        if gelu:
            density = reals.fraction_of(mpmath.exp(-x * x / 2) * x / mpmath.sqrt(2 * mpmath.pi))
            low, high = reals.normal_distribution(u, precision)
            slack = abs(density) / (1 << (precision - 40))
            return [low + density - slack, high + density + slack]
        if name == "exp_gradient":
            return reals.bounds_of(mpmath.exp(x), precision)
        e = mpmath.exp(-abs(x) * (2 if name == "tanh_gradient" else 1))
        return reals.bounds_of((4 if name == "tanh_gradient" else 1) * e / (1 + e) ** 2, precision)
    return enclose


def rescale(x, a, t):
    """x at the scale t."""
    return datum(real_of(x, a), t) if t and t[0] else NAN_NUMBER


def extents_from_end(shape, dimensions):
    return [1] * (dimensions - len(shape)) + list(shape)


def places(shape, data, scales):
    """For each index of the shape, that of an operand that broadcasts over it, and that of its scale."""
    data, scales = extents_from_end(data, len(shape)), extents_from_end(scales, len(shape))
    return [(flat([at if whole > 1 else 0 for at, whole in zip(index, data)], data),
             flat([(at if whole > 1 else 0) // (whole // own) for at, whole, own in zip(index, data, scales)], scales))
            for index in product(*map(range, shape))]


def geometry(name, given):
    """Of operations that take each element by itself: where each element's operands and scales are, and the place of
    the result's scale."""
    first = given["shape"]
    two = name in PAIRS
    if "scales" in given or "second-shape" in given or "second-scales" in given:
        shapes = [(first, given.get("scales", [1])),
                  (given.get("second-shape", first), given.get("second-scales", [1]))][:1 + two]
        dimensions = max(len(data) for data, _ in shapes)
        whole = [max(extents) for extents in zip(*(extents_from_end(data, dimensions) for data, _ in shapes))]
        made = [lcm(*extents) for extents in zip(*(extents_from_end(scales, dimensions) for _, scales in shapes))]
        made = shapes[1][1] if name == "rescale" else made
    else:
        rows = prod(first[:-1])
        whole = [rows, first[-1]]
        made = {"one": [1], "row": [rows, 1], "column": [1, first[-1]]}[given["per"]]
        shapes = [(whole, made)] * (1 + two)
    return [places(whole, data, scales) for data, scales in shapes], places(whole, whole, made)


def profile_code(form, profile, value, rounding):
    """The code, where a profile may say what becomes of what is no number of the format; NaN has no sign here."""
    value = NAN_NUMBER if value[1] == NAN else value
    if profile is None:
        return reals.encode(form, value, rounding)
    return canonical(form.name, casts_system.cast({"to": form.name, "profile": profile}, value, rounding, 0))


def canonical(form, code):
    """One NaN is as good as another here."""
    return FORMATS[form].nan if form in FORMATS and FORMATS[form].is_nan(code) else code


def each(name, group, operands, data, scales, power):
    given, form = group["parameters"], FORMATS[result_formats(group)[0]]
    rounding, profile = group["rounding"], given.get("profile")
    sources, results_places = geometry(name, given)
    found, made = [], {}
    factor = scalar_factor(group, data, power) if name == "mul" else Fraction(1)
    for source, (_, place) in zip(zip(*sources), results_places):
        x, a = data[0][source[0][0]], scales[0][source[0][1]]
        if name == "rescale":
            number, code = rescale(x, a, scales[1][source[1][1]]), operands[3][source[1][1]]
            code = not_a_number(code) if scales[1][source[1][1]] is None and not power else code
        elif name in GRADIENTS:
            b = scales[1][source[1][1]]
            number = gradient(name, x, data[1][source[1][0]], a, b, form, rounding)
            code = scale_code(ONE_SCALE if a is None else magnitude_scale(b), power)
        elif name in TWO + ("step", "div_gradient"):
            b = scales[1][source[1][1]]
            number, c = of_two(name, x, data[1][source[1][0]], a, b, power, rounding, factor)
            code = scale_code(c, power)
        elif name in FUNCTIONS:
            number, c = function(name, x, a, form, rounding, power)
            code = scale_code(c, power)
        elif name == "cast":
            number, code = x, operands[1][source[0][1]]
            code = not_a_number(code) if a is None and not power else code
        else:
            code = scale_code(magnitude_scale(a), power)
            if name == "gelu":
                found.append(gelu(x, a, form, rounding, profile))
                made[place] = code
                continue
            number = larger(datum(real_of(x, a), magnitude_scale(a)), ZERO)
        found.append(profile_code(form, profile, number, rounding))
        made[place] = code
    return [found, [made[i] for i in sorted(made)]]


def flat(index, extents):
    found = 0
    for at, extent in zip(index, extents):
        found = found * extent + at
    return found


def scale_place(index, data, scales):
    scales = extents_from_end(scales, len(data))
    return flat([at // (extent // own) for at, extent, own in zip(index, data, scales)], scales)


def rows_of(name, given):
    """Of lines and cells: extents of the data and of the scales, and the axis, as --per or others say."""
    shape = given["shape"]
    if "scales" in given or "axis" in given:
        axis = given.get("axis", -1 if name.startswith("softmax") else None)
        return shape, given.get("scales", [1]), axis if axis is None else axis % len(shape)
    if name in LINE_GRADIENTS:
        return shape, [1], None if name == "reduce_max_gradient" else len(shape) - 1
    rows = [prod(shape[:-1]), shape[-1]]
    one = given["per"] == "one"
    return rows, [1] if one else [rows[0], 1], 1 if name == "softmax" or not one else None


def lines_of(name, given):
    """For each line the places of its data, each (index, place of its scale), and the place of the result's scale."""
    shape, scales, axis = rows_of(name, given)
    lines = [1 if axis in (None, i) else extent for i, extent in enumerate(shape)]
    made = [1 if axis in (None, i) else extent for i, extent in enumerate(extents_from_end(scales, len(shape)))]
    for line in product(*map(range, lines)):
        along = product(*(range(extent) if axis in (None, i) else [line[i]] for i, extent in enumerate(shape)))
        yield ([(flat(index, shape), scale_place(index, shape, scales)) for index in along],
               scale_place(line, lines, lines if name == "softmax" else made))


def shapes_of_two(name, given):
    """Extents of both operands and of their scales."""
    first, second = given["shape"], given.get("second-shape")
    if name == "matmul" and second is None:
        first, second = given["shape"][:2], given["shape"][1:]
    if "scales" in given:
        return first, given["scales"], second, given["second-scales"]
    return (first, [1], second, [1]) if given["per"] == "one" else (first, [first[0], 1], second, [1, second[1]])


def matrix_terms(given):
    """For each element its terms, of the first and the second operand each (index, place of the scale), and the place of
    its scale."""
    first, scales, second, second_scales = shapes_of_two("matmul", given)
    n = max(len(first), len(second))
    x, y = extents_from_end(first, n), extents_from_end(second, n)
    whole = [max(p, q) for p, q in zip(x[:-2], y[:-2])] + [x[-2], y[-1]]
    s, r = extents_from_end(scales, n), extents_from_end(second_scales, n)
    made = [lcm(p, q) for p, q in zip(s[:-2], r[:-2])] + [s[-2], r[-1]]
    for index in product(*map(range, whole)):
        terms = []
        for k in range(x[-1]):
            left = [at if extent > 1 else 0 for at, extent in zip(index[:-2], x)] + [index[-2], k]
            right = [at if extent > 1 else 0 for at, extent in zip(index[:-2], y)] + [k, index[-1]]
            terms.append(((flat(left, x), scale_place(left, x, s)), (flat(right, y), scale_place(right, y, r))))
        yield terms, scale_place(index, whole, made)


def window_terms(given):
    """The same of a convolution; an index is None in the padding."""
    x, scales, w, second_scales = shapes_of_two("convolution", given)
    stride, padding, dilation, groups = (given[name] for name in ("stride", "padding", "dilation", "groups"))
    n = len(x)
    s, r = extents_from_end(scales, n), extents_from_end(second_scales, n)
    windows = [(extent + 2 * padding - dilation * (taps - 1) - 1) // stride + 1 for extent, taps in zip(x[2:], w[2:])]
    whole, made = [x[0], w[0], *windows], [s[0], lcm(r[0], groups if s[1] > 1 else 1)] + [1] * (n - 2)
    for image, output, *window in product(*map(range, whole)):
        terms = []
        for channel, *taps in product(*map(range, w[1:])):
            at = [p * stride + t * dilation - padding for p, t in zip(window, taps)]
            inside = all(0 <= p < extent for p, extent in zip(at, x[2:]))
            whose = output // (w[0] // groups) * w[1] + channel
            left = [image, whose] + (at if inside else [0] * len(at))
            right = [output, channel, *taps]
            terms.append(((flat(left, x) if inside else None, scale_place(left, x, s)),
                          (flat(right, w), scale_place(right, w, r))))
        yield terms, scale_place([image, output, *window], whole, made)


def forward_terms(name, given):
    """Of the forward operation, without scales: extents of the operands and the result, and for each element the indices
    of its terms."""
    first, second = given["shape"], given.get("second-shape")
    whole = dict(given, **{"per": "one"})
    whole.pop("scales", None)
    if name == "mul_gradient":
        second = second or first
        n = max(len(first), len(second))
        x, y = extents_from_end(first, n), extents_from_end(second, n)
        made = [max(p, q) for p, q in zip(x, y)]
        return first, second, made, [[tuple(flat([at if extent > 1 else 0 for at, extent in zip(index, one)], one)
                                            for one in (x, y))] for index in product(*map(range, made))]
    if name == "matmul_gradient":
        first, _, second, _ = shapes_of_two("matmul", whole)
        n = max(len(first), len(second))
        x, y = extents_from_end(first, n), extents_from_end(second, n)
        made = [max(p, q) for p, q in zip(x[:-2], y[:-2])] + [x[-2], y[-1]]
        return first, second, made, [[(i, k) for (i, _), (k, _) in terms] for terms, _ in matrix_terms(whole)]
    stride, padding, dilation = (given[each] for each in ("stride", "padding", "dilation"))
    windows = [(extent + 2 * padding - dilation * (taps - 1) - 1) // stride + 1
               for extent, taps in zip(first[2:], second[2:])]
    return (first, second, [first[0], second[0], *windows],
            [[(i, k) for (i, _), (k, _) in terms] for terms, _ in window_terms(whole)])


def backward_terms(name, given):
    """The forward operation's terms, each of which gives its operands' derivatives something: as window_terms, of the
    other operand and of what comes back. In a convolution each place of x and tap w that no window has counts as 0."""
    first, second, made, forward = forward_terms(name, given)
    of = given["of"] == "second"
    target, other = (second, first) if of else (first, second)
    scales, back = given.get("scales", [1]), given.get("second-scales", [1])
    indices = [list(product(*map(range, shape))) for shape in (target, other, made)]
    found = [[] for _ in indices[0]]
    for e, terms in enumerate(forward):
        for pair in terms:
            i, k = (pair[1], pair[0]) if of else pair
            if i is not None:  # else padding, which has no derivative
                found[i].append((k, e))
    z = dict(enumerate(indices[2]))

    def where(k, e, spare):
        """Places of the scales; `spare` is an index of the other operand that padding has the scale of."""
        return ((k, scale_place(indices[1][spare if k is None else k], other, scales)),
                (e, scale_place(z[e], made, back)))
    n = len(made)
    s, r = extents_from_end(scales, n), extents_from_end(back, n)
    for i, terms in enumerate(found):
        if name != "convolution_gradient":
            pairs = [where(k, e, 0) for k, e in terms]
            widths = [extents_from_end(target, n), s, r]
            if name == "matmul_gradient":
                kept = [lcm(p, q) if extent > 1 else 1 for extent, p, q in zip(widths[0][:-2], s[:-2], r[:-2])]
                kept += [s[-1], r[-1]] if of else [r[-2], s[-2]]
            else:
                kept = [lcm(p, q) if extent > 1 else 1 for extent, p, q in zip(*widths)]
            yield pairs, scale_place(indices[0][i], target, kept[n - len(target):])
            continue
        groups, image = given["groups"], indices[0][i]
        if of:  # by taps: every image and window
            output, channel = image[0], image[1]
            spare = output // (second[0] // groups) * second[1] + channel
            pairs = []
            for e, (number, whose, *_) in enumerate(indices[2]):
                if whose == output:
                    k = [other_index for other_index, element in terms if element == e]
                    nearest = flat([number, spare] + [0] * (n - 2), first)
                    pairs.append(where(k[0] if k else None, e, nearest))
            yield pairs, scale_place(image, target, [r[1], s[1]] + [1] * (n - 2))
            continue
        group = image[1] // second[1]
        outputs = range(group * (second[0] // groups), (group + 1) * (second[0] // groups))
        pairs = []
        for k, (output, channel, *_) in enumerate(indices[1]):
            if output in outputs and channel == image[1] % second[1]:
                e = [element for tap, element in terms if tap == k]
                hole = flat([image[0], output] + [0] * (n - 2), made)
                (left, right) = where(k, e[0] if e else hole, 0)
                pairs.append((left, right if e else (None, right[1])))
        yield pairs, scale_place(image, target, [r[0], s[1]] + [1] * (n - 2))


def each_sum(name, given, data, scales, power):
    """(data as a number, scale, its place) of each element."""
    one = (False, Fraction(1))
    if name in PRODUCTS:
        made = (backward_terms(name, given) if name in BACKWARD else
                (matrix_terms if name == "matmul" else window_terms)(given))
        for terms, place in made:
            numbers = [(ZERO if i is None else data[0][i], scales[0][p], ZERO if k is None else data[1][k], scales[1][q])
                       for (i, p), (k, q) in terms]
            varies = len({(p, q) for (_, p), (_, q) in terms}) > 1
            yield *summed(numbers, given["static"], False, power, varies), place
        return
    for line, place in lines_of(name, given):
        numbers = [(data[0][i], scales[0][p]) for i, p in line]
        if name == "reduce_max":
            yield *largest_of(numbers), place
        else:
            yield *summed([(x, a, one, ONE_SCALE) for x, a in numbers], given.get("static"), name == "mean", power,
                          len({p for _, p in line}) > 1), place


def max_gradient(terms, y, b):
    """Of terms (x, a) and what comes back: the data of each, as numbers."""
    y = datum(real_of(y, b), magnitude_scale(b))
    best, c = largest_of(terms)
    if b is None or best[1] == NAN:
        return [NAN_NUMBER] * len(terms)
    values = [datum(real_of(x, a), c) for x, a in terms]
    equal = [value == best or value[1] == best[1] == 0 for value in values]
    share = (y[0], y[1] if y[1] in (INFINITY, NAN) else y[1] / sum(equal))
    return [share if one else reals.product(y, ZERO) for one in equal]


def softmax_gradient(x, a, g, b, form, rounding, profile):
    """The codes: p_i times the sum of p_j (g_i - g_j)."""
    n = len(x)
    if a is None or b is None:
        return [form.nan] * n
    x = [times(one, Fraction(-1 if a[0] < 0 else 1)) if a[0] else ZERO for one in x]
    g = g if b[0] else [ZERO] * n
    best = (True, INFINITY)
    for one in x:
        best = larger(best, one)
    if not reals.is_finite(best) or not all(map(reals.is_finite, g)):
        return [form.nan] * n
    g, sign = list(map(reals.signed, g)), -1 if b[0] < 0 else 1
    arguments = [reals.signed(times(reals.of(reals.signed(one) - reals.signed(best)), abs(a[0]), a[1]))
                 if reals.is_finite(one) else None for one in x]
    live = [i for i in range(n) if arguments[i] is not None]
    classes = {}
    for i in live:
        classes.setdefault(arguments[i], []).append(g[i])
    codes = []
    for i in range(n):
        parts = {each: sum(g[i] - one for one in others) for each, others in classes.items()}
        if not any(parts.values()):
            codes.append(reals.encode(form, ZERO))
        elif len(classes) == 1:
            value = reals.of(sign * parts[arguments[live[0]]] / len(live) ** 2)
            codes.append(profile_code(form, profile, value if arguments[i] is not None else (value[0], Fraction(0)), rounding))
        elif arguments[i] == 0 and parts[0] and max(each for each in classes if each) < -1000:
            value = parts[0] / Fraction(len(classes[0]) ** 2)
            whole = {each: len(others) for each, others in classes.items()}
            side = powers.sign(powers.total(parts, powers.times(powers.product(whole, whole), -value)))
            value += side * reals.TINY
            codes.append(profile_code(form, profile, reals.of(sign * value), rounding))
        else:
            top = max(each for each, part in parts.items() if part)  # beside it far ones are nothing

            def enclose(precision, parts=parts, top=top, i=i):
                total = sum(len(others) * reals.exponential(each) for each, others in classes.items())
                terms = [reals.exponential(each - top) * mpmath.mpf(part.numerator) / part.denominator
                         for each, part in parts.items() if part]
                size = reals.fraction_of(sum(abs(one) for one in terms)) / (1 << (precision - 40))
                found = reals.fraction_of(sum(terms))
                weight = Fraction(1)
                for exponent in (top, arguments[i] or Fraction(0)):
                    weight *= reals.fraction_of(reals.exponential(exponent))
                weight = weight / reals.fraction_of(total) ** 2 * sign
                return sorted((weight * (found - size), weight * (found + size)))
            with mpmath.workprec(600):
                negative = enclose(600)[0] < 0
            value = (negative, Fraction(0)) if arguments[i] is None else decided(form, rounding, enclose, negative)
            codes.append(profile_code(form, profile, value, rounding))
    return codes


def results(group, operands):
    given, name = group["parameters"], group["operation"].removeprefix("scaled.")
    rounding, power, profile = group["rounding"], given["scale"] == "power", given.get("profile")
    to = FORMATS[result_formats(group)[0]]
    forms = operand_formats(group)
    data = [[reals.number(FORMATS[forms[k]], code) for code in operands[k]] for k in range(0, len(operands), 2)]
    scales = [[scale_of(code, power) for code in operands[k]] for k in range(1, len(operands), 2)]
    if name in EACH:
        return each(name, group, operands, data, scales, power)
    found, made = [None] * len(data[0]), {}
    if name == "softmax":
        for line, place in lines_of(name, given):
            codes, made[place] = softmax([data[0][i] for i, _ in line], scales[0][line[0][1]], to, rounding)
            for (i, _), code in zip(line, codes):
                found[i] = code
    elif name in LINE_GRADIENTS:
        shape, _, axis = rows_of(name, given)
        second = [1 if axis in (None, i) else extent for i, extent in enumerate(shape)]
        back = extents_from_end(given.get("second-scales", [1]), len(shape))
        for number, (line, _) in enumerate(lines_of(name, given)):
            index = list(product(*map(range, second)))[number]
            place = scale_place(index, second, [1 if axis in (None, i) else own for i, own in enumerate(back)])
            b = scales[1][place]
            made[place] = scale_code(magnitude_scale(b), power)
            if name == "reduce_max_gradient":
                values = max_gradient([(data[0][i], scales[0][p]) for i, p in line], data[1][number], b)
                codes = [profile_code(to, profile, value, rounding) for value in values]
            else:
                codes = softmax_gradient([data[0][i] for i, _ in line], scales[0][line[0][1]], [data[1][i] for i, _ in line],
                                         b, to, rounding, profile)
            for (i, _), code in zip(line, codes):
                found[i] = code
    elif name == "rebalance":
        shape, places, _ = rows_of(name, given)
        cells = {}
        for i, index in enumerate(product(*map(range, shape))):
            cells.setdefault(scale_place(index, shape, places), []).append(i)
        for place, cell in cells.items():
            values, c = rebalance([data[0][i] for i in cell], scales[0][place], to, given["by"], given.get("margin", 0), power)
            made[place] = scale_code(c, power)
            for i, value in zip(cell, values):
                found[i] = profile_code(to, profile, value, rounding)
    else:
        found, sums = [], list(each_sum(name, given, data, scales, power))
        for value, c, place in measured(sums, to, power) if given.get("static") == "measured" else sums:
            found.append(profile_code(to, profile, value, rounding))
            made[place] = scale_code(c, power)
    return [found, [made[i] for i in sorted(made)]]


def result_formats(group):
    given, name = group["parameters"], group["operation"].removeprefix("scaled.")
    return [given.get("to", group["format"]), "int32" if given["scale"] == "power" and name != "softmax" else "fp32"]


def exact_implementation(group):
    return None


def fits_near(group, operands):
    """Whether no sum cancels so far that its roundings in double, which are of its terms' size, come near a number of
    24 bits: at most 10 of the 53 bits are lost. And none is so small that all its terms lie 2^800 below its scale,
    where det takes them for equally far below, and may give the 0 that is left the other sign."""
    given, name = group["parameters"], group["operation"].removeprefix("scaled.")
    if name not in SUMS:
        return True
    forms, power = operand_formats(group), given["scale"] == "power"
    data = [[reals.number(FORMATS[forms[k]], code) for code in operands[k]] for k in range(0, len(operands), 2)]
    scales = [[scale_of(code, power) for code in operands[k]] for k in range(1, len(operands), 2)]
    sizes = [[(False, magnitude) for _, magnitude in one] for one in data]
    size_scales = [[a and (abs(a[0]), a[1]) for a in one] for one in scales]
    return all(not reals.is_finite(size) or not reals.is_finite(value) or size[1] <= value[1] * 1024 and (
        not value[1] or value[1] > Fraction(1, 1 << 600)) for (value, _, _),
               (size, _, _) in zip(each_sum(name, given, data, scales, power),
                                   each_sum(name, given, sizes, size_scales, power)))


def near_implementation(group):
    """det's data are computed in double, and then rounded: within 2^-50 of right, or of the terms of a sum."""
    if group["operation"] == "scaled.softmax_gradient":  # near differences of what comes back, not near the result
        return None
    return ["det", "--max-ulp", "0.5001"] if group["rounding"] == "nearest-even" else None
