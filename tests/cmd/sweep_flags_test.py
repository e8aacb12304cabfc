"""sweep --flags and --errno: a library with one fault in one flag at one input is named at that input.

Environment: as for harness.py; FAULTY_FLAGS is the library of tests/programs/faulty_flags.c."""

import itertools
import json
import os
import platform
import re
import struct
import unittest

from formats import FP16, FP32
from harness import Case

LIBRARY = os.environ["FAULTY_FLAGS"]
NAMES = {"invalid": "invalid", "divbyzero": "divide-by-zero", "overflow": "overflow",
         "underflow": "underflow", "inexact": "inexact"}
# Where the flag is required: inputs that fp16 holds, and whose results in fp32 fp16 adds no flag to.
REQUIRED = {"invalid": -2.5, "divbyzero": 0.0, "overflow": 100.0, "underflow": -200.0, "inexact": -200.0}
FAULTS = ("missing", "spurious", "cleared")
ON_X86 = platform.machine() in ("x86_64", "AMD64")


def operation(flag):
    return "log" if flag in ("invalid", "divbyzero") else "exp"


def code(format_, value):
    """The bits of a number that the format holds."""
    return "0x" + struct.pack(">e" if format_ is FP16 else ">f", value).hex()


class Flags(Case):
    def rows(self, *words, at=None):
        """The implementations of the only result."""
        env = {} if at is None else {"FAULT_AT": repr(at)}
        return json.loads(self.succeed("sweep", *words, "--json", "-", env=env))["results"][0]["implementations"]

    def told(self, *words, at=None, part="flags"):
        return self.rows(*words, at=at)[0][part]

    def check(self, faults, fault, flag, format_, at, name="flag"):
        """The one fault of that flag is there, at that input."""
        found = [row for row in faults["faults"] if row["fault"] == fault and row[name] == flag]
        self.assertEqual(len(found), 1, faults)
        row = found[0]
        self.assertEqual(row["count"], 1, faults)
        self.assertEqual(row["first"]["input"], code(format_, at))
        self.assertEqual(row["worst"]["input"], code(format_, at))

    def each(self, format_, kinds, words=lambda flag, at: ()):
        """Each fault of each flag: in one sweep those of one function whose input is the same."""
        sweeps = {}
        for flag, fault in itertools.product(NAMES, FAULTS):
            if (flag, fault) != ("inexact", "spurious"):  # exp(1.5) is inexact
                at = REQUIRED[flag] if fault == "missing" else 1.5
                sweeps.setdefault((operation(flag), at), []).append((flag, fault))
        for (function, at), planted in sweeps.items():
            named = [(flag, fault, f"lib:{LIBRARY}:{fault}_{flag}{kind}") for flag, fault in planted for kind in kinds]
            rows = self.rows(function, "-f", format_.name, "--flags", "--inexact", "-t", 1, *words(function, at),
                             *(word for *_, impl in named for word in ("--impl", impl)), at=at)
            for row, (flag, fault, impl) in zip(rows, named, strict=True):
                with self.subTest(impl=impl):
                    self.check(row["flags"], fault, NAMES[flag], format_, at)

    def test_each_fault_of_each_flag_is_named_in_fp16(self):
        self.each(FP16, ("f",))
        row, = self.rows("exp", "-f", "fp16", "--flags", "--oracle", "exact", "--no-isolation", "--impl",
                         f"lib:{LIBRARY}:missing_overflowf", at=100.0)
        self.check(row["flags"], "missing", "overflow", FP16, 100.0)

    def range_around(self, at):
        first = int(code(FP32, at), 16) & 0xfffff000
        return "--range", f"{first:#x}:{first + 0xfff:#x}"

    def test_each_fault_of_each_flag_is_named_in_fp32(self):
        kinds = ("f", "_array,array") + (("_vector,vector=4",) if ON_X86 else ())
        self.each(FP32, kinds, lambda function, at: self.range_around(at))

    def test_nothing_is_wrong_in_formats_that_do_not_hold_every_result(self):
        for function in ("logb", "frexp", "ceil", "round", "rint", "lround"):
            for format_ in ("fp8_e5m2", "fp6_e2m3fn", "fp8_e3m4"):
                flags = self.told(function, "-f", format_, "--flags", "--impl", "libm")
                if not flags["told"]:
                    self.skipTest("libm does not tell its flags here")
                with self.subTest(function=function, format=format_):
                    self.assertEqual(flags["faults"], [])

    def test_spurious_inexact_is_named(self):
        # exp(0) is 1, the only exact result there is.
        for format_, kind in ((FP16, "f"), (FP32, "f"), (FP32, "_array,array")):
            faults = self.told("exp", "-f", format_.name, "--flags", "--inexact", "--range", "0x0:0x3ff",
                               "--impl", f"lib:{LIBRARY}:spurious_inexact{kind}", at=0.0)
            self.check(faults, "spurious", "inexact", format_, 0.0)

    def test_faults_are_named_where_inexact_is_open(self):
        # Among calls that raise nothing else than inexact, and among those that all raise one flag.
        for at in (1.5, 100.0, -200.0):
            named = [(fault, flag) for fault in ("cleared", "spurious") for flag in ("overflow", "underflow")
                     if fault == "cleared" or REQUIRED[flag] != at] + [("cleared", "inexact")]
            rows = self.rows("exp", "--flags", *self.range_around(at),
                             *(word for fault, flag in named for word in ("--impl", f"lib:{LIBRARY}:{fault}_{flag}f")),
                             at=at)
            for row, (fault, flag) in zip(rows, named, strict=True):
                with self.subTest(fault=fault, flag=flag, at=at):
                    self.check(row["flags"], fault, flag, FP32, at)

    def test_inexact_is_told_where_something_else_is_wrong(self):
        row, = self.rows("exp", "--flags", *self.range_around(1.5), "--impl", f"lib:{LIBRARY}:spurious_overflowf",
                         at=1.5)
        self.assertEqual(row["flags"]["faults"][0]["first"]["seen"], "overflow inexact")
        # Of signalling NaNs inexact is not left open.
        faults = self.told("exp", "--flags", "--range", "0x7f800001:0x7f8000ff", "--impl", f"lib:{LIBRARY}:all_raisedf")
        self.assertIn(("spurious", "inexact", 255),
                      [(one["fault"], one["flag"], one["count"]) for one in faults["faults"]])

    def test_a_flag_that_the_next_call_clears_is_named(self):
        for words in ((), ("--inexact",)):
            rows = self.rows("exp", "--flags", *words, *self.range_around(1.5001),
                             "--impl", f"lib:{LIBRARY}:passing_overflowf",
                             "--impl", f"lib:{LIBRARY}:passing_overflow_array,array", at=1.5001)
            for row in rows:
                self.assertEqual([(one["fault"], one["flag"], one["count"], one["first"]["input"])
                                  for one in row["flags"]["faults"]],
                                 [("spurious", "overflow", 1, "0x3fc00347"), ("cleared", "overflow", 1, "0x3fc00348")])

    def test_calls_may_clear_where_that_is_asked_for(self):
        for library in ("cleared_overflowf", "cleared_overflow_array,array"):
            words = ("exp", "--flags", *self.range_around(1.5), "--impl", f"lib:{LIBRARY}:{library}")
            faults = self.told(*words, at=1.5)["faults"]
            self.assertEqual([one["fault"] for one in faults], ["cleared"])
            document = json.loads(self.succeed("sweep", *words, "--may-clear", "--json", "-",
                                               env={"FAULT_AT": "1.5"}))
            result, = document["results"]
            self.assertTrue(result["parameters"]["may_clear"])
            self.assertEqual(result["implementations"][0]["flags"]["faults"], [])

    def test_eval_and_verify_too_let_calls_clear(self):
        impl, at = f"lib:{LIBRARY}:cleared_overflowf", {"FAULT_AT": "1"}
        self.succeed("emit", "exp", "-f", "fp16", "--flags", "-n", 1, "-o", "vectors.json")  # 1 is a special number
        for words, cleared in (((), ["overflow"]), (("--may-clear",), [])):
            text = self.run_program("eval", "exp", 1, "-f", "fp16", "--flags", "--impl", impl, *words, env=at).stdout
            self.assertEqual(b"clears what was set: overflow" in text, bool(cleared), text)
            done = self.run_program("verify", "vectors.json", "--flags", "--impl", impl, "--json", "-", *words, env=at)
            result, = json.loads(done.stdout)["results"]
            self.assertEqual([flag for first in result["first"] if "flags" in first
                              for flag in first["flags"]["cleared"]], cleared)

    def test_few_faults_and_many_are_told_alike_in_one_sweep(self):
        # Where many calls are at fault, the next are asked for inexact at once; else only those that are.
        one = self.told("exp", "--flags", "-t", 1, "--range", "0x3fbe0000:0x3fc7ffff",
                        "--impl", f"lib:{LIBRARY}:spurious_overflowf", at=1.5001)["faults"]
        each = self.told("sin", "--flags", "-t", 1, "--range", "0x30000000:0x3009ffff",  # whose sine is as good as it
                         "--impl", f"lib:{LIBRARY}:all_raisedf")["faults"]
        self.assertEqual([(row["flag"], row["count"], row["first"]["input"], row["first"]["seen"]) for row in one],
                         [("overflow", 1, "0x3fc00347", "overflow inexact")])
        self.assertEqual([row["count"] for row in each], 4 * [0xa0000])
        self.assertEqual({row[end]["seen"] for row in each for end in ("first", "worst")},
                         {"invalid divide-by-zero overflow underflow inexact"})

    def test_inexact_is_open_for_functions_unless_it_is_asked_for(self):
        faults = self.told("exp", "-f", "fp16", "--flags", "--range", "0:0", "--impl",
                           f"lib:{LIBRARY}:spurious_inexactf", at=0.0)
        self.assertEqual(faults["faults"], [])

    @unittest.skipUnless(ON_X86, "x87 is of x86")
    def test_flags_of_x87_are_seen(self):
        for symbol, fault, flag in (("spurious_invalid_x87", "spurious", "invalid"),
                                    ("cleared_invalid_x87", "cleared", "invalid"),
                                    ("cleared_inexact_x87", "cleared", "inexact")):
            rows = self.rows("log", "--flags", "--range", "0x3fc00000:0x3fc00fff", "--impl", f"lib:{LIBRARY}:{symbol}f",
                             "--impl", f"lib:{LIBRARY}:{symbol}_array,array", at=1.5001)
            for row in rows:
                self.assertEqual([(one["fault"], one["flag"], one["count"]) for one in row["flags"]["faults"]],
                                 [(fault, flag, 1)])

    def test_what_arrays_alone_do_is_bisected(self):
        faults = self.told("exp", "--flags", "--range", "0x3fc00000:0x3fc03fff", "--impl",
                           f"lib:{LIBRARY}:together_array,array", at=1.5001)
        row = faults["faults"][0]
        self.assertEqual((row["fault"], row["flag"], row["count"]), ("spurious", "divide-by-zero", 1))
        # The smallest array that does it is of two; the first of them is named.
        self.assertLessEqual(0x3FC00346 - int(row["first"]["input"], 16), 1)

    def test_errno(self):
        for symbol, name, at in (("edom_missing", "EDOM", -2.5), ("edom_spurious", "EDOM", 1.5),
                                 ("erange_missing", "ERANGE", 100.0),
                                 ("erange_spurious", "ERANGE", 1.5)):
            faults = self.told("log" if name == "EDOM" else "exp", "--errno", *self.range_around(at), "--impl",
                               f"lib:{LIBRARY}:{symbol}f", at=at, part="errno")
            self.check(faults, symbol.split("_")[1], name, FP32, at, "errno")

    def test_libm_is_judged_alike_by_both_oracles_and_any_number_of_threads(self):
        for words in (("exp", "-f", "fp16"),
                      ("exp", "sincos", "-n", "1024", "--run-length", "64"),
                      ("mul", "-n", "1024", "--run-length", "64", "-f", "fp16")):
            texts = []
            for more in ((), ("--oracle", "exact"), ("-t", "1")):
                document = json.loads(self.succeed("sweep", *words, "--flags", "--inexact", "--impl", "libm",
                                                   "--json", "-", *more))
                texts.append([row["implementations"][0].get("flags") for row in document["results"]])
            self.assertEqual(texts[0], texts[1])
            self.assertEqual(texts[0], texts[2])

    def test_signalling_nans_that_come_out_are_counted(self):
        words = ("log", "--impl", f"lib:{LIBRARY}:none_raisedf", "--impl", "libm")
        for oracle in ("auto", "exact"):  # none_raisedf returns its operand
            rows = self.rows(*words, "--range", "0x7f800000:0x7fc000ff", "--oracle", oracle)
            self.assertEqual([row["signalling_nans"] for row in rows], [0x3FFFFF, 0])
            self.assertEqual([row["nan_mismatches"] for row in rows], [0, 0])
        text = self.succeed("eval", "log", "0x7f800001", *words[1:])
        self.assertEqual(text.count("a signalling NaN, where a quiet one should come out\n"), 1)
        rows = self.rows(*words, "--range", "0x7c00:0x7e0f", "-f", "fp16")
        self.assertEqual([row["signalling_nans"] for row in rows], [0x1FF, 0])
        for name, text in (("low", "0x7f800000:0x7f800003"), ("high", "0x7f800004:0x7f800009")):
            self.succeed("sweep", *words, "--range", text, "--json", name)
        merged = json.loads(self.succeed("merge", "high", "low"))["results"][0]["implementations"]
        self.assertEqual([row["signalling_nans"] for row in merged], [9, 0])
        # Of a whole that a part of does not tell nothing is told.
        with open(os.path.join(self.path, "low"), encoding="utf-8") as stream:
            self.file("older", "".join(line for line in stream if "signalling_nans" not in line))
        for parts in (("older", "high"), ("high", "older")):
            merged = json.loads(self.succeed("merge", *parts))["results"][0]["implementations"]
            self.assertEqual(["signalling_nans" in row for row in merged], [False, False])
        self.assertIn("  signalling NaNs        255\n", self.succeed("sweep", *words, "--range", "0x7f800000:0x7f8000ff"))

    def test_shards_merge_to_the_whole(self):
        impl = ("--impl", f"lib:{LIBRARY}:missing_overflowf", "--flags", "-f", "fp16")
        env = {"FAULT_AT": "100.0"}
        for name, text in (("low", "0x0000:0x5640"), ("high", "0x5641:0xffff"), ("all", "0x0000:0xffff")):
            self.succeed("sweep", "exp", *impl, "--range", text, "--json", f"{name}.json", env=env)
        merged = json.loads(self.succeed("merge", "high.json", "low.json"))
        with open(os.path.join(self.path, "all.json"), encoding="ascii") as stream:
            whole = json.load(stream)
        both = [document["results"][0]["implementations"][0]["flags"] for document in (merged, whole)]
        self.assertEqual(*both)
        self.assertEqual(both[0]["faults"][0]["count"], 1)

    def report(self, name, impl):
        self.succeed("sweep", "exp", "-f", "fp16", "--range", "0x5600:0x56ff", "--flags", "--impl", impl, "--json", name,
                     env={"FAULT_AT": "100.0"})

    def test_compare_and_the_page_tell_of_flags(self):
        for name, impl in (("a", f"lib:{LIBRARY}:missing_overflowf"), ("lut", "lut"), ("libm", "libm")):
            self.report(name, impl)
        self.assertEqual(json.loads(self.succeed("compare", "a", "a", "--json", "-"))["comparisons"][0]["flags"],
                         {"a_told": True, "b_told": True, "differ": []})
        row, = json.loads(self.succeed("compare", "a", "libm", "--json", "-", code=1))["comparisons"]
        self.assertFalse(row["equal"])  # the bits are, and the flags are not
        self.assertEqual(row["flags"]["differ"], [{"fault": "missing", "flag": "overflow", "a": 1, "b": 0}])
        text = self.succeed("compare", "libm", "a", code=1)
        self.assertIn("  overflow missing in 0 calls of A, 1 of B\n", text)
        self.assertIn("  B does not tell its flags\n", self.succeed("compare", "libm", "lut"))
        self.succeed("report", "a", "libm", "lut", "-o", "page.html")
        with open(os.path.join(self.path, "page.html"), encoding="utf-8") as stream:
            page = stream.read()
        table = page[page.index("<caption>Exception flags and errno"):]
        table = re.sub("<[^>]*>", "|", table[:table.index("</table>")])
        self.assertRegex(table, r"overflow\|missing\|1\|256\|+0x5640\|+ 100")
        self.assertRegex(table, r"libm B\|exception flags\|none\|0\|256")
        self.assertRegex(table, r"lut C\|exception flags\|not reported")

    def test_who_cannot_tell_is_not_called_clean(self):
        faults = self.told("exp", "-f", "fp16", "--flags", "--impl", "lut")
        self.assertEqual(faults, {"told": False})
        text = self.succeed("sweep", "exp", "-f", "fp16", "--flags", "--impl", "lut")
        self.assertIn("not reported", text)

    def test_det_and_cr_clear_no_flag_and_leave_errno_alone(self):
        document = json.loads(self.succeed("sweep", "exp", "log", "pow", "-f", "fp16", "-n", "20000",
                                           "--flags", "--errno", "--impl", "det,cr", "--json", "-"))
        for row in document["results"]:
            for one in row["implementations"]:
                self.assertFalse(one["flags"]["promised"])
                self.assertEqual((one["flags"]["faults"], one["errno"].get("faults", [])), ([], []))

    def test_options_that_have_no_effect(self):
        self.assertIn("--tininess has no effect", self.refuse("sweep", "exp", "--tininess", "after"))
        self.assertIn("--inexact has no effect", self.refuse("sweep", "exp", "--inexact", "--errno"))
        self.assertIn("--may-clear has no effect", self.refuse("sweep", "exp", "--may-clear", "--errno"))

    def test_tininess_moves_underflow(self):
        # The product is 2^-126 (1 - 2^-26), which is rounded up to 2^-126: tiny before rounding alone. Of the
        # multiplication of the processor one of the two is true.
        words = ("mul", "--range", "0x1ffff800:0x1ffff800", "--range", "0x20000400:0x20000400", "--flags", "--impl", "libm",
                 "--json", "-")
        seen = {}
        for when in ("before", "after", None):
            document = json.loads(self.succeed("sweep", *words, *(("--tininess", when) if when else ())))
            result, = document["results"]
            faults = result["implementations"][0]["flags"]["faults"]
            seen[when] = [(row["fault"], row["flag"], row["count"]) for row in faults]
            self.assertEqual(result["parameters"]["tininess"], when or ("before" if seen["before"] == [] else "after"))
        expected = {"before": [("missing", "underflow", 1)], "after": []}
        if ON_X86:
            self.assertEqual({when: seen[when] for when in expected}, expected)
        else:
            self.assertIn({when: seen[when] for when in expected},
                          (expected, {"before": [], "after": [("spurious", "underflow", 1)]}))
        self.assertEqual(seen[None], [])  # the default is what the processor does

    def test_conversions_of_the_processor_raise_what_they_have_to(self):
        for from_, to in (("fp32", "fp16"), ("fp16", "fp32"), ("fp64", "fp32"), ("fp32", "bf16")):
            with self.subTest(to=to):
                done = self.run_program("sweep", "cast", "-f", from_, "--to", to, "--special", "--flags", "--impl", "hardware",
                                        "--json", "-")
                if b"has no instruction" in done.stderr:
                    self.skipTest(done.stderr.decode())
                row, = json.loads(done.stdout)["results"][0]["implementations"]
                # AVX512-BF16's instruction is documented to raise no flag.
                kinds = {fault["fault"] for fault in row["flags"]["faults"]}
                self.assertEqual((row["flags"]["told"], kinds), (True, {"missing"} if to == "bf16" else set()))

    @unittest.skipUnless(ON_X86, "SLEEF and libmvec are called on x86-64 only")
    def test_vector_libraries_are_judged(self):
        # exp(89) overflows in fp32, and libraries of vectors of numbers do as those of numbers do.
        for name in ("sleef", "libmvec"):
            with self.subTest(name=name):
                row, = self.rows("exp", "--range", "0x42b20000:0x42b20fff", "--flags", "--impl", name)
                if not row["provided"]:
                    self.skipTest(row["reason"])
                self.assertEqual((row["flags"]["told"], row["flags"]["calls"]), (True, 4096))
                self.assertEqual([one for one in row["flags"]["faults"] if one["fault"] == "cleared"], [])

    def test_a_search_judges_the_inputs_that_it_finds(self):
        rows = json.loads(self.succeed("search", "exp", "-f", "fp64", "--evaluations", "70000", "--flags", "--impl", "libm",
                                       "--json", "-"))["results"][0]["implementations"]
        self.assertTrue(rows[0]["flags"]["told"])
        self.assertGreater(rows[0]["flags"]["calls"], 0)
        self.assertEqual(rows[0]["flags"]["faults"], [])


if __name__ == "__main__":
    unittest.main()
