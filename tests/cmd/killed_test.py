"""Sweeps, searches and tests of invariance that are killed at random, and sweeps that are starved: 100 times each kill -9 of the program, of a worker and of both, a disk
that is full at some write, memory that is refused at some allocation. The sweep is sharded and keeps a checkpoint; the
runs that follow must come to the report of a run that nothing happened to, with nothing lost, doubled or half-written.

Environment: ROUNDS of each kind (100), SEED (a new one each time, which is printed), FAILING_ALLOCATION the library of
tests/programs/failing_allocation.c. Prints how often each was tried and what came of it."""

import atexit
import collections
import os
import random
import signal
import subprocess
import sys
import time
import unittest

from harness import PROGRAM, Case, environment, parse, without_run

ROUNDS = int(os.environ.get("ROUNDS", "100"))
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 1 << 32)
FAILING_ALLOCATION = os.environ.get("FAILING_ALLOCATION")
MOST_KILLS = 4  # of one sweep; then it is let alone
SHARDS = 3
SWEEP = ("sweep", "exp", "log", "-f", "fp32", "--range", "0x3f800000:0x3f87ffff", "--oracle", "mpfr", "-t", "2")
LIBM = ("--impl", "libm")
WORKERS = ("--impl", "libm", "--impl", "lib:libm.so.6")
# The other commands that keep a checkpoint, and take some seconds.
SEARCH = ("search", "exp", "pow", "-f", "fp64", "--evaluations", "20000000", "-t", "2", "--impl", "libm")
INVARIANCE = ("invariance", "exp", "-f", "fp16", "-n", "20000", "--impl", "libm", "-t", "2")
FIGURES = collections.Counter()


def setUpModule():
    print(f"SEED={SEED} ROUNDS={ROUNDS}", file=sys.stderr)
    atexit.register(tell)


def tell():
    for what, count in sorted(FIGURES.items()):
        print(f"{count:6} {what}", file=sys.stderr)


