"""det and cr depend on nothing, by every property: every function of one and two operands, in fp16 and bf16, and a share of
fp32. Label exhaustive; a few functions with a few inputs are a default test.

EXHAUSTIVE="exp log" chooses the functions, EXHAUSTIVE_FORMATS="fp16" the formats, EXHAUSTIVE_INPUTS="-n 300" the inputs. All of
exp in fp16 takes 11 seconds of processor time for both. Most of it is spent on `alignment`, `neighbours` and `length`, whose
arrays have thousands of elements for each input: each place of each array is a case of its own."""

import os
import platform
import unittest

from harness import Case, parse

FUNCTIONS = os.environ.get("EXHAUSTIVE", "").split()
INPUTS = os.environ.get("EXHAUSTIVE_INPUTS", "").split()
FORMATS = os.environ.get("EXHAUSTIVE_FORMATS", "fp16 bf16 fp32").split()
# What detcheck cannot ask them for: strides, and of cr in narrow formats a form for one number.
UNTESTED = {"stride", "scalar-form"}
if platform.machine() != "x86_64":
    UNTESTED |= {"flushing", "traps", "precision", "processor"}


class DetAndCr(Case):
    def functions(self):
        rows = self.document("list", "operations")["operations"]
        return FUNCTIONS or [row["name"] for row in rows
                             if row["operands"] <= 2 and not {"shape", "to"} & {*row["parameters"]}]

    def test_they_depend_on_nothing(self):
        tested, lacking = 0, []
        for name in self.functions():
            for form in FORMATS:
                done = self.run_program("invariance", name, "-f", form, "--impl", "det,cr", *INPUTS, "--json", "-", timeout=3600)
                if done.returncode == 2:
                    results = parse(done.stdout.decode())["results"]
                    self.assertFalse(any(one["provided"] for result in results for one in result["implementations"]), (name, form))
                    lacking.append(f"{name} {form}")
                    continue
                self.assertEqual(done.returncode, 0, (name, form, done.stderr))
                for one in (one for result in parse(done.stdout.decode())["results"]
                            for one in result["implementations"] if one["provided"]):
                    with self.subTest(function=name, format=form, implementation=one["name"]):
                        self.assertEqual(one["event_counts"], {})
                        self.assertLessEqual({each["property"] for each in one["invariance"] if not each["tested"]}, UNTESTED)
                        self.assertEqual({each["property"]: each["changed"] for each in one["invariance"]
                                          if each["tested"] and (each["changed"] or each["unanswered"])}, {})
                        tested += 1
        self.assertGreater(tested, 0)
        print(f"{tested} tested; neither det nor cr has {', '.join(lacking) or 'none'}")


if __name__ == "__main__":
    unittest.main()
