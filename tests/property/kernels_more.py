"""Kernels of training drawn at random: what a call looks like, and its results from their formulas. Each operation is a class:
  words(random, name)        the command line's words, and the families of inputs
  formats(group)             formats of the operands
  index(random, group, operand)  an element of an operand of integers
  values(group, operands)    for each result its elements, as enclosed.codes_of takes them
  is_near(group, operands)   whether det promises `most` ulp of all of them."""

import math
from fractions import Fraction

import arrays_system
import kernels_model
import mpmath
from arrays_system import cast_to, lines
from counted import FORMATS, INF, NAN, Value, number
from enclosed import Undecided, bound, codes_of, exact, times, to_mpf, total, power as exponential
from lines_model import Line

FAMILIES = ("normal", "uniform", "log_uniform", "cancelling", "outlier", "ascending", "descending", "denormals", "large", "special",
            "shuffled")


def shape_words(shape):
    return ["--shape", "x".join(map(str, shape))]


def fraction(group, name, otherwise="none"):
    """A parameter that is a number of fp32, which the program prints as its code."""
    text = group["parameters"].get(name, otherwise)
    return Fraction(0 if text == "none" else float.fromhex(text))


def reader(group, operands, which):
    """The Values of an operand, cast to the results' format."""
    form = arrays_system.result_formats(group)[0]
    read = {code: cast_to(form, FORMATS[group["format"]].read(code)) for code in set(operands[which])}
    return [read[code] for code in operands[which]]


class CrossEntropy:
    NAMES, most = ("cross_entropy",), "0.55"

    @staticmethod
    def words(random, name):
        shape = [random.choice((1, 2, 3)) for _ in range(random.choice((0, 1, 1, 2)))] + [random.choice((1, 2, 3, 5, 8))]
        random.shuffle(shape)
        chosen = shape_words(shape) + random.choice(([], ["--axis", random.randrange(-len(shape), len(shape))]))
        chosen += random.choice(([], ["--smoothing", random.choice(("0.1", "1", "0x1p-20", "0.5"))]))
        chosen += random.choice(([], ["--reduction", random.choice(("sum", "mean", "none"))]))
        chosen += random.choice(([], [], ["--ignore-index", random.choice((-1, 0, 2))])) + random.choice(([], ["--weighted"]))
        chosen += ["--dtype", random.choice(sorted(FORMATS))] if random.random() < 0.2 else []
        return chosen, FAMILIES + ("minus_infinity",)

    @staticmethod
    def formats(group):
        return [group["format"], "int64"] + [group["format"]] * bool(group["parameters"].get("weighted"))

    @staticmethod
    def weights(group, operands, classes):
        """A fraction for each class; None where it is no number from 0 on."""
        if not group["parameters"].get("weighted"):
            return [Fraction(1)] * classes
        return [one.signed() if one.kind == "num" and one.signed() >= 0 else None for one in reader(group, operands, len(operands) - 1)]

    @staticmethod
    def labels(weights, s, target):
        """What the weights make of the label, of each class; None where one that counts is none."""
        parts = [(s / len(weights) + (1 - s if at == target else 0), w) for at, w in enumerate(weights)]
        return None if weights[target] is None or any(part and w is None for part, w in parts) else [part * (w or 0) for part, w in parts]

    @staticmethod
    def index(random, group, operand):
        classes = group["parameters"]["shape"][group["parameters"].get("axis", -1)]
        return random.choice((int(group["parameters"].get("ignore-index", -100)), -1, classes)) if random.random() < 0.2 else random.randrange(classes)

    @staticmethod
    def losses(group, operands):
        """Of each line (None: left out; a Value; or a fraction, and a factor of the logarithm of a Line that is added), and the weight of
        its target."""
        x, s, given = reader(group, operands, 0), fraction(group, "smoothing"), group["parameters"]
        for places, target in zip(lines(given["shape"], given.get("axis", -1)), operands[1]):
            line, own = Line([x[i] for i in places]), [x[i] for i in places]
            if target == int(given.get("ignore-index", -100)):
                yield None
                continue
            weights = CrossEntropy.weights(group, operands, len(own))
            labels = CrossEntropy.labels(weights, s, target) if 0 <= target < len(own) else None
            if line.bad or not line.finite or labels is None:
                yield Value(NAN), 0
                continue
            lost = [weights[at] for at, one in enumerate(own) if one.kind == INF and (s or at == target)]
            if lost:
                yield Value(INF if all(lost) else NAN), weights[target]
            else:
                rest = sum(label * (line.most - one.signed()) for label, one in zip(labels, own) if label)
                yield (rest, sum(labels), line), weights[target]

    @classmethod
    def values(cls, group, operands):
        how, losses = group["parameters"].get("reduction", "none"), list(cls.losses(group, operands))
        parts = [[one] for one in losses] if how == "none" else [losses]
        return [[cls.joined([one for one in part if one is not None], how == "mean") for part in parts]]

    @staticmethod
    def joined(given, is_mean):
        losses, count = [one for one, _ in given], sum(weight for _, weight in given) if is_mean else 1
        kinds = [one.kind for one in losses if isinstance(one, Value)]
        is_nothing = not kinds and all(len(line.finite) == 1 or not factor for _, factor, line in losses)
        if NAN in kinds or (is_mean and not count and is_nothing):
            return Value(NAN)
        if kinds or not count:
            return Value(INF)
        if is_nothing:
            return number(Fraction(0))

        def value():
            logarithm = mpmath.fsum(to_mpf(factor) * line.log_of_rest() for _, factor, line in losses) / to_mpf(Fraction(count))
            return sum(base for base, _, _ in losses) / count, logarithm, bound(logarithm)
        return value

    @classmethod
    def is_near(cls, group, operands):
        """It is a normal number, and no sum of losses overflows."""
        with mpmath.workprec(200):
            found = [one for one in cls.losses(group, operands) if one is not None]
            sizes = [to_mpf(one[0]) + to_mpf(one[1]) * one[2].log_of_rest() for one, _ in found if isinstance(one, tuple)]
            return cls.has_plain_weights(group, operands) and all(not size or 2.0 ** -80 < size for size in sizes) and sum(sizes) < 2.0 ** 100

    @classmethod
    def has_plain_weights(cls, group, operands):
        """They are 0, or from 2^-20 to 2^20, as det's bound wants them."""
        return all(w is None or not w or Fraction(1, 1 << 20) <= w <= 1 << 20 for w in cls.weights(group, operands, 1))


