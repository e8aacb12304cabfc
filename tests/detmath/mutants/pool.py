"""Inputs among which those are chosen that tell det from its mutants: near limits, the ends and some of each binade, and
many where functions have most to do."""
import numpy


def draw(size, limits, generator):
    """At most so many codes of fp32, each once, in their order."""
    ends = [(binade << 23) + step for binade in range(256) for step in range(-3, 4)]
    codes = numpy.array(sorted(limits) + [x & 0xffffffff for x in ends] + [(x ^ 0x80000000) & 0xffffffff for x in ends],
                        numpy.uint64)
    rest = max(size - len(codes), 4)
    spread = generator.integers(0, 1 << 32, rest // 4, numpy.uint64)
    near = generator.integers(0x36000000, 0x44000000, rest - rest // 4, numpy.uint64)
    near |= generator.integers(0, 2, len(near), numpy.uint64) << numpy.uint64(31)
    return numpy.unique(numpy.concatenate([codes, spread, near])).astype(numpy.uint32)


def draw_pairs(size, limits, generator):
    """Pairs of such codes: any two, integers beside a number, neighbours, and numbers near 1 beside any."""
    one = draw(size, limits, generator)
    generator.shuffle(one)
    other = generator.permutation(one)
    quarter = len(one) // 4
    integers = generator.integers(-64, 65, quarter).astype(numpy.float32).view(numpy.uint32)
    other[:quarter] = integers
    other[quarter:quarter + quarter // 2] = one[quarter:quarter + quarter // 2] + generator.integers(
        0, 64, quarter // 2).astype(numpy.uint32)
    near_one = slice(2 * quarter, 3 * quarter)
    one[near_one] = generator.integers(0x3f000000, 0x40400000, quarter).astype(numpy.uint32)
    other[near_one] = (generator.integers(0x3c000000, 0x43000000, quarter) |
                       generator.integers(0, 2, quarter) << 31).astype(numpy.uint32)
    return one, other
