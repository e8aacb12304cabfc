"""Operations on arrays drawn at random, and what they return: sums by fractions, exponentials by mpmath."""

from fractions import Fraction

import mpmath

import powers
import reals
from reals import FORMATS, INFINITY, NAN

SUMS = ("sum", "mean", "cumsum", "dot", "matmul")
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
    if random.random() < 0.3:
        chosen += ["--dtype", random.choice(sorted(FORMATS))]
    if random.random() < 0.2:
        chosen += ["--accumulate", "fp64"]
    return [name, *chosen], sorted(FORMATS), FAMILIES + ("minus_infinity",) * (name in EXPONENTIALS + GRADIENTS)


def operand_formats(group):
    return [group["format"]] * (2 if group["operation"] in ("dot", "matmul", *GRADIENTS) else 1)


def draw(random, group, operand, form):
    """Any code, a special one, often that of others, or a number near 1."""
    form, kind = FORMATS[form], random.random()
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


class Exponentials:
    """The sum of e^x over the largest x of a line: what is finite of it, and the enclosures of ln(1 + t)."""

    def __init__(self, x):
        self.finite = [reals.signed(one) for one in x if reals.is_finite(one)]
        self.nan = any(one[1] == NAN for one in x)
        self.infinite = any(one == (False, INFINITY) for one in x)
        self.most = max(self.finite, default=None)

    def rest(self):
        """t as an mpf, at the precision at hand: the sum over all but the largest."""
        others = list(self.finite)
        others.remove(self.most)
        return sum((reals.exponential(x - self.most) for x in others), mpmath.mpf(0))

    def logarithm(self, precision):
        """Bounds of ln(1 + t), 0 < t."""
        return reals.bounds_of(mpmath.log1p(self.rest()), precision)

    def log_sum(self, form, rounding):
        if self.nan:
            return form.nan
        if self.infinite or not self.finite:
            return reals.encode(form, (not self.infinite, INFINITY))
        if len(self.finite) == 1:
            return reals.encode(form, reals.of(self.most), rounding)
        return reals.decided(form, rounding,
                             lambda precision: [self.most + bound for bound in self.logarithm(precision)])

    def share(self, x, form, rounding, logarithm):
        if self.nan or self.infinite or not self.finite:
            return form.nan
        if not reals.is_finite(x):
            return reals.encode(form, (True, INFINITY) if logarithm else (False, Fraction(0)))
        if logarithm and len(self.finite) == 1:
            return reals.encode(form, (False, Fraction(0)))
        above = reals.signed(x) - self.most
        if logarithm:
            return reals.decided(form, rounding, lambda precision: [
                above - bound for bound in reversed(self.logarithm(precision))])
        if min(self.finite) == self.most:
            return reals.encode(form, (False, Fraction(1, len(self.finite))), rounding)

        def enclose(precision):
            power, rest = (reals.bounds_of(one, precision) for one in (reals.exponential(above), self.rest()))
            return [a / (1 + b) for a, b in zip(power if above else (1, 1), reversed(rest))]
        return reals.decided(form, rounding, enclose)


def scan(name, x, form, rounding, exclusive):
    found = []
    for i in range(len(x)):
        prefix = x[:i + (not exclusive)]
        found.append(reals.encode(form, reals.total(prefix, rounding), rounding) if name == "cumsum" else
                     Exponentials(prefix).log_sum(form, rounding))
    return found


def gradient(x, g, form, rounding):
    """Of a line: e^x[i] times the sum of g[j] / (e^x[0] + ... + e^x[j]) for j from i on."""
    prefixes = [Exponentials(x[:i + 1]) for i in range(len(x))]
    return [element_of_gradient(i, x, g, prefixes, form, rounding) for i in range(len(x))]


def element_of_gradient(i, x, g, prefixes, form, rounding):
    if x[i] == (True, INFINITY):
        return reals.encode(form, (False, Fraction(0)))
    infinite = {one[0] for one in g[i:] if one[1] == INFINITY}
    if len(infinite) == 2 or any(one[1] == NAN for one in g[i:]) or prefixes[-1].nan or prefixes[-1].infinite:
        return form.nan
    if infinite:
        return reals.encode(form, (infinite.pop(), INFINITY))
    terms = {}  # those over the same sum are one
    for one, prefix in zip(g[i:], prefixes[i:]):
        count = len(prefix.finite)
        terms[count] = terms.get(count, (prefix, 0))[0], terms.get(count, (prefix, 0))[1] + reals.signed(one)
    terms = [(prefix, one) for prefix, one in terms.values() if one]
    if not terms:
        return reals.encode(form, (rounding == "down" and any(one[1] for one in g[i:]), Fraction(0)))
    if min(terms[-1][0].finite) == terms[-1][0].most:
        value = sum(one / len(prefix.finite) for prefix, one in terms)
        return reals.encode(form, reals.of(value) if value else (rounding == "down", Fraction(0)), rounding)
    base = terms[0][0].most

    def bounds(d, precision):
        return reals.power_bounds(d, precision) if d else [1, 1]

    def enclose(precision):
        low = high = Fraction(0)
        for prefix, one in terms:
            power = bounds(base - prefix.most, precision)
            sums = [sum(pair) for pair in zip(*(bounds(each - prefix.most, precision) for each in prefix.finite))]
            ends = [one * power[0] / sums[1], one * power[1] / sums[0]]
            low, high = low + min(ends), high + max(ends)
        power = bounds(reals.signed(x[i]) - base, precision)
        return [low * power[low < 0], high * power[high > 0]]

    def side(number):
        above, below = {}, {Fraction(0): Fraction(1)}
        for prefix, one in terms:
            whole = powers.total(*({each: 1} for each in prefix.finite))
            above = powers.total(powers.product(above, whole), powers.times(below, one))
            below = powers.product(below, whole)
        return powers.sign(powers.total(powers.product(above, {reals.signed(x[i]): 1}), powers.times(below, -number)))
    return reals.decided(form, rounding, enclose, lambda low, high: powers.beside(form, rounding, low, high, side))


