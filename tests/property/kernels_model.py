"""Kernels of a transformer, line by line, from their formulas and IEEE 754. Results are as enclosed.codes_of takes them."""

from fractions import Fraction
from math import isqrt

import mpmath

from counted import INF, NAN, Value, number
from enclosed import bound, times, to_mpf, total

RMS, LAYER, L2 = "rms_norm", "layer_norm", "l2_norm"


def root_of(square):
    """The root of a fraction, where that is one; else None."""
    parts = [isqrt(part) for part in (square.numerator, square.denominator)]
    return Fraction(*parts) if [part * part for part in parts] == [square.numerator, square.denominator] else None


class Norm:
    """The finite elements of a line: what is taken away from each, and the square of what they are divided by."""

    def __init__(self, which, x, epsilon):
        self.which, n = which, len(x)
        self.nan = any(one.kind == NAN for one in x)
        self.infinite = any(one.kind == INF for one in x)
        finite = [one.signed() for one in x if one.kind == "num"]
        self.mean = sum(finite, Fraction(0)) / n if which == LAYER else Fraction(0)
        squares = sum(((one - self.mean) ** 2 for one in finite), Fraction(0))
        self.square = max(squares, epsilon ** 2) if which == L2 else squares / n + epsilon

    def special(self, x, rounding):
        """A Value where the element is no number other than 0 before its weight; else None."""
        if self.nan or (self.infinite and (self.which == LAYER or x.kind == INF)):
            return Value(NAN)
        if self.infinite:
            return Value("num", x.negative)
        if not self.square:
            return Value(NAN)
        if x.signed() == self.mean:
            return Value("num", rounding == "down" if self.which == LAYER else x.negative)
        return None


def norm(which, x, weights, biases, epsilon, rounding):
    """Weights and biases are Values; None for no bias."""
    line, found = Norm(which, x, epsilon), []
    for one, weight, bias in zip(x, weights, biases):
        special = line.special(one, rounding)
        if special is None and weight.kind == "num" and weight.size:
            product = None
        else:
            product = times(special or number(one.signed() - line.mean), weight)
        if product is not None:
            found.append(total([product, bias], rounding) if bias is not None else product)
            continue
        if bias is not None and bias.kind != "num":
            found.append(bias)
            continue
        size = (one.signed() - line.mean) * weight.signed()
        added = bias.signed() if bias is not None else Fraction(0)
        root = root_of(size * size / line.square)
        if root is not None:
            found.append(number(added + (root if size > 0 else -root), rounding == "down"))
            continue

        def value(size=size, added=added):
            part = mpmath.sqrt(to_mpf(size * size / line.square))
            return added, part if size > 0 else -part, bound(part)
        found.append(value)
    return found


def is_near(which, x, weights, biases, epsilon):
    """Whether det promises 0.51 ulp for all of the line: nothing cancels below 2^-16 of its terms, and nothing on the way is
    so small that a part of it is lost."""
    line = Norm(which, x, epsilon)
    largest = max((one.size for one in x if one.kind == "num"), default=0)
    for one, weight, bias in zip(x, weights, biases):
        if line.special(one, "nearest-even") is not None or weight.kind != "num" or not weight.size:
            continue
        d = one.signed() - line.mean
        if which == LAYER and abs(d) * 65536 < largest:
            return False
        size = mpmath.sqrt(to_mpf(d * d / line.square))
        product = size * to_mpf(weight.size)
        if any(not 2.0 ** -90 < part < 2.0 ** 127 for part in (size, product)):
            return False
        if bias is not None and bias.kind == "num":
            added = to_mpf(bias.signed()) + (product if (d > 0) != weight.negative else -product)
            if abs(added) * 65536 < product:
                return False
    return True


