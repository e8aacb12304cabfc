"""Gradients of attention drawn at random: a class as those of kernels_more.py. With p the softmax of a query's scores and D = g v, the
gradient of score j is the sum over l of p[j] p[l] (D[j] - D[l]). Without a soft cap p is what it is of the largest scores alone, a
fraction, and the rest."""

import struct
from fractions import Fraction

import kernels_model
import mpmath
from counted import NAN, Value, number
from enclosed import bound, times, to_mpf, total
from kernels_more import FAMILIES, fraction, reader


def attention_words(random, extents=(1, 2, 3, 4)):
    heads, groups = random.choice(((1, 1), (2, 1), (2, 2), (4, 2)))
    shape = [random.choice((1, 1, 2)), heads, *(random.choice(extents) for _ in range(3))]
    chosen = ["--groups", groups] * (groups != heads) + ["--causal"] * (random.random() < 0.4)
    chosen += random.choice(([], [], ["--window", random.randint(1, 4)]))
    cap = random.choice(([], [], ["--soft-cap", random.choice(("2", "50"))]))
    chosen += random.choice(([], ["--bias", "mask"], ["--bias", "alibi"]))
    families = ("normal", "uniform", "outlier", "denormals", "special") if cap else FAMILIES
    return [*chosen, *cap, "--shape", "x".join(map(str, shape))], families + ("minus_infinity",)


class Query:
    """Its keys that count, and by precision p of each: a fraction, and what is added to it."""

    def __init__(self, number_of_query, keys, scores, products, cap):
        self.number, self.keys, self.scores, self.products, self.cap, self.known = number_of_query, keys, scores, products, cap, {}
        self.is_bad = any(score.is_bad for score in scores)
        counted = [] if self.is_bad else [at for at, score in enumerate(scores) if not score.is_masked]
        self.all_keys, self.keys = keys, [keys[at] for at in counted]
        self.scores, self.products = [scores[at] for at in counted], [products[at] for at in counted]
        self.is_lost = any(one is None for one in self.products)
        self.is_single = len({score.key for score in self.scores}) == 1
        top = None if cap or not self.scores else max(score.rest for score in self.scores)
        near = [self.is_single or score.rest == top for score in self.scores]
        self.shares = [Fraction(one, sum(near)) for one in near] if any(near) else [Fraction(0)] * len(near)

    def rests(self):
        """What p of each key has beside its share."""
        if self.is_single:
            return [mpmath.mpf(0)] * len(self.keys)
        if mpmath.mp.prec not in self.known:
            with mpmath.extraprec(80):
                values = [score.value() for score in self.scores]
                powers = [mpmath.exp(value - max(values)) for value in values]
                if self.cap:
                    self.known[mpmath.mp.prec - 80] = [power / sum(powers) for power in powers]
                else:
                    others = sum((power for power, share in zip(powers, self.shares) if not share), mpmath.mpf(0))
                    n = sum(1 for share in self.shares if share)
                    self.known[mpmath.mp.prec - 80] = [-others / (n * (n + others)) if share else power / (n + others)
                                                       for power, share in zip(powers, self.shares)]
        return self.known[mpmath.mp.prec]

    def flat(self, at):
        """What the soft cap makes of the gradient of a score: 0 or 1, or None where that is no fraction."""
        capped = self.scores[at].capped
        return 1 if not self.cap or capped == 0 else 0 if isinstance(capped, mpmath.mpf) else None

    def slope(self, at):
        """The fraction that the gradient of a score has in it; and a function of the rest and its terms, or None where there is none."""
        differences = [self.products[at] - other for other in self.products]
        if not any(differences) or self.flat(at) == 0:
            return Fraction(0), None
        base = self.shares[at] * sum(share * one for share, one in zip(self.shares, differences))

        def rest():
            rests, own = self.rests(), to_mpf(self.shares[at])
            terms = [rests[at] * (to_mpf(share) + more) * to_mpf(one) for share, more, one in zip(self.shares, rests, differences)]
            terms += [own * more * to_mpf(one) for more, one in zip(rests, differences)]
            if self.flat(at) is None:
                capped = to_mpf(self.scores[at].capped) / to_mpf(self.cap)
                terms = [one * mpmath.sech(capped) ** 2 for one in [*terms, to_mpf(base)]]
            return terms
        is_exact = self.is_single and self.flat(at) == 1
        if self.flat(at) is None and self.is_single and not base:
            return Fraction(0), None
        return base if self.flat(at) == 1 else Fraction(0), None if is_exact else rest


class Element:
    def __init__(self):
        self.special, self.base, self.rests, self.has_any = [], Fraction(0), [], False

    def add(self, base, rest, factor):
        """base times a factor, and the terms of a rest, if there is one."""
        self.has_any = True
        self.base += base * factor
        if rest and factor:
            self.rests.append((rest, factor))

    def value(self, rounding):
        if NAN in self.special:
            return Value(NAN)
        far = total(self.special, rounding) if self.special else number(Fraction(0))
        if far.kind != "num" or not self.has_any:
            return far
        if not self.rests:
            return number(self.base, rounding == "down")

        def value():
            terms = [one * to_mpf(factor) for rest, factor in self.rests for one in rest()]
            return self.base, sum(terms), bound(*terms)
        return value


