"""Operations on scaled arrays drawn at random, and what they return, by fractions and mpmath: the definitions of
detcheck-scaled(7), special numbers and the signs of zeros included."""

from fractions import Fraction
from math import isqrt

import reals
from reals import FORMATS, INFINITY, NAN, NAN_NUMBER

TWO = ("add", "sub", "mul", "div", "max", "min")
ONE = ("relu", "gelu", "reduce_max", "softmax", "cast", "rebalance")
DATA = ("fp32", "fp16", "bf16", "fp8_e4m3fn", "fp8_e4m3fnuz", "fp8_e5m2", "fp8_e5m2fnuz")
FAMILIES = ("near", "small", "gradual", "large", "apart", "signs", "pairs")
ZERO = (False, Fraction(0))
ONE_SCALE = (Fraction(1), 0)
LEAST, MOST = Fraction(2) ** -126, FORMATS["fp32"].value(FORMATS["fp32"].greatest)


def words(random):
    name = random.choice(TWO + ONE + ("matmul",))
    scale = random.choice(("fp32", "fp32", "power", "none"))
    per = ("one", "row") + ("column",) * (name in TWO + ("relu", "gelu", "cast"))
    chosen = ["--scale", scale, "--per", random.choice(per)]
    chosen += ["--shape", random.choice(("2x3x2", "1x5x1") if name == "matmul" else ("5", "2x3", "3x2", "2x2x2"))]
    if name == "matmul":
        chosen += ["--static", random.choice(("one", "power") if scale == "power" else
                                             ("one", "unit", "power", "mean"))]
    if name in ("cast", "rebalance"):
        chosen += ["--to", random.choice(DATA)]
    if name == "rebalance":
        chosen += ["--by", random.choice(("maximum", "squares"))]
    return [f"scaled.{name}", *chosen], DATA, FAMILIES


def operand_formats(group):
    scale = "int32" if group["parameters"]["scale"] == "power" else "fp32"
    name = group["operation"].removeprefix("scaled.")
    return [group["format"], scale] * (2 if name in TWO + ("matmul",) else 1)


def draw(random, group, operand, form):
    kind = random.random()
    if form == "int32":
        return random.choice((random.randrange(-9, 10), random.randrange(-300, 301),
                              random.randrange(-1 << 31, 1 << 31)))
    form = FORMATS[form]
    if kind < 0.1:
        return random.getrandbits(form.width)
    if kind < 0.15:
        return random.choice([form.greatest, 0, form.sign, 1, form.sign | 1, form.sign | form.greatest, form.nan,
                              form.overflowed(False, True), form.overflowed(True, True)])
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


def product_scale(a, b, power, divide=False, divisor=Fraction(1)):
    """The scale of a product or quotient, and m and e of what it stands for."""
    m, e = (a[0] / b[0], a[1] - b[1]) if divide else (a[0] * b[0], a[1] + b[1])
    kept = m * divisor
    if power:  # the divisor is a power of two
        kept, e_kept = m, e + divisor.numerator.bit_length() - 1
    else:
        e_kept = e
    return rounded(abs(kept), e_kept, power), m, e


def of_two(name, x, y, a, b, power, rounding):
    """The data as a number, and the scale."""
    if a is None or b is None:
        return NAN_NUMBER, ONE_SCALE
    x, y = x if a[0] else ZERO, y if b[0] else ZERO
    if name in ("mul", "div"):
        combine = quotient if name == "div" else reals.product
        if not (a[0] and b[0]):
            return combine(x, y), ONE_SCALE
        c, m, e = product_scale(a, b, power, name == "div")
        return times(combine(x, y), m / c[0], e - c[1]), c
    live = [s for s in (a, b) if s[0]]
    c = max(live, key=lambda s: (s[1], abs(s[0])), default=ONE_SCALE)
    c = abs(c[0]), c[1]
    u = times(x, a[0] / c[0], a[1] - c[1]) if a[0] else x
    v = times(y, b[0] / c[0], b[1] - c[1]) if b[0] else y
    if name == "max":
        return larger(u, v), c
    if name == "min":
        return reals.negated(larger(reals.negated(u), reals.negated(v))), c
    return reals.total([u, reals.negated(v) if name == "sub" else v], rounding), c


def gelu(x, a, form, rounding):
    """The code of the data: x Phi(s x), with the sign of s in x."""
    if a is None:
        return form.nan
    x = (x[0] != (a[0] < 0), x[1]) if a[0] else ZERO
    if not reals.is_finite(x) or not x[1]:
        return reals.encode(form, (True, Fraction(0)) if x == (True, INFINITY) else x, rounding)
    v = times(x, abs(a[0]), a[1])
    return reals.decided(form, rounding, lambda precision: sorted(
        reals.signed(x) * bound for bound in reals.normal_distribution(reals.signed(v), precision)))


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
    root = isqrt(count << 80)
    cut = Fraction(root >> (root.bit_length() - 24) << (root.bit_length() - 24), 1 << 40)
    power = Fraction(1)
    while power * power * 2 <= count:
        power *= 2
    return {"one": Fraction(1), "unit": cut, "power": power, "mean": Fraction(count)}[static]


def matmul(x, y, a, b, static, power):
    """A row by a column: the data as a number, and the scale."""
    if a is None or b is None:
        return NAN_NUMBER, ONE_SCALE
    x = x if a[0] else [ZERO] * len(x)
    y = y if b[0] else [ZERO] * len(y)
    found = reals.total([ZERO] + [reals.product(p, q) for p, q in zip(x, y)])
    if not (a[0] and b[0]):
        return found, ONE_SCALE
    c, m, e = product_scale(a, b, power, divisor=divisor_of(static, len(x)))
    return times(found, m / c[0], e - c[1]), c