class CrossEntropyGradient(CrossEntropy):
    NAMES, most = ("cross_entropy_gradient",), "0.55"

    @classmethod
    def words(cls, random, name):
        chosen, families = CrossEntropy.words(random, name)
        at = chosen.index("--reduction") if "--reduction" in chosen else len(chosen)
        return chosen[:at] + chosen[at + 2:], families

    @staticmethod
    def formats(group):
        return [group["format"], "int64", group["format"]] + [group["format"]] * bool(group["parameters"].get("weighted"))

    @staticmethod
    def slopes(group, operands):
        """Of each element its place, g, what the gradient over g has as a fraction, and what is added to it: None, or a function. Of
        lines without a gradient the place and a Value."""
        x, s, given, gradients = reader(group, operands, 0), fraction(group, "smoothing"), group["parameters"], reader(group, operands, 2)
        for places, target, g in zip(lines(given["shape"], given.get("axis", -1)), operands[1], gradients):
            line, weights = Line([x[i] for i in places]), CrossEntropy.weights(group, operands, len(places))
            labels = CrossEntropy.labels(weights, s, target) if 0 <= target < len(places) else None
            for at, place in enumerate(places):
                if target == int(given.get("ignore-index", -100)):
                    yield place, number(Fraction(0))
                elif line.bad or not line.finite or labels is None:
                    yield place, Value(NAN)
                elif x[place].kind == INF or line.equal() or not any(labels):
                    yield place, (g, (0 if x[place].kind == INF else sum(labels) / len(line.finite)) - labels[at], None)
                else:
                    yield place, (g, -labels[at], lambda line=line, one=x[place].signed(), all=sum(labels): CrossEntropyGradient.share(line, one, all))

    @staticmethod
    def share(line, x, factor):
        more, rest = line.share(x)
        return factor * more, to_mpf(factor) * rest

    @classmethod
    def values(cls, group, operands):
        found = {place: one if isinstance(one, Value) else cls.value(*one, group["rounding"]) for place, one in cls.slopes(group, operands)}
        return [[found[place] for place in sorted(found)]]

    @staticmethod
    def value(g, whole, share, rounding):
        if share is None:
            if not whole:
                return Value(NAN) if g.kind != "num" else Value("num", rounding == "down")
            return times(g, number(whole))
        if g.kind != "num" or not g.size:
            for precision in (200, 2000, 8000):
                with mpmath.workprec(precision):
                    more, rest = share()
                    if whole + more or abs(rest) > mpmath.ldexp(1, 40 - precision):
                        sign = to_mpf(whole + more) + rest
                        if abs(sign) > mpmath.ldexp(1, 60 - precision) or whole + more == 0:
                            return times(g, number(-1 if sign < 0 else 1))
            raise Undecided

        def value():
            more, rest = share()
            rest *= to_mpf(g.signed())
            return g.signed() * (whole + more), rest, bound(rest)
        return value

    @classmethod
    def is_near(cls, group, operands):
        """What is taken away leaves 2^-8, and results are normal numbers; or there is no smoothing."""
        if not cls.has_plain_weights(group, operands):
            return False
        with mpmath.workprec(400):
            for _, one in cls.slopes(group, operands):
                if isinstance(one, Value) or one[0].kind != "num" or not one[0].size:
                    continue
                g, whole, share = one
                more, rest = share() if share else (Fraction(0), mpmath.mpf(0))
                size = abs(to_mpf(whole + more) + rest)
                if not size:
                    continue
                if not 2.0 ** -100 < size * to_mpf(g.size) < 2.0 ** 120 or size < 2.0 ** -100 or (
                        fraction(group, "smoothing") and size * 256 < abs(to_mpf(whole))):
                    return False
        return True


def is_normal(size):
    """Whether det's parts lose nothing on the way to it."""
    return not size or Fraction(1, 1 << 100) < size < Fraction(1 << 120)


def norm_lines(group):
    """The lines of a norm: places in the array, and of each the place of its weight."""
    shape, name = group["parameters"]["shape"], group["operation"]
    if not name.startswith(("group", "batch")):
        return [(places, range(len(places))) for places in lines(shape, group["parameters"].get("axis", -1))]
    channels, spots = shape[1], math.prod(shape[2:])

    def line(samples, own):
        return ([(n * channels + c) * spots + s for n in samples for c in own for s in range(spots)],
                [c for _ in samples for c in own for _ in range(spots)])
    if name.startswith("batch"):
        return [line(range(shape[0]), [c]) for c in range(channels)]
    each = channels // int(group["parameters"].get("groups", 1))
    return [line([n], range(c, c + each)) for n in range(shape[0]) for c in range(0, channels, each)]


def norm_words(random, name):
    """The shape of a norm, its lines and its epsilon."""
    shape = [random.choice((1, 2, 3, 4, 7)) for _ in range(random.choice((1, 1, 2)))]
    if name.startswith(("group", "batch")):
        groups, each = random.choice((1, 2)), random.choice((1, 2))
        shape = [random.choice((1, 2)), groups * each, *[random.choice((1, 2, 3)) for _ in range(random.choice((0, 1)))]]
        chosen = shape_words(shape) + ["--groups", groups] * name.startswith("group")
    else:
        chosen = shape_words(shape) + random.choice(([], ["--axis", random.randrange(-len(shape), len(shape))]))
    chosen += random.choice(([], ["--epsilon", random.choice(("none", "1e-6", "0x1p-40", "3"))]))
    return chosen + (["--dtype", random.choice(sorted(FORMATS))] if random.random() < 0.2 else [])


