"""Which inputs a sweep visits: every way to name them, seen from the library that is asked.

The faulty libm writes down the operands of every call, so these tests compare the inputs themselves
with what they should be, not only how many there are.
"""

import os
import struct
import unittest

from formats import FORMATS, FP16, FP32
from harness import Case, needs_faulty_libm, parse

MINUS_ZERO = 0x80000000


def code(number):
    return struct.unpack("<I", struct.pack("<f", number))[0]


def value_order(first, last):
    """All fp32 codes from `first` to `last` in value, in bit-pattern order."""
    positive = range(code(max(first, 0.0)), code(last) + 1) if last >= 0 else ()
    negative = range(code(min(last, -0.0)), code(first) + 1) if first < 0 else ()
    return [*positive, *negative]


class InputsCase(Case):
    def codes(self, *words, **options):
        return [asked for asked, in self.asked("sin", *words, **options)]

    def count(self, *words, **options):
        result, = self.results(*words, **options)
        return result["inputs"]["count"]


@needs_faulty_libm
class Range(InputsCase):
    def test_values_on_one_side_of_zero(self):
        self.assertEqual(self.codes("--range", "1:1.0001220703125"), value_order(1, 1 + 2 ** -13))
        self.assertEqual(self.codes("--range", "-1.0001220703125:-1"),
                         value_order(-1 - 2 ** -13, -1))

    def test_values_across_zero(self):
        # Both zeros lie between; the negative ones are larger as bit patterns, so they come last.
        tiny = 5 * 2.0 ** -149
        asked = self.codes("--range", "-0x1p-147:0x1.4p-147")
        self.assertEqual(asked, [*range(6), MINUS_ZERO, *range(MINUS_ZERO + 1, MINUS_ZERO + 5)])
        self.assertEqual(asked, value_order(-4 * 2.0 ** -149, tiny))

    def test_zeros_as_ends(self):
        self.assertEqual(self.codes("--range", "0:0x1p-149"), [0, 1])
        self.assertEqual(self.codes("--range", "-0:0x1p-149"), [0, 1, MINUS_ZERO])
        self.assertEqual(self.codes("--range", "-0x1p-149:-0"), [MINUS_ZERO, MINUS_ZERO + 1])
        self.assertEqual(self.codes("--range", "-0x1p-149:0"), [0, MINUS_ZERO, MINUS_ZERO + 1])
        self.assertEqual(self.codes("--range", "-0:0"), [0, MINUS_ZERO])
        self.assertIn("empty", self.refuse("sweep", "sin", "--range", "0:-0"))

    def test_infinity_as_an_end(self):
        greatest = 0x7F7FFFFF
        asked = self.codes("--range", "0x1.fffffcp127:inf")
        self.assertEqual(asked, [greatest - 1, greatest, greatest + 1])
        # Every number of fp16, and no NaN.
        self.assertEqual(self.count("sin", "--format", "fp16", "--range", "-inf:inf"), 2 * 0x7C01)

    def test_bits_run_through_nans(self):
        asked = self.codes("--range", "0x7f7fffff:0x7f800003")
        self.assertEqual(asked, [0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7F800002, 0x7F800003])

    def test_bits_across_the_sign(self):
        asked = self.codes("--range", "0x7fffffff:0x80000001")
        self.assertEqual(asked, [0x7FFFFFFF, 0x80000000, 0x80000001])

    def test_a_range_of_one_input_has_one(self):
        self.assertEqual(self.codes("--range", "1:1"), [code(1)])
        self.assertEqual(self.codes("--range", "0x3f800000:0x3f800000"), [code(1)])

    def test_decimal_ends_are_rounded_with_a_note(self):
        asked = self.codes("--range", "0.1:0.1000001", notes=True)
        self.assertEqual(asked, list(range(code(0.1), code(0.1000001) + 1)))
        said = self.run_program("sweep", "sin", "--range", "0.1:0.1000001").stderr.decode()
        self.assertIn("0.1 is not a number of fp32; rounded to 0x1.99999ap-4 (0x3dcccccd)", said)

    def test_fnuz_has_one_zero(self):
        # -4 * 2^-10 to 5 * 2^-10, where 2^-10 is the smallest number: there is no -0 in between.
        words = ("sin", "--format", "fp8_e4m3fnuz", "--range", "-0x1p-8:0x1.4p-8")
        self.assertEqual(self.count(*words), 4 + 6)
        narrow = FORMATS["fp8_e4m3fnuz"]
        wide = {FP32.encode(narrow.value(c)) for c in (0, 1, 2, 3, 4, 5, 0x81, 0x82, 0x83, 0x84)}
        self.assertEqual(set(self.codes(*words[1:])), wide)

    def test_range_for_all_operands_and_one_for_each(self):
        ones, twos = [code(1), code(1) + 1], [code(2), code(2) + 1, code(2) + 2]
        asked = self.asked("pow", "--range", "0x3f800000:0x3f800001", width=2)
        self.assertEqual(asked, [(x, y) for x in ones for y in ones])
        asked = self.asked("pow", "--range", "0x3f800000:0x3f800001", "--range",
                           "0x40000000:0x40000002", width=2)
        self.assertEqual(asked, [(x, y) for x in ones for y in twos])