def command_line(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as stream:
        return stream.read()


def workers_of(pid):
    """The processes that it started for implementations."""
    found = []
    try:
        mine = command_line(pid)
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as stream:
                found += [int(one) for one in stream.read().split()]
        return [one for one in found if command_line(one) not in (mine, b"")]
    except (FileNotFoundError, ProcessLookupError):
        return []  # it has ended meanwhile


def kill(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


class Killed(Case):
    def setUp(self):
        super().setUp()
        self.random = random.Random(f"{SEED} {self.id()}")
        self.whole = {}

    def read(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8") as stream:
            return stream.read()

    def undisturbed(self, words):
        """The report without "run", and the seconds that it took."""
        if words not in self.whole:
            begin = time.monotonic()
            self.succeed(*words, "--json", "whole")
            self.whole[words] = without_run(self.read("whole")), time.monotonic() - begin
        return self.whole[words]

    def words(self, implementations):
        return self.shard_of((*SWEEP, *implementations))

    def shard_of(self, words):
        return (*words, "--shard", f"{self.random.randint(1, SHARDS)}/{SHARDS}")

    def begin(self, words, env=None, before=(), every="0"):
        return subprocess.Popen([*before, PROGRAM, *words, "--json", "r", "--checkpoint", "kept",
                                 "--checkpoint-every", every], cwd=self.path, env=environment(env),
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def finish(self, words):
        """Lets it run to its end. Returns the exit code."""
        done = self.run_program(*words, "--json", "r", "--checkpoint", "kept")
        self.assertIn(done.returncode, (0, 1), done.stderr.decode())
        self.assertEqual(sorted(os.listdir(self.path)), ["r", "whole"])
        return done.returncode

    def remove(self):
        for name in os.listdir(self.path):
            if name != "whole":
                os.remove(os.path.join(self.path, name))

    def assert_half_nothing(self):
        """What lies there under the name of a report is a whole one."""
        if os.path.exists(os.path.join(self.path, "r")):
            parse(self.read("r"))

    def killed_once(self, words, how, seconds):
        """Whether the run was killed before its end."""
        process = self.begin(words)
        try:
            process.wait(self.random.uniform(0, seconds))
        except subprocess.TimeoutExpired:
            workers = workers_of(process.pid)
            if how != "program":
                # Stopped, the program cannot take the end of the worker for a crash.
                if how == "both":
                    kill(process.pid, signal.SIGSTOP)
                if workers:
                    kill(self.random.choice(workers))
                    FIGURES[f"{how}: workers killed"] += 1
            if how != "worker":
                kill(process.pid)
                FIGURES[f"{how}: programs killed"] += 1
        complaint = process.communicate(timeout=240)[1].decode()
        if how == "worker" and process.returncode == 2:
            self.assertRegex(complaint, r"\Adetcheck: (lib:libm.so.6: )?lib:libm.so.6 was ended by signal 9 before .*\n\Z")
            FIGURES["worker: exit 2, since it was killed before it was ready"] += 1
        else:
            self.assertIn(process.returncode, (0, 1, -signal.SIGKILL), complaint)
        self.assert_half_nothing()
        for name in os.listdir(self.path):  # the moment in which the file has two names
            if name.startswith(".detcheck-"):
                FIGURES[f"{how}: a second name left behind"] += 1
                os.remove(os.path.join(self.path, name))
        return process.returncode == -signal.SIGKILL

    def killed(self, how, whole_words):
        total = 0
        for _ in range(10 * ROUNDS):  # some end before they are killed
            if total >= ROUNDS:
                break
            words = self.shard_of(whole_words)
            whole, seconds = self.undisturbed(words)
            with self.subTest(number=total, words=words):
                kills = 0
                while kills < MOST_KILLS and self.killed_once(words, how, seconds):
                    kills += 1
                    total += 1
                    FIGURES[f"{how}: resumed from a checkpoint"] += os.path.exists(os.path.join(self.path, "kept"))
                    FIGURES[f"{how}: begun anew, killed before the first checkpoint"] += not os.path.exists(
                        os.path.join(self.path, "kept"))
                self.finish(words)
                FIGURES[f"{how}: sweeps"] += 1
                self.assertEqual(without_run(self.read("r")), whole)
                self.remove()

    def test_the_program(self):
        self.killed("program", (*SWEEP, *LIBM))

    def test_the_program_with_workers(self):
        self.killed("program with workers", (*SWEEP, *WORKERS))

    def test_both(self):
        self.killed("both", (*SWEEP, *WORKERS))

    def test_a_search(self):
        self.killed("search", SEARCH)

    def test_invariance(self):
        self.killed("invariance", INVARIANCE)

    def test_a_worker(self):
        """A worker that is killed has crashed: that is told, and no other input is concerned."""
        for number in range(ROUNDS):
            words = self.words(WORKERS)
            whole, seconds = self.undisturbed(words)
            with self.subTest(number=number, words=words):
                self.killed_once(words, "worker", seconds)
                if not os.path.exists(os.path.join(self.path, "r")):
                    self.finish(words)
                found = parse(self.read("r"))
                FIGURES["worker: sweeps"] += 1
                crashes = sum(self.check_crashes(*pair) for pair in zip(found["results"], parse(whole)["results"],
                                                                        strict=True))
                FIGURES["worker: crashes told"] += crashes
                if not crashes:
                    self.assertEqual(without_run(self.read("r")), whole)
                self.remove()

    def check_crashes(self, found, wanted):
        """Returns how many crashes a result tells of, all of lib:; libm beside it is as ever."""
        self.assertEqual(found["implementations"][0], wanted["implementations"][0])
        mine, undisturbed = found["implementations"][1], wanted["implementations"][1]
        self.assertEqual(mine["tested"] + mine["unanswered"], undisturbed["tested"])
        # A worker that is killed after its answer leaves that; else one input goes without.
        self.assertLessEqual(mine["unanswered"], len(mine["events"]))
        self.assertEqual(mine["fingerprint"], None if mine["unanswered"] else undisturbed["fingerprint"])
        self.assertTrue(all(event["kind"] == "crash" for event in mine["events"]))
        return len(mine["events"])

    def starve(self, what, words, **started):
        """A run that is denied something and says so in a line, or that gives the whole report; then one that is not."""
        whole, _ = self.undisturbed(words)
        process = self.begin(words, **started)
        complaint = process.communicate(timeout=240)[1].decode()
        FIGURES[f"{what}: sweeps"] += 1
        FIGURES[f"{what}: exit {process.returncode}"] += 1
        self.assertIn(process.returncode, (0, 1, 2), complaint)
        warnings = complaint.count("detcheck: warning: cannot write the checkpoint: ")
        FIGURES[f"{what}: that warned of a checkpoint"] += warnings > 0
        if process.returncode == 2:
            self.assertEqual(complaint.count("\n") - warnings, 1, complaint)
            self.assertFalse(os.path.exists(os.path.join(self.path, "r")))
        elif process.returncode == 0:
            self.assertEqual(without_run(self.read("r")), whole)
        if process.returncode == 2:
            FIGURES[f"{what}: resumed from a checkpoint"] += os.path.exists(os.path.join(self.path, "kept"))
            self.finish(words)
            self.assertEqual(without_run(self.read("r")), whole)
        self.remove()

    def test_no_room(self):
        """A limit on the size of files, and a small file system where one can be mounted."""
        for number in range(ROUNDS):
            with self.subTest(number=number):
                blocks = self.random.choice((0, 1, 2, 4, 8, self.random.randint(0, 100)))
                self.starve("file too large", self.words(LIBM),
                            before=("sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh"))

    def test_no_room_on_the_disk(self):
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", self.path],
                                               check=False, capture_output=True).returncode != 0:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", self.path], check=True)
        for number in range(ROUNDS):
            words = self.words(LIBM)
            self.undisturbed(words)
            with self.subTest(number=number):
                used = sum(os.stat(os.path.join(self.path, name)).st_blocks * 512 for name in os.listdir(self.path))
                filler = self.file("filler")
                with open(filler, "wb") as stream:
                    stream.write(bytes((1 << 20) - used - 4096 * self.random.randint(1, 40)))
                self.starve_with_filler(words, filler)

    def starve_with_filler(self, words, filler):
        finish = self.finish

        def without_filler(words):
            os.remove(filler)
            return finish(words)

        self.finish = without_filler
        try:
            self.starve("disk full", words)
        finally:
            self.finish = finish

    @unittest.skipUnless(FAILING_ALLOCATION, "no library can be preloaded here")
    def test_no_memory(self):
        for number in range(ROUNDS):
            with self.subTest(number=number):
                at = int(10 ** self.random.uniform(0, 4))
                env = {"LD_PRELOAD": FAILING_ALLOCATION, "FAIL_AT": str(at)}
                if self.random.random() < 0.3:
                    env["FAIL_LASTS"] = "1"
                self.starve("memory refused", self.words(LIBM), env=env)


if __name__ == "__main__":
    unittest.main()