def gradient_of_sum(x, g, form, rounding):
    """Of a line: g e^x[i] over the sum of them, which is the gradient of the last element of a scan."""
    return gradient(x, [(False, Fraction(0))] * (len(x) - 1) + [g], form, rounding)


def gradient_of_shares(x, g, form, rounding):
    """Of a line: g[i] less the share e^x[i] / (e^x[0] + ... + e^x[n-1]) of the sum of g."""
    sums = Exponentials(x)
    if sums.nan or sums.infinite or not sums.finite:
        return [form.nan] * len(x)
    all_of_g, first = reals.total(g), next(i for i, one in enumerate(x) if one[1] != INFINITY and
                                           reals.signed(one) == sums.most)
    found = []
    for i, (one, here) in enumerate(zip(x, g)):
        if one[1] == INFINITY:  # a share of 0
            found.append(reals.encode(form, here, rounding))
        elif all_of_g[1] == NAN or here[1] == INFINITY:
            found.append(form.nan)
        elif all_of_g[1] == INFINITY:
            found.append(reals.encode(form, (not all_of_g[0], INFINITY)))
        else:
            found.append(share_of_gradient(reals.signed(one), reals.signed(here), reals.signed(all_of_g), sums,
                                           i == first, form, rounding))
    return found


def share_of_gradient(x, g, all_of_g, sums, is_first, form, rounding):
    if not all_of_g or min(sums.finite) == sums.most:
        value = g - all_of_g / len(sums.finite)
        return reals.encode(form, reals.of(value) if value else (rounding == "down", Fraction(0)), rounding)

    def enclose(precision):
        """The share, or what is left of 1 beside the share that may be near 1."""
        rest = reals.bounds_of(sums.rest(), precision)
        power = rest if is_first else reals.bounds_of(reals.exponential(x - sums.most), precision) if x < sums.most else (1, 1)
        base, factor = (g - all_of_g, all_of_g) if is_first else (g, -all_of_g)
        return sorted(base + factor * part for part in (power[0] / (1 + rest[1]), power[1] / (1 + rest[0])))
    return reals.decided(form, rounding, enclose)


def mean(x, rounding):
    negative, magnitude = reals.total(x, rounding)
    return negative, magnitude if magnitude in (INFINITY, NAN) else magnitude / len(x)


def matmul(operands, shape, form, rounding):
    rows, inner, columns = shape
    x, y = operands
    return [reals.encode(form, reals.total([reals.product(x[i * inner + k], y[k * columns + j])
                                            for k in range(inner)], rounding), rounding)
            for i in range(rows) for j in range(columns)]


def results(group, operands):
    given, name, rounding = group["parameters"], group["operation"], group["rounding"]
    source, form = FORMATS[group["format"]], FORMATS[result_formats(group)[0]]
    cast = {code: reals.number(form, reals.encode(form, reals.number(source, code)))
            for operand in operands for code in operand}
    operands = [[cast[code] for code in operand] for operand in operands]
    if name == "matmul":
        return [matmul(operands, given["shape"], form, rounding)]
    axis = given.get("axis", -1 if name in ("softmax", "log_softmax", OF_SHARES) else None)
    found = {}
    for number, places in enumerate(lines(given["shape"], axis)):
        if given.get("reverse"):
            places = places[::-1]
        x = [operands[0][i] for i in places]
        if name == GRADIENT:
            g, skip = [operands[1][i] for i in places], bool(given.get("exclusive"))
            made = gradient(x[:len(x) - skip], g[skip:], form, rounding) + [form.encode(0)] * skip
        elif name == OF_SUM:
            made = gradient_of_sum(x, operands[1][number], form, rounding)
        elif name == OF_SHARES:
            made = gradient_of_shares(x, [operands[1][i] for i in places], form, rounding)
        elif name in SCANS:
            made = scan(name, x, form, rounding, given.get("exclusive"))
        elif name in ("softmax", "log_softmax"):
            sums = Exponentials(x)
            made = [sums.share(one, form, rounding, name == "log_softmax") for one in x]
        else:
            places = [number]
            if name == "dot":
                x = [reals.product(a, operands[1][i]) for a, i in zip(x, lines(given["shape"], axis)[number])]
            made = [Exponentials(x).log_sum(form, rounding) if name == "logsumexp" else
                    reals.encode(form, mean(x, rounding) if name == "mean" else reals.total(x, rounding), rounding)]
        found.update(zip(places, made))
    return [[found[i] for i in sorted(found)]]


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
