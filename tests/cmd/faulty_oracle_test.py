"""An oracle that was made wrong on purpose must be found by the program's own checks: the run stops
with exit 2, says how to reproduce it, and leaves no report behind.

Environment: DETCHECK_ALTERED is the program built with the faults (src/base/fault.h). A run of it chooses one
fault by DETCHECK_FAULT."""

import glob
import os
import re
import unittest

from harness import Case, PROGRAM

ALTERED = os.environ["DETCHECK_ALTERED"]
SOURCES = os.path.join(os.path.dirname(__file__), "..", "..", "src")

POLYNOMIALS = {"exp": "0.125:0.1328125", "log": "5:5.5", "tanh": "-0.3125:-0.296875",
               "tgamma": "3.125:3.140625"}
# By a quotient, by tables of logarithms after and before the pole, by reflection, and by a cotangent.
REDUCED = [("tgamma", "-3.0625:-3.03125"), ("tgamma", "-0.53125:-0.5078125"),
           ("lgamma", "0xc040000a:0xc040068e"), ("lgamma", "0xc03ff900:0xc03fffe0"),
           ("lgamma", "-100.75:-100.25"), ("digamma", "-100.75:-100.25")]
# The same in fp64: by a polynomial with a base, and by rotation.
WIDE_POLYNOMIALS = {"exp": "0x3fc0000000000000:0x3fc000000000ffff", "log": "0x4014000000000000:0x401400000000ffff",
                    "tanh": "0xbfd4000000000000:0xbfd400000000ffff", "lgamma": "0xc2b0000000000000:0xc2b000000000ffff"}
# And by a table after the pole at -2^34 - 16, and before it.
WIDE_POLES = ["0xc210000000400000:0xc21000000040ffff", "0xc2100000003f0000:0xc2100000003fffff"]
WIDE_ROTATIONS = {name: "0x7e37e43c8800759c:0x7e37e43c8801759b" for name in ("sin", "cos", "tan", "j0", "y1")}
WIDE_ROTATIONS["digamma"] = "0xc1999d7163f2c000:0xc1999d7163f3bfff"
# By Hankel's expansion.
EXPANSIONS = [("j1", "-0x1.0001p30:-0x1p30"), ("y0", "0x1p100:0x1.0001p100")]
# By argument reduction. Of the last three the reduction is exact: there is no margin, but quarters are known for
# their own reason.
REDUCTION = [("sin", "1000:1001"), ("tan", "1000:1001"), ("sinpi", "0.75:0.765625"), ("cospi", "-9:-8.984375"),
         ("tanpi", "4097:4112")]
QUARTERS = [("sinpi", "0x4b000001:0x4b000020"), ("cospi", "0xcb000001:0xcb000020"),
            ("tanpi", "0x4a800001:0x4a800020")]
# Codes of both operands of functions of integers: by a continuation to the reals, and where odd integers negate.
CONTINUED = {"pown": ("0x3f800010:0x3f800010", "0x4b900000:0x4b901000"),
             "rootn": ("0x45800000:0x45800000", "0x4b900000:0x4b901000"),
             "compoundn": ("0xb5800010:0xb5800010", "0x4b100000:0x4b101000")}
NEGATED = ("0xc0400000:0xc0400000", "0x44800000:0x44810000")
ARITHMETIC = ["add", "sub", "mul", "div", "fmod", "remainder", "fdim"]
# By a pattern of codes.
PATTERNS = ["rint", "llround", "logb", "trunc"]
PATTERN_INPUTS = {"fp64": "0x4015000000000000:0x40150000000000ff", "fp32": "0x40a80000:0x40a800ff",
                  "fp16": "0x4500:0x4540"}
# Codes of both operands: numbers near 1, and near 1 beside tiny ones.
NARROW, WIDE = "0x3c01:0x3c40", "0x3000:0x3f80"