class NormGradient:
    NAMES = tuple(f"{which}_norm_gradient" for which in ("rms", "layer", "l2", "group", "batch"))
    most = "0.51"

    @staticmethod
    def words(random, name):
        return norm_words(random, name) + random.choice(([], ["--affine", "weight"])), FAMILIES + ("offset",)

    @staticmethod
    def formats(group):
        return [group["format"]] * (3 if group["parameters"].get("affine", "none") != "none" else 2)

    @staticmethod
    def slopes(group, operands):
        """Of each element its place, what stands above the root of a fraction, and the fraction; None where there is no number; and
        sizes of what is added."""
        read, epsilon = [reader(group, operands, i) for i in range(len(operands))], fraction(group, "epsilon")
        centred, is_l2 = not group["operation"].startswith(("rms", "l2")), group["operation"].startswith("l2")
        for places, at in norm_lines(group):
            line = [[one[i] for i in places] for one in read[:2]] + [[read[2][i] if len(read) > 2 else number(1) for i in at]]
            if any(one.kind != "num" for part in line for one in part):
                yield from ((place, None) for place in places)
                continue
            n, x, a = len(places), [one.signed() for one in line[0]], [g.signed() * w.signed() for g, w in zip(*line[1:])]
            mean = sum(x) / n if centred else Fraction(0)
            of_a = sum(a) / n if centred else Fraction(0)
            squares, count = sum((one - mean) ** 2 for one in x), 1 if is_l2 else n
            variance = max(squares, epsilon ** 2) if is_l2 else squares / n + epsilon
            if not variance:
                yield from ((place, None) for place in places)
                continue
            taken = 0 if is_l2 and squares <= epsilon ** 2 else Fraction(1, count) / variance
            share = sum(one * (own - mean) for one, own in zip(a, x)) * taken
            size_of_share = sum(abs(one * (own - mean)) for one, own in zip(a, x)) * taken
            for place, one, own in zip(places, a, x):
                sizes = abs(one) + (sum(map(abs, a)) / n if centred else 0) + abs(own - mean) * size_of_share
                yield place, (one - of_a - (own - mean) * share, variance, sizes, max(map(abs, x)), [abs(each) for part in line[1:] for each in
                                                                                                   (v.signed() for v in part)] + [abs(v) for v in a])

    @classmethod
    def values(cls, group, operands):
        found = {place: Value(NAN) if one is None else cls.value(one[0], one[1], group["rounding"]) for place, one in cls.slopes(group, operands)}
        return [[found[place] for place in sorted(found)]]

    @staticmethod
    def value(above, variance, rounding):
        root = kernels_model.root_of(above * above / variance)
        if root is not None:
            return number(root if above > 0 else -root, rounding == "down")

        def value():
            part = mpmath.sqrt(to_mpf(above * above / variance))
            return Fraction(0), part if above > 0 else -part, bound(part)
        return value

    @classmethod
    def is_near(cls, group, operands):
        for _, one in cls.slopes(group, operands):
            if one is None or not one[2]:
                continue
            above, variance, sizes, largest, parts = one
            if abs(above) * 1024 < sizes or largest * largest > variance * 65536 or not all(is_normal(part) for part in parts):
                return False
            if not Fraction(1, 1 << 200) < above * above / variance < 1 << 240 or not largest > Fraction(1, 1 << 60):
                return False
        return True


class NormWeights:
    """Sums over lines of g x^, which are fractions times roots of fractions: (c, q) stands for c / q^(1/2)."""

    NAMES, most = tuple(f"{which}_norm_weight_gradient" for which in ("rms", "layer", "l2", "group", "batch")), "0.51"

    @staticmethod
    def words(random, name):
        return norm_words(random, name), FAMILIES + ("offset",)

    @staticmethod
    def formats(group):
        return [group["format"]] * 2

    @staticmethod
    def sums(group, operands):
        """For each weight whether it is NaN, what is infinite, the terms (c, q), and of its bias the terms."""
        x, g = (reader(group, operands, i) for i in range(2))
        epsilon, name, found = fraction(group, "epsilon"), group["operation"], {}
        for places, at in norm_lines(group):
            own = [x[i] for i in places]
            is_lost = any(one.kind != "num" for one in own)
            sizes = [one.signed() if one.kind == "num" else Fraction(0) for one in own]
            n = len(own)
            mean = Fraction(0) if name.startswith(("rms", "l2")) else sum(sizes) / n
            squares = sum((one - mean) ** 2 for one in sizes)
            below = max(squares, epsilon ** 2) if name.startswith("l2") else squares / n + epsilon
            for i, weight, one in zip(places, at, sizes):
                terms = found.setdefault(weight, ([], [], []))
                terms[2].append(g[i])
                if is_lost or not below or g[i].kind != "num":
                    lost = is_lost or not below or one == mean
                    terms[0].append(math.nan if lost else special_of(g[i]) if one > mean else -special_of(g[i]))
                elif g[i].size and one != mean:
                    terms[1].append((g[i].signed() * (one - mean), below))
        return [found[weight] for weight in sorted(found)]

    @classmethod
    def values(cls, group, operands):
        weights, biases, rounding = [], [], group["rounding"]
        for odd, terms, slopes in cls.sums(group, operands):
            biases.append(cls.zeroed(value_of(sum(special_of(one) for one in slopes), slopes, rounding), rounding))
            weights.append(Value(NAN) if any(map(math.isnan, odd)) or math.isnan(sum(odd)) else Value(INF, sum(odd) < 0) if odd else
                           cls.value(terms, rounding))
        return [weights, biases]

    @staticmethod
    def zeroed(value, rounding):
        return Value("num", rounding == "down") if isinstance(value, Value) and value.kind == "num" and value.is_zero() else value

    @staticmethod
    def value(terms, rounding):
        joined = []
        for c, q in terms:
            for k, (other, below) in enumerate(joined):
                root = kernels_model.root_of(q / below)
                if root is not None:
                    joined[k] = (other + c / root, below)
                    break
            else:
                joined.append((c, q))
        joined = [(c, q) for c, q in joined if c]
        roots = [kernels_model.root_of(q) for _, q in joined]
        whole = sum((c / root for (c, _), root in zip(joined, roots) if root is not None), Fraction(0))
        rest = [one for one, root in zip(joined, roots) if root is None]
        if not rest:
            return number(whole, rounding == "down")

        def value():
            parts = [to_mpf(c) / mpmath.sqrt(to_mpf(q)) for c, q in rest]
            return whole, mpmath.fsum(parts), mpmath.fsum(bound(part) for part in parts)
        return value

    @classmethod
    def is_near(cls, group, operands):
        x, g = (reader(group, operands, i) for i in range(2))
        sizes = [[one.size for one in part if one.kind == "num" and one.size] for part in (x, g)]
        if any(part and (max(part) > min(part) * 2 ** 40 or not is_normal(max(part)) or not is_normal(min(part))) for part in sizes):
            return False
        for odd, terms, slopes in cls.sums(group, operands):
            if not is_near_sum(slopes, 1, 16):
                return False
            with mpmath.workprec(400):
                parts = [to_mpf(c) / mpmath.sqrt(to_mpf(q)) for c, q in terms]
                whole = abs(mpmath.fsum(parts))
                if odd or (parts and (whole * 256 < mpmath.fsum(map(abs, parts)) or not 2.0 ** -100 < whole < 2.0 ** 120)):
                    return False
            for places, _ in norm_lines(group):  # nothing cancels in a deviation
                own = [x[i].signed() for i in places if x[i].kind == "num"]
                mean = sum(own) / max(len(own), 1)
                if not group["operation"].startswith(("rms", "l2")) and any(0 < abs(one - mean) * 4096 < max(map(abs, own)) for one in own):
                    return False
        return True