class AttentionGradient:
    NAMES, most = ("attention_gradient",), "8192"

    @staticmethod
    def words(random, name):
        return attention_words(random, (1, 2, 3))

    @staticmethod
    def formats(group):
        return [group["format"]] * (4 + (group["parameters"].get("bias", "none") != "none"))

    @staticmethod
    def queries(group, operands):
        given = group["parameters"]
        q, k, v, g, *bias = (reader(group, operands, at) for at in range(len(operands)))
        batches, heads, queries, keys, width = given["shape"]
        groups, kind = int(given.get("groups", heads)), given.get("bias", "none")
        cap, window = fraction(group, "soft-cap"), int(given.get("window", queries + keys))
        scale = Fraction(struct.unpack("f", struct.pack("f", width ** -0.5))[0])
        for at in range(batches * heads * queries):
            batch, head, i = at // queries // heads, at // queries % heads, at % queries
            start, place = (batch * groups + head // (heads // groups)) * keys, i + keys - queries
            there = [j for j in range(keys) if abs(place - j) < window and not (given.get("causal") and j > place)]
            own, slope = q[at * width:(at + 1) * width], g[at * width:(at + 1) * width]
            scores, products = [], []
            for j in there:
                value = v[(start + j) * width:(start + j + 1) * width]
                added = number(Fraction(0)) if kind == "none" else bias[0][i * keys + j] if kind == "mask" else \
                    times(bias[0][head], number(Fraction(j - place)))
                scores.append(kernels_model.Score(own, k[(start + j) * width:(start + j + 1) * width], scale, cap, added))
                products.append(sum(x.signed() * y.signed() for x, y in zip(slope, value)) if all(
                    one.kind == "num" for one in (*slope, *value)) else None)
            yield Query(at, [start + j for j in there], scores, products, cap)

    @classmethod
    def elements(cls, group, operands):
        q, k, _, g, *_ = (reader(group, operands, at) for at in range(len(operands)))
        width = group["parameters"]["shape"][-1]
        scale = Fraction(struct.unpack("f", struct.pack("f", width ** -0.5))[0])
        found = [[Element() for _ in operands[at]] for at in (0, 1, 2)]
        for query in cls.queries(group, operands):
            for column in range(width):
                of_q, own, slope = found[0][query.number * width + column], q[query.number * width + column], g[query.number * width + column]
                if query.is_bad:
                    for element in (of_q, *(of[key * width + column] for of in found[1:] for key in query.all_keys)):
                        element.special.append(NAN)
                    continue
                columns = {k[key * width + column].signed() for key in query.keys if k[key * width + column].kind == "num"}
                is_level = not query.cap and len(columns) == 1
                for at, key in enumerate(query.keys):
                    of_k, of_v, other = found[1][key * width + column], found[2][key * width + column], k[key * width + column]
                    if slope.kind != "num":
                        of_v.special.append(slope)
                    of_v.add(query.shares[at], None if query.is_single else lambda query=query, at=at: [query.rests()[at]],
                             slope.signed() if slope.kind == "num" else 0)
                    base, rest = (0, None) if query.is_lost else query.slope(at)
                    of_q.special += [NAN] * (query.is_lost or other.kind != "num")
                    of_k.special += [NAN] * (query.is_lost or own.kind != "num")
                    of_q.add(0 if is_level else base, None if is_level else rest, scale * other.signed() if other.kind == "num" else 0)
                    of_k.add(base, rest, scale * own.signed() if own.kind == "num" else 0)
        return found

    @classmethod
    def values(cls, group, operands):
        return [[one.value(group["rounding"]) for one in result] for result in cls.elements(group, operands)]

    @classmethod
    def is_near(cls, group, operands):
        """Scores are small, no term of a product is beyond what fp32 holds, and nothing cancels below a 16th."""
        if any(one.kind != "num" or (one.size and not Fraction(1, 1 << 20) < one.size < 1 << 20)
               for at in range(len(operands)) for one in reader(group, operands, at)):
            return False
        for query in cls.queries(group, operands):
            if query.is_bad or any(score.size is None or score.size > 8 for score in query.scores):
                return False
        with mpmath.workprec(200):
            for result, sizes in zip(cls.elements(group, operands), cls.sizes(group, operands)):
                for element, size in zip(result, sizes):
                    value = to_mpf(element.base) + sum(one * to_mpf(factor) for rest, factor in element.rests for one in rest())
                    if size and (abs(value) * 16 < size or abs(value) < mpmath.mpf(2) ** -90):
                        return False
        return True

    @classmethod
    def sizes(cls, group, operands):
        """For each element the sum of the sizes of its terms, for each query p |g|, or p (|D| + the sum of p |D|) times |k| or |q|."""
        q, k, v, g, *_ = (reader(group, operands, at) for at in range(len(operands)))
        width, found = group["parameters"]["shape"][-1], [[mpmath.mpf(0)] * len(one) for one in operands[:3]]
        for query in cls.queries(group, operands):
            if not query.keys:
                continue
            shares = [to_mpf(share) + rest for share, rest in zip(query.shares, query.rests())]
            row = range(query.number * width, (query.number + 1) * width)
            each = [sum(to_mpf(g[at].size * v[key * width + column].size) for column, at in enumerate(row)) for key in query.keys]
            mean = sum(p * one for p, one in zip(shares, each))
            for p, one, key in zip(shares, each, query.keys):
                for column, at in enumerate(row):
                    place = key * width + column
                    found[2][place] += p * to_mpf(g[at].size)
                    if len(query.keys) == 1:  # whose score has no gradient, by det too
                        continue
                    found[0][at] += p * (one + mean) * to_mpf(k[place].size) / mpmath.sqrt(width)
                    found[1][place] += p * (one + mean) * to_mpf(q[at].size) / mpmath.sqrt(width)
        return found
