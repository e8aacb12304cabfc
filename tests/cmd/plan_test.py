"""detcheck plan: what it prints runs, and gives the report of one run."""

import os
import unittest

import planned
from harness import PROGRAM, Case, environment, without_run

SWEEP = ("exp", "-f", "bf16", "--impl", "libm,det")
GATE = '{"schema": "detcheck/policy/1", "rules": [{"max_ulp": %s}]}'


class Plans(Case):
    def setUp(self):
        super().setUp()
        self.environment = environment({"PATH": planned.path_with(PROGRAM)})
        self.environment = {name: value for name, value in self.environment.items()
                            if not name.startswith(("SLURM_", "OMPI_", "PMI_", "JOB_", "TEST_", "GTEST_"))}

    def plan(self, *words, shards=2, **options):
        return self.succeed("plan", *words, "--shards", shards, "--shard-seconds", 5, **options)

    def same(self, path, *words):
        self.succeed(*words, "--json", "whole.json")
        with open(os.path.join(self.path, path), encoding="utf-8") as merged, \
                open(os.path.join(self.path, "whole.json"), encoding="utf-8") as whole:
            self.assertEqual(without_run(merged.read()), without_run(whole.read()))

    def test_slurm(self):
        self.file("ours policy.json", GATE % 1)
        text = self.plan(*SWEEP, "--for", "slurm", "--gate", "ours policy.json", "--setup", "export SET_UP=1",
                         "--name", "x.y", "--checkpoint-every", "7")
        self.assertIn("--checkpoint-every 7", text)
        planned.run_slurm(text, self.path, self.environment)
        self.same("x.y/report.json", "sweep", *SWEEP)
        with open(os.path.join(self.path, "x.y", "merge.txt"), encoding="utf-8") as stream:
            self.assertIn("passed", stream.read())
        self.file("ours policy.json", GATE % 0.1)
        with self.assertRaisesRegex(AssertionError, "merge.txt ends with 1"):
            planned.run_slurm(text, self.path, self.environment)

    def test_make(self):
        self.file("plan.mk", self.plan(*SWEEP, "--for", "make", "--setup", "true"))
        run = "make -s -j2 -f plan.mk"
        planned.shell(run, self.path, self.environment)
        self.same("detcheck-exp/report.json", "sweep", *SWEEP)
        self.assertEqual(planned.shell("make -n -f plan.mk | grep -c sweep || true", self.path, self.environment), "0\n")
        os.remove(os.path.join(self.path, "detcheck-exp", "shard-2.json"))
        again = planned.shell(run.replace("-s ", ""), self.path, self.environment)
        self.assertNotIn("--shard 1/2", again)
        self.assertIn("--shard 2/2", again)
        self.assertIn("merge", again)

    def test_words_that_shells_and_make_misread(self):
        name = "a 'b' $HOME $(c).txt"
        self.file(name, "1\n2.5\n-3\n")
        words = ("exp", "-f", "fp16", "--impl", "libm", "--inputs", name)
        self.file("plan.mk", self.plan(*words, "--for", "make"))
        planned.shell("make -s -f plan.mk", self.path, self.environment)
        self.same("detcheck-exp/report.json", "sweep", *words)
        planned.run_slurm(self.plan(*words, "--for", "slurm", "--name", "s"), self.path, self.environment)
        self.same("s/report.json", "sweep", *words)

    def test_words_that_kubernetes_and_github_misread(self):
        name = "a: {b} # $(KUBERNETES_SERVICE_HOST) $$ ${{ secrets.TOKEN }} \\ \"é\".txt"
        self.file(name, "1\n2.5\n-3\n")
        words = ("exp", "-f", "fp16", "--impl", "libm", "--inputs", name)
        planned.run_github(self.plan(*words, "--for", "github", "--name", "123"), self.path, self.environment)
        self.same("123/report.json", "sweep", *words)
        for image in ("x: {y}", "- a", "1.0", '"\\$&*', "null"):
            text = self.plan("sweep", *words, "--for", "kubernetes", "--name", "1e3", "--image", image)
            documents = list(planned.yaml.safe_load_all(text))
            self.assertEqual([one["metadata"]["name"] for one in documents], ["1e3", "1e3", "1e3-merge"])
            for job in documents[1:]:
                self.assertEqual(job["spec"]["template"]["spec"]["containers"][0]["image"], image)
        planned.run_kubernetes(text, self.path, self.environment)
        self.same("report.json", "sweep", *words)

    def test_kubernetes(self):
        text = self.plan("sweep", *SWEEP, "--for", "kubernetes", "--image", "registry.example/detcheck:1", shards=3)
        self.assertIn('image: "registry.example/detcheck:1"\n', text)
        planned.run_kubernetes(text, self.path, self.environment)
        self.same("report.json", "sweep", *SWEEP)

    def test_github(self):
        planned.run_github(self.plan(*SWEEP, "--for", "github"), self.path, self.environment)
        self.same("detcheck-exp/report.json", "sweep", *SWEEP)

    def test_other_commands(self):
        words = ("sqrt", "-f", "fp16", "--impl", "det", "--property", "position")
        text = self.plan("invariance", *words, "--for", "make")
        self.file("plan.mk", text)
        planned.shell("make -s -f plan.mk", self.path, self.environment)
        self.same("detcheck-sqrt/report.json", "invariance", *words)
        text = self.succeed("plan", "search", "exp", "--for", "boundary", "--for", "make", "--shards", "2",
                            "--evaluations", "2000")
        self.assertIn("detcheck search exp --for=boundary --evaluations=2000 --threads 1 --shard", text)
        self.file("plan.mk", text)
        planned.shell("make -s -f plan.mk", self.path, self.environment)

    def test_refusals(self):
        refusals = [
            (("plan",), "plan needs --for"),
            (("plan", "--for", "make"), "plan needs an operation"),
            (("plan", "expp", "--for", "make"), "did you mean"),
            (("plan", "exp", "--for", "pbs"), "--for needs slurm, kubernetes, make or github, not 'pbs'"),
            (("plan", "exp", "--for", "make", "--json", "x"), "a plan takes no --json"),
            (("plan", "exp", "--for", "make", "--shard", "1/2"), "a plan takes no --shard"),
            (("plan", "exp", "--for", "make", "--sharts", "2"), "plan has no option --sharts; did you mean --shards?"),
            (("plan", "exp", "--for", "make", "--evaluations", "2"), "plan has no option --evaluations"),
            (("plan", "exp", "--for", "make", "--inputs", "-"), "reads --inputs again"),
            (("plan", "exp", "--for", "make", "--image", "x"), "--image has no effect"),
            (("plan", "exp", "--for", "github", "--checkpoint-every", "2"), "--checkpoint-every has no effect"),
            (("plan", "exp", "--for", "github", "--shards", "300"), "from 1 to 256"),
            (("plan", "exp", "--for", "kubernetes", "--name", "A"), "--name needs"),
            (("plan", "exp", "--for", "slurm", "--name", "a/b"), "--name needs"),
            (("plan", "search", "exp", "--for", "slurm"), "--shards N, or --evaluations N"),
            (("plan", "exp", "--for", "make", "--impl", "lib:/nowhere.so:f"), "/nowhere.so"),
            (("plan", "exp", "--for", "make", "--range", "1:x"), "'x' is not a number"),
            *((("plan", "exp", "--for", kind, "--setup", f"a{end}b"), "control characters")
              for kind in ("make", "github") for end in "\n\t\x85\u2028\u2029"),
            (("plan", "exp", "--for", "kubernetes", "--image", os.fsdecode(b"a\xff")), "is text in UTF-8"),
            (("plan", "exp", "--for", "make", "--shards", "1", "--shard-seconds", "1", "-o", "/nowhere/x"), "/nowhere")]
        for words, says in refusals:
            with self.subTest(words):
                self.assertIn(says, self.refuse(*words))


if __name__ == "__main__":
    unittest.main()
