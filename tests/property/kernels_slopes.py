"""Gradients of pools, convolutions and bags of embeddings: classes as those of kernels_more.py, which name for each element its terms, each
a Value and the count that it is divided by."""

from fractions import Fraction

from counted import INF, NAN, Value, number
from enclosed import times, total
from kernels_more import AveragePool, Convolution, EmbeddingBag, is_near_sum, is_normal, reader


def shared(terms, rounding):
    """The sum of Values over counts: infinities and zeros are those of the sum of the Values."""
    far = total([one for one, _ in terms], rounding)
    if far.kind in (NAN, INF) or not any(one.size for one, _ in terms):
        return far
    return number(sum(one.signed() / count for one, count in terms), rounding == "down")


def is_near_shared(terms, least=20):
    """Whether det promises its bound of all that is added and comes out."""
    numbers = [number(one.signed() / count) for one, count in terms if one.kind == "num"]
    return is_near_sum(numbers if len(numbers) == len(terms) else [one for one, _ in terms], 1, least) and \
        all(is_normal(one.size) for one in numbers)


class Slopes:
    """Of a class that has sums(group, operands): for each result the terms of its elements, None where it is NaN."""

    least = 20

    @classmethod
    def values(cls, group, operands):
        return [[Value(NAN) if terms is None else shared(terms, group["rounding"]) for terms in result] for result in cls.sums(group, operands)]

    @classmethod
    def is_near(cls, group, operands):
        return all(terms is None or is_near_shared(terms, cls.least) for result in cls.sums(group, operands) for terms in result)


class AveragePoolGradient(Slopes, AveragePool):
    NAMES, most = ("average_pool_gradient",), "0.51"

    @classmethod
    def sums(cls, group, operands):
        given, g = group["parameters"], reader(group, operands, 0)
        shape, windows = given["shape"], cls.windows_of(given)
        spots = 1
        for extent in shape[2:]:
            spots *= extent
        found = [[] for _ in range(shape[0] * shape[1] * spots)]
        for plane in range(shape[0] * shape[1]):
            for at, (places, many) in enumerate(windows):
                there = [place for place in places if place is not None]
                for place in there:
                    found[plane * spots + place].append((g[plane * len(windows) + at], many if given.get("count-include-pad") else len(there)))
        return [found]


class ConvolutionGradient(Slopes, Convolution):
    NAMES, least = ("convolution_gradient",), Convolution.least

    @classmethod
    def words(cls, random, name):
        chosen, families = Convolution.words(random, name)
        at = chosen.index("--affine") if "--affine" in chosen else len(chosen)
        return chosen[:at] + chosen[at + 2:], families

    @staticmethod
    def formats(group):
        return [group["format"]] * 3

    @classmethod
    def sums(cls, group, operands):
        given, (x, weights, g) = group["parameters"], (reader(group, operands, at) for at in range(3))
        shape, windows = given["shape"], cls.windows_of(given)
        outputs, each = given["second-shape"][:2]
        spots, taps, many = len(x) // (shape[0] * shape[1]), len(weights) // (outputs * each), len(windows)
        of_x, of_weight, of_bias = ([[] for _ in range(count)] for count in (len(x), len(weights), outputs))
        for sample in range(shape[0]):
            for output in range(outputs):
                for at, (places, _) in enumerate(windows):
                    own = g[(sample * outputs + output) * many + at]
                    of_bias[output].append((own, 1))
                    for channel in range(each):
                        plane = sample * shape[1] + output // (outputs // int(given.get("groups", 1))) * each + channel
                        for tap, place in enumerate(places):
                            weight = (output * each + channel) * taps + tap
                            met = number(Fraction(0)) if place is None else x[plane * spots + place]
                            of_weight[weight].append((times(own, met), 1))
                            if place is not None:
                                of_x[plane * spots + place].append((times(own, weights[weight]), 1))
        return [of_x, of_weight, of_bias]


class EmbeddingBagGradient(Slopes, EmbeddingBag):
    """With respect to the table, and with respect to the weights of a sum."""

    NAMES, most = tuple(f"embedding_bag{of}_gradient" for of in ("", "_offsets", "_weight", "_offsets_weight")), "0.51"

    @classmethod
    def words(cls, random, name):
        chosen, families = EmbeddingBag.words(random, name)
        at = chosen.index("--mode")
        if name.endswith("weight_gradient"):
            return [word for i, word in enumerate(chosen) if i not in (at, at + 1) and word != "--weighted"], families
        if chosen[at + 1] == "max":
            chosen[at + 1] = "mean"
        return chosen, families

    @classmethod
    def names(cls, group):
        """What each operand is."""
        offsets = ["offset"] * ("offsets" in group["operation"])
        if group["operation"].endswith("weight_gradient"):
            return ["table", "index", *offsets, "g"]
        return ["index", *offsets, "g", *["weight"] * bool(group["parameters"].get("weighted"))]

    @classmethod
    def sums(cls, group, operands):
        given = group["parameters"]
        rows, width = given["shape"][2:]
        found = {name: operands[at] if name in ("index", "offset") else reader(group, operands, at) for at, name in enumerate(cls.names(group))}
        of_table, of_weight = [[] for _ in range(rows * width)], [[] for _ in found["index"]]
        for bag, kept in enumerate(cls.kept(given, found["index"], found.get("offset"))):
            is_bad = any(not 0 <= found["index"][at] < rows for at in kept)
            for at in kept:
                row = found["index"][at]
                if is_bad:
                    of_weight[at] = None
                for column in range(width):
                    g = found["g"][bag * width + column]
                    if "table" in found and not is_bad:
                        of_weight[at].append((times(found["table"][row * width + column], g), 1))
                    if not 0 <= row < rows or of_table[row * width + column] is None:
                        continue
                    if is_bad:
                        of_table[row * width + column] = None
                    else:
                        of_table[row * width + column].append((times(g, found["weight"][at]) if "weight" in found else g,
                                                               len(kept) if given.get("mode", "mean") == "mean" else 1))
        return [of_weight if "table" in found else of_table]


SLOPES = (AveragePoolGradient, ConvolutionGradient, EmbeddingBagGradient)
