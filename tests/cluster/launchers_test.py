"""Shards by mpirun, make -j and GNU parallel; the figures of a plan."""

import os
import shutil
import signal
import subprocess
import time
import unittest

import planned
from harness import PROGRAM, Case, environment, without_run

SWEEP = ("exp", "-f", "fp32", "--impl", "libm,det", "--range", "0x3c000000:0x47ffffff")
SECONDS = 240


def needs(name, package):
    return unittest.skipUnless(shutil.which(name), f"{name} not found: apt-get install {package}")


class Launchers(Case):
    def setUp(self):
        super().setUp()
        self.environment = environment({"PATH": planned.path_with(PROGRAM), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                                        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})

    def same(self, *parts, merged=None):
        """That the parts become the whole."""
        self.succeed("sweep", *SWEEP, "--json", "whole.json")
        if not merged:
            merged = "merged.json"
            self.succeed("merge", *parts, "-o", merged)
        texts = []
        for name in (merged, "whole.json"):
            with open(os.path.join(self.path, name), encoding="utf-8") as stream:
                texts.append(without_run(stream.read()))
        self.assertEqual(*texts)

    def launch(self, *words):
        done = subprocess.run(words, cwd=self.path, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    @needs("mpirun", "openmpi-bin")
    def test_mpirun(self):
        line = f"detcheck sweep {' '.join(SWEEP)} --threads 1 --shard auto --json part-$OMPI_COMM_WORLD_RANK.json"
        said = self.launch("mpirun", "--oversubscribe", "-n", "5", "sh", "-c", line)
        self.assertIn("shard 5/5, as OMPI_COMM_WORLD_RANK says", said)
        self.same(*[f"part-{rank}.json" for rank in range(5)])

    @needs("parallel", "parallel")
    def test_parallel(self):
        self.launch("parallel", "-j", "3", "detcheck", "sweep", *SWEEP, "--shard", "{}/7", "--json", "part-{}.json", ":::",
                    *map(str, range(1, 8)))
        self.same(*[f"part-{number}.json" for number in range(7, 0, -1)])

    def test_make_that_is_killed(self):
        """make -j and all its shards are killed over and over; the same line goes on."""
        plan = self.succeed("plan", *SWEEP, "--for", "make", "--shards", 5, "--shard-seconds", 5, "--checkpoint-every", 1)
        self.file("plan.mk", plan)
        kills = 0
        while True:
            process = subprocess.Popen(["make", "-s", "-j3", "-f", "plan.mk"], cwd=self.path, env=self.environment,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                said, _ = process.communicate(timeout=0.1 * 1.3 ** kills)
                break
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                kills += 1
        self.assertEqual(process.returncode, 0, said)
        self.assertGreater(kills, 0)
        self.same(merged="detcheck-exp/report.json")

    def test_figures_of_a_plan(self):
        """What a plan says of a shard's time is what it takes, on a machine whose load changes."""
        text = self.succeed("plan", "exp", "--for", "make", "--shard-seconds", "2")
        self.assertRegex(text, r"4,294,967,296 inputs; [0-9.]+ (s|minutes) of one thread as measured")
        shards = int(text.split()[1].replace(",", ""))
        self.assertGreater(shards, 1)
        promised = float(text.split("a shard takes some ")[1].split()[0])
        self.assertLessEqual(promised, 2.001)
        begin = time.monotonic()
        self.succeed("sweep", "exp", "--threads", 1, "--shard", f"{shards}/{shards}")
        self.assertLess(time.monotonic() - begin, 5 * promised)
        self.assertGreater(time.monotonic() - begin, promised / 5)


if __name__ == "__main__":
    unittest.main()
