"""What the fast oracle says of flags and errno is what the exact one says: for every operation of one operand on all of
fp16 and bf16 and on runs of fp32, for those of two on samples and special numbers, in four roundings. Label exhaustive.

The parties are a function that raises nothing, which counts what is required, one that raises everything, which counts
what is not permitted, and libm. Operations of integers or with two results have libm alone, or NEARLY_RIGHT, a library of
what libm lacks.

FLAGS_OPERATIONS="exp log" chooses the operations. Environment: as for sweep_flags_test.py."""

import json
import os
import unittest

from harness import Case

LIBRARY = os.environ["FAULTY_FLAGS"]
ROUNDINGS = "nearest-even,toward-zero,up,down"
OTHERS = ("--impl", "libm", "--impl", "lib:" + os.environ["NEARLY_RIGHT"])
# By the number of operands.
PARTIES = {count: (*(word for name in ("none_raised", "all_raised") for word in ("--impl", f"lib:{LIBRARY}:{name}{pair}f")),
                   *OTHERS[:2]) for count, pair in ((1, ""), (2, "_pair"))}
# They return integers or take one, or they have two results, as the functions of the library do not.
INTEGERS = ("ilogb", "lrint", "llrint", "lround", "llround", "pown", "rootn", "compoundn", "jn", "yn", "scalbn", "ldexp",
            "remquo")
# A neighbour in fp32 is no neighbour in a narrower format: none of the parties has these there.
NEIGHBOURS = ("nextafter", "nextup", "nextdown")


class Exhaustive(Case):
    def setUp(self):
        super().setUp()
        chosen = os.environ.get("FLAGS_OPERATIONS", "").split()
        rows = json.loads(self.succeed("list", "--json", "-"))["operations"]
        # cast, which needs a parameter, is judged in sweep_flags_test.py.
        self.operations = {count: [row["name"] for row in rows if row["operands"] == count and row["name"] != "cast"
                                   and "shape" not in row["parameters"]
                                   and (row["name"] in chosen or not chosen)] for count in (1, 2)}

    def judged(self, words, oracle):
        """What was counted, by rounding and party."""
        done = self.run_program("sweep", *words, "-r", ROUNDINGS, "--flags", "--errno", "--inexact", "--oracle", oracle,
                                "--json", "-", timeout=36000)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return [(result["rounding"], one["name"], one.get("flags"), one.get("errno"))
                for result in json.loads(done.stdout)["results"] for one in result["implementations"]]

    def agree(self, operands, name, *words):
        with self.subTest(operation=name, words=words):
            if name in NEIGHBOURS and "fp32" not in words:
                self.assertIn("another function", self.refuse("sweep", name, *words, *PARTIES[operands]))
                return
            parties = OTHERS if name in INTEGERS else PARTIES[operands]
            fast, exact = (self.judged((name, *words, *parties), oracle) for oracle in ("auto", "exact"))
            self.assertEqual(fast, exact)
            self.assertTrue(any(flags for _, _, flags, _ in exact), "nobody was judged")
            if parties is not OTHERS:  # nobody may raise everything
                self.assertTrue(any((flags or {}).get("faults") for _, _, flags, _ in exact))

    def of_one(self, *words):
        for name in self.operations[1]:
            self.agree(1, name, *words)

    def test_all_of_fp16(self):
        self.of_one("-f", "fp16")

    def test_all_of_bf16(self):
        self.of_one("-f", "bf16")

    def test_runs_of_fp32(self):
        self.of_one("-f", "fp32", "-n", 65536, "--run-length", 256)

    def test_two_operands_by_samples(self):
        for name in self.operations[2]:
            for format_ in ("fp16", "fp32"):
                self.agree(2, name, "-f", format_, "-n", 65536, "--run-length", 256)
                self.agree(2, name, "-f", format_, "--special")


if __name__ == "__main__":
    unittest.main()
