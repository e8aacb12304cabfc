"""What the completion scripts offer, asked of the shells themselves, where they are installed."""

import json
import os
import shutil
import subprocess
import unittest

from harness import PROGRAM, Case, environment


class Completion(Case):
    def setUp(self):
        super().setUp()
        self.file("report.json", "{}")
        self.listed = json.loads(self.succeed("list", "--json", "-"))

    def names(self, topic):
        return {row["name"] for row in self.listed[topic]}

    def shell(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=self.path,
                              env=environment({"HOME": self.path}), timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def check(self, offered):
        """`offered(line)` are the words that may stand where the line ends."""
        self.assertLessEqual({"sweep", "eval", "gate", "report", "completion"}, offered("detcheck "))
        self.assertLessEqual(self.names("operations") | {"unary"}, offered("detcheck sweep "))
        self.assertLessEqual(self.names("operations"), offered("detcheck eval "))
        self.assertLessEqual(self.names("formats"), offered("detcheck sweep --format "))
        self.assertLessEqual({"libm", "det", "cr"}, offered("detcheck sweep exp --impl "))
        self.assertLessEqual({"hugging-face", "flash-2"}, offered("detcheck sweep rms_norm --as "))
        self.assertLessEqual({"up", "down"}, offered("detcheck eval exp --rounding "))
        self.assertLessEqual({"--for", "--range", "--impl"}, offered("detcheck plan --"))
        self.assertEqual(offered("detcheck completion z") & {"bash", "zsh", "fish"}, {"zsh"})

    def test_bash_is_offered_what_there_is(self):
        self.file("script", self.succeed("completion", "bash"))

        def offered(line):
            words = line.split() + ([""] if line.endswith(" ") else [])
            return set(self.shell("bash", "-c", f"""
                source ./script; compopt() {{ :; }}
                COMP_WORDS=({' '.join(word or "''" for word in words)}); COMP_CWORD={len(words) - 1}
                _detcheck; printf '%s\\n' "${{COMPREPLY[@]}}" """))
        self.check(offered)
        self.assertIn("--junit", offered("detcheck gate --j"))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_is_offered_what_there_is(self):
        self.file("script", self.succeed("completion", "zsh"))
        self.shell("zsh", "-n", "script")

        def offered(line):
            words = line.split() + ([""] if line.endswith(" ") else [])
            found = self.shell("zsh", "-f", "-c", f"""
                compdef() {{ :; }}; source ./script
                compadd() {{ shift; print -l -- $@; }}; _files() {{ print -l -- *(N); }}
                words=({' '.join(word or "''" for word in words)}); CURRENT={len(words)}
                _detcheck""")
            return {word for word in found if word.startswith(words[-1])}
        self.check(offered)
        self.assertIn("report.json", offered("detcheck gate "))
        self.assertIn("report.json", offered("detcheck sweep exp --inputs "))

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_is_offered_what_there_is(self):
        self.file("script", self.succeed("completion", "fish"))

        def offered(line):
            return {row.split("\t")[0] for row in
                    self.shell("fish", "--no-config", "-c", f"source ./script; complete -C '{line}'")}
        self.check(offered)
        self.assertIn("report.json", offered("detcheck gate "))
        self.assertIn("--junit", offered("detcheck gate --j"))

    def test_unknown_shells_are_refused(self):
        for words in ((), ("tcsh",), ("bash", "zsh")):
            self.assertIn("bash, zsh, fish", self.refuse("completion", *words))
        self.assertTrue(os.access(PROGRAM, os.X_OK))


if __name__ == "__main__":
    unittest.main()