class GateGradient:
    """dx = g u f'(x) and du = g f(x), of two arrays or of halves of lines."""

    NAMES, most = ("silu_mul_gradient", "gelu_mul_gradient", "swiglu_gradient", "geglu_gradient"), "0.8"

    @staticmethod
    def words(random, name):
        chosen = ["--approximate", random.choice(("none", "tanh"))] * (name[0] == "g" and random.random() < 0.7)
        shape = [random.choice((1, 2, 3, 5)) for _ in range(random.choice((1, 1, 2)))]
        if not name.endswith("mul_gradient"):
            axis = random.randrange(-len(shape), len(shape))
            shape[axis] *= 2
            chosen += ["--axis", axis] + ["--reverse"] * (random.random() < 0.5)
        return chosen + shape_words(shape) + (["--dtype", random.choice(sorted(FORMATS))] if random.random() < 0.2 else []), FAMILIES

    @staticmethod
    def formats(group):
        return [group["format"]] * (3 if "mul" in group["operation"] else 2)

    @staticmethod
    def places(group, count):
        """For each element of g where x and u are."""
        if "mul" in group["operation"]:
            return [(i, i) for i in range(count)]
        shape, axis = list(group["parameters"]["shape"]), group["parameters"].get("axis", -1)
        halved = list(shape)
        halved[axis] //= 2
        found = {}
        for whole, half in zip(lines(shape, axis), lines(halved, axis)):
            parts = whole[:len(half)], whole[len(half):]
            found.update(zip(half, zip(*(parts[::-1] if group["parameters"].get("reverse") else parts))))
        return [found[i] for i in range(count)]

    @staticmethod
    def which(group):
        return "silu" if group["operation"].startswith("s") else {"tanh": "gelu_tanh"}.get(group["parameters"].get("approximate"), "gelu")

    @staticmethod
    def slope(which, x):
        """f'(-|x|), of more bits than mpmath works with where it cancels."""
        y = abs(to_mpf(x))
        if y > 8000 or which != "silu" and y > 100:
            return mpmath.ldexp(-1, -6500)
        with mpmath.extraprec(80):
            if which == "gelu":
                return mpmath.erfc(y / mpmath.sqrt(2)) / 2 - y * mpmath.exp(-y * y / 2) / mpmath.sqrt(2 * mpmath.pi)
            w, v = y, y
            if which == "gelu_tanh":
                root, cube = mpmath.sqrt(8 / mpmath.pi), mpmath.mpf(44715) / 10 ** 6 * y ** 3
                w, v = root * (y + cube), root * (y + 3 * cube)
            e = mpmath.exp(-w)
            return e * (1 + e - v) / (1 + e) ** 2

    @classmethod
    def product(cls, which, x, u, g, rounding):
        if x.kind == NAN or u.kind == NAN or g.kind == NAN:
            return Value(NAN)
        if x.kind == INF:
            return times(times(g, u), Value("num", True) if x.negative else number(1))
        if x.is_zero():
            return times(times(g, u), number(Fraction(1, 2)))
        sign, one = number(1), x.signed()
        if one < 0:
            with mpmath.workprec(4000 if one > -100 else 60):
                sign = number(-1 if one < -2 or cls.slope(which, one) < 0 else 1)
        if g.kind != "num" or u.kind != "num" or not g.size or not u.size:
            return times(times(g, u), sign)
        factor = g.signed() * u.signed()

        def value():
            part = cls.slope(which, one) * to_mpf(factor)
            if one > 0:
                part = -part
            return factor if one > 0 else Fraction(0), part, bound(part)
        return value

    @classmethod
    def values(cls, group, operands):
        read = [reader(group, operands, i) for i in range(len(operands))]
        which, g, rounding = cls.which(group), read[-1], group["rounding"]
        of_x, of_u, packed = {}, {}, len(operands) == 2
        for i, (at, other) in enumerate(cls.places(group, len(g))):
            x, u = read[0][at], read[0 if packed else 1][other]
            of_x[at] = cls.product(which, x, u, g[i], rounding)
            (of_x if packed else of_u)[other] = kernels_model.gate(which, x, g[i])
        return [[found[i] for i in sorted(found)] for found in (of_x, of_u) if found]

    @classmethod
    def is_near(cls, group, operands):
        """f' is not near its zero, and it and the product are normal numbers."""
        read = [reader(group, operands, i) for i in range(len(operands))]
        which, g = cls.which(group), read[-1]
        for i, (at, other) in enumerate(cls.places(group, len(g))):
            x, u = read[0][at], read[0 if len(operands) == 2 else 1][other]
            if not kernels_model.is_near_gate(which, x, g[i]):
                return False
            if x.kind == "num" and u.kind == "num" and g[i].kind == "num" and u.size and g[i].size:
                if x.signed() < -9:
                    return False
                with mpmath.workprec(100):
                    size = abs(cls.slope(which, x.signed()) if x.signed() <= 0 else 1)
                    if size < 1 / 32 and x.signed() > -2.5 and x.signed() < 0 or not 2.0 ** -100 < size * to_mpf(u.size * g[i].size) < 2.0 ** 126:
                        return False
        return True