def activation(which, t):
    """silu, gelu or gelu_tanh of a fraction below 0, as a mpf good to the precision."""
    with mpmath.extraprec(100):
        x = to_mpf(t)
        if which == "gelu":
            return x / 2 * mpmath.erfc(-x / mpmath.sqrt(2))
        inner = x if which == "silu" else 2 * mpmath.sqrt(2 / mpmath.pi) * (x + to_mpf(Fraction(44715, 10 ** 6) * t ** 3))
        return x / (1 + mpmath.exp(-inner))


FAR = 1 << 14  # beyond it an activation left of 0 is below all numbers of any format


def gate(which, x, u):
    """The activation of x, times u: of x > 0 it is x, and the activation of -x."""
    if x.kind != "num" or not x.size or u.kind != "num" or not u.size:
        sign = Value("num", True) if x.kind == INF and x.negative else x
        one = number(-1 if x.negative else 1) if x.kind == "num" and x.size else sign
        return times(one, u)

    def value():
        part = mpmath.ldexp(-1, -6500) if x.size > FAR else activation(which, -x.size)
        rest = to_mpf(u.signed()) * part
        return Fraction(0) if x.negative else x.signed() * u.signed(), rest, bound(rest)
    return value


def is_near_gate(which, x, u):
    """Whether det promises 0.8 ulp: neither the activation nor the result is too small for fp32."""
    if x.kind != "num" or not x.size or u.kind != "num" or not u.size:
        return True
    if x.size > (100 if which == "silu" else 10):
        return not x.negative
    size = abs(activation(which, -x.size) + (0 if x.negative else to_mpf(x.size)))
    return 2.0 ** -120 < size and 2.0 ** -120 < size * to_mpf(u.size)


def ordered(x, falls):
    """The indices of the elements in order: NaN is above all, zeros are equal, and the lower index comes first."""
    def key(i):
        one = x[i]
        size = {NAN: (2, 0), INF: (-1 if one.negative else 1, 0)}.get(one.kind, (0, one.signed()))
        return size if not falls else (-size[0], -size[1])
    return sorted(range(len(x)), key=key)


class Score:
    """The score of a key: what it is where that is no number; else a fraction, and with a soft cap what is capped, a fraction
    or an infinity."""

    def __init__(self, q, k, scale, cap, bias):
        dot = times(total([times(x, y) for x, y in zip(q, k)], "nearest-even"), number(scale))
        self.cap, self.capped = cap, None
        if cap and dot.kind != NAN:
            self.capped = dot.signed() if dot.kind == "num" else mpmath.mpf("-inf" if dot.negative else "inf")
            dot = number(Fraction(0))
        whole = total([dot, bias], "nearest-even")
        self.is_masked = whole.kind == INF and whole.negative
        self.is_bad = whole.kind != "num" and not self.is_masked
        sizes = [times(x, y) for x, y in zip(q, k)]
        self.size = sum(one.size for one in sizes) * scale * len(q) + bias.size if all(one.kind == "num" for one in (*sizes, bias)) else None
        self.rest = whole.signed() if whole.kind == "num" else None
        self.key = self.rest, self.capped

    def value(self):
        if self.capped is None:
            return to_mpf(self.rest)
        cap = to_mpf(self.cap)
        inner = self.capped if isinstance(self.capped, mpmath.mpf) else to_mpf(self.capped)
        return to_mpf(self.rest) + cap * mpmath.tanh(inner / cap)


def attended(scores, values, rounding):
    """Softmax of the scores, times the values. With the mean of the values in the class of the largest score it is that, and
    beside it what the other classes add."""
    pairs = [(score, value) for score, value in zip(scores, values) if not score.is_masked]
    if any(score.is_bad for score, _ in pairs):
        return Value(NAN)
    if not pairs:
        return number(Fraction(0))
    limit = total([value for _, value in pairs], rounding)
    if limit.kind != "num":
        return limit
    classes = {}
    for score, value in pairs:
        classes.setdefault(score.key, (score, []))[1].append(value.signed())
    means = {sum(members) / len(members) for _, members in classes.values()}
    if len(means) == 1:
        return total([value for _, value in pairs], rounding, len(pairs))

    def value():
        with mpmath.extraprec(80):
            found = [(score.value(), members) for score, members in classes.values()]
            top = max(one for one, _ in found)
            first = next(members for one, members in found if one == top)
            mean = sum(first) / len(first)
            terms = [mpmath.exp(one - top) * to_mpf(sum(members) - mean * len(members)) for one, members in found
                     if members is not first]
            weights = sum(mpmath.exp(one - top) * len(members) for one, members in found)
            return mean, sum(terms) / weights, bound(*(one / weights for one in terms))
    return value


