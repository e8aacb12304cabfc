"""Inputs among which those are chosen that tell det from its mutants: near limits, the ends and some of each binade, and
many where functions have most to do."""
import numpy


def draw(size, limits, generator, width):
    """At most so many codes of a format, each once, in their order."""
    sign, places = 1 << (width.bits - 1), width.precision - 1
    every = 1 if width.bits == 32 else 8  # of fp64 some binades: there are 2,048
    ends = [(binade << places) + step for binade in range(0, 2 * width.bias + 2, every) for step in range(-3, 4)]
    ends += [((2 * width.bias + 1) << places) + step for step in range(-3, 4)]
    codes = numpy.array(sorted(limits) + [x % (2 * sign) for x in ends] + [(x ^ sign) % (2 * sign) for x in ends], numpy.uint64)
    rest = max(size - len(codes), 4)
    spread = generator.integers(0, 2 * sign, rest // 4, numpy.uint64)
    near = generator.integers(width.code(-19), width.code(9), rest - rest // 4, numpy.uint64)
    near |= generator.integers(0, 2, len(near), numpy.uint64) << numpy.uint64(width.bits - 1)
    return numpy.unique(numpy.concatenate([codes, spread, near])).astype(width.codes)


def draw_pairs(size, limits, generator, width):
    """Pairs of such codes: any two, integers beside a number, neighbours, and numbers near 1 beside any."""
    one = draw(size, limits, generator, width)
    generator.shuffle(one)
    other = generator.permutation(one)
    quarter = len(one) // 4
    other[:quarter] = generator.integers(-64, 65, quarter).astype(width.numbers).view(width.codes)
    other[quarter:quarter + quarter // 2] = one[quarter:quarter + quarter // 2] + generator.integers(
        0, 64, quarter // 2).astype(width.codes)
    near_one = slice(2 * quarter, 3 * quarter)
    one[near_one] = generator.integers(width.code(-1), width.code(1) + width.code(1) % width.code(0) // 2, quarter).astype(width.codes)
    other[near_one] = (generator.integers(width.code(-7), width.code(7), quarter, numpy.uint64) |
                       generator.integers(0, 2, quarter, numpy.uint64) << numpy.uint64(width.bits - 1)).astype(width.codes)
    return one, other


def draw_busy(size, operands, generator, width):
    """So many inputs of both signs where functions have most to do, quickly."""
    ranges = [(-12, 8)] if operands == 1 else [(-4, 4), (-7, 7)]
    signs = [generator.integers(0, 2, size, numpy.uint64) << numpy.uint64(width.bits - 1) for _ in ranges]
    return [(generator.integers(width.code(low), width.code(high), size, numpy.uint64) | sign).astype(width.codes)
            for (low, high), sign in zip(ranges, signs)]