class SoftmaxGradient:
    """p[i] (g[i] - the sum of g p), as a fraction where all x are equal, and 0 where all g of equal x are g[i] on the mean."""

    NAMES, most = ("softmax_gradient",), "0.56"

    @staticmethod
    def words(random, name):
        shape = [random.choice((1, 2, 3, 4, 7)) for _ in range(random.choice((1, 1, 2)))]
        chosen = shape_words(shape) + random.choice(([], ["--axis", random.randrange(-len(shape), len(shape))]))
        return chosen + (["--dtype", random.choice(sorted(FORMATS))] if random.random() < 0.2 else []), FAMILIES + ("minus_infinity",)

    @staticmethod
    def formats(group):
        return [group["format"]] * 2

    @staticmethod
    def elements(group, operands):
        """For each element its place and a Value, or x, g and the line: [(x, how many, sum of g)] from the largest x down."""
        x, g = (reader(group, operands, i) for i in range(2))
        for places in lines(group["parameters"]["shape"], group["parameters"].get("axis", -1)):
            own = [x[i] for i in places]
            bad = any(one.kind == NAN or (one.kind == INF and not one.negative) for one in own) or all(one.kind == INF for one in own) or any(
                g[i].kind != "num" for i in places)
            powers = {}
            for i in places:
                if not bad and x[i].kind == "num":
                    count, whole = powers.get(x[i].signed(), (0, Fraction(0)))
                    powers[x[i].signed()] = count + 1, whole + g[i].signed()
            for i in places:
                yield i, (Value(NAN) if bad else number(Fraction(0)) if x[i].kind == INF else (x[i].signed(), g[i].signed(), powers))

    @staticmethod
    def value(one, own, powers, rounding):
        differences = {x: count * own - whole for x, (count, whole) in powers.items()}
        if not any(differences.values()):
            return Value("num", rounding == "down")
        if len(powers) == 1:
            return number(differences[one] / powers[one][0] ** 2, rounding == "down")
        most = max(powers)
        n, above = powers[most][0], differences[most]

        def value():
            with mpmath.extraprec(200):
                power = {x: exponential(x - most) for x in powers if x != most}
                t = mpmath.fsum(power[x] * powers[x][0] for x in power)
                if one != most:
                    part = power[one] * (to_mpf(above) + mpmath.fsum(power[x] * to_mpf(differences[x]) for x in power)) / (n + t) ** 2
                    return Fraction(0), part, bound(part)
                part = mpmath.fsum(power[x] * to_mpf(n * n * differences[x] - 2 * n * above * powers[x][0]) for x in power) - to_mpf(above) * t * t
                part /= (n * (n + t)) ** 2
                return above / n ** 2, part, bound(part)
        return value

    @classmethod
    def values(cls, group, operands):
        found = {place: one if isinstance(one, Value) else cls.value(*one, group["rounding"]) for place, one in cls.elements(group, operands)}
        return [[found[place] for place in sorted(found)]]

    @classmethod
    def is_near(cls, group, operands):
        """Shares are not too small, differences do not cancel, and g are near each other."""
        for _, one in cls.elements(group, operands):
            if isinstance(one, Value):
                continue
            x, own, powers = one
            if max(powers) - x > 50 or any(size and not is_normal(size) for size in [abs(own), *(abs(whole) for _, whole in powers.values())]):
                return False
            with mpmath.workprec(400):
                power = {each: mpmath.exp(to_mpf(each - max(powers))) for each in powers}
                sizes = mpmath.fsum(power[each] * abs(to_mpf(count * own)) + power[each] * abs(to_mpf(whole)) for each, (count, whole) in powers.items())
                rest = abs(mpmath.fsum(power[each] * to_mpf(count * own - whole) for each, (count, whole) in powers.items()))
                if rest * 256 < sizes or (rest and not 2.0 ** -60 < abs(to_mpf(own)) < 2.0 ** 100):
                    return False
        return True