def given(operation):
    """No libm of today has these."""
    symbols = {"digamma": ":digamma"}
    wanted = operation.endswith("pi") or operation in symbols or operation in CONTINUED
    return ("--impl", "lib:" + os.environ["NEARLY_RIGHT"] + symbols.get(operation, "")) if wanted else ()


def choose(fault):
    return {"program": ALTERED, "env": {"DETCHECK_FAULT": fault}}


def faults():
    """The names of all faults that the sources have."""
    for path in glob.glob(os.path.join(SOURCES, "**", "*.[ch]"), recursive=True):
        with open(path, encoding="utf-8") as stream:
            yield from (name for name in re.findall(r"\bFAULT\((\w+)\)", stream.read()) if name != "name")


def swept(ranges):
    return [word for one in ranges for word in ("--range", one)]


class FaultyOracle(Case):
    def expect_found(self, fault, operation, inputs, *options):
        """`inputs` is a range, or one for each operand."""
        with self.subTest(operation, inputs=inputs):
            options += given(operation)
            ranges = [inputs] if isinstance(inputs, str) else inputs
            complaint = self.refuse("sweep", operation, *swept(ranges), "--json", "report", *options,
                                    **choose(fault))
            # By the recheck of a block, or by what computes again an output that ranks.
            self.assertRegex(complaint, r"the fast oracle is wrong: %s\(0x|"
                             r"the oracle is wrong: .* found for %s\(0x" % (operation, operation))
            self.assertEqual(os.listdir(self.path), [])
            # MPFR alone is not harmed by it.
            if "--recheck" in options:
                at = options.index("--recheck")
                options = options[:at] + options[at + 2:]
            ends = [one.split(":")[0] for one in ranges]
            self.succeed("sweep", operation, *swept(f"{end}:{end}" for end in ends), "--oracle", "exact", *options,
                         **choose(fault))

    def test_margin_of_zero(self):
        for operation, inputs in POLYNOMIALS.items():
            self.expect_found("fit_without_margin", operation, inputs)

        for operation, inputs in WIDE_POLYNOMIALS.items():
            self.expect_found("fit_without_margin", operation, inputs, "-f", "fp64", "--recheck", 4)

    def test_a_coefficient_that_is_off_is_found(self):
        for operation, inputs in POLYNOMIALS.items():
            self.expect_found("fit_coefficient_off", operation, inputs)
        for operation, inputs in WIDE_POLYNOMIALS.items():
            self.expect_found("fit_coefficient_off", operation, inputs, "-f", "fp64")
        for inputs in WIDE_POLES:
            self.expect_found("fit_coefficient_off", "lgamma", inputs, "-f", "fp64")

    def test_a_slope_that_is_off_is_found(self):
        for operation, inputs in (("exp", "0x38800000:0x38801fff"), ("sigmoid", "0xb8800000:0xb8801fff"),
                                  ("expm1", "0x32800000:0x32801fff")):
            self.expect_found("slope_off", operation, inputs, "--impl", "det")

    def test_a_continuation_that_is_off_is_found(self):
        for operation, inputs in CONTINUED.items():
            self.expect_found("fit_coefficient_off", operation, inputs)
            self.expect_found("fit_without_margin", operation, inputs, "--recheck", 4)

    def test_a_sign_that_odd_integers_lose_is_found(self):
        self.expect_found("odd_sign_lost", "pown", NEGATED, "--recheck", 40)

    def test_reduced_without_margin(self):
        for operation, inputs in REDUCED + REDUCTION:
            self.expect_found("reduced_without_margin", operation, inputs)
        for operation, inputs in WIDE_ROTATIONS.items():
            self.expect_found("reduced_without_margin", operation, inputs, "-f", "fp64")
        for inputs in WIDE_POLES:
            self.expect_found("reduced_without_margin", "lgamma", inputs, "-f", "fp64", "--recheck", 4)

    def test_coefficient_off_beside_poles_and_of_an_expansion(self):
        for operation, inputs in REDUCED + EXPANSIONS:
            self.expect_found("reduced_coefficient_off", operation, inputs)

    def test_a_reduction_that_is_off_is_found(self):
        for operation, inputs in REDUCTION:
            self.expect_found("reduced_turn_off", operation, inputs)
        for operation, inputs in WIDE_ROTATIONS.items():
            self.expect_found("reduced_turn_off", operation, inputs, "-f", "fp64")

    def test_a_period_that_is_off_is_found(self):
        for operation, inputs in QUARTERS:
            self.expect_found("period_off", operation, inputs)

    def test_run_judged_by_the_operand_of_another(self):
        # The block is right, so that no recheck of it can tell; what ranks is computed again.
        complaint = self.refuse("sweep", "hypot", "--range", "1:1000", "--range", "0x40000000:0x4000007f",
                                "--samples", 1 << 14, "--run-length", 32, "--json", "report",
                                **choose("any_first_operand"))
        self.assertIn("the oracle is wrong: a more exact value does not confirm the error that was found for hypot(0x", complaint)
        self.assertEqual(os.listdir(self.path), [])

    def test_an_operand_that_is_off_is_found(self):
        for operation in ARITHMETIC:
            self.expect_found("arithmetic_operand_off", operation, NARROW, "-f", "fp16")

    def test_rounded_to_even(self):
        for operation in ("add", "sub", "div", "fdim"):
            self.expect_found("arithmetic_not_to_odd", operation, WIDE, "-f", "bf16")

    def test_supporting_line_off(self):
        for inputs in ("0x10000000:0x10000fff", "0x90000000:0x90000fff"):
            self.expect_found("supporting_line_off", "mish", inputs, "--recheck", 20)

    def test_a_pattern_that_is_off_is_found(self):
        for operation in PATTERNS:
            for form, inputs in PATTERN_INPUTS.items():
                self.expect_found("pattern_off", operation, inputs, "-f", form)

    def test_an_enclosure_that_is_off_is_found(self):
        for operation, inputs in POLYNOMIALS.items():
            for which in ("auto", "exact"):
                complaint = self.refuse("sweep", operation, "--range", inputs, "--json", "report",
                                        "--oracle", which, **choose("ball_off"))
                self.assertIn("oracle is wrong", complaint)
                self.assertEqual(os.listdir(self.path), [])
            end = inputs.split(":")[0]
            self.succeed("sweep", operation, "--range", end + ":" + end, "--oracle", "mpfr",
                         **choose("ball_off"))

    def test_the_program_itself_has_no_faults(self):
        with open(PROGRAM, "rb") as released, open(ALTERED, "rb") as altered:
            released, altered = released.read(), altered.read()
        names = sorted(set(faults()))
        self.assertGreater(len(names), 10)
        for name in [*names, "DETCHECK_FAULT", "fault_is_chosen"]:
            self.assertIn(name.encode(), altered)
            self.assertNotIn(name.encode(), released)

    def test_the_program_itself_passes(self):
        for operation, inputs in list(POLYNOMIALS.items()) + REDUCED + EXPANSIONS + REDUCTION + QUARTERS:
            self.succeed("sweep", operation, "--range", inputs, "--recheck", 200, *given(operation))
        for operation, inputs in {**WIDE_POLYNOMIALS, **WIDE_ROTATIONS}.items():
            self.succeed("sweep", operation, "--range", inputs, "-f", "fp64", "--recheck", 200, *given(operation))
        self.succeed("sweep", "mish", "--range", "0x20000000:0x20000fff", "--recheck", 200)
        for operation, inputs in [*CONTINUED.items(), ("pown", NEGATED)]:
            self.succeed("sweep", operation, *swept(inputs), "--recheck", 200, *given(operation))
        for operation in ARITHMETIC:
            self.succeed("sweep", operation, *swept((WIDE, NARROW)), "-f", "bf16")
            self.succeed("sweep", operation, "--range", NARROW, "-f", "fp16", "--recheck", 200)


if __name__ == "__main__":
    unittest.main()
