"""The scaled operations that section 4.5 of P3109's report 4.0 requires, on all pairs of elements of 8 bits and all scales of the first operand,
against a definition in doubles; and invariance of workers on scaled operands. The inputs are 2^32 for each operation: a slice has 2^24, with one scale of the second operand.

SLICES names scales of the second operand by their codes; without it there are 21: 0, the least and the greatest number, NaN, and 2^-8 to 2^8.
All 256 were tested once, a scale at a time, in 11 seconds each: 12,884,901,888 results, 0 different."""

import json
import os
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import with_numpy  # noqa: E402,F401
import numpy  # noqa: E402
from harness import Case  # noqa: E402
from p3109_definitions import Format  # noqa: E402

SCALE, ELEMENT = Format("binary8p1uf"), Format("binary8p4se")
NAMES = f"{SCALE.name}*{ELEMENT.name}"


def doubles(format_):
    """Each value is a double: the scales have exponents to 127."""
    return numpy.array([float(value) for value in format_.values])


def to_odd_sum(x, y):
    """x + y, or if that is not a double, the neighbour whose last bit is 1: rounding this to few bits gives the same result."""
    total = x + y
    back = total - x
    rest = (x - (total - back)) + (y - back)
    bits = total.view(numpy.int64)
    inexact, even = numpy.isfinite(total) & (rest != 0), bits & 1 == 0
    step = numpy.where((rest > 0) == (total > 0), 1, -1)
    return numpy.where(inexact & even, bits + step, bits).view(numpy.float64)


class Projection:
    """To the nearest, ties to even, SatNone: the code from the place among the numbers, and one more beyond the last."""

    def __init__(self, target):
        numbers = sorted(value for value in target.values if not isinstance(value, str) and value >= 0)
        sizes = numpy.array([float(value) for value in numbers])
        beyond = 2 * sizes[-1] - sizes[-2]
        self.sizes = numpy.append(sizes, beyond)
        self.middles = (self.sizes[1:] + self.sizes[:-1]) / 2
        self.codes = numpy.array([target.codes[value] for value in numbers] + [target.codes["inf"]], dtype=numpy.uint8)
        self.nan = target.codes["nan"]

    def __call__(self, y):
        size = numpy.abs(y)
        place = numpy.searchsorted(self.middles, size, "left")
        tie = (place < len(self.middles)) & (size == self.middles[numpy.minimum(place, len(self.middles) - 1)])
        place = place + (tie & (place % 2 == 1))
        codes = self.codes[place]
        codes = numpy.where((y < 0) & (codes != 0), codes | 0x80, codes)
        return numpy.where(numpy.isnan(y), self.nan, codes).astype(numpy.uint8)


OPERATIONS = {"add": to_odd_sum, "sub": lambda x, y: to_odd_sum(x, -y), "mul": lambda x, y: x * y}


