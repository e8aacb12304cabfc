"""sweep --flags and --errno: a library with one fault in one flag at one input is named at that input.

Environment: as for harness.py; FAULTY_FLAGS is the library of tests/programs/faulty_flags.c."""

import json
import os
import platform
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
    def told(self, *words, at=None, part="flags"):
        env = {} if at is None else {"FAULT_AT": repr(at)}
        text = self.succeed("sweep", *words, "--json", "-", env=env)
        return json.loads(text)["results"][0]["implementations"][0][part]

    def check(self, faults, fault, flag, format_, at, name="flag"):
        """The one fault of that flag is there, at that input."""
        found = [row for row in faults["faults"] if row["fault"] == fault and row[name] == flag]
        self.assertEqual(len(found), 1, faults)
        row = found[0]
        self.assertEqual(row["count"], 1, faults)
        self.assertEqual(row["first"]["input"], code(format_, at))
        self.assertEqual(row["worst"]["input"], code(format_, at))

    def one(self, flag, fault, format_, words, symbol):
        at = REQUIRED[flag] if fault == "missing" else 1.5
        self.check(self.told(operation(flag), "-f", format_.name, "--flags", "--inexact", *words,
                             "--impl", f"lib:{LIBRARY}:{symbol}", at=at),
                   fault, NAMES[flag], format_, at)

    def test_each_fault_of_each_flag_is_named_in_fp16(self):
        for flag in NAMES:
            for fault in FAULTS:
                if (flag, fault) == ("inexact", "spurious"): # exp(1.5) is inexact
                    continue
                with self.subTest(flag=flag, fault=fault):
                    self.one(flag, fault, FP16, ("-t", "1"), f"{fault}_{flag}f")
        self.one("overflow", "missing", FP16, ("--oracle", "exact", "--no-isolation"), "missing_overflowf")

    def range_around(self, flag, fault):
        at = REQUIRED[flag] if fault == "missing" else 1.5
        first = int(code(FP32, at), 16) & 0xfffff000
        return "--range", f"{first:#x}:{first + 0xfff:#x}"

    def test_each_fault_of_each_flag_is_named_in_fp32(self):
        for flag in NAMES:
            for fault in FAULTS:
                if (flag, fault) == ("inexact", "spurious"):
                    continue
                for kind in ("f", "_array,array"):
                    with self.subTest(flag=flag, fault=fault, kind=kind):
                        self.one(flag, fault, FP32, self.range_around(flag, fault),
                                 f"{fault}_{flag}{kind}")

    def test_spurious_inexact_is_named(self):
        # exp(0) is 1, the only exact result there is.
        for format_, kind in ((FP16, "f"), (FP32, "f"), (FP32, "_array,array")):
            faults = self.told("exp", "-f", format_.name, "--flags", "--inexact", "--range", "0x0:0x3ff",
                               "--impl", f"lib:{LIBRARY}:spurious_inexact{kind}", at=0.0)
            self.check(faults, "spurious", "inexact", format_, 0.0)

    def test_inexact_is_open_for_functions_unless_it_is_asked_for(self):
        faults = self.told("exp", "-f", "fp16", "--flags", "--range", "0:0", "--impl",
                           f"lib:{LIBRARY}:spurious_inexactf", at=0.0)
        self.assertEqual(faults["faults"], [])

    @unittest.skipUnless(ON_X86, "x87 is of x86")
    def test_flags_of_x87_are_seen(self):
        for symbol, fault, flag in (("spurious_invalid_x87", "spurious", "invalid"),
                                    ("cleared_invalid_x87", "cleared", "invalid"),
                                    ("cleared_inexact_x87", "cleared", "inexact")):
            for kind in ("f", "_array,array"):
                faults = self.told("log", "--flags", "--range", "0x3fc00000:0x3fc03fff", "--impl",
                                   f"lib:{LIBRARY}:{symbol}{kind}", at=1.5001)
                self.assertEqual([(row["fault"], row["flag"], row["count"])
                                  for row in faults["faults"]], [(fault, flag, 1)])

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
            words = self.range_around("invalid" if at < 0 else "overflow", symbol.split("_")[1])
            faults = self.told("log" if name == "EDOM" else "exp", "--errno", *words, "--impl",
                               f"lib:{LIBRARY}:{symbol}f", at=at, part="errno")
            self.check(faults, symbol.split("_")[1], name, FP32, at, "errno")

    def test_libm_is_judged_alike_by_both_oracles_and_any_number_of_threads(self):
        for words in (("exp", "log", "sqrt", "-f", "fp16"),
                      ("exp", "sincos", "tgamma", "-n", "4096", "--run-length", "64"),
                      ("mul", "-n", "4096", "--run-length", "64", "-f", "fp16")):
            texts = []
            for more in ((), ("--oracle", "exact"), ("-t", "1")):
                document = json.loads(self.succeed("sweep", *words, "--flags", "--inexact", "--impl", "libm",
                                                   "--json", "-", *more))
                texts.append([row["implementations"][0].get("flags") for row in document["results"]])
            self.assertEqual(texts[0], texts[1])
            self.assertEqual(texts[0], texts[2])

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

    def test_who_cannot_tell_is_not_called_clean(self):
        faults = self.told("exp", "-f", "fp16", "--flags", "--impl", "lut")
        self.assertEqual(faults, {"told": False})
        text = self.succeed("sweep", "exp", "-f", "fp16", "--flags", "--impl", "lut")
        self.assertIn("not told", text)

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

    def test_tininess_moves_underflow(self):
        # In fp16, 2^-14 (1 - 2^-12) rounds to 2^-14: tiny before rounding alone.
        words = ("mul", "-f", "fp16", "--range", "0x0400:0x0400", "--range", "0x3bff:0x3bff", "--flags", "--impl",
                 "libm", "--json", "-")
        seen = {}
        for when in ("before", "after"):
            document = json.loads(self.succeed("sweep", *words, "--tininess", when))
            self.assertEqual(document["results"][0]["parameters"]["tininess"], when)
            seen[when] = document["results"][0]["implementations"][0]["flags"]["faults"]
        self.assertEqual(seen["before"], seen["after"]) # the rounding to fp16 goes by the same rule


if __name__ == "__main__":
    unittest.main()