class EmbeddingBag:
    NAMES, most = ("embedding_bag", "embedding_bag_offsets"), "0.51"

    @staticmethod
    def words(random, name):
        mode = random.choice(("sum", "mean", "max"))
        chosen = shape_words([random.choice((1, 2, 3)), random.choice((1, 2, 3, 6)), random.choice((1, 2, 4)), random.choice((1, 2, 3))])
        chosen += ["--mode", mode] + ["--weighted"] * (mode == "sum" and random.random() < 0.5)
        chosen += random.choice(([], ["--padding-index", random.choice((-1, 0, 1))]))
        return chosen + (["--dtype", random.choice(sorted(FORMATS))] if random.random() < 0.2 else []), FAMILIES

    @classmethod
    def names(cls, group):
        """What each operand is."""
        return ["table", "index", *["offset"] * ("offsets" in group["operation"]), *["weight"] * bool(group["parameters"].get("weighted"))]

    @classmethod
    def formats(cls, group):
        return ["int64" if name in ("index", "offset") else group["format"] for name in cls.names(group)]

    @classmethod
    def index(cls, random, group, operand):
        bags, length, rows, _ = group["parameters"]["shape"]
        if cls.names(group)[operand] == "offset":
            return random.randint(0, bags * length)
        return random.choice((int(group["parameters"].get("padding-index", 0)), -1, rows)) if random.random() < 0.1 else random.randrange(rows)

    @classmethod
    def settled(cls, group, operand, codes):
        """Offsets begin at 0 and never fall."""
        return [0, *sorted(codes[1:])] if cls.names(group)[operand] == "offset" else codes

    @staticmethod
    def kept(given, indices, offsets):
        """For each bag where its indices lie that are no padding."""
        bags, length = given["shape"][:2]
        starts = [*(offsets or range(0, bags * length, length)), bags * length]
        return [[at for at in range(first, last) if "padding-index" not in given or indices[at] != int(given["padding-index"])]
                for first, last in zip(starts, starts[1:])]

    @classmethod
    def bags(cls, group, operands):
        """For each element the terms of its sum; None where an index is no row."""
        given = group["parameters"]
        rows, width = given["shape"][2:]
        found = {name: operands[at] if name in ("index", "offset") else reader(group, operands, at) for at, name in enumerate(cls.names(group))}
        for kept in cls.kept(given, found["index"], found.get("offset")):
            for column in range(width):
                if any(not 0 <= found["index"][at] < rows for at in kept):
                    yield None
                    continue
                own = [(found["table"][found["index"][at] * width + column], at) for at in kept]
                yield [times(x, found["weight"][at]) if "weight" in found else x for x, at in own]

    @classmethod
    def values(cls, group, operands):
        return [[cls.pooled(group["parameters"].get("mode", "mean"), terms, group["rounding"]) for terms in cls.bags(group, operands)]]

    @staticmethod
    def pooled(mode, terms, rounding):
        if terms is None:
            return Value(NAN)
        if not terms:
            return number(Fraction(0))
        if mode != "max":
            return total(terms, rounding, len(terms) if mode == "mean" else 1)
        if any(one.kind == NAN for one in terms):
            return Value(NAN)
        return max(terms, key=lambda one: ((-1 if one.negative else 1) * (one.kind == INF), one.signed(), not one.negative))

    @classmethod
    def is_near(cls, group, operands):
        return all(is_near_sum(terms, len(terms) if group["parameters"].get("mode", "mean") == "mean" else 1)
                   for terms in cls.bags(group, operands) if terms)


def is_near_sum(terms, count=1, least=20):
    """Whether numbers do not cancel below 2^-least of their sizes, and the sum and its quotient are normal numbers."""
    numbers = [one for one in terms if one.kind == "num"]
    sizes, whole = sum(one.size for one in numbers), abs(sum(one.signed() for one in numbers))
    if sizes >= 1 << 120 or len(numbers) < len(terms):
        return sizes < 1 << 120
    return not sizes or (is_normal(sizes) and whole * (1 << least) > sizes and is_normal(whole / count) and all(is_normal(one.size) for one in terms))


class Windows:
    """What pools and convolutions have in common: where the taps of windows lie along an axis."""

    @staticmethod
    def along(extent, taps, stride, padding, dilation, ceil):
        """For each window the places of its taps, counted without the padding, and how many of it the padded axis has."""
        starts = range(-padding, extent + padding if not ceil else extent, stride)
        reach = (taps - 1) * dilation
        # Those that fit, or with ceil reach beyond the end by less than the stride.
        starts = [at for at in starts if at + reach < extent + padding + (stride - 1 if ceil else 0)]
        return [([at + tap * dilation for tap in range(taps)], min(at + reach + 1, extent + padding) - at) for at in starts]

    @classmethod
    def planes(cls, extents, axes):
        """For each window its taps as places in a plane (None: padding), and the product of the counts."""
        found = [([0], 1)]
        for extent, windows in zip(extents, axes):
            found = [([None if at is None or not 0 <= place < extent else at * extent + place for at in places for place in own], many * count)
                     for places, many in found for own, count in windows]
        return found


class AveragePool(Windows):
    NAMES, most = ("average_pool",), "0.51"

    @staticmethod
    def words(random, name):
        shape = [random.choice((1, 2)), random.choice((1, 2)), *(random.choice((2, 3, 5)) for _ in range(random.choice((1, 1, 2))))]
        ceil, stride = random.random() < 0.5, random.choice((None, None, None, 1, 2, 3))
        window = random.randint(1, min(shape[2:]) + (ceil and stride != 1))
        chosen = shape_words(shape) + ["--window", window, "--padding", random.randrange(window)]
        chosen += (["--stride", stride] if stride else []) + ["--ceil-mode"] * ceil + ["--count-include-pad"] * (random.random() < 0.5)
        return chosen + (["--dtype", random.choice(sorted(FORMATS))] if random.random() < 0.2 else []), FAMILIES

    @staticmethod
    def formats(group):
        return [group["format"]]

    @classmethod
    def windows_of(cls, given):
        taps = int(given.get("window", 2))
        axes = [cls.along(extent, taps, int(given.get("stride", taps)), int(given.get("padding", 0)), 1, given.get("ceil-mode"))
                for extent in given["shape"][2:]]
        return cls.planes(given["shape"][2:], axes)

    @classmethod
    def pools(cls, group, operands):
        """For each element the elements of its window, and by how many they are divided."""
        given, x = group["parameters"], reader(group, operands, 0)
        shape = given["shape"]
        spots = len(x) // (shape[0] * shape[1])
        for plane in range(shape[0] * shape[1]):
            for places, many in cls.windows_of(given):
                there = [x[plane * spots + at] for at in places if at is not None]
                yield there, many if given.get("count-include-pad") else len(there)

    @classmethod
    def values(cls, group, operands):
        return [[total(terms, group["rounding"], count) for terms, count in cls.pools(group, operands)]]

    @classmethod
    def is_near(cls, group, operands):
        return all(is_near_sum(terms, count) for terms, count in cls.pools(group, operands))


