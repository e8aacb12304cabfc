"""What the tests of lib: share: sweeps with faults at inputs, and what the report should say of them.

Environment: DETCHECK; FAULTY_LIBRARY, of faulty_library.c; SANITIZE, the sanitizers that detcheck is built with.
"""

import os
import platform

from harness import Case, parse

FAULTY = os.environ["FAULTY_LIBRARY"]
ADDRESS = "address" in os.environ["SANITIZE"]
X86 = platform.machine() in ("x86_64", "AMD64")
FIRST = 0x3F800000
RANGE = ("--range", "0x3f800000:0x3f80ffff")  # 2^16 inputs from 1 on
LOST = {"crash": "crash", "abort": "crash", "exit": "exit", "hang": "hang", "once": "crash"}
CHANGED = {"up": "rounding-changed", "flush": "flushing-changed", "x87": "precision-changed",
           "traps": "traps-changed", "stack": "registers-changed", "down": "direction-changed"}
ON_X86 = ("flush", "x87", "traps", "stack", "down")


def bits(code):
    return f"0x{code:08x}"


class Library(Case):
    def sweep(self, *words, function="", operation="sqrt", faults=(), code=None, timeout=None):
        """The report of a sweep; `faults` are pairs of a kind and a code. Only where one hangs the time is short: what is
        slow here has not hung."""
        if timeout is None:
            timeout = 1.5 if "hang" in dict(faults) else 60
        listed = ",".join(f"{kind}@{at:x}" for kind, at in faults)
        env = {"FAULTS": listed, "FAULTS_FILE": os.path.join(self.path, "once")}
        done = self.run_program("sweep", operation, "--impl", f"lib:{FAULTY}{function}",
                                "--timeout", timeout, "--json", "-", *words, env=env)
        if code is None:
            code = 1 if faults else 0
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout.decode()

    def entries(self, *words, **options):
        return [one["implementations"][0] for one in parse(self.sweep(*words, **options))["results"]]

    def entry(self, *words, **options):
        found, = self.entries(*words, **options)
        return found

    def check(self, entry, faults, count=1 << 16):
        """The report names these faults and no others, and judges all other inputs right, but for those that followed
        a call that left another rounding mode: where they were answered otherwise in the right one, the worse counts."""
        expected = [{"kind": {**LOST, **CHANGED}[kind], "input": bits(at)}
                    for kind, at in sorted(faults, key=lambda fault: fault[1])]
        found = [event for event in entry["events"] if event["kind"] != "answers-differ"]
        counts = dict(entry["event_counts"])
        differing = counts.pop("answers-differ", 0)
        self.assertEqual(found, expected[:len(found)])
        self.assertGreaterEqual(len(found), min(len(expected), 16 - differing))
        kinds = [event["kind"] for event in expected]
        self.assertEqual(counts, {kind: kinds.count(kind) for kind in kinds})
        lost = sum(kind in LOST for kind, _ in faults)
        self.assertEqual(entry["unanswered"], lost)
        self.assertEqual(entry["tested"], count - lost)
        ups = sum(kind == "up" for kind, _ in faults)
        wrong = entry["incorrectly_rounded"]
        self.assertEqual(entry["correctly_rounded"], count - lost - wrong)
        self.assertTrue(bool(differing) == bool(wrong) and differing <= ups and wrong < (1 << 15) * ups + 1)
        self.assertEqual(entry["fingerprint"] is None, lost > 0)