@needs_faulty_libm
class Samples(InputsCase):
    def test_one_from_each_stratum(self):
        # 2^23 inputs in 1024 strata of 8192.
        asked = self.codes("--range", "0x3f800000:0x3fffffff", "--samples", 1024)
        self.assertEqual([(c - 0x3F800000) // 8192 for c in asked], list(range(1024)))
        self.assertGreater(len({c % 8192 for c in asked}), 900)  # not always the same place in it

    def test_samples_follow_from_the_seed(self):
        words = ("--range", "0:1", "--samples", 500)
        first = self.codes(*words)
        self.assertEqual(first, sorted(first))
        self.assertEqual(first, self.codes(*words, "--seed", 1))
        self.assertEqual(self.codes(*words, "--seed", 2), self.codes(*words, "--seed", "0x2"))
        self.assertNotEqual(first, self.codes(*words, "--seed", 2))
        self.assertTrue(all(c <= code(1) for c in first))

    def test_over_all_inputs(self):
        asked = self.codes("--samples", 256)
        self.assertEqual([c >> 24 for c in asked], list(range(256)))

    def test_more_than_there_are(self):
        asked = self.codes("--range", "1:0x1.00001ep0", "--samples", 1000)
        self.assertEqual(asked, list(range(code(1), code(1) + 16)))
        every = self.count("sin", "--format", "fp16", "--samples", 10 ** 9)
        self.assertEqual(every, 1 << 16)

    def test_samples_of_a_range_across_zero_lie_in_it(self):
        asked = self.codes("--range", "-1:1", "--samples", 1000)
        self.assertEqual(asked, sorted(asked))
        self.assertTrue(all((c & 0x7FFFFFFF) <= code(1) for c in asked))
        negative = sum(c >= MINUS_ZERO for c in asked)
        self.assertIn(negative, (499, 500, 501))

    def test_pairs_are_in_order(self):
        asked = self.asked("pow", "--range", "1:2", "--samples", 3000, width=2)
        self.assertEqual(len(asked), 3000)
        self.assertEqual(asked, sorted(asked))
        self.assertGreater(len({y for _, y in asked}), 2900)
        self.assertTrue(all(code(1) <= c <= code(2) for pair in asked for c in pair))

    def test_wide_formats_are_sampled_by_default(self):
        result, = self.results("sqrt", "--format", "fp64", notes=True)
        self.assertEqual(result["inputs"]["kind"], "samples")
        self.assertEqual(result["inputs"]["count"], 1000000)
        self.assertEqual(result["inputs"]["seed"], "1")


@needs_faulty_libm
class Special(InputsCase):
    def test_fp32(self):
        asked = self.codes("--special")
        self.assertEqual(asked, sorted(set(asked)))
        expected = [0, 1, 0x7FFFFF, 0x800000, 0x800001, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, code(1)]
        self.assert_holds(asked, *expected, *(one | MINUS_ZERO for one in expected))
        for exponent in range(-149, 128):  # every binade's edge, with the numbers around it
            edge = code(2.0 ** exponent)
            self.assert_holds(asked, edge - 1, edge, edge + 1)
        signalling = [c for c in asked if 0x7F800000 < c < 0x7FC00000]
        self.assertNotEqual(signalling, [])

    def test_landmarks_of_the_operation(self):
        # The last number whose exp is finite, and the first whose exp is not.
        ends = (0x42B17217, 0x42B17218)
        self.assert_holds([asked for asked, in self.asked("exp", "--special")], *ends)
        # They mean nothing to sin, which has the neighbours of pi.
        asked = self.codes("--special")
        self.assertEqual([one for one in ends if one in asked], [])
        self.assert_holds(asked, 0x40490FDA, 0x40490FDB, 0x40490FDC)

    def test_pairs(self):
        asked = self.asked("pow", "--special", width=2)
        self.assertEqual(asked, sorted(set(asked)))
        special = {x for x, y in asked if y == 0x7FC00000}
        self.assertTrue({0, MINUS_ZERO, 0x7F800000, 0xFF800000, 0x7FC00000} <= special)
        self.assertLessEqual({(x, y) for x in special for y in special}, set(asked))
        # The others are built: exact powers, midpoints and what lies next to these.
        self.assertGreater(len(asked), len(special) ** 2 + 10000)
        self.assertTrue(any(y == code(5) and x not in special for x, y in asked))


@needs_faulty_libm
class File(InputsCase):
    def test_every_spelling(self):
        text = ("# inputs\n\n 1.5 # three halves\n0x1.8p+1\r\n0x40800000\n-0\n\tinf\nnan\n"
                "1e-40\n   \n-2")
        path = self.file("inputs", text)
        expected = [code(x) for x in (1.5, 3, 4, -0.0, float("inf"), 1e-40, -2)] + [0x7FC00000]
        self.assertEqual(self.codes("--inputs", path, notes=True), sorted(expected))

    def test_a_byte_order_mark_at_the_very_start_is_none_of_the_inputs(self):
        path = self.file("inputs", "\ufeff1\r\n2\r\n")
        self.assertEqual(self.codes("--inputs", path), [code(1), code(2)])

    def test_duplicates_are_dropped_with_a_note(self):
        path = self.file("inputs", "3\n1\n0x3f800000\n2\n1.0\n")
        self.assertEqual(self.codes("--inputs", path, notes=True), [code(1), code(2), code(3)])
        said = self.run_program("sweep", "sin", "--inputs", path).stderr.decode()
        self.assertIn("2 duplicates", said)

    def test_pairs_on_lines(self):
        path = self.file("pairs", "2 3\n1, 2\n2;2 # and\n1\t2\n-1 2\n")
        expected = [(code(1), code(2)), (code(2), code(2)), (code(2), code(3)), (code(-1), code(2))]
        self.assertEqual(self.asked("pow", "--inputs", path, width=2, notes=True), expected)

    def test_one_value_a_line_makes_the_product(self):
        path = self.file("numbers", "3\n1\n")
        both = [code(1), code(3)]
        asked = self.asked("pow", "--inputs", path, width=2)
        self.assertEqual(asked, [(x, y) for x in both for y in both])

    def test_stdin(self):
        asked = self.codes("--inputs", "-", input=b"2\n1\n")
        self.assertEqual(asked, [code(1), code(2)])

    @unittest.skipUnless(os.path.exists("/dev/stdin"), "no /dev/stdin here")
    def test_pipe_with_a_name(self):
        # What the shell's <(...) makes; it can be opened again, but not read again.
        asked = self.codes("--inputs", "/dev/stdin", input=b"2\n1\n")
        self.assertEqual(asked, [code(1), code(2)])

    def test_rounded_decimals_are_noted(self):
        for name, options in (("inputs", {}), ("-", {"input": b"1\n0.1\n"})):
            if name != "-":
                self.file(name, "1\n0.1\n")
            done = self.run_program("sweep", "sin", "--inputs", name, **options)
            self.assertEqual(done.returncode, 0)
            self.assertIn(":2: 0.1 is not a number of fp32", done.stderr.decode())

    def test_duplicates_on_stdin_are_noted(self):
        done = self.run_program("sweep", "sin", "--inputs", "-", input=b"1\n1\n")
        self.assertIn("1 duplicate", done.stderr.decode())

    def test_narrow_format(self):
        path = self.file("inputs", "0x3c01\n65504\n")
        wide = [FP32.encode(FP16.value(c)) for c in (0x3C01, 0x7BFF)]
        self.assertEqual(self.codes("--format", "fp16", "--inputs", path), sorted(wide))


class BadFile(InputsCase):
    def refuse_file(self, content, *says, operation="sin", words=()):
        path = self.file("inputs", content)
        line = self.refuse("sweep", operation, "--inputs", path, *words)
        for part in says:
            self.assertIn(part, line)

    def test_product_beyond_all_bounds(self):
        # 2^64 triples and more from one value a line; freed twice once.
        path = self.file("many", "".join("0x%08x\n" % code for code in range(2642300)))
        self.assertIn("2^64 inputs", self.refuse("sweep", "fma", "--inputs", path))

    def test_line_is_named(self):
        for bad in ("one", "1.5x", "--", "1e", "0x", "1_000", "0x1p", "1.2.3", "0x1.8q", "1e5.0"):
            self.refuse_file(f"1\n# two\n{bad}\n", "inputs:3:", bad)

    def test_values_that_the_format_cannot_hold(self):
        self.refuse_file("1\n1e39\n", ":2:", "fp32 cannot hold 1e39", "0x7f7fffff")
        self.refuse_file("1e-60\n", ":1:", "fp32 cannot hold", "0x00000001")
        self.refuse_file("0x1.00000001p0\n", ":1:", "0x3f800000", "0x3f800001")
        self.refuse_file("0x100000000\n", ":1:", "32 bits")
        self.refuse_file("inf\n", ":1:", "no infinity", words=("--format", "fp8_e4m3fn"))

    def test_number_of_values(self):
        self.refuse_file("1 2\n", ":1:", "more than one value")
        self.refuse_file("1 2 3\n", ":1:", operation="pow")
        self.refuse_file("1 2\n3\n", ":2:", "another number of values", operation="pow")

    def test_bytes_that_are_no_text(self):
        self.refuse_file(b"1\n\0\n", ":2:", "NUL")
        self.refuse_file(b"1 # \0\n", ":1:", "NUL")
        self.refuse_file(b"\xff\xfe1\n", ":1:")

    def test_carriage_return_inside_a_line_hides_nothing(self):
        # Lines that end in CR alone are one line to C: what follows must not be dropped unseen.
        path = self.file("inputs", b"1\r2\r3\r")
        done = self.run_program("sweep", "sin", "--inputs", path, "--json", "-")
        if done.returncode == 0:
            self.assertEqual(parse(done.stdout)["results"][0]["inputs"]["count"], 3)
        else:
            self.assertEqual(done.returncode, 2)

    def test_a_byte_order_mark_elsewhere(self):
        self.refuse_file("1\n\ufeff2\n", ":2:")
        self.refuse_file("\ufeff\ufeff1\n", ":1:")
        self.refuse_file("\ufeff", "holds no inputs")

    def test_long_lines(self):
        self.refuse_file("1\n" + "#" * 1024 + "\n", ":2:", "longer than 1023")
        path = self.file("inputs", "1 #" + "x" * 1020 + "\n")
        self.assertEqual(self.count("sin", "--inputs", path), 1)

    def test_nothing_in_it(self):
        for content in ("", "\n\n", "# nothing\n", " \t\r\n"):
            self.refuse_file(content, "holds no inputs")
        self.refuse("sweep", "sin", "--inputs", "-", input=b"")

    def test_no_such_file(self):
        self.assertIn("absent: No such file", self.refuse("sweep", "sin", "--inputs", "absent"))
        self.assertIn("directory", self.refuse("sweep", "sin", "--inputs", self.path))

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_no_permission(self):
        path = self.file("inputs", "1\n")
        os.chmod(path, 0)
        self.assertIn("Permission", self.refuse("sweep", "sin", "--inputs", path))

    def test_stdin_can_be_read_once(self):
        self.assertIn("once", self.refuse("sweep", "sin", "cos", "--inputs", "-", input=b"1\n"))
        self.assertIn("once", self.refuse("sweep", "sin", "--format", "fp16,fp32", "--inputs", "-",
                                          input=b"1\n"))


class Counts(InputsCase):
    def test_all_of_the_small_formats(self):
        for name, form in FORMATS.items():
            if form.width <= 16:
                self.assertEqual(self.count("sin", "--format", name), 1 << form.width)
                self.assertEqual(self.count("sin", "--all", "--format", name), 1 << form.width)

    def test_all_pairs_and_triples_of_a_byte(self):
        self.assertEqual(self.count("hypot", "--format", "fp8_e5m2"), 1 << 16)
        self.assertEqual(self.count("fma", "--format", "fp8_e5m2", "--samples", 5000), 5000)

    def test_kinds(self):
        path = self.file("inputs", "1\n")
        cases = ((("--all",), "all"), (("--range", "1:2"), "range"), (("--samples", 9), "samples"),
                 (("--special",), "special"), (("--inputs", path), "file"))
        for words, kind in cases:
            result, = self.results("sin", "--format", "bf16", *words)
            self.assertEqual(result["inputs"]["kind"], kind)


if __name__ == "__main__":
    unittest.main()