class Convolution(Windows):
    NAMES, most, least = ("convolution",), "0.51", 8

    @staticmethod
    def words(random, name):
        groups, each, outputs = random.choice(((1, 1, 1), (1, 2, 3), (2, 1, 2), (2, 2, 4), (3, 1, 3)))
        axes = [random.choice((2, 3, 5)) for _ in range(random.choice((1, 1, 2)))]
        taps = [random.randint(1, min(extent, 3)) for extent in axes]
        chosen = shape_words([random.choice((1, 2)), groups * each, *axes]) + ["--second-shape", "x".join(map(str, [outputs, each, *taps]))]
        chosen += ["--groups", groups] * (groups > 1) + random.choice(([], ["--stride", 2])) + random.choice(([], ["--affine", "bias"]))
        if random.random() < 0.5:
            dilation = random.choice((1, 2))
            chosen += ["--dilation", dilation, "--padding", random.choice((1, 2)) * dilation]
        return chosen + (["--dtype", random.choice(sorted(FORMATS))] if random.random() < 0.2 else []), FAMILIES

    @staticmethod
    def formats(group):
        return [group["format"]] * (3 if group["parameters"].get("affine") == "bias" else 2)

    @classmethod
    def windows_of(cls, given):
        extents, taps = given["shape"][2:], given["second-shape"][2:]
        return cls.planes(extents, [cls.along(extent, own, int(given.get("stride", 1)), int(given.get("padding", 0)),
                                              int(given.get("dilation", 1)), False) for extent, own in zip(extents, taps)])

    @classmethod
    def sums(cls, group, operands):
        """The terms of each element; padding is zeros."""
        given, x, weights = group["parameters"], reader(group, operands, 0), reader(group, operands, 1)
        biases = reader(group, operands, 2) if len(operands) > 2 else None
        shape, groups = given["shape"], int(given.get("groups", 1))
        outputs, each = given["second-shape"][:2]
        spots, windows = len(x) // (shape[0] * shape[1]), cls.windows_of(given)
        for sample in range(shape[0]):
            for output in range(outputs):
                for places, _ in windows:
                    terms = []
                    for channel in range(each):
                        plane = sample * shape[1] + output // (outputs // groups) * each + channel
                        own = weights[(output * each + channel) * len(places):][:len(places)]
                        terms += [times(number(Fraction(0)) if at is None else x[plane * spots + at], w) for at, w in zip(places, own)]
                    yield terms + ([biases[output]] if biases else [])

    @classmethod
    def values(cls, group, operands):
        return [[total(terms, group["rounding"]) for terms in cls.sums(group, operands)]]

    @classmethod
    def is_near(cls, group, operands):
        return all(is_near_sum(terms, 1, cls.least) for terms in cls.sums(group, operands))


def special_of(x):
    """What an infinity or a NaN is as a float, and 0 of a number."""
    return math.nan if x.kind == NAN else 0.0 if x.kind != INF else -math.inf if x.negative else math.inf


def value_of(far, terms, rounding):
    """A sum of Values that are numbers, unless what is infinite or NaN decides."""
    if far:
        return Value(NAN) if math.isnan(far) else Value(INF, far < 0)
    return total([one if one.kind == "num" else number(Fraction(0)) for one in terms], rounding)


def rates_words(random):
    chosen = ["--learning-rate", random.choice(("0.001", "1", "0.5", "0x1p-10"))]
    return chosen + random.choice(([], ["--weight-decay", random.choice(("0.01", "0.5", "0x1p-8"))]))


class Sgd:
    NAMES, most = ("sgd",), "0.51"

    @staticmethod
    def words(random, name):
        chosen = shape_words([random.choice((1, 2, 3, 4, 7)) for _ in range(random.choice((1, 1, 2)))]) + rates_words(random)
        if random.random() < 0.7:
            chosen += ["--momentum", random.choice(("0.9", "0.5", "1"))] + ["--nesterov"] * (random.random() < 0.4)
            chosen += random.choice(([], ["--dampening", random.choice(("0.5", "1", "0.1"))])) + random.choice(([], [], ["--step", random.choice((1, 2, 9))]))
        return chosen + (["--dtype", random.choice(sorted(FORMATS))] if random.random() < 0.2 else []), FAMILIES

    @staticmethod
    def has_velocity(group):
        return group["parameters"].get("momentum", "none") != "none" and int(group["parameters"].get("step", 2)) > 1

    @classmethod
    def formats(cls, group):
        return [group["format"]] * (2 + cls.has_velocity(group))

    @classmethod
    def steps(cls, group, operands):
        """Of each element what is infinite or NaN, and the terms, of the parameter and of the velocity."""
        rate, momentum, dampening, decay = (number(fraction(group, name)) for name in ("learning-rate", "momentum", "dampening", "weight-decay"))
        rest, given = number(1 - dampening.size), group["parameters"]
        read = [reader(group, operands, i) for i in range(len(operands))]
        for i, (p, g) in enumerate(zip(*read[:2])):
            slope = [g] + ([times(decay, p)] if decay.size else [])
            velocity = slope if not cls.has_velocity(group) else [times(rest, one) for one in slope if rest.size] + [times(momentum, read[2][i])]
            way = slope + [times(momentum, one) for one in velocity] if given.get("nesterov") else velocity
            far = [sum(special_of(one) for one in part) for part in (slope, velocity)]
            if cls.has_velocity(group) and not rest.size and far[0]:
                far[1] = math.nan
            taken = sum(far) if given.get("nesterov") else far[1]
            yield ((special_of(p) - taken, [p] + [times(number(-rate.size), one) for one in way]), (far[1], velocity))

    @classmethod
    def values(cls, group, operands):
        return [list(one) for one in zip(*([value_of(*part, group["rounding"]) for part in one] for one in cls.steps(group, operands)))]

    @classmethod
    def is_near(cls, group, operands):
        return all(far or is_near_sum(terms, 1, 16) for one in cls.steps(group, operands) for far, terms in one)


