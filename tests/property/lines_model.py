"""Lines of arrays: sums, scans and what is made of exponentials, by detcheck-arrays(7), the note on logcumsumexp that it
goes back to, and IEEE 754. Results are as enclosed.codes_of takes them."""

from fractions import Fraction
from math import isqrt

import mpmath

from counted import INF, NAN, Value, number
from enclosed import bound, power, times, to_mpf, total

REDUCING = ("sum", "mean", "dot", "logsumexp")


class Line:
    """Elements of a sum of exponentials: the finite ones, and the largest of them."""

    def __init__(self, x):
        self.bad = any(one.kind == NAN or (one.kind == INF and not one.negative) for one in x)
        self.nan = any(one.kind == NAN for one in x)
        self.finite = [one.signed() for one in x if one.kind == "num"]
        self.most = max(self.finite, default=None)

    def others(self):
        """The sum of e^(x - most) over those that are smaller than the largest."""
        return mpmath.fsum(power(one - self.most) for one in self.finite if one != self.most)

    def share(self, x):
        """e^x / the sum: a fraction, and a mpf to be added to it, which is small where others are."""
        many = self.finite.count(self.most)
        t = self.others()
        if x != self.most:
            return Fraction(0), power(x - self.most) / (many + t)
        return Fraction(1, many), -t / (many * (many + t))

    def log_of_rest(self):
        return mpmath.log1p(self.others() + (self.finite.count(self.most) - 1))

    def equal(self):
        return len(set(self.finite)) == 1


def logsumexp(x, rounding):
    line = Line(x)
    if line.bad:
        return Value(NAN) if line.nan else Value(INF)
    if not line.finite:
        return Value(INF, True)
    if len(line.finite) == 1:
        return number(line.finite[0])

    def value():
        log = line.log_of_rest()
        return line.most, log, bound(log)
    return value


def shares(x, logarithm):
    """softmax, or its logarithm."""
    line = Line(x)
    if line.bad or not line.finite:
        return [Value(NAN)] * len(x)
    lost, alone = (Value(INF, True), Value("num")) if logarithm else (Value("num"), number(1))

    def share(one):
        if logarithm:
            log = line.log_of_rest()
            return one.signed() - line.most, -log, bound(log)
        whole, rest = line.share(one.signed())
        return whole, rest, bound(rest)

    def result(one):
        if one.kind == INF:
            return lost
        if len(line.finite) == 1:
            return alone
        if line.equal() and not logarithm:
            return number(Fraction(1, len(line.finite)))
        return lambda: share(one)
    return [result(one) for one in x]


def log_softmax_gradient(x, g, rounding):
    line = Line(x)
    if line.bad or not line.finite:
        return [Value(NAN)] * len(x)
    whole = total(g, "nearest-even")
    found = []
    for one, own in zip(x, g):
        if one.kind == INF:
            found.append(own)
        elif whole.kind != "num":
            found.append(Value(NAN) if whole.kind == NAN or own.kind != "num" else Value(INF, not whole.negative))
        elif not whole.size:
            # Terms of both signs, g[i] and -g[i] softmax, make no -0 to nearest.
            found.append(own if own.size else Value("num", rounding == "down"))
        elif line.equal():
            exactly = own.signed() - whole.signed() / len(line.finite)
            found.append(number(exactly, rounding == "down"))
        else:
            def value(one=one, own=own):
                part, rest = line.share(one.signed())
                rest *= -to_mpf(whole.signed())
                return own.signed() - whole.signed() * part, rest, bound(rest)
            found.append(value)
    return found


def logsumexp_gradient(x, g, rounding):
    line, g = Line(x), g[0]
    found = []
    for one in x:
        if one.kind == INF and one.negative:
            found.append(Value("num"))
        elif line.bad or g.kind == NAN:
            found.append(Value(NAN))
        elif g.kind == INF:
            found.append(g)
        elif not g.size:
            found.append(Value("num"))
        elif line.equal():
            found.append(number(g.signed() / len(line.finite)))
        else:
            def value(one=one):
                part, rest = line.share(one.signed())
                rest *= to_mpf(g.signed())
                return g.signed() * part, rest, bound(rest)
            found.append(value)
    return found


def logcumsumexp_gradient(x, g, rounding, exclusive):
    """Of a scan from the first to the last."""
    n = len(x)
    lines = [Line(x[:j] if exclusive else x[:j + 1]) for j in range(n)]
    bad = n > 0 and lines[-1].bad
    found = []
    for i, one in enumerate(x):
        terms = range(i + 1 if exclusive else i, n)
        if (one.kind == INF and one.negative) or not terms:
            found.append(Value("num"))
            continue
        if bad:
            found.append(Value(NAN))
            continue
        whole = total([g[j] for j in terms], "nearest-even")
        if whole.kind != "num":
            found.append(whole)
            continue
        base = sum((g[j].signed() / len(lines[j].finite) for j in terms if lines[j].equal()), Fraction(0))
        rest = {}  # by the elements of the sum: what stands before its share
        for j in terms:
            if not lines[j].equal():
                key = tuple(sorted(lines[j].finite))
                rest[key] = (lines[j], rest.get(key, (None, Fraction(0)))[1] + g[j].signed())
        rest = [each for each in rest.values() if each[1]]
        if not rest:
            found.append(number(base, rounding == "down" and any(g[j].size for j in terms)))
            continue

        def value(one=one, rest=rest, start=base):
            whole, parts = start, []
            for line, factor in rest:
                part, more = line.share(one.signed())
                whole += factor * part
                parts.append(to_mpf(factor) * more)
            return whole, mpmath.fsum(parts), bound(*parts)
        found.append(value)
    return found


def rms_norm(x, epsilon):
    """x over the root of the mean of its squares and epsilon, a fraction."""
    if any(one.kind == NAN for one in x):
        return [Value(NAN)] * len(x)
    if any(one.kind == INF for one in x):
        return [Value(NAN) if one.kind == INF else Value("num", one.negative) for one in x]
    whole = sum(one.size * one.size for one in x) + len(x) * epsilon
    found = []
    for one in x:
        square = one.size * one.size * len(x) / whole if whole else None
        parts = [isqrt(part) for part in (square.numerator, square.denominator)] if whole else None
        if not whole:
            found.append(Value(NAN))
        elif not one.size or [part * part for part in parts] == [square.numerator, square.denominator]:
            found.append(Value("num", one.negative, Fraction(*parts)))
        else:
            def value(one=one, square=square):
                root = mpmath.sqrt(to_mpf(square))
                return Fraction(0), -root if one.negative else root, bound(root)
            found.append(value)
    return found


def line_results(name, x, g, rounding, exclusive, epsilon=None):
    """The results of a line, or of two, as codes_of takes them."""
    if name == "rms_norm":
        return rms_norm(x, epsilon)
    if name == "sum":
        return [total(x, rounding)]
    if name == "mean":
        return [total(x, rounding, len(x))]
    if name == "dot":
        return [total([times(a, b) for a, b in zip(x, g)], rounding)]
    if name == "logsumexp":
        return [logsumexp(x, rounding)]
    if name in ("cumsum", "logcumsumexp"):
        rule = total if name == "cumsum" else logsumexp
        return [rule(x[:i if exclusive else i + 1], rounding) for i in range(len(x))]
    if name in ("softmax", "log_softmax"):
        return shares(x, name == "log_softmax")
    if name == "log_softmax_gradient":
        return log_softmax_gradient(x, g, rounding)
    if name == "logsumexp_gradient":
        return logsumexp_gradient(x, g, rounding)
    return logcumsumexp_gradient(x, g, rounding, exclusive)
