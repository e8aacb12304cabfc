"""Limits: how long and how much a library may take, and what the system refuses, which is not its fault.

Environment: that of library_case.py; FAILING_ALLOCATION, of failing_allocation.c, where a C library's malloc can be
put behind another.
"""

import json
import os
import platform
import resource
import subprocess
import unittest

from harness import NO_LIMIT, PROGRAM, is_emulated
from library_case import ADDRESS, FIRST, Library, RANGE, bits


class Limits(Library):
    @unittest.skipIf(is_emulated(), NO_LIMIT)
    @unittest.skipIf(ADDRESS, "AddressSanitizer takes much memory for itself")
    def test_more_memory_than_it_may_take(self):
        entry = self.entry(*RANGE, "--memory", "512", faults=[("grow", FIRST + 9)])
        self.assertEqual(entry["events"], [{"kind": "crash", "input": bits(FIRST + 9)}])
        self.assertEqual(entry["correctly_rounded"], 65535)
        self.assertEqual(self.entry(*RANGE, faults=[("grow", FIRST + 9)], code=0)["unanswered"], 0)

    def test_what_always_hangs_is_given_up(self):
        # 8 hang in a row; then the rest of the slice of 4096 is passed over, and the next one; then
        # one input hangs again, and the two next are passed over ...
        faults = [("hang", FIRST + i) for i in range(32)] + [("hang", FIRST + 4096 * k) for k in range(1, 16)]
        entry = self.entry(*RANGE, "--threads", 1, faults=faults, timeout=0.8)
        self.assertEqual(entry["event_counts"], {"hang": 8 + 3, "given-up": 16})
        self.assertEqual((entry["unanswered"], entry["tested"]), (1 << 16, 0))
        given_up = [event["input"] for event in entry["events"] if event["kind"] == "given-up"]
        self.assertEqual(given_up[:2], [bits(FIRST + 8), bits(FIRST + 4096)])

    def test_an_answer_ends_the_giving_up(self):
        faults = [("hang", FIRST + i) for i in range(32)]
        entry = self.entry(*RANGE, "--threads", 1, faults=faults, timeout=0.8)
        self.assertEqual(entry["event_counts"], {"hang": 8, "given-up": 2})
        self.assertEqual((entry["unanswered"], entry["correctly_rounded"]), (8192, 65536 - 8192))

    @unittest.skipUnless(platform.system() == "Linux", "memory is sealed on Linux")
    def test_shared_memory_cannot_be_cut_off(self):
        entry = self.entry(*RANGE, faults=[("cut", FIRST + 9)], code=0)
        self.assertEqual((entry["tested"], entry["correctly_rounded"]), (1 << 16, 1 << 16))


def without_processes():
    """No further process or thread, which does not hold for root."""
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    if os.getuid() == 0:
        user = 60000 + os.getpid() % 5000
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)


@unittest.skipUnless(platform.system() == "Linux", "the limit is Linux's")
class NoRoom(Library):
    """What the system refuses is not the implementation's fault."""

    def setUp(self):
        super().setUp()
        try:
            subprocess.run([PROGRAM, "--version"], preexec_fn=without_processes, check=True,
                           stdout=subprocess.DEVNULL)
        except (PermissionError, subprocess.SubprocessError):
            self.skipTest("another user cannot run the program here")

    def test_for_threads(self):
        two = ("--threads", 2)
        for words in (("sweep", "exp", "-f", "fp16", *two), ("sweep", "sum", *two),
                      ("compare", "exp", "--impl", "det", "--impl", "cr", "-f", "fp16", *two),
                      ("emit", "exp", "-f", "fp16", "-o", "-", *two)):
            with self.subTest(words=words):
                complaint = self.refuse(*words, preexec_fn=without_processes)
                self.assertIn("cannot start 2 threads", complaint)

    def test_for_processes(self):
        for name in ("lib:libm.so.6", "exec:true"):
            with self.subTest(name=name):
                complaint = self.refuse("sweep", "exp", "-f", "fp16", "--threads", 1, "--impl", name,
                                        preexec_fn=without_processes)
                self.assertIn("cannot start", complaint)


class NoMemory(Library):
    @unittest.skipUnless(os.environ.get("FAILING_ALLOCATION"), "the C library's malloc cannot be put behind another")
    def test_where_an_implementation_is_bound(self):
        # All that is bound is bound before the first oracle allocates; what fails later is not asked here.
        words = ("sweep", "sqrt", "--range", "0x3f800000:0x3f800040", "--threads", 1, "--impl", "lib:libm.so.6",
                 "--impl", "det", "--impl", "libm", "--json", "-")
        refused = 0
        for number in range(60, 130):
            env = {"LD_PRELOAD": os.environ["FAILING_ALLOCATION"], "FAIL_AT": str(number)}
            done = self.run_program(*words, env=env)
            if done.returncode == 0:
                for result in json.loads(done.stdout).get("results", []):
                    provided = [one["provided"] for one in result["implementations"]]
                    self.assertEqual(provided, [True] * 3, number)
            refused += b": out of memory for " in done.stderr and done.returncode == 2
        self.assertGreaterEqual(refused, 3)  # one for each implementation


if __name__ == "__main__":
    unittest.main()
