"""Operations on arrays against an independent account of them: sums by fractions, exponentials by decimals of
60 digits, det's order as detcheck-arrays(7) has it, all written here from the formulas and nothing else."""

import decimal
import fractions
import functools
import itertools
import json
import math
import os
import random
import struct
import sys
import unittest

import harness

decimal.getcontext().prec = 60
INFINITY = float("inf")
HERE = os.path.dirname(os.path.abspath(__file__))
VECTORS = os.path.join(HERE, "..", "..", "vectors", "small")
sys.path.insert(0, os.path.join(HERE, "..", "vector"))
import reader  # noqa: E402


def bits(value):
    return f"0x{struct.unpack('<I', struct.pack('<f', value))[0]:08x}"


def value_of(code):
    return struct.unpack("<f", struct.pack("<I", int(code, 16)))[0]


def rounded(exact, precision=24, emin=-126, emax=127):
    """The number of that format nearest to a fraction, ties to even, as a Python float; + for zero."""
    if exact == 0:
        return 0.0
    magnitude = abs(exact)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if fractions.Fraction(2) ** exponent > magnitude:
        exponent -= 1
    unit = fractions.Fraction(2) ** (max(exponent, emin) - precision + 1)
    whole = round(magnitude / unit) * unit  # Python rounds ties to even
    if whole >= fractions.Fraction(2) ** (emax + 1):
        whole = INFINITY
    return -float(whole) if exact < 0 else float(whole)


def add(a, b):
    return rounded(fractions.Fraction(a) + fractions.Fraction(b)) if a or b else a + b


def fma(a, b, c):
    exact = fractions.Fraction(a) * fractions.Fraction(b) + fractions.Fraction(c)
    return rounded(exact) if exact else a * b + c


def tree(totals):
    """Block totals as digits of a binary counter."""
    level = {}
    for index, total in enumerate(totals):
        k = 0
        while index & 1:
            total = add(level.pop(k), total)
            index >>= 1
            k += 1
        level[k] = total
    total = -0.0
    for k in sorted(level):
        total = add(level[k], total)
    return total


def det_sum(step, n):
    """step(lane, i) puts element i into a lane."""
    totals = []
    for start in range(0, n, 1024):
        lanes = [-0.0] * 64
        for i in range(start, min(n, start + 1024)):
            lanes[(i - start) % 64] = step(lanes[(i - start) % 64], i)
        distance = 32
        while distance:
            lanes = [add(lanes[l], lanes[l + distance]) for l in range(distance)]
            distance //= 2
        totals.append(lanes[0])
    return tree(totals)


def logarithm(total):
    return total.ln()