class Adam:
    NAMES, most = ("adam", "adamw"), "0.51"

    @staticmethod
    def words(random, name):
        chosen = shape_words([random.choice((1, 2, 3, 4)) for _ in range(random.choice((1, 1, 2)))]) + rates_words(random)
        for name, values in (("beta1", ("0.5", "0.875", "none", "0.95")), ("beta2", ("0.75", "none", "0.96875")),
                             ("epsilon", ("none", "0x1p-20", "1")), ("step", (2, 3, 10, 1000, 10 ** 6))):
            chosen += random.choice(([], [f"--{name}", random.choice(values)]))
        return chosen + (["--dtype", random.choice(sorted(FORMATS))] if random.random() < 0.2 else []), FAMILIES

    @staticmethod
    def formats(group):
        return [group["format"]] * 4

    @staticmethod
    def elements(group, operands):
        """Of each element the Values of the step, and the terms of what comes of it."""
        decay, beta1, beta2, rate = (fraction(group, name, other) for name, other in (
            ("weight-decay", "none"), ("beta1", "none"), ("beta2", "none"), ("learning-rate", "none")))
        for p, g, m, v in zip(*(reader(group, operands, i) for i in range(4))):
            is_adam = group["operation"] == "adam"
            slope = [g] + ([times(number(decay), p)] if decay and is_adam else [])
            mean = [times(number(1 - beta1), one) for one in slope] + ([times(number(beta1), m)] if beta1 else [])
            far = sum(special_of(one) for one in slope)
            whole = sum((one.signed() for one in slope if one.kind == "num"), Fraction(0))
            square = [number(whole * whole * (1 - beta2))] + ([times(number(beta2), v)] if beta2 else [])
            fars = [sum(special_of(one) for one in mean), far * far + sum(special_of(one) for one in square)]
            base = times(number(1 - rate * decay), p) if decay and not is_adam else p
            yield base, mean, square, fars, slope

    @classmethod
    def values(cls, group, operands):
        found = [[], [], []]
        for base, mean, square, fars, _ in cls.elements(group, operands):
            for place, value in enumerate((cls.parameter(group, base, mean, square, fars), value_of(fars[0], mean, group["rounding"]),
                                           value_of(fars[1], square, group["rounding"]))):
                found[place].append(value)
        return found

    @staticmethod
    def parameter(group, base, mean, square, fars):
        rounding, step = group["rounding"], int(group["parameters"].get("step", 1))
        epsilon, rate = fraction(group, "epsilon"), fraction(group, "learning-rate")
        m, v = (sum((one.signed() for one in part if one.kind == "num"), Fraction(0)) for part in (mean, square))
        corrections = fraction(group, "beta1"), fraction(group, "beta2")
        below_zero = not fars[1] and not v and not epsilon
        if any(math.isnan(one) for one in fars) or fars[1] < 0 or (not fars[1] and v < 0) or (fars[0] and fars[1]) or (
                below_zero and not m and not fars[0]) or base.kind == NAN:
            return Value(NAN)
        if fars[0] or below_zero:
            return total([base, Value(INF, not (fars[0] or m) < 0)], rounding)
        if base.kind == INF:
            return base
        if not m:
            zeros = [Value("num", not one.negative) for one in mean if one.is_zero()] if all(one.is_zero() for one in mean) else [
                Value("num"), Value("num", True)]
            return total([base, *zeros], rounding)
        if fars[1]:
            return total([base, Value("num", m > 0)], rounding)
        if step < 20:
            first, second = (1 - one ** step for one in corrections)
            root = kernels_model.root_of(v / second)
            if root is not None:
                return number(base.signed() - rate * m / first / (root + epsilon), rounding == "down")

        root = kernels_model.root_of(v)
        if root is not None and all(one ** 64 < Fraction(1, 1 << (1 + 64 * 16000 // step)) for one in corrections[:2 if v else 1]):
            # Powers below 2^-16000 move a fraction up or down, a mean's towards what is taken, a square's the other way.
            first, second = corrections
            more = first >= second or not v
            exactly = base.signed() - rate * m / (root + epsilon)
            trifle = -1 if (m > 0) == more else 1
            return number(exactly) if not (first or (second and v)) else Value("num", exactly < 0, abs(exactly), -trifle if exactly < 0 else trifle) if exactly else Value("num", trifle < 0, Fraction(0), 1)

        def value():
            with mpmath.extraprec(120):
                first, second = (1 - mpmath.power(to_mpf(one), step) for one in corrections)
                part = -to_mpf(rate * m) / first / (mpmath.sqrt(to_mpf(v) / second) + to_mpf(epsilon))
            return base.signed(), part, bound(part)
        return value

    @classmethod
    def is_near(cls, group, operands):
        """Sums do not cancel, and the root and its quotient are in range."""
        for base, mean, square, fars, slope in cls.elements(group, operands):
            if any(fars) or base.kind != "num":
                continue
            m, v = (sum(one.signed() for one in part) for part in (mean, square))
            if not (is_near_sum(mean, 1, 10) and is_near_sum(square, 1, 10) and is_near_sum(slope, 1, 10)) or (
                    base.size and not is_normal(base.size)):
                return False
            if v > 0 and m and not Fraction(1, 1 << 60) < v / (m * m) < 1 << 60:
                return False
            if m and v >= 0:
                value = cls.parameter(group, base, mean, square, fars)
                if isinstance(value, Value):
                    if value.kind == "num" and not is_near_result(value.signed(), base.signed()):
                        return False
                    continue
                with mpmath.workprec(200):
                    whole, part, _ = value()
                    if not is_near_result(whole + exact(part), whole):
                        return False
        return True


def is_near_result(whole, base):
    return is_normal(abs(whole)) and abs(whole) * 256 > abs(base)


KINDS = (CrossEntropy, CrossEntropyGradient, NormGradient, NormWeights, GateGradient, SoftmaxGradient, EmbeddingBag, AveragePool, Convolution, Sgd, Adam)
