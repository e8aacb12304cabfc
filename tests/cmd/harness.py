"""Runs the program under test, for the tests beside this file.

Environment, which CTest sets: DETCHECK is the program, FAULTY_LIBM the library of faulty_libm.c
where one can be preloaded.
"""

import json
import os
import re
import signal
import struct
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["DETCHECK"]
FAULTY_LIBM = os.environ.get("FAULTY_LIBM")


def environment(extra=None):
    """The environment of a run: without what the user's own settings could change in it."""
    dropped = ("NO_COLOR", "OMP_NUM_THREADS", "LD_PRELOAD")
    clean = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**clean, **(extra or {})}


def faulty(**settings):
    """The environment that puts faulty_libm in front of libm: faulty(at=0x3f800000, xor=1)."""
    # AddressSanitizer's own library would insist on being the first.
    sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    extra = {"LD_PRELOAD": FAULTY_LIBM, "ASAN_OPTIONS": sanitizer}
    for name, value in settings.items():
        text = hex(value) if isinstance(value, int) else str(value)
        extra["FAULT_" + name.upper()] = text
    return extra


class Case(unittest.TestCase):
    """A test case with a directory of its own, in which the program runs."""

    maxDiff = 2000

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="detcheck-test-")
        self.addCleanup(self.directory.cleanup)
        self.path = self.directory.name

    def file(self, name, content=""):
        """A file in the directory, with that content (text or bytes)."""
        path = os.path.join(self.path, name)
        with open(path, "wb") as stream:
            stream.write(content if isinstance(content, bytes) else content.encode())
        return path

    def run_program(self, *words, env=None, program=PROGRAM, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        if "input" in options:
            del options["stdin"]
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("timeout", 300)
        done = subprocess.run([program, *map(str, words)], stderr=subprocess.PIPE, cwd=self.path,
                              env=environment(env), check=False, **options)
        self.assertNotIn(b"Sanitizer", done.stderr, done.stderr.decode(errors="replace"))
        return done

    def succeed(self, *words, notes=False, code=0, **options):
        """Runs to its end, silent on stderr but for notes, if any are expected. Returns stdout."""
        done = self.run_program(*words, **options)
        complaint = done.stderr.decode()
        self.assertEqual(done.returncode, code, complaint)
        if notes:
            for line in complaint.splitlines():
                self.assertRegex(line, r"^detcheck: note: ")
        else:
            self.assertEqual(complaint, "")
        return (done.stdout or b"").decode()

    def refuse(self, *words, code=2, prints=False, **options):
        """Runs to exit `code` with one line on stderr, which is returned, and nothing on stdout."""
        done = self.run_program(*words, **options)
        complaint = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, code, complaint)
        self.assertTrue(complaint.startswith("detcheck: "), complaint)
        self.assertEqual(complaint.count("\n"), 1, complaint)
        self.assertTrue(complaint.endswith("\n"), complaint)
        if not prints:
            self.assertEqual(done.stdout or b"", b"")
        return complaint

    def first_note(self, *words):
        """What a long run on one thread says on stderr within seconds, and nothing else, before it is interrupted."""
        process = subprocess.Popen([PROGRAM, *map(str, words), "--threads", "1"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd=self.path, env=environment())
        began = time.monotonic()
        line = process.stderr.readline().decode()
        took = time.monotonic() - began
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=60)
        self.assertNotIn(b"note", rest)
        self.assertEqual(process.returncode, 130)
        self.assertLess(took, 30)  # some seconds on an idle machine
        return line.rstrip("\n")

    def assert_holds(self, found, *expected):
        """All of `expected` are in `found`; a failure names those that are not."""
        self.assertEqual([one for one in expected if one not in found], [])

    def document(self, *words, **options):
        """What `--json -` prints, parsed strictly."""
        return parse(self.succeed(*words, "--json", "-", **options))

    def results(self, *words, **options):
        return self.document("sweep", *words, **options)["results"]

    def libm(self, *words, **options):
        """libm's part of a sweep with one result."""
        results = self.results(*words, "--impl", "libm", **options)
        self.assertEqual(len(results), 1)
        return results[0]["implementations"][0]

    def asked(self, *words, width=1, **options):
        """The inputs that the faulty libm saw, as tuples of `width` fp32 codes, in order.

        The sweep runs on one thread, so that the order is the domain's.
        """
        record = os.path.join(self.path, "record")
        if os.path.exists(record):
            os.remove(record)
        self.succeed("sweep", *words, "--threads", 1, env=faulty(record=record), **options)
        with open(record, "rb") as stream:
            return list(struct.iter_unpack("=" + width * "I", stream.read()))


def parse(text):
    """JSON as the standard has it: no NaN, no Infinity, no name twice in an object."""

    def no_constant(word):
        raise ValueError(f"{word} is not JSON")

    def unique(pairs):
        names = [name for name, _ in pairs]
        if len(names) != len(set(names)):
            raise ValueError(f"a name stands twice among {names}")
        return dict(pairs)

    return json.loads(text, parse_constant=no_constant, object_pairs_hook=unique)


def without_run(text):
    """A report's text without its "run" object, the only part that may differ between runs."""
    stripped, count = re.subn(r'"run":\s*\{[^{}]*\},', "", text)
    if count != 1:
        raise ValueError(f'"run" stands {count} times in the report')
    return stripped


needs_faulty_libm = unittest.skipUnless(FAULTY_LIBM, "no library can be preloaded here")
