"""sweep --envelope: the signed error in steps of the inputs, whatever threads, shards, ranges and oracles.

recount_test.py has every step of a square root with known faults, computed again."""

import json
import unittest

from harness import Case, faulty, needs_faulty_libm, parse

# Where errors are tiny, half an ulp, one-sided, far off, of either sign; NaN on one side.
CURVES = [("sin", "--range", "3.125:3.25"), ("exp", "--range", "-0x1p-23:0x1p-23"), ("mish", "--range", "-0x1p-20:0x1p-10"),
          ("tan", "--range", "0x7f7ff000:0x7f800fff"), ("log", "--range", "-1:0x1p-10"), ("rint", "--range", "-3:3"), ("sin", "-f", "fp64", "--range", "3:4"),
          ("sqrt", "--range", "0x0:0x6000"), ("cbrt", "--range", "-1.125:-1")]
ROUNDINGS = "nearest-even,toward-zero,up,down"


def envelopes(document):
    return [[one.get("envelope") for one in result["implementations"]] for result in document["results"]]


def codes(envelope):
    """The first code of each step."""
    for first, steps in envelope["runs"]:
        for i in range(steps):
            yield int(first, 16) + (i << envelope["log2_codes"])


class Envelope(Case):
    def sweep(self, *words, **options):
        return self.document("sweep", *words, "--json", "-", **options)

    def test_both_oracles_find_the_same(self):
        for curve in CURVES:
            with self.subTest(curve=curve):
                words = (*curve, "--impl", "libm" if "fp64" in curve or "rint" in curve else "det,libm", "-r", ROUNDINGS, "--envelope")
                # A few of them, since MPFR has to judge them too: in runs, the same for both.
                words = (*words, "-n", "1024", "--run-length", "256")
                fast = envelopes(self.sweep(*words))
                self.assertEqual(len(fast), 4)
                self.assertIsNotNone(fast[0][0])
                self.assertEqual(fast, envelopes(self.sweep(*words, "--oracle", "mpfr")))

    def test_of_another_function(self):
        """Whose outputs are far off, many together: where sin and exp run along lines, and where not."""
        for name, symbol, span in (("sin", "expf", "0x30000000:0x3003ffff"), ("sin", "cosf", "0xb0000000:0xb003ffff"),
                                   ("exp", "logf", "0x30000000:0x3003ffff"), ("sin", "expf", "0x3f800000:0x3f83ffff")):
            words = (name, "--range", span, "--impl", f"lib:libm.so.6:{symbol}", "-r", "nearest-even,up", "--envelope")
            words = (*words, "-n", "4096", "--run-length", "512")
            with self.subTest(words=words):
                self.assertEqual(envelopes(self.sweep(*words)), envelopes(self.sweep(*words, "--oracle", "mpfr")))

    def test_threads_change_nothing(self):
        words = ("sincos", "--range", "1:1.0625", "--impl", "libm,det")
        one = envelopes(self.sweep(*words, "--threads", "1"))
        self.assertEqual(len(one), 2)
        for threads in ("2", "3"):
            self.assertEqual(one, envelopes(self.sweep(*words, "--threads", threads)))

    def test_a_step_is_a_run_of_codes(self):
        for words, log2, runs in [
                (("-f", "fp16"), 5, [["0x0000", 2048]]), (("-f", "fp8_e5m2"), 0, [["0x00", 256]]),
                (("--range", "0x1000:0x1fff"), 1, [["0x00001000", 2048]]),
                (("-f", "fp64", "-n", "200", "--seed", "1"), 52, None),
                (("--range", "0x1003:0x2fff"), 1, [["0x00001002", 4095]]),
                (("--range", "-0x1.16c2p-133:0x1.16c2p-133"), 6, [["0x00000000", 1116], ["0x80000000", 1116]])]:
            envelope = envelopes(self.sweep("exp", "--impl", "libm", *words))[0][0]
            runs = runs or envelope["runs"]  # of samples: from the first to the last
            self.assertEqual((envelope["log2_codes"], envelope["runs"]), (log2, runs))
            for name in ("least", "largest", "incorrect", "worst"):
                self.assertEqual(len(envelope[name]), sum(steps for _, steps in runs))

    def test_right_results_lie_within_half_an_ulp(self):
        envelope = envelopes(self.sweep("exp", "--impl", "cr", "--range", "-1:1", "-n", "100000", "--run-length", "256"))[0][0]
        self.assertEqual(sum(envelope["incorrect"]), 0)
        self.assertEqual(sum(envelope["tested"]), 100000)
        self.assertEqual({min(filter(None, envelope["least"])), max(filter(None, envelope["largest"]))}, {-512, 512})
        for first, worst in zip(codes(envelope), envelope["worst"]):
            if worst:
                self.assertEqual(int(worst, 16) >> envelope["log2_codes"], first >> envelope["log2_codes"])

    @needs_faulty_libm
    def test_a_fault_is_found_in_its_step(self):
        env = faulty(at=0x3f812345, mask=0xffffffff, xor=0x3f)
        [result] = self.sweep("exp", "--impl", "libm", "--range", "1:1.03125", env=env)["results"]
        one = result["implementations"][0]
        envelope, most = one["envelope"], one["max_ulp"]
        self.assertEqual(most["input"], "0x3f812345")
        at = envelope["worst"].index("0x3f812345")
        size = max(-envelope["least"][at], envelope["largest"][at])
        self.assertLessEqual(most["error"] * 1024, size)
        self.assertLess(size, most["error"] * 1024 * (1 + 2 ** -12) + 1)
        self.assertEqual(sum(envelope["incorrect"]), one["incorrectly_rounded"])

    @needs_faulty_libm
    def test_both_oracles_find_outputs_that_are_far_off(self):
        # All outputs, by some 12,000 ulps to either side, or one side.
        for xor, name in ((0x3000, "sin"), (0x3000, "exp"), (0x80000000, "exp")):
            words = (name, "--impl", "libm", "--range", "0.5:4", "-n", "4096", "--run-length", "1024", "-r", "nearest-even")
            env = faulty(at=0, mask=0, xor=xor)
            fast = envelopes(self.sweep(*words, env=env))
            self.assertGreater(max(abs(one) for one in fast[0][0]["least"] if one), 1024 * 1000)
            self.assertEqual(fast, envelopes(self.sweep(*words, "--oracle", "mpfr", env=env)))

    def test_shards_and_ranges_merge_to_the_whole(self):
        for format_name, whole, parts in [
                ("fp32", ["1:1.0625"], [["0x3f800000:0x3f812345"], ["0x3f812346:0x3f83ffff"], ["0x3f840000:0x3f880000"]]),
                ("fp16", [], [["0x0:0x1ff"], ["0x200:0x8000"], ["0x8001:0xffff"]])]:
            words = ("log1p", "-f", format_name, "--impl", "det,libm")
            want = self.sweep(*words, *(["--range", *whole] if whole else []))
            for at, part in enumerate(parts):
                self.succeed("sweep", *words, "--range", *part, "--json", f"part{at}.json")
            found = parse(self.succeed("merge", "part1.json", "part2.json", "part0.json"))
            self.assertIsNotNone(envelopes(want)[0][0])
            self.assertEqual(envelopes(found), envelopes(want))

    def test_several_functions_have_one_where_it_is_asked_for(self):
        words = ("sin", "pow", "-f", "fp8_e5m2", "--impl", "det")
        self.assertEqual(envelopes(self.sweep(*words)), [[None], [None]])
        [[sin], [power]] = envelopes(self.sweep(*words, "--envelope"))
        self.assertIsNotNone(sin)
        self.assertIsNone(power)

    def test_a_report_with_half_an_envelope_is_refused(self):
        document = self.sweep("exp", "-f", "fp8_e5m2", "--impl", "det")
        for change, says in [(lambda one: one["least"].pop(), "as many"), (lambda one: one["runs"].append(["0x0", 3]), "runs"),
                             (lambda one: one.update(log2_codes=64), "log2_codes"),
                             (lambda one: one["least"].__setitem__(3, 7e9), "least")]:
            broken = json.loads(json.dumps(document))
            change(broken["results"][0]["implementations"][0]["envelope"])
            self.assertIn(says, self.refuse("report", self.file("broken.json", json.dumps(broken))))


if __name__ == "__main__":
    unittest.main()
