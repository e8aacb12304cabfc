"""explain of glibc's libm with FMA beside the same libm without it: the cause is named where the bits prove it, of implementations, of
files of fingerprints, and by the commands that explain says for two reports."""

import os
import re
import shlex
import unittest

from harness import PROGRAM, Case, parse

WITHOUT = "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable"
WORKER = os.path.join(os.path.dirname(PROGRAM), "detcheck-worker")
WORDS = ("sin", "-f", "fp64", "-n", 100000)


class Variants(Case):
    def setUp(self):
        super().setUp()
        self.succeed("sweep", *WORDS, "--impl", "libm", "--json", "a.json", "--fingerprints", "a.txt")
        name, value = WITHOUT.split("=", 1)
        self.succeed("sweep", *WORDS, "--impl", "libm", "--json", "b.json", "--fingerprints", "b.txt", env={name: value})
        if self.read("a.txt") == self.read("b.txt"):
            self.skipTest("this libm has the same bits with FMA and without it, or is no glibc of x86-64")

    def causes(self, *words):
        done = self.run_program("explain", *words, "--json", "-")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.follows_schema(parse(done.stdout))
        explanation = parse(done.stdout)["results"][0]["implementations"][0]["explanation"]
        self.assertEqual(explanation["unexplained"], 0)
        return [(row["hypothesis"], row["side"], row["predicts_wrongly"]) for row in explanation["explanations"] if row.get("cause")]

    def test_implementations(self):
        for sides, side in ((("libm", f"exec:env {WITHOUT} {WORKER} libm"), "b"), ((f"exec:env {WITHOUT} {WORKER} libm", "libm"), "a")):
            found = self.causes(*WORDS, *[word for name in sides for word in ("--impl", name)])
            self.assertEqual(found, [("libm-without-fma", side, 0)])
        done = self.run_program("explain", *WORDS, "--impl", "det", "--impl", "cr", "--json", "-")  # of which none is a libm
        self.assertNotIn(b"libm-without-fma", done.stdout)

    def test_files_of_fingerprints(self):
        self.assertEqual(self.causes("a.txt", "b.txt"), [("libm-without-fma", "b", 0)])

    def test_reports_say_what_to_run(self):
        text = self.run_program("explain", "a.json", "b.json").stdout.decode()
        commands = [shlex.split(command)[1:] for command in re.findall(r"'(detcheck [^']*)'", text)]
        self.assertEqual([command[0] for command in commands], ["sweep", "sweep", "explain"])
        name, value = WITHOUT.split("=", 1)
        self.succeed(*commands[0])
        self.succeed(*commands[1], env={name: value})
        self.assertEqual(self.causes(*commands[2][1:]), [("libm-without-fma", "b", 0)])


if __name__ == "__main__":
    unittest.main()