class Arrays(harness.Case):
    def eval(self, operation, values, *options):
        words = [value.hex() if isinstance(value, float) else str(value) for value in values]
        results = self.document("eval", operation, *words, *options)["results"]
        self.assertEqual(len(results), 1)
        return results[0]

    def got(self, operation, values, *options, implementation="det"):
        result = self.eval(operation, values, "--impl", implementation, *options)
        return [element["implementations"][0]["got"] for element in result["elements"]]

    def wanted(self, operation, values, *options):
        return [element["want"]
                for element in self.eval(operation, values, "--impl", "det", *options)["elements"]]

    def draws(self, count, seed=1):
        source = random.Random(seed)
        return [rounded(fractions.Fraction(source.uniform(-1, 1))) * 2.0 ** source.randrange(-8, 9)
                for _ in range(count)]

    def test_a_format_without_zero_has_none_in_the_gradient_of_a_sum(self):
        elements = self.document("eval", "logsumexp_gradient", *["0x00"] * 5, "--shape", "4", "-f", "fp8_e8m0fnu",
                                 "-r", "toward-zero")["results"][0]["elements"]
        self.assertEqual({(one["want"], one["exact"][:10]) for one in elements}, {("0x00", "1.46936793")})  # 2^-129

    def test_equal_elements_that_the_others_are_too_far_below_to_tell_by_digits(self):
        """Four equal ones have a quarter of 4 each, less next to nothing."""
        for form, far, near, down, up in (
                ("fp8_e5m2fnuz", "57344", "-57344", "c4 00 3f 00 40", "c3 01 40 01 41"),
                ("fp16", "65504", "-65504", "c000 0000 3bff 0000 3c00", "bfff 0001 3c00 0001 3c01"),
                ("fp32", "0x1p+100", "0", "c0000000 00000000 3f7fffff 00000000 3f800000",
                 "bfffffff 00000001 3f800000 00000001 3f800001")):
            values = [far, far, near, far, far, "-1", "1", "1", "1", "2"]
            for rounding, want in (("down", down), ("up", up)):
                with self.subTest(form=form, rounding=rounding):
                    self.assertEqual(self.wanted("log_softmax_gradient", values, "--shape", "5", "-f", form, "-r", rounding),
                                     ["0x" + one for one in want.split()])

    def test_gradients_whose_far_terms_cancel_in_the_first_order(self):
        """Or in more of them: the sums of fractions are multiplied out. x stands for 0 to 3 times 2^100."""
        for x, g, words, rounding, want in (
                ((0, 1, 1, 0, 0, 0), (-1, -1, -1, -1, 1, 1), ("--exclusive",), "up", ("bf800000", "beffffff", "3f000000", "00000001", "00000001", "00000000")),
                ((0, 1, 1, 0, 0, 0), (-1, -1, -1, -1, 1, 1), ("--exclusive",), "down", ("bf800001", "bf000000", "3effffff", "00000000", "00000000", "00000000")),
                ((2, 2, 3, 0, 0), (0, 0, 0, -1, 1), (), "down", ("80000001", "80000001", "80000001", "80000001", "00000000"))):
            found = self.wanted("logcumsumexp_gradient", [*(one * 2.0 ** 100 for one in x), *g], "--shape", len(x), "-f", "fp32", "-r", rounding, *words)
            self.assertEqual(found, [f"0x{code}" for code in want], (x, g, rounding))
        for last, want in (3, "0x3ff0000000000001"), (-3, "0x3ff0000000000000"):  # 2^1000 - 2^1000 + last, far below 1
            x = [0, 2.0 ** 1000, 22, -16, -2, 1, -27]
            found = self.wanted("logcumsumexp_gradient", [*x, 1, 2.0 ** 1000, -2.0 ** 1000, last, 0, 0, 0], "--shape", 7,
                                "-f", "fp64", "-r", "up")
            self.assertEqual(found[0], want)

    def test_values_and_outputs_of_ones_own(self):
        path = self.file("own.txt", "# two lines\n[1, 2,\n 3] 4 # and a comment\n")
        one = self.document("eval", "sum", "--inputs", path, "-f", "fp16", "--impl", "det", "--got", "11")["results"][0]
        self.assertEqual(one["input"], [["0x3c00", "0x4000", "0x4200", "0x4400"]])
        self.assertEqual([(each["name"], each["got"], each["verdict"]) for each in one["elements"][0]["implementations"]],
                         [("det", "0x4900", "correctly rounded"), ("got", "0x4980", "not faithful")])
        results = self.document("eval", "scaled.mul", "1", "2", "3", "-1", "3", "5", "--shape", "2", "-f", "fp32", "--impl", "det",
                                "--got", "-0.25, 1.5", "--got", "60")["results"]  # by value
        self.assertEqual([each["implementations"][1]["faithful"] for one in results for each in one["elements"]], [True] * 3)
        for words, complaint in ((("cumsum", "1", "2", "--got", "1 2 3"), "this result has 2 elements, not 3"),
                                 (("scaled.relu", "1", "1", "--got", "1"), "has 2 results, and takes as many --got"),
                                 (("sum", "1", "--inputs", path), "--inputs has all values; leave out the others"),
                                 (("sum", "--inputs", "/dev/null"), "has no numbers"),
                                 (("exp", "--inputs", path), "is for operations on arrays")):
            self.assertIn(complaint, self.refuse("eval", *words))

    def npy(self, header, elements=b"", version=b"\x01\x00"):
        header += " " * (-(10 + len(header) + 1) % 64) + "\n"
        return b"\x93NUMPY" + version + struct.pack("<H", len(header)) + header.encode() + elements

    def saved(self, content, name="saved.npy"):
        path = os.path.join(self.path, name)
        with open(path, "wb") as stream:
            stream.write(content)
        return path

    def test_arrays_that_numpy_has_saved(self):
        head = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }"
        values = (1.5, -2.0, 0.0625, -0.0, math.inf, 6.0e-8)
        for letters, values in (("<f2 e", values), ("<f4 f", values), ("<f8 d", values), ("|i1 b", (-128, 127)), ("|u1 B", (0, 200)),
                                ("<i2 h", (-3, 4)), ("<u4 I", (5, 6)), ("<i8 q", (-2 ** 63, 2 ** 62)), ("<u8 Q", (2 ** 63, 1))):
            descr, letter = letters.split()
            elements = struct.pack(f"<{len(values)}{letter}", *values)
            path = self.saved(self.npy(head % (descr, False, f"({len(values)},)"), elements))
            given = self.document("eval", "sum", "--inputs", path, "-f", "fp64")["results"][0]["input"][0]
            self.assertEqual(given, [self.code(float(value), "fp64") for value in struct.unpack(f"<{len(values)}{letter}", elements)])
        four = struct.pack("<4f", 1, 2, 3, 4)
        good = self.npy(head % ("<f4", False, "(2, 2)"), four)
        self.assertEqual(self.document("sweep", "sum", "--shape", 2, "--inputs", self.saved(good))["results"][0]["inputs"]["count"], 2)
        for fortran, big in ((True, False), (False, True), (True, True)):  # numbers in another order
            other = self.saved(self.npy(head % (("<f4", ">f4")[big], fortran, "(2, 2)"), struct.pack(("<4f", ">4f")[big], *((1, 2, 3, 4), (1, 3, 2, 4))[fortran])))
            self.assertEqual(self.document("eval", "sum", "--inputs", other, "-f", "fp32")["results"][0]["input"][0],
                             [self.code(float(value), "fp32") for value in (1, 2, 3, 4)])
        tie = self.npy(head % ("<f8", False, "(1,)"), struct.pack("<d", 3 * 2.0 ** -25))  # between two numbers of fp16
        self.assertIn(b"rounded to 0x1p-23, between 0x1p-24", self.run_program("eval", "sum", "--inputs", self.saved(tie), "-f", "fp16").stderr)
        for content, said in ((good[:-1], "takes 16 bytes, and the file has 15 for it"), (good + b"x", "the file has 17 for it"),
                              (self.npy(head % (">c8", False, "(2,)"), four), "holds elements of complex64, which are not inputs"),
                              (self.npy(head % ("<V4", False, "(4,)"), four), "holds elements of 4 bytes, which are not inputs"),
                              (self.npy(head % ("f\n4", False, "(4,)"), four), ".npy of 'f\\x0a4' is not read"),
                              (self.npy(head % ("|O", False, "(4,)"), four), ".npy of '|O' is not read"),
                              (self.npy(head % ("<f4", False, "(4294967296, 4294967297)"), four), "has more elements than any file"),
                              (self.npy(head % ("<f4", False, "(4,)"), four, b"\x09\x00"), "another version, or cut off"),
                              *((self.npy(head % ("<f4", False, shape)), "has no numbers") for shape in (
                                  "(0,)", "(0, 4)", "(4, 0)", "(2, 0, 4294967296)", "(4294967296, 0, 7)")),
                              (self.npy(head % ("<f4", False, "(0, 4)"), four), "takes 0 bytes, and the file has 16 for it"),
                              (self.npy(head % ("<f4", False, "(4, 4)")), "takes 64 bytes, and the file has 0 for it"), (good[:9], "another version, or cut off")):
            self.assertIn(said, self.refuse("eval", "sum", "--inputs", self.saved(content)))
        source = random.Random(48)
        for _ in range(60):  # whatever it is, one line or a result
            content = bytearray(good[:source.randrange(6, len(good) + 1)] if source.random() < 0.4 else good)
            for _ in range(source.randrange(3)):
                content[source.randrange(6, len(content)) if len(content) > 6 else 0] = source.getrandbits(8)
            done = self.run_program("eval", "sum", "--inputs", self.saved(bytes(content)))
            self.assertTrue(done.returncode == 0 or (done.returncode == 2 and done.stderr.rstrip().count(b"\n") == 0), (bytes(content), done.stderr))

    def test_a_saved_array_has_its_shape(self):
        def array(*extents):
            count = math.prod(extents)
            header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({', '.join(map(str, extents))},), }}"
            return self.saved(self.npy(header, struct.pack(f"<{count}f", *range(count))), "x".join(map(str, extents)) + ".npy")
        for axis, sums in ((0, (3, 5, 7)), (1, (3, 12)), (-1, (3, 12))):
            one = self.document("eval", "sum", "--inputs", array(2, 3), "--axis", axis, "-f", "fp32", "--impl", "det")["results"][0]
            self.assertEqual([element["implementations"][0]["got"] for element in one["elements"]], [self.code(float(each), "fp32") for each in sums])
        for words, count, shape in ((("--axis", 2), 1, [5, 2, 3]), (("--axis", 1, "--shape", "2x3"), 5, [2, 3]), ((), 1, [5, 2, 3])):
            one = self.document("sweep", "sum", "-f", "fp32", "--inputs", array(5, 2, 3), "--impl", "det", *words)["results"][0]
            self.assertEqual((one["inputs"]["count"], one["parameters"]["shape"]), (count, shape))
        for command, extents, words, said in (("eval", (2, 3), ("--shape", "3x2"), "--shape 3x2 is not that of the array, 2x3"),
                                              ("sweep", (5, 2, 3), ("--shape", "3x2"), "--shape 3x2 is not that of the array, 5x2x3"),
                                              ("sweep", (2, 3), ("--axis", 2), "an array of 2x3: --axis 2 is none of an array of 2"),
                                              ("eval", (1,) * 9, (), "an array has 9 dimensions")):
            self.assertIn(said, self.refuse(command, "sum", "-f", "fp32", "--inputs", array(*extents), *words))
        # A list of numbers is what it was, and so is an array of the elements of several operands.
        self.assertEqual(len(self.document("eval", "sum", "--inputs", array(6), "--shape", "2x3", "--axis", 1)["results"][0]["elements"]), 2)
        self.assertEqual(self.document("eval", "dot", "--inputs", array(2, 3), "-f", "fp32")["results"][0]["elements"][0]["want"], self.code(14.0, "fp32"))

    def test_sums_by_fractions(self):
        for count in (1, 2, 3, 7, 64, 100, 120):
            x, y = self.draws(count), self.draws(count, 2)
            exact = sum(map(fractions.Fraction, x))
            product = sum(fractions.Fraction(a) * fractions.Fraction(b) for a, b in zip(x, y))
            with self.subTest(count=count):
                self.assertEqual(self.wanted("sum", x), [bits(rounded(exact))])
                self.assertEqual(self.wanted("mean", x), [bits(rounded(exact / count))])
                self.assertEqual(self.wanted("dot", x + y), [bits(rounded(product))])
                self.assertEqual(self.got("sum", x, implementation="cr"), [bits(rounded(exact))])
                self.assertEqual(self.got("mean", x, implementation="cr"),
                                 [bits(rounded(exact / count))])
                self.assertEqual(self.got("dot", x + y, implementation="cr"),
                                 [bits(rounded(product))])

    def test_the_order_of_det(self):
        x = self.draws(230)
        for count in (1, 2, 33, 63, 64, 65, 100, 127, 128, 129, 230):
            got = det_sum(lambda lane, i: add(lane, x[i]), count)
            self.assertEqual(self.got("sum", x[:count]), [bits(got)])
        for count in (1, 33, 64, 65, 110):
            got = det_sum(lambda lane, i: fma(x[i], x[count + i], lane), count)
            self.assertEqual(self.got("dot", x[:2 * count]), [bits(got)])

    def test_the_order_of_det_scans(self):
        x = self.draws(200)
        runs = [x[at:at + 32] for at in range(0, len(x), 32)]
        prefixes = []
        for run in runs:
            prefix = [run[0]]
            for value in run[1:]:
                prefix.append(add(prefix[-1], value))
            prefixes.append(prefix)
        totals = [prefix[-1] for prefix in prefixes]
        for distance in (1, 2, 4, 8, 16):
            totals = [add(totals[r - distance], totals[r]) if r >= distance else totals[r]
                      for r in range(len(totals))]
        before = [-0.0] + totals
        expected = [bits(add(before[r], value)) for r, prefix in enumerate(prefixes)
                    for value in prefix]
        self.assertEqual(self.got("cumsum", x), expected)

    def lines(self, shape, axis):
        """Indices of the elements of each line along an axis."""
        if axis is None:
            count = 1
            for extent in shape:
                count *= extent
            return [list(range(count))]
        places = list(itertools.product(*map(range, shape)))
        found = {}
        for index, place in enumerate(places):
            found.setdefault(place[:axis] + place[axis + 1:], []).append(index)
        return list(found.values())

    def narrow(self, value, dtype):
        parameters = {"fp16": (11, -14, 15), "bf16": (8, -126, 127), "fp32": (24, -126, 127),
                      "fp64": (53, -1022, 1023)}[dtype]
        return rounded(fractions.Fraction(value), *parameters)

    def code(self, value, dtype):
        if dtype == "fp64":
            return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016x}"
        if dtype == "fp16":
            return f"0x{struct.unpack('<H', struct.pack('<e', value))[0]:04x}"
        return bits(value)[:6] if dtype == "bf16" else bits(value)

    def test_every_combination_of_axis_exclusive_reverse_and_dtype(self):
        shape, x = (3, 4), self.draws(12, 5)
        combinations = itertools.product((None, 0, 1, -1), (False, True), (False, True),
                                         (None, "fp16", "bf16", "fp32", "fp64"))
        for axis, exclusive, reverse, dtype in combinations:
            options = ["--shape", "3x4"]
            options += ["--axis", axis] if axis is not None else []
            options += ["--exclusive"] if exclusive else []
            options += ["--reverse"] if reverse else []
            options += ["--dtype", dtype] if dtype else []
            cast = [self.narrow(value, dtype or "fp32") for value in x]
            sums, logs = [None] * 12, [None] * 12
            for line in self.lines(shape, axis if axis is None else axis % 2):
                total, power = fractions.Fraction(0), decimal.Decimal(0)
                for index in reversed(line) if reverse else line:
                    before = total, power
                    total += fractions.Fraction(cast[index])
                    power += decimal.Decimal(cast[index]).exp()
                    chosen = before if exclusive else (total, power)
                    sums[index] = self.narrow(chosen[0], dtype or "fp32")
                    logs[index] = (self.narrow(fractions.Fraction(logarithm(chosen[1])),
                                               dtype or "fp32") if chosen[1] else -INFINITY)
            with self.subTest(axis=axis, exclusive=exclusive, reverse=reverse, dtype=dtype):
                self.assertEqual(self.wanted("cumsum", x, *options),
                                 [self.code(value, dtype) for value in sums])
                wanted = self.wanted("logcumsumexp", x, *options)
                self.assertEqual(wanted, [self.code(value, dtype) for value in logs])
                # det: within two units in the last place of these.
                got = self.got("logcumsumexp", x, *options)
                for one, other in zip(got, wanted):
                    self.assertLessEqual(abs(int(one, 16) - int(other, 16)), 2)

    def test_softmax_by_decimals(self):
        x = self.draws(40, 9)
        powers = [decimal.Decimal(value).exp() for value in x]
        for options, lines in (((), self.lines((5, 8), 1)), (("--axis", 0), self.lines((5, 8), 0))):
            softmax, log_softmax = [None] * 40, [None] * 40
            for line in lines:
                total = sum(powers[i] for i in line)
                for i in line:
                    softmax[i] = bits(rounded(fractions.Fraction(powers[i] / total)))
                    log_softmax[i] = bits(rounded(fractions.Fraction(
                        decimal.Decimal(x[i]) - logarithm(total))))
            self.assertEqual(self.wanted("softmax", x, "--shape", "5x8", *options), softmax)
            self.assertEqual(self.wanted("log_softmax", x, "--shape", "5x8", *options), log_softmax)

    def test_matrices_by_fractions(self):
        x, y = self.draws(6, 3), self.draws(12, 4)
        expected = [bits(rounded(sum(fractions.Fraction(x[3 * i + k]) * fractions.Fraction(y[4 * k + j])
                                     for k in range(3)))) for i in range(2) for j in range(4)]
        self.assertEqual(self.wanted("matmul", x + y, "--shape", "2x3x4"), expected)
        self.assertEqual(self.got("matmul", x + y, "--shape", "2x3x4", implementation="cr"), expected)

    def test_exact_sums_know_no_order(self):
        x = self.draws(60, 6)
        sums = {tuple(self.got("sum", order, implementation="cr"))
                for order in (x, x[::-1], sorted(x), sorted(x, key=abs), x[30:] + x[:30])}
        self.assertEqual(len(sums), 1)

    def test_a_naive_sum_of_exponentials_overflows_where_ours_does_not(self):
        x = [95.0, 90.0, 100.0, -3.0]
        naive = self.got("logcumsumexp", x, implementation="naive")
        self.assertEqual(naive, ["0x7f800000"] * 4)
        total, ours = decimal.Decimal(0), self.got("logcumsumexp", x)
        for value, one in zip(x, ours):
            total += decimal.Decimal(value).exp()
            self.assertEqual(one, bits(rounded(fractions.Fraction(logarithm(total)))))

    def committed(self, wanted):
        """A file with some of the committed groups, and these, in the form in which emit writes them."""
        document = reader.load(os.path.join(VECTORS, "arrays.json"))
        groups = [{**group, "tests": reader.tests_of(group)}
                  for group in document["testGroups"] if wanted(group)]
        numbers = itertools.count(1)
        for test in (test for group in groups for test in group["tests"]):
            test["tcId"] = next(numbers)
        document.update(numberOfTests=next(numbers) - 1, testGroups=groups)
        return self.file("committed.json", json.dumps(document)), groups

    def test_committed_vectors_where_a_naive_one_overflows(self):
        path, groups = self.committed(lambda group: group["parameters"] == {"shape": [3, 11], "distribution": "large"})
        again = self.succeed("emit", "logcumsumexp", "--distribution", "large", "--shape", "3x11",
                             "-n", 2)
        self.assertEqual(json.loads(again)["testGroups"], groups)
        self.succeed("verify", path, "--impl", "det", "--max-ulp", 1)
        naive = self.run_program("verify", path, "--impl", "naive", "--json", "-")
        self.assertEqual(naive.returncode, 1)
        results = json.loads(naive.stdout)["results"]
        self.assertEqual([result["mismatches"] for result in results], [2])
        self.assertTrue(all(row["got"] == "0x7f800000" for row in results[0]["first"]))
        # What the vectors have, from their own inputs.
        for group in groups:
            for test in group["tests"]:
                total = decimal.Decimal(0)
                for one, wanted in zip(test["in"][0], test["out"][0]):
                    total += decimal.Decimal(value_of(one)).exp()
                    self.assertEqual(wanted, bits(rounded(fractions.Fraction(logarithm(total)))))

    def test_committed_vectors_of_det(self):
        path, groups = self.committed(lambda group: group["format"] == "fp32" and group["parameters"]["shape"] == [33])
        self.assertIn("92 tests pass", self.succeed("verify", path, "--impl", "det", "--expect", "det", "--first", 0))
        checked = 0
        for group in groups:
            if group["operation"] != "sum" or group["parameters"]["distribution"] == "special":
                continue
            x = [value_of(code) for code in group["tests"][0]["in"][0]]
            if all(abs(value) < 1e30 for value in x):
                total = det_sum(lambda lane, i: add(lane, x[i]), len(x))
                self.assertEqual(group["tests"][0]["det"], [[bits(total)]])
                checked += 1
        self.assertGreaterEqual(checked, 7)

    def test_vectors_of_every_operation(self):
        self.succeed("emit", "arrays", "--distribution", "normal", "-f", "fp16", "-o", "v.json")
        self.assertIn("tests pass", self.succeed("verify", "v.json", "--impl", "det", "--max-ulp",
                                                 600, "--first", 0, "--skip-missing"))
        self.succeed("verify", "v.json", "--impl", "det", "--max-ulp", 600, "--first", 0)
        done = self.run_program("emit", "arrays", "--distribution", "cancelling", "--expect", "det", "-o", "d.json")
        self.assertEqual((done.returncode, done.stderr.count(b"left out")), (0, 0))
        self.succeed("verify", "d.json", "--impl", "det")
        other = self.run_program("verify", "d.json", "--impl", "sequential", "--skip-missing")
        self.assertEqual(other.returncode, 1)

    def test_vectors_with_mistakes(self):
        good = self.succeed("emit", "sum", "--distribution", "normal", "--shape", 3)
        code = json.loads(good)["testGroups"][0]["tests"][0]["in"][0][0]
        rows = [
            (good.replace(f'"{code}", ', "", 1), "the array ends 1 elements early"),
            (good.replace(f'"{code}"', f'"{code}", "{code}"', 1), "more elements than its shape"),
            (good.replace('"shape":[3],', "", 1), "need the parameter shape"),
            (good.replace("[3]", '["3"]', 1), "a string in a shape"),
            (good.replace("[3]", "[[3]]", 1), "an array in a shape"),
            (good.replace("[3]", "[" * 9 + "3" + "]" * 9, 1), "an array in a shape"),
            (good.replace("[3]", "[true]", 1), "true in a shape"),
            (good.replace("[3]", "[]", 1), "shape"),
            (good.replace('"in": [[', '"in": [', 1).replace(']], "out"', '], "out"', 1),
             "each is an array"),
            (good.replace('"sum"', '"exp"', 1), "does not take these parameters"),
            (good.replace("normal", "normale", 1), "did you mean normal?"),
            (good[:good.index('"out"')], "the file ends here"),
        ]
        for text, complaint in rows:
            with self.subTest(complaint=complaint):
                self.assertNotEqual(text, good)
                bad = self.file("bad.json", text)
                for words in (("verify", bad, "--impl", "det"), ("emit", "exp", "--inputs-of", bad)):
                    self.assertIn(complaint, self.refuse(*words))

    def test_special_values_are_those_of_the_definitions(self):
        nan, inf, minus, zero = "0x7fc00000", "0x7f800000", "0xff800000", "0x00000000"
        one, minus_zero = "0x3f800000", "0x80000000"
        rows = [
            ("logcumsumexp", ["-inf", "-inf", 1, "inf", 2], [minus, minus, one, inf, inf]),
            ("logcumsumexp", [1, "nan", "inf"], [one, nan, nan]),
            ("logcumsumexp", ["-0"], [zero]),
            ("logsumexp", ["-inf", "-inf"], [minus]),
            ("logsumexp", ["inf", "-inf", 3], [inf]),
            ("softmax", ["-inf", 5, "-inf"], [zero, one, zero]),
            ("softmax", ["inf", 5], [nan, nan]),
            ("softmax", ["-inf", "-inf"], [nan, nan]),
            ("log_softmax", ["-inf", 5], [minus, zero]),
            ("log_softmax", [7], [zero]),
            ("log_softmax", ["-0", "-inf", -200], [minus_zero, minus, "0xc3480000"]),
            ("sum", ["inf", "-inf"], [nan]),
            ("sum", ["-0", "-0"], [minus_zero]),
            ("sum", ["-0", 0], [zero]),
            ("sum", [5, -5], [zero]),
            ("cumsum", ["inf", 1, "-inf"], [inf, inf, nan]),
            ("dot", [0, 1, "inf", 1], [nan]),
        ]
        for operation, values, expected in rows:
            with self.subTest(operation=operation, values=values):
                self.assertEqual(self.wanted(operation, values), expected)
                self.assertEqual(self.got(operation, values), expected)

    def test_gradients_are_decided_beside_masks_and_where_terms_cancel(self):
        nan, zero, minus_zero = "0x7fc00000", "0x00000000", "0x80000000"
        rows = [
            ([0, 0, 1, 1], [bits(1.5), bits(0.5)]),
            ([0, "-inf", 1, -1], [zero, zero]),
            ([1, 3], [bits(3)]),
            (["-inf", "nan"], [zero]),
            ([0, "nan", 1, 1], [nan, nan]),
            ([0, 1, "inf", 1], [bits(float("inf")), bits(1 / (1 + math.exp(-1)))]),
            ([0, -1e9, 1, 2], [bits(3), zero]),  # a mask, which makes the sum less by e^(-10^9)
            ([0, -1e9, 1, -1], [zero, minus_zero]),
            # 1/(1 + e) - 1/(2 + e) = 1/(2 + 3e + e^2), so that the first term alone is left
            ([0, 1, 0, 1, 1, 2, 1, 1, -1, 0, 0, -1], None),
        ]
        for values, expected in rows:
            with self.subTest(values=values):
                found = self.wanted("logcumsumexp_gradient", values)
                if expected is None:
                    self.assertEqual(found[0], bits(1))
                else:
                    self.assertEqual(found, expected)
        exclusive = self.wanted("logcumsumexp_gradient", [0, 0, 5, 7, 1, 2, 4, 8], "--exclusive")
        self.assertEqual(exclusive[3], zero)
        self.assertEqual(exclusive[0], self.wanted("logcumsumexp_gradient", [0, 0, 5, 2, 4, 8])[0])

    def test_gradients_whose_first_far_terms_cancel_too(self):
        """1 + 1/4 - 2/4 - 3/4 is 0, and so is the sum of their parts of e^-(3 10^38): the sign is that of a later one. And
        numbers 2^-1074 apart, weighed so that all powers below the sixth of that cancel."""
        big, near, low, most = "0xa06c6e58", "0x7f7ffffe", "0xff7fffff", "0x7f7fffff"
        far = [big, near, near, big, big, big, low, low, low, low, most, most]
        places = [*(f"0x{i:016x}" for i in range(7)), 7, -52, 108, -88, 25, 0, 0]
        for values, options, ups, downs in (
                (far, ("--exclusive", "--shape", 6), "ff7fffff fefffffe 7effffff 00000001 00000001 00000000",
                 "ff800000 feffffff 7efffffe 00000000 00000000 00000000"),
                (places, ("-f", "fp64"), "0000000000000001 c01c000000000000 4033000000000001 c031000000000000 4014000000000001 "
                 + "0" * 16 + " " + "0" * 16,
                 "0000000000000000 c01c000000000001 4033000000000000 c031000000000001 4014000000000000 " + "0" * 16 + " " + "0" * 16)):
            for rounding, want in (("up", ups), ("down", downs)):
                with self.subTest(options=options, rounding=rounding):
                    self.assertEqual(self.wanted("logcumsumexp_gradient", values, "-r", rounding, *options),
                                     ["0x" + one for one in want.split()])

    def test_gradients_of_logsumexp_and_log_softmax(self):
        nan, inf, zero, minus_zero = "0x7fc00000", bits(float("inf")), "0x00000000", "0x80000000"
        rows = [  # of logsumexp g is the last value
            ("logsumexp_gradient", [1, 1, 3], [bits(1.5), bits(1.5)]),
            ("logsumexp_gradient", ["-inf", 7, -5], [zero, bits(-5)]),
            ("logsumexp_gradient", [0, "nan", "-inf", 1], [nan, nan, zero]),
            ("logsumexp_gradient", [0, 5, "inf"], [inf, inf]),
            ("logsumexp_gradient", [0, 5, "-0"], [zero, zero]),
            ("logsumexp_gradient", [0, -1e9, -1], [bits(-1), minus_zero]),
            ("log_softmax_gradient", [4, 4, 1, 3], [bits(-1), bits(1)]),
            ("log_softmax_gradient", [4, 1, 1, -1], [bits(1), bits(-1)]),
            ("log_softmax_gradient", [4, 7], [zero]),
            # a sure prediction, whose gradient is e^-30 / (1 + e^-30) however near its share is to 1
            ("log_softmax_gradient", [0, -30, -1, 0], [bits(-math.exp(-30)), bits(math.exp(-30))]),
            ("log_softmax_gradient", [0, -1e9, -1, 0], [minus_zero, zero]),
            ("log_softmax_gradient", ["-inf", 0, 1, 1], [bits(1), bits(-1)]),
            ("log_softmax_gradient", ["-inf", "-inf", 1, 1], [nan, nan]),
            ("log_softmax_gradient", ["-inf", "inf", 1, 1], [nan, nan]),
            ("log_softmax_gradient", [0, 0, "inf", 1], [nan, bits(float("-inf"))]),
            ("log_softmax_gradient", [0, "-inf", 1, "nan"], [nan, nan]),
        ]
        for operation, values, expected in rows:
            with self.subTest(operation=operation, values=values):
                self.assertEqual(self.wanted(operation, values), expected)
                self.assertEqual(self.got(operation, values), expected)

    def test_the_format_that_arrays_are_accumulated_in(self):
        x = [2.0 ** 24, 1.0, 1.0, -2.0 ** 24, 2.0 ** -30]
        for name in ("sequential", "pairwise"):
            self.assertEqual(self.got("sum", x, implementation=name), [bits(2.0 ** -30)])
            self.assertEqual(self.got("sum", x, "--accumulate", "fp64", implementation=name), [bits(2.0)])
        # A long sum in fp64 is the exact one rounded but once or twice.
        x = self.draws(100, 11)
        exact = sum(map(fractions.Fraction, x))
        for name in ("det", "cr", "sequential", "pairwise", "blocked"):
            for dtype in ("fp32", "bf16"):
                total = sum(fractions.Fraction(self.narrow(value, dtype)) for value in x)
                got = self.got("sum", x, "--accumulate", "double", "--dtype", dtype, implementation=name)
                self.assertEqual(got, [self.code(self.narrow(total, dtype), dtype)])
        self.assertNotEqual(self.got("sum", x, implementation="sequential"), [bits(rounded(exact))])
        for words in (("softmax", "logsumexp"), ("matmul", "--shape", "3x40x2")):
            results = self.document("sweep", *words, "--distribution", "normal", "--accumulate", "fp64",
                                    "--samples", 2)["results"]
            for result in results:
                self.assertEqual(result["parameters"]["accumulate"], "fp64")
                for one in result["implementations"]:
                    if one["name"] != "naive":
                        self.assertLess(one["max_ulp"]["error"], 0.5001)

    def test_accumulation_in_a_narrow_format(self):
        """By the steps of each order in fractions, each step rounded."""
        def keep(value, form):
            return fractions.Fraction(self.narrow(value, form))

        def left(terms, form):
            return functools.reduce(lambda total, term: keep(total + term, form), terms)

        def halves(terms, form):
            half = len(terms) // 2
            return left(terms, form) if len(terms) <= 8 else keep(halves(terms[:half], form) + halves(terms[half:], form), form)

        def blocks(terms, form):
            return left([left(terms[at:at + 256], form) for at in range(0, len(terms), 256)], form)

        for form in ("fp16", "bf16"):
            x, y = ([keep(value, form) for value in self.draws(300, seed)] for seed in (3, 4))
            for name, order in (("sequential", left), ("pairwise", halves), ("blocked", blocks)):
                options = ("-f", form, "--accumulate", form)
                with self.subTest(form=form, name=name):
                    def check(operation, values, want, *more):
                        self.assertEqual(self.got(operation, map(float, values), *options, *more, implementation=name),
                                         [self.code(self.narrow(one, form), form) for one in want])
                    total = order(x, form)
                    check("sum", x, [total])
                    check("mean", x, [total / len(x)])
                    if name == "sequential":
                        check("cumsum", x[:50], [left(x[:i + 1], form) for i in range(50)])
                    if name != "blocked":
                        products = [keep(a * b, form) for a, b in zip(x, y)]
                        check("dot", x + y, [order(products, form)])
                        check("matmul", x + y, [order(products, form)], "--shape", "1x300x1")
            fused = functools.reduce(lambda total, pair: keep(total + pair[0] * pair[1], form), zip(x[:200], y), 0)
            self.assertEqual(self.got("dot", map(float, x[:200] + y[:200]), *options, implementation="blocked"),
                             [self.code(float(fused), form)])
        # 7 * 37 lies between two numbers; what is added by a fused step says which, and no bit of double has it.
        tie = [-2.0 ** -40, 7.0, 2.0 ** -40, 37.0]
        self.assertEqual(self.got("dot", tie, *options, implementation="blocked"), ["0x4381"])
        self.assertEqual(self.got("sum", [60000.0] * 2 + [-60000.0], "-f", "fp16", "--accumulate", "fp16", implementation="sequential"),
                         ["0x7c00"])
        row = self.document("sweep", "cumsum", "-f", "bf16", "--accumulate", "bf16", "--distribution", "normal", "--shape", "9",
                            "-i", "pairwise")["results"][0]
        self.assertIn("; accumulated in bf16", row["implementations"][0]["detail"])

    def test_exclusive_scans_begin_with_what_the_format_has_for_nothing(self):
        """NaN stands for 0 in a format without zero, and for -inf in one without infinity."""
        for operation, form, first in (("cumsum", "fp8_e8m0fnu", "0xff"), ("logcumsumexp", "fp8_e4m3fn", "0x7f"),
                                       ("cumsum", "fp8_e4m3fn", "0x00"), ("logcumsumexp", "fp16", "0xfc00")):
            for element in self.document("eval", operation, 1, 1, "--exclusive", "-f", form)["results"][0][
                    "elements"][:1]:
                self.assertEqual(element["want"], first)
                self.assertEqual({one["got"] for one in element["implementations"]}, {first})

    def test_one_rule_says_which_formats_arrays_have(self):
        """As --format, as --dtype, on the command line and in a file of vectors."""
        self.succeed("emit", "sum", "--shape", 3, "--dtype", "fp16", "-o", "good.json")
        with open(os.path.join(self.path, "good.json"), encoding="ascii") as stream:
            good = stream.read()
        for bad in ("int8", "int64"):
            said = f"sum is on real numbers, and {bad} is none of their formats\n"
            self.assertEqual(self.refuse("eval", "sum", 1, 2, "--format", bad), "detcheck: " + said)
            for words in (("eval", "sum", 1, 2), ("sweep", "sum"), ("emit", "sum", "--shape", 3)):
                self.assertEqual(self.refuse(*words, "--dtype", bad), "detcheck: --dtype: " + said)
            for text in (good.replace('"dtype":"fp16"', f'"dtype":"{bad}"'),
                         good.replace('"format": "fp32"', f'"format": "{bad}"')):
                self.assertNotEqual(text, good)
                self.assertIn(said, self.refuse("verify", self.file("bad.json", text), "--impl", "det"))

    def test_numpy_as_a_client(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("there is no numpy")
        x = numpy.array(self.draws(100, 11), dtype=numpy.float32)
        values = [float(value) for value in x]
        codes = [f"0x{int(code):08x}" for code in numpy.cumsum(x, dtype=numpy.float32).view("uint32")]
        self.assertEqual(self.got("cumsum", values, implementation="sequential"), codes)
        # In double, and rounded: correct but for a few elements at most.
        wide = numpy.logaddexp.accumulate(x.astype(numpy.float64)).astype(numpy.float32)
        wanted = self.wanted("logcumsumexp", values)
        right = sum(f"0x{int(code):08x}" == want for code, want in zip(wide.view("uint32"), wanted))
        self.assertGreaterEqual(right, 98)


class Shapes(harness.Case):
    def test_no_product_of_extents_wraps_round(self):
        for words in (("eval", "cumsum", 1, 2, "--shape", "3x6148914691236517206"),
                      ("eval", "sum", 1, 2, 3, 4, "--shape", "4294967296x4294967296"),
                      ("eval", "scaled.relu", 1, 2, 1, "--shape", "9223372036854775809x2"),
                      ("sweep", "sum", "--shape", "3x6148914691236517206")):
            self.assertIn("more than 268435456 elements", self.refuse(*words, "--impl", "det"))


if __name__ == "__main__":
    unittest.main()