def exponent_to(data, form, by):
    """The n to rebalance data by: the least for which the largest does not overflow, or of that and the 24 below it
    the one that loses the least sum of squares, the largest of equal ones."""
    magnitudes = [magnitude for _, magnitude in data if magnitude not in (INFINITY, NAN)]
    largest, most = max(magnitudes, default=0), form.value(form.greatest)
    if not largest:
        return 0
    first = -400
    while largest > most * Fraction(2) ** first:
        first += 1

    def lost(n):
        kept = (form.value(form.encode(min(x / Fraction(2) ** n, most))) for x in magnitudes)
        return sum((x - value * Fraction(2) ** n) ** 2 for x, value in zip(magnitudes, kept))
    return first if by == "maximum" else max(range(first - 24, first + 1), key=lambda n: (-lost(n), n))


def rebalance(data, a, to, by, power, rounding):
    if a is None:
        return [to.nan] * len(data), ONE_SCALE
    n = exponent_to(data, to, by)
    if not a[0]:
        return [reals.encode(to, ZERO, rounding)] * len(data), ONE_SCALE
    m, e = (a[0], a[1] + n) if power else (a[0] * Fraction(2) ** n, a[1])
    c = rounded(abs(m), e, power)
    found = [reals.encode(to, times(x, abs(a[0]) / c[0], a[1] - c[1]), rounding) for x in data]
    return found, (-c[0] if a[0] < 0 else c[0], c[1])


def largest_of(data, a):
    if a is None:
        return NAN_NUMBER
    best = (True, INFINITY)
    for x in data:
        best = larger(best, times(x, Fraction(-1 if a[0] < 0 else 1)) if a[0] else ZERO)
    return best


def magnitude_scale(a):
    return ONE_SCALE if a is None or not a[0] else (abs(a[0]), a[1])


def results(group, operands):
    given, form, name = group["parameters"], FORMATS[group["format"]], group["operation"].removeprefix("scaled.")
    rounding, power, per = group["rounding"], given["scale"] == "power", given["per"]
    to = FORMATS[result_formats(group)[0]]
    data = [[reals.number(form, code) for code in operands[k]] for k in range(0, len(operands), 2)]
    scales = [[scale_of(code, power) for code in operands[k]] for k in range(1, len(operands), 2)]
    columns = given["shape"][-1]
    if name == "matmul":
        return matrices(data, scales, given, power, form, rounding)
    if per == "one" and name in ("rebalance", "reduce_max"):
        columns = len(data[0])
    rows = [data[0][at:at + columns] for at in range(0, len(data[0]), columns)]
    found, made = [], {}

    def scale(operand, row, column=0):
        return scales[operand][{"one": 0, "row": row, "column": column}[per]]
    for row, x in enumerate(rows):
        a = scale(0, row)
        if name == "softmax":
            codes, code = softmax(x, a, form, rounding)
            found += codes
            made[row] = code
        elif name == "reduce_max":
            found.append(reals.encode(form, largest_of(x, a), rounding))
            made[row if per == "row" else 0] = scale_code(magnitude_scale(a), power)
        elif name == "rebalance":
            codes, c = rebalance(x, a, to, given["by"], power, rounding)
            found += codes
            made[row if per == "row" else 0] = scale_code(c, power)
        else:
            for column, one in enumerate(x):
                place = {"one": 0, "row": row, "column": column}[per]
                a, at = scale(0, row, column), row * columns + column
                if name in TWO:
                    value, c = of_two(name, one, data[1][at], a, scale(1, row, column), power, rounding)
                    found.append(reals.encode(form, value, rounding))
                elif name == "cast":
                    found.append(reals.encode(to, one, rounding))
                    made[place] = operands[1][place] if a is not None or power else not_a_number(operands[1][place])
                    continue
                else:
                    c = magnitude_scale(a)
                    signless = NAN_NUMBER if a is None else ZERO if not a[0] else (one[0] != (a[0] < 0), one[1])
                    found.append(gelu(one, a, form, rounding) if name == "gelu" else
                                 reals.encode(form, larger(signless, ZERO), rounding))
                made[place] = scale_code(c, power)
    return [found, [made[i] for i in sorted(made)]]


def matrices(data, scales, given, power, form, rounding):
    rows, inner, columns = given["shape"]
    found, made = [], {}
    for row in range(rows):
        for column in range(columns):
            each = given["per"] == "row"
            value, c = matmul(data[0][row * inner:(row + 1) * inner], data[1][column::columns],
                              scales[0][row if each else 0], scales[1][column if each else 0], given["static"], power)
            found.append(reals.encode(form, value, rounding))
            made[row * columns + column if each else 0] = scale_code(c, power)
    return [found, [made[i] for i in sorted(made)]]


def result_formats(group):
    given, name = group["parameters"], group["operation"].removeprefix("scaled.")
    return [given.get("to", group["format"]), "int32" if given["scale"] == "power" and name != "softmax" else "fp32"]


def exact_implementation(group):
    return None


def near_implementation(group):
    """det's data are computed in double, and then rounded: within 2^-50 of right."""
    return ["det", "--max-ulp", "0.5001"] if group["rounding"] == "nearest-even" else None