def is_near_attended(scores, values):
    """Whether det promises little: the sums of scores are small, and values do not cancel below a half of them."""
    pairs = [(score, value) for score, value in zip(scores, values) if not score.is_masked]
    if not pairs or any(score.is_bad for score, _ in pairs):
        return True
    if any(score.size is None or score.size > 16 or value.kind != "num" for score, value in pairs):
        return False
    with mpmath.workprec(120):
        weights = [mpmath.exp(score.value()) for score, _ in pairs]
        parts = [weight * to_mpf(value.signed()) / sum(weights) for weight, (_, value) in zip(weights, pairs)]
        return not any(parts) or (2.0 ** -100 < 2 * abs(sum(parts)) > sum(map(abs, parts)) and max(value.size for _, value in pairs) < 2 ** 100)


def turn(position, pair, pairs, base, factor):
    """Cosine and sine of the angle of a pair, each a mpf good to the precision."""
    with mpmath.extraprec(120):
        angle = position * mpmath.power(to_mpf(base), -to_mpf(Fraction(pair, pairs))) / to_mpf(factor)
        return mpmath.cos(angle), mpmath.sin(angle)


def turned(a, b, minus, angle, rounding):
    """a cos + b sin, or where `minus` a cos - b sin; `angle` has what turn takes. Position 0 leaves numbers as they are."""
    position = angle[0]
    if any(one.kind == NAN for one in (a, b)):
        return Value(NAN)
    cosine, sine = turn(*angle)
    if position == 0 or INF in (a.kind, b.kind) or not (a.size or b.size):
        signs = [number((one > 0) - (one < 0)) for one in (cosine, -sine if minus else sine)]
        if position == 0:
            signs[1] = Value("num", minus)
        return total([times(a, signs[0]), times(b, signs[1])], rounding)

    def value():
        found = turn(*angle)
        parts = [to_mpf(a.signed()) * found[0], to_mpf(b.signed()) * (-found[1] if minus else found[1])]
        return Fraction(0), parts[0] + parts[1], bound(*parts)
    return value


def pairs_of(x, position, rotary, interleaved, base, factor, rounding):
    """The elements of a line, of which the first `rotary` turn; and for each of these what turned takes."""
    found, terms, pairs = [number(one.signed(), one.negative) if one.kind == "num" else one for one in x], {}, rotary // 2
    for i in range(pairs):
        first, second = (2 * i, 2 * i + 1) if interleaved else (i, i + pairs)
        angle = (position, i, pairs, base, factor)
        terms[first], terms[second] = (x[first], x[second], True, angle), (x[second], x[first], False, angle)
    for at, one in terms.items():
        found[at] = turned(*one, rounding)
    return found, terms


def is_near_turn(a, b, minus, angle):
    """Whether det promises an ulp: the terms cancel to no less than an eighth of them, and the result is a normal number."""
    if not all(one.kind == "num" for one in (a, b)) or angle[0] == 0 or not (a.size or b.size):
        return True
    cosine, sine = turn(*angle)
    parts = [to_mpf(a.signed()) * cosine, to_mpf(b.signed()) * (-sine if minus else sine)]
    size = abs(parts[0] + parts[1])
    return size > 2.0 ** -120 and size * 8 > abs(parts[0]) + abs(parts[1])