class Pairs(Case):
    def outputs(self, operation, first, last, scale, result_scale=SCALE.codes[1]):
        """Computed once for each value of x: 65,536 codes of x stand for 4,304 values, one of them NaN."""
        firsts = numpy.arange(first, last + 1)
        with numpy.errstate(all="ignore"):
            scales, elements = doubles(SCALE), doubles(ELEMENT)
            values, which = numpy.unique(scales[firsts >> ELEMENT.width] * elements[firsts & 0xff], return_inverse=True)
            exact = OPERATIONS[operation](values[:, None], (scales[scale] * elements)[None, :])
            # A division by a power of two is exact here; by the scale 0, all but NaN becomes 0 (5.1.2).
            divided = exact / scales[result_scale] if scales[result_scale] else numpy.where(numpy.isnan(exact), exact, 0)
            return Projection(ELEMENT)(divided)[which]

    def hold(self, operation, first, last, scale, result_scale=None):
        """All results of these codes of x and this scale of y; with result_scale, of BlockAdd and the like on blocks of one element (5.4)."""
        path = os.path.join(self.path, "outputs")
        outputs = self.outputs(operation, first, last, scale, *([] if result_scale is None else [result_scale]))
        words = (operation, "-f", NAMES, "--to", ELEMENT.name, "--range", f"{first:#06x}:{last:#06x}", "--range", f"{scale << 8:#06x}:{scale << 8 | 0xff:#06x}",
                 "--impl", f"file:{path}", *(() if result_scale is None else ("--result-scale", f"{SCALE.name}:{result_scale:#x}")))
        outputs.tofile(path)
        result, = self.results(*words, timeout=3600)
        found, = result["implementations"]
        self.assertEqual(found["tested"], outputs.size)
        self.assertEqual(found["incorrectly_rounded"] + found["nan_mismatches"], 0, (operation, scale, result_scale, found.get("worst")))
        return outputs, path, words

    def test_some_scales(self):
        """Scales of x about that of y, so that bits of both matter; and a change of one output is found."""
        one = SCALE.codes[1]
        for operation in OPERATIONS:
            outputs, path, words = self.hold(operation, one - 1 << 8, (one + 2 << 8) - 1, one)
            outputs[300, 77] ^= 1
            outputs.tofile(path)
            found, = self.results(*words)[0]["implementations"]
            self.assertEqual(found["incorrectly_rounded"] + found["nan_mismatches"], 1)

    def hold_result_scales(self, codes, first, last):
        """The exact results are about 1, and all that the scale of the result makes of them is seen: numbers, subnormal numbers, 0, infinity, NaN."""
        return sum(self.hold(operation, first, last, SCALE.codes[1], code)[0].size for code in codes for operation in OPERATIONS)

    def test_scales_of_the_result(self):
        one = SCALE.codes[1]
        self.hold_result_scales((0, 1, one - 12, one - 1, one, one + 4, one + 13, 0xfe, 0xff), one << 8, one << 8 | 0xff)

    def slow_all_scales_of_the_result(self):
        one = SCALE.codes[1]
        held = self.hold_result_scales(range(256), one - 1 << 8, one + 1 << 8 | 0xff)
        print(f"256 scales of the result: {held:,} results, 0 different", file=sys.stderr)

    def slow_all_pairs_and_all_scales_of_the_first(self):
        one, named, held = SCALE.codes[1], os.environ.get("SLICES"), 0
        slices = [int(code, 0) for code in named.split()] if named else [0, 1, *range(one - 8, one + 9), 0xfe, 0xff]
        for scale in slices:
            for operation in OPERATIONS:
                held += self.hold(operation, 0, 0xffff, scale)[0].size
                print(f"{operation}, scale {float(SCALE.values[scale]):g} of y, code {scale:#x}: {held:,} results so far, 0 different", file=sys.stderr, flush=True)


class Repetition(Case):
    def test_invariance(self):
        """A worker that computes the same each time; and one whose answers depend on how often it was asked."""
        script = self.file("worker.py", f"""
import sys
sys.path.insert(0, {os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/impl/adapters")!r})
import adapter
asked = 0
def start(request):
    def compute(*operands):
        global asked
        asked += 1
        outputs = bytearray(int(x) ^ int(y) for x, y in zip(*operands))
        outputs[0] ^= len(sys.argv) > 1 and asked % 2
        return [outputs]
    return compute, "a worker"
adapter.serve(start)
""")
        for more, fault in zip(((), ("--result-scale", "binary3p1uf:2")), (" faulty", "")):
            with self.subTest(more=more):
                words = ("invariance", "add", "-f", "binary3p1uf*binary3p2se:binary3p2se", "--to", "binary5p3se", *more, "--impl", f"exec:{sys.executable} {script}{fault}", "--property", "repetition", "--json", "-")
                done = self.run_program(*words)
                document = json.loads(done.stdout)
                changed = [row["property"] for row in document["results"][0]["implementations"][0]["invariance"] if row["tested"] and row["changed"]]
                self.assertEqual(changed, ["repetition"] if fault else [], (more, done.stderr))


if __name__ == "__main__":
    unittest.main()
