"""What the fast oracle says of flags and errno is what the exact one says: for every operation of one operand on all of
fp16 and bf16 and on runs of fp32, for those of two on samples and special numbers, in four roundings. Label exhaustive.

The parties are a function that raises nothing, which counts what is required, one that raises everything, which counts
what is not permitted, and libm, for operations of more operands or results, or integers; NEARLY_RIGHT is a library of what
libm lacks.

FLAGS_OPERATIONS="exp log" chooses the operations. Environment: as for sweep_flags_test.py."""

import json
import os
import unittest

from harness import Case

LIBRARY = os.environ["FAULTY_FLAGS"]
ROUNDINGS = "nearest-even,toward-zero,up,down"
PARTIES = ("--impl", f"lib:{LIBRARY}:none_raisedf", "--impl", f"lib:{LIBRARY}:all_raisedf", "--impl", "libm")
MORE_PARTIES = ("--impl", "libm", "--impl", "lib:" + os.environ["NEARLY_RIGHT"])

INTEGERS = ("ilogb", "lrint", "llrint", "lround", "llround")  # return integers, as the parties of the library do not


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
        if b"nothing was tested" in done.stderr:
            self.skipTest(done.stderr.decode().strip())
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return [(result["rounding"], one["name"], one.get("flags"), one.get("errno"))
                for result in json.loads(done.stdout)["results"] for one in result["implementations"]]

    def agree(self, *words):
        fast, exact = (self.judged(words, oracle) for oracle in ("auto", "exact"))
        self.assertEqual(fast, exact)
        return sum(len((flags or {}).get("faults", ())) for _, _, flags, _ in exact)

    def of_one(self, *words):
        for name in self.operations[1]:
            with self.subTest(operation=name, words=words):
                parties = PARTIES if self.takes_parties(name) else PARTIES[-2:]
                faults = self.agree(name, *words, *parties)
                if parties is PARTIES:
                    self.assertGreater(faults, 0)  # nobody may raise everything

    def takes_parties(self, name):
        if name in INTEGERS:
            return False
        done = self.run_program("sweep", name, "--range", "0:0", *PARTIES[:2], "--json", "-")
        return done.returncode != 2 and json.loads(done.stdout)["results"][0]["implementations"][0]["provided"]

    def test_all_of_fp16(self):
        self.of_one("-f", "fp16")

    def test_all_of_bf16(self):
        self.of_one("-f", "bf16")

    def test_runs_of_fp32(self):
        self.of_one("-f", "fp32", "-n", 65536, "--run-length", 256)

    def test_two_operands_by_samples(self):
        for name in self.operations[2]:
            for format_ in ("fp16", "fp32"):
                with self.subTest(operation=name, format=format_):
                    for inputs in (("-n", 65536, "--run-length", 256), ("--special",)):
                        self.agree(name, "-f", format_, *inputs, *MORE_PARTIES)


if __name__ == "__main__":
    unittest.main()
