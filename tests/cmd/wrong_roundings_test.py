"""`search --for wrong-rounding` and `sweep --special` find faults that were published, and none where there is none."""

import json
import math
import os
import unittest
from collections import namedtuple
from fractions import Fraction
from random import Random

from harness import Case, parse, some
from report_checks import check_document
from wrong_roundings import CAUSES, FAULTS, ONE_OPERAND, RARE, cause_of, words_of, wrong_of

LIBRARY = os.environ["MISROUNDING_LIBRARY"]
# Each after a report of its own.
NAMED = {"fma_musl", "fma_glibc_34183", "fma_dotnet_133349", "fma_rust_1262", "fma_rust_1270", "fma_openlibm_357", "fma_by_fround",
         "div_by_rcp", "e5m2_by_fp16", "e4m3_by_fp16"}
FIRST_ROUNDS = 50000  # the special inputs, and two rounds of built ones


class Faults(Case):
    def test_the_first_round_finds_each(self):
        for fault in FAULTS:
            with self.subTest(fault=fault.function):
                document = self.document("search", *words_of(fault, LIBRARY), "--for", "wrong-rounding",
                                         "--evaluations", FIRST_ROUNDS)
                check_document(self, document)
                result, *_ = document["results"]  # remquo has two
                self.assertGreater(wrong_of(result), 0)
                self.assertEqual(wrong_of(result), result["inputs"]["count"])
                self.assertEqual(result["inputs"]["search"]["for"], "wrong-rounding")
                self.assertIn("found by a search for wrong roundings among 50,000", result["inputs"]["description"])

    def test_special_inputs_have_the_last_of_each_operation(self):
        last = {fault.operation: fault for fault in FAULTS}
        self.assertGreater(len(last), 12)
        for fault in last.values():
            with self.subTest(fault=fault.function):
                result, *_ = self.results(*words_of(fault, LIBRARY), "--special")
                self.assertGreater(wrong_of(result), 0)

    def test_a_search_for_errors_finds_one_that_ranks_last(self):
        """Its error is 0.5 ulp and 2^-29, and those of right outputs are as large."""
        fault, = [one for one in FAULTS if one.function == "fma_musl"]
        result, = self.document("search", *words_of(fault, LIBRARY), "--evaluations", 40000)["results"]
        self.assertGreater(wrong_of(result), 0)

    def test_without_built_inputs_it_finds_none(self):
        """And tries the inputs that it tries beside them."""
        fault, = [one for one in FAULTS if one.function == "fma_musl"]
        words = [*words_of(fault, LIBRARY), "--evaluations", 40000, "--without", "built"]
        document = self.document("search", *words)
        check_document(self, document)
        result, = document["results"]
        self.assertEqual(wrong_of(result), 0)
        self.assertEqual(result["inputs"]["search"]["without"], "built")
        self.assertIn(", seed 1, without built inputs", result["inputs"]["description"])
        parts = [self.document("search", *words, "--shard", f"{k}/2") for k in (1, 2)]
        for part in parts:
            self.assertIn("without built inputs", part["results"][0]["inputs"]["shard"]["whole_description"])

    def test_only_searches_that_have_others_go_without(self):
        for purpose in ("boundary", "wrong-rounding"):
            self.assertIn(f"--without is for a search for errors or differences, not for --for {purpose}",
                          self.refuse("search", "fma", "--for", purpose, "--without", "built"))
        self.assertIn("--without needs built, not special", self.refuse("search", "fma", "--without", "special"))


class Page(Case):
    def test_the_table_has_each_fault_and_how_it_is_named(self):
        path = os.path.join(os.path.dirname(__file__), "..", "..", "man", "data", "faults.json")
        with open(path, encoding="ascii") as stream:
            tables = json.load(stream)["tables"]
        rows, names = ([dict(zip(tables[name]["columns"], row)) for row in tables[name]["rows"]] for name in ("faults", "names"))
        self.assertEqual([(row["fault"], row["published"]) for row in names], [(fault.function, fault.published) for fault in FAULTS])
        self.assertEqual([(row["fault"], row["cause"]) for row in rows], [(fault.function, cause_of(fault)) for fault in FAULTS])
        missed = {row["fault"] for row in rows if row["drawn_inputs"] == "none"}
        self.assertGreater(len(missed), 8)
        self.assertEqual({name for row in tables["reasons"]["rows"] for name in row[1].split(", ")}, missed)
        self.assertLessEqual(missed, set(RARE))
        for row in rows:
            self.assertLess(float(row["built"]), 1 if row["fault"] in NAMED else 10, row)
        self.assertLessEqual(NAMED, {row["fault"] for row in rows})


class Explained(Case):
    def causes_of(self, fault, *options):
        """The causes that `explain` names beside the right one. NaNs have other bits in the library than the exact results, which comes
        last."""
        words = words_of(fault, LIBRARY)
        right = "det" if fault.operation == "cast" else "exact"
        done = self.run_program("explain", *words, *options, "--impl", right, "--json", "-")
        self.assertEqual(done.returncode, 1, done.stderr)
        result, = parse(done.stdout)["results"]
        explanation = result["implementations"][0]["explanation"]
        causes = [one for one in explanation["explanations"] if "cause" in one]
        self.assertEqual([one["cause"] for one in causes], list(range(1, len(causes) + 1)))
        self.assertNotIn("nan-bits", [one["hypothesis"] for one in causes[:-1]])
        return explanation, causes

    def test_the_cause_that_was_planted_is_named(self):
        """By the inputs that explain takes where none are named, built ones among them; of one operand by the special ones."""
        known = [fault for fault in FAULTS if fault.function in CAUSES]
        self.assertEqual({fault.function for fault in known}, set(CAUSES))
        for fault in some(known, 6):
            with self.subTest(fault=fault.function):
                name, says = CAUSES[fault.function]
                explanation, causes = self.causes_of(fault, *(["--special"] if fault.operation in ONE_OPERAND else []))
                self.assertEqual(causes[0]["hypothesis"], name)
                self.assertEqual(causes[0].get("side", "a"), "a")
                self.assertIn(says, causes[0]["says"])
                # What is left, if anything, comes of guards that the code has for infinities.
                self.assertLess(explanation["unexplained"], 0.2 * explanation["differ"])

    def test_what_samples_do_not_meet_is_explained(self):
        """musl's fmaf: of a million samples none differs but in NaN, and special inputs come first."""
        fault, = [one for one in FAULTS if one.function == "fma_musl"]
        explanation, causes = self.causes_of(fault)
        self.assertEqual([one["hypothesis"] for one in causes if one["hypothesis"] != "nan-bits"],
                         ["rounded-twice-by-fp64-where-subnormal"])
        self.assertGreater(causes[0]["explains"], 10)
        self.assertEqual((causes[0]["predicts_wrongly"], explanation["unexplained"]), (0, 0))
        plain, causes = self.causes_of(fault, "--samples", "50000")
        self.assertEqual([one["hypothesis"] for one in causes if one["hypothesis"] != "nan-bits"], [], plain)

    def test_pairs_of_short_formats_take_special_inputs_first(self):
        """Not all 2^32, which take hours. In bf16 the cause is among the special ones; in fp16 nothing differs, and samples follow."""
        done = self.run_program("explain", "mul", "-f", "bf16", "--impl", f"lib:{LIBRARY}:mul_flushed", "--impl", "exact", "--json", "-")
        self.assertIn("bf16 has 2^32 pairs, so special inputs are taken", done.stderr.decode())
        result, = parse(done.stdout)["results"]
        implementation, = result["implementations"]
        self.assertLess(implementation["tested"], 2 ** 17)
        explanation = implementation["explanation"]
        self.assertEqual([one["hypothesis"] for one in explanation["explanations"] if one.get("cause") == 1], ["flushed-results"])
        # The rest are products that fp32 flushes, and bf16 would round to its least normal number.
        self.assertLess(explanation["unexplained"], 0.2 * explanation["differ"])
        done = self.run_program("explain", "mul", "-f", "fp16", "--impl", "libm", "--impl", "exact")
        notes = done.stderr.decode().splitlines()
        self.assertEqual(["2^32 pairs, so special" in notes[0], "2^32 pairs, so 1000000 samples" in notes[1]], [True, True], notes)

    def test_samples_follow_where_special_inputs_are_equal(self):
        """NaN of other bits alone is no reason to stop there."""
        done = self.run_program("explain", "mul", "-f", "fp32", "--impl", "libm", "--impl", "exact")
        notes = done.stderr.decode().splitlines()
        self.assertEqual(len(notes), 2, notes)
        self.assertIn("so special inputs are taken, some of them next to a point where rounding changes", notes[0])
        self.assertIn("so 1000000 samples are taken", notes[1])
        self.assertIn("1,000,000", done.stdout.decode())

    def test_each_way_of_rounding_wrongly_by_fractions(self):
        """Rows that no planted fault needs, and others, on operands that are drawn."""
        for name, operation, format_, wrong in some(WAYS, 6):
            with self.subTest(row=name, operation=operation, format=format_):
                kind = KINDS[format_]
                operands = DRAWN[operation](kind)
                outputs = [code_of(wrong(value, kind), value < 0, kind) for value in (
                    EXACT[operation](*(value_of(code, kind) for code in codes)) for codes in operands)]
                inputs = self.file("inputs", "".join(" ".join(f"{code:#x}" for code in codes) + "\n" for codes in operands))
                codes = self.file("codes", b"".join(code.to_bytes(kind.bytes, "little") for code in outputs))
                done = self.run_program("explain", operation, "-f", format_, "--inputs", inputs, "--impl", "exact", "--impl",
                                        f"file:{codes}", "--json", "-")
                self.assertEqual(done.returncode, 1, done.stderr)
                explanation = parse(done.stdout)["results"][0]["implementations"][0]["explanation"]
                first = explanation["explanations"][0]
                self.assertEqual((first["hypothesis"], first["side"], first["verdict"], first["predicts_wrongly"]), (name, "b", "all", 0))
                self.assertEqual(sum("cause" in one for one in explanation["explanations"]), 1)

    def test_roots_that_are_rounded_once_to_a_narrower_format(self):
        """Consecutive inputs, of which the fast filter knows the results. A root of fp32 in fp64 lies on the right side of each midpoint."""
        first, count, kind = 0x3f800000, 8192, KINDS["fp32"]
        for name, precision, emin in (("rounded-to-bf16", 8, -126), ("rounded-to-fp16", 11, -14)):
            with self.subTest(row=name):
                outputs = [code_of(rounded(Fraction(math.sqrt(value_of(code, kind))), precision, emin), False, kind)
                           for code in range(first, first + count)]
                codes = self.file("codes", b"".join(code.to_bytes(kind.bytes, "little") for code in outputs))
                done = self.run_program("explain", "sqrt", "-f", "fp32", "--range", f"{first:#x}:{first + count - 1:#x}", "--impl", "exact", "--impl",
                                        f"file:{codes}", "--json", "-")
                self.assertEqual(done.returncode, 1, done.stderr)
                rows = parse(done.stdout)["results"][0]["implementations"][0]["explanation"]["explanations"]
                row, = (one for one in rows if one["hypothesis"] == name and one["side"] == "b")
                self.assertEqual((row["verdict"], row["explains"] > count // 2, row["predicts_wrongly"]), ("all", True, 0))


Kind = namedtuple("Kind", "precision emin bytes")
KINDS = {"fp16": Kind(11, -14, 2), "bf16": Kind(8, -126, 2), "fp8_e4m3fn": Kind(4, -6, 1), "fp32": Kind(24, -126, 4), "fp64": Kind(53, -1022, 8)}
EXACT = {"add": lambda x, y: x + y, "mul": lambda x, y: x * y, "fma": lambda x, y, z: x * y + z}


def value_of(code, kind):
    """A finite number, exactly."""
    sign = 1 << (8 * kind.bytes - 1)
    if code & sign:
        return -value_of(code - sign, kind)
    exponent, fraction = code >> (kind.precision - 1), code & ((1 << (kind.precision - 1)) - 1)
    normal = exponent > 0
    return Fraction(fraction + (normal << (kind.precision - 1))) * Fraction(2) ** (max(exponent, 1) - 1 + kind.emin - kind.precision + 1)


def exponent_of(value):
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    return exponent if value >= Fraction(2) ** exponent else exponent - 1


def rounded(value, precision, emin, ties="even"):
    """To nearest, or cut off, or away from 0."""
    if value < 0:
        return -rounded(-value, precision, emin, ties)
    if not value:
        return value
    unit = Fraction(2) ** (max(exponent_of(value), emin) - precision + 1)
    low, rest = divmod(value, unit)
    if ties == "raise":
        up = rest > 0
    elif ties == "cut" or rest * 2 < unit:
        up = 0
    elif rest * 2 > unit:
        up = 1
    else:
        up = {"even": low % 2, "odd": 1 - low % 2, "zero": 0, "away": 1}[ties]
    return (low + up) * unit


def code_of(value, negative, kind):
    if negative:
        return code_of(-value, False, kind) + (1 << (8 * kind.bytes - 1))
    exponent = max(exponent_of(value), kind.emin) if value else kind.emin
    return ((exponent - kind.emin) << (kind.precision - 1)) + int(value / Fraction(2) ** (exponent - kind.precision + 1))


def drawn_pairs(kind):
    """Products of both signs from below the smallest subnormal number to a few hundred, half of them of few bits, for ties."""
    random = Random(56)
    pairs = set()
    while len(pairs) < 6000:
        exponent, bits = random.randrange(-26, 8), random.choice((kind.precision, kind.precision // 2 + 1))
        codes = []
        for part in exponent // 2, exponent - exponent // 2:
            value = Fraction(random.getrandbits(bits) | 1 << (bits - 1)) * Fraction(2) ** (part - bits + 1)
            codes.append(code_of(value, False, kind) + (random.getrandbits(1) << (8 * kind.bytes - 1)))
        pairs.add(tuple(codes))
    return sorted(pairs)


def drawn_triples(kind):
    """Products that are ties or next to one, and addends below what a format of few bits more sees."""
    random = Random(56)
    bits = min(kind.precision, 6)
    triples = set()
    while len(triples) < 6000:
        codes = [code_of(Fraction(random.randrange(1 << (bits - 1), 1 << bits)) * Fraction(2) ** random.randrange(-1, 1), False, kind) for _ in "xy"]
        triples.add((*codes, random.randrange(1, 1 << kind.precision) + (random.getrandbits(1) << (8 * kind.bytes - 1))))
    return sorted(triples)


def drawn_sums(kind):
    """Numbers of all bits and midpoints of narrower formats, and a little that is added."""
    random = Random(57)
    widths = [one for one in (9, 12, 25) if one <= kind.precision] + [kind.precision]
    pairs = set()
    while len(pairs) < 6000:
        bits, exponent = random.choice(widths), random.randrange(-4, 8)
        large = Fraction(random.getrandbits(bits) | 1 << (bits - 1) | 1) * Fraction(2) ** (exponent - bits + 1)
        small = random.randrange(1, 8) * Fraction(2) ** max(exponent - random.randrange(4 * kind.precision), kind.emin - kind.precision + 1)
        pairs.add(tuple(code_of(one, False, kind) + (random.getrandbits(1) << (8 * kind.bytes - 1)) for one in (large, small)))
    return sorted(pairs)


DRAWN = {"add": drawn_sums, "mul": drawn_pairs, "fma": drawn_triples}


def right(value, kind, ties="even"):
    return rounded(value, kind.precision, kind.emin, ties)


def cut_behind(bits):
    return lambda value, kind: right(rounded(value, kind.precision + bits, -10000, "cut"), kind)


def by(precision, emin):
    return lambda value, kind: right(rounded(value, precision, emin), kind)


def by_fp32_and(precision, emin):
    return lambda value, kind: by(precision, emin)(rounded(value, 24, -126), kind)


def to(positive, negative):
    return lambda value, kind: right(value, kind, positive if value > 0 else negative)


WAYS = [  # a row of explain, the operation, the format, and what is made of an exact result
    ("rounded-toward-zero", "mul", "fp16", to("cut", "cut")),
    ("rounded-away-from-zero", "mul", "fp16", to("raise", "raise")),
    ("rounded-up", "mul", "fp16", to("raise", "cut")),
    ("rounded-down", "mul", "fp16", to("cut", "raise")),
    ("rounded-to-nearest-away", "mul", "fp16", to("away", "away")),
    ("rounded-to-nearest-odd", "mul", "fp16", to("odd", "odd")),
    ("rounded-to-nearest-zero", "mul", "fp16", to("zero", "zero")),
    ("rounded-twice-by-fp16", "mul", "bf16", by(11, -14)),
    ("rounded-twice-by-bf16", "fma", "fp8_e4m3fn", by(8, -126)),
    ("rounded-twice-where-subnormal", "mul", "fp16", by(11, -10000)),
    ("cut-behind-1-bit", "mul", "fp16", cut_behind(1)),
    ("cut-behind-2-bits", "mul", "fp16", cut_behind(2)),
    ("cut-behind-3-bits", "mul", "fp16", cut_behind(3)),
    ("rounded-twice-by-bf16", "add", "fp16", by(8, -126)),
    ("rounded-by-fp32-and-bf16", "add", "fp16", by_fp32_and(8, -126)),
    ("rounded-by-fp32-and-fp16", "fma", "bf16", by_fp32_and(11, -14)),
    ("rounded-to-bf16", "add", "fp32", by(8, -126)),
    ("rounded-to-fp16", "add", "fp32", by(11, -14)),
    ("rounded-to-fp32", "add", "fp64", by(24, -126)),
]

RIGHT = [  # operations, formats, roundings, and an implementation that is right there
    ("add sub mul div sqrt recip fmod", "fp16 bf16 fp32 fp64", "nearest-even up", "libm"),
    ("fma", "fp32 fp64", "nearest-even up", "libm"),
    ("rsqrt cbrt hypot pow powr", "fp32 fp64", "nearest-even", "cr"),
    ("remainder", "fp64", "nearest-even down", f"lib:{LIBRARY}:remainder_right"),
    ("div", "fp32", "nearest-even", f"lib:{LIBRARY}:div_by_fround"),  # by a format of more than twice the bits
]


class Right(Case):
    def test_none_is_found_where_none_is(self):
        for operations, formats, roundings, implementation in RIGHT:
            words = (*operations.split(), "-f", formats.replace(" ", ","), "--rounding", roundings.replace(" ", ","))
            document = self.document("search", *words, "--impl", implementation, "--for", "wrong-rounding", "--evaluations",
                                     8000, notes=True)
            self.assertEqual(len(document["results"]),
                             len(operations.split()) * len(formats.split()) * len(roundings.split()))
            for result in document["results"]:
                with self.subTest(result=[result[name] for name in ("operation", "format", "rounding")]):
                    self.assertEqual(result["inputs"]["description"],
                                     "no wrong rounding found among 8,000 inputs, seed 1")
                    self.assertEqual(result["implementations"][0]["correctly_rounded"], 1)

    def test_casts(self):
        for from_, to in (("fp64", "fp16"), ("fp64", "fp32"), ("fp32", "fp8_e4m3fn"), ("fp32", "bf16")):
            with self.subTest(from_=from_, to=to):
                result, = self.document("search", "cast", "-f", from_, "--to", to, "--impl", "det", "--for", "wrong-rounding",
                                        "--evaluations", 8000)["results"]
                self.assertEqual(wrong_of(result), 0)

    def test_undefined_results_of_casts_are_no_finds(self):
        """Any result is right there. And the search of uint64, whose codes are all numbers, ends."""
        for from_, to, profile in (("fp32", "int32", "c"), ("fp64", "uint64", "ieee"), ("fp32", "uint32", "webassembly-trap"),
                                   ("uint64", "int64", "c"), ("uint64", "fp32", "ieee"), ("int64", "fp32", "ieee")):
            with self.subTest(from_=from_, to=to, profile=profile):
                result, = self.document("search", "cast", "-f", from_, "--to", to, "--profile", profile, "--impl", "det",
                                        "--for", "wrong-rounding", "--evaluations", 12000)["results"]
                self.assertEqual(wrong_of(result), 0)
                self.assertEqual(result["inputs"]["description"],
                                 "no wrong rounding found among 12,000 inputs, seed 1")

    def test_others_are_refused(self):
        self.assertIn("--for wrong-rounding builds inputs for fma, add,",
                      self.refuse("search", "exp", "--for", "wrong-rounding"))

    def test_a_wrong_output_is_shown_before_a_right_tie(self):
        """A double has room for the sum, which then is rounded twice: its errors rank as those of ties."""
        words = ("fma", "-f", "fp32", "--special", "--impl", f"lib:{LIBRARY}:fma_rounded_twice")
        reports = []
        for name, more in (("whole.json", ()), ("a.json", ("--shard", "1/3")), ("b.json", ("--shard", "2/3")),
                           ("c.json", ("--shard", "3/3"))):
            self.succeed("sweep", *words, *more, "--json", name, notes=True)
            reports.append(name)
        whole, = parse(self.succeed("merge", "whole.json"))["results"]
        largest = whole["implementations"][0]["max_ulp"]
        self.assertGreater(whole["implementations"][0]["incorrectly_rounded"], 0)
        self.assertAlmostEqual(largest["error"], 0.5, delta=2 ** -22)
        self.assertNotEqual(largest["got"], largest["want"])
        for order in (reports[1:], reports[:0:-1]):
            merged, = parse(self.succeed("merge", *order))["results"]
            self.assertEqual(merged["implementations"][0]["max_ulp"], largest)

    def test_a_search_tells_no_share_of_what_it_chose(self):
        words = ("fma", "-f", "fp32", "--impl", f"lib:{LIBRARY}:fma_rounded_twice")
        searched = self.succeed("search", *words, "--for", "wrong-rounding", "--evaluations", 20000)
        self.assertRegex(searched, r"not correctly rounded  [1-9][\d,]*\n")
        self.assertNotIn("%", searched)
        self.assertRegex(self.succeed("sweep", *words, "--special"), r"not correctly rounded  [\d,]+  \([\d.]+ %\)")

    def test_any_number_of_threads_finds_the_same(self):
        runs = []
        for threads in (1, 3):
            document = self.document("search", "fma", "-f", "fp32", "--impl", f"lib:{LIBRARY}:fma_rounded_twice", "--for",
                                     "wrong-rounding", "--evaluations", 150000, "--threads", threads)
            del document["run"]
            runs.append(document)
        self.assertEqual(*runs)

    def test_ranges_are_kept_to(self):
        result, = self.document("search", "div", "-f", "fp32", "--impl", f"lib:{LIBRARY}:div_by_reciprocal", "--for",
                                "wrong-rounding", "--evaluations", 20000, "--range", "1:2")["results"]
        for row in result["inputs"]["search"]["parts"][0]["best"]:
            for code in row["input"]:
                self.assertTrue(0x3f800000 <= int(code, 16) <= 0x40000000, code)


if __name__ == "__main__":
    unittest.main()
