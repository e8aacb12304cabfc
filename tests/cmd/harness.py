"""Runs the program under test, for the tests beside this file.

Environment, which CTest sets: DETCHECK is the program, FAULTY_LIBM the library of faulty_libm.c
where one can be preloaded.
"""

import contextlib
import functools
import json
import os
import platform
import re
import signal
import struct
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["DETCHECK"]
SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "vectors")
FAULTY_LIBM = os.environ.get("FAULTY_LIBM")
EXHAUSTIVE = bool(os.environ.get("EXHAUSTIVE"))
NO_LIMIT = "qemu-user keeps no limit of memory"


def some(items, count, turn=0):
    """A list's items, all of them where EXHAUSTIVE is set; else `count` of them, spread evenly, others for another turn."""
    items = list(items)
    if EXHAUSTIVE or count >= len(items):
        return items
    return [items[(number * len(items) // count + turn) % len(items)] for number in range(count)]


def is_emulated():
    """Whether this processor is one that qemu-user translates to that of the machine, whose /proc/cpuinfo there is."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        return "vendor_id" in file.read() and platform.machine() not in ("x86_64", "i686", "AMD64", "s390x")
    return False


def environment(extra=None):
    """The environment of a run: without what the user's own settings could change in it."""
    dropped = ("NO_COLOR", "OMP_NUM_THREADS", "LD_PRELOAD")
    clean = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**clean, "DETCHECK_PROGRESS": "0", **(extra or {})}


def handles(process, number=signal.SIGINT):
    """Whether a process has a handler for the signal by now. qemu-user has its own from the start: the program has one of those
    for what it does at once, so after five seconds."""
    if is_emulated():
        return time.time() - os.stat(f"/proc/{process.pid}").st_ctime > 5
    with open(f"/proc/{process.pid}/status", encoding="ascii") as stream:
        caught = [int(line.split()[1], 16) for line in stream if line.startswith("SigCgt:")]
    return any(one >> (number - 1) & 1 for one in caught)


def seconds_used(process):
    """The CPU time of all threads of a process, children apart, whether or not others keep the machine busy."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as stream:
        fields = stream.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@functools.lru_cache(maxsize=None)
def slowness():
    """How many times the processor time of the machine by which limits are set this one takes, with its load and its sanitizers."""
    words = (PROGRAM, "sweep", "tgamma", "-f", "fp16,bf16", "--oracle", "mpfr", "--impl", "libm", "--threads", "1")
    before = os.times()
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(), check=True)
    return max(1, (os.times().children_user - before.children_user) / 1.2)


def faulty(**settings):
    """The environment that puts faulty_libm in front of libm: faulty(at=0x3f800000, xor=1)."""
    # AddressSanitizer's own library would insist on being the first.
    sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    extra = {"LD_PRELOAD": FAULTY_LIBM, "ASAN_OPTIONS": sanitizer}
    for name, value in settings.items():
        text = hex(value) if isinstance(value, int) else str(value)
        extra["FAULT_" + name.upper()] = text
    return extra


@functools.lru_cache(maxsize=None)
def validator(kind):
    """Of documents of a kind: "report", "policy", "gate"; None without Python's jsonschema, which only the tests that need it load:
    that takes longer than most commands."""
    try:
        import jsonschema
    except ImportError:
        return None
    with open(os.path.join(SCHEMAS, kind + ".schema.json"), encoding="utf-8") as stream:
        schema = json.load(stream)
    return jsonschema.validators.validator_for(schema)(schema)


class Case(unittest.TestCase):
    """A test case with a directory of its own, in which the program runs."""

    maxDiff = 2000

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="detcheck-test-")
        self.addCleanup(self.directory.cleanup)
        self.path = self.directory.name

    def follows_schema(self, document, kind="report"):
        """Whether a document is as the JSON Schema of its kind says; None where nothing here can tell."""
        if validator(kind):
            return validator(kind).is_valid(document)
        with self.subTest(schema=kind):
            self.skipTest("Python has no jsonschema: apt-get install python3-jsonschema")
        return None

    def hold_to_schema(self, document, kind="report"):
        if self.follows_schema(document, kind) is False:
            validator(kind).validate(document)

    def file(self, name, content=""):
        """A file in the directory, with that content (text or bytes)."""
        path = os.path.join(self.path, name)
        with open(path, "wb") as stream:
            stream.write(content if isinstance(content, bytes) else content.encode())
        return path

    def read(self, name):
        """The text of a file in the directory."""
        with open(os.path.join(self.path, name), encoding="utf-8") as stream:
            return stream.read()

    def run_program(self, *words, env=None, program=PROGRAM, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        if "input" in options:
            del options["stdin"]
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("timeout", 300)
        done = subprocess.run([program, *map(str, words)], stderr=subprocess.PIPE, cwd=self.path,
                              env=environment(env), check=False, **options)
        self.assertNotIn(b"Sanitizer", done.stderr, done.stderr.decode(errors="replace"))
        if is_emulated():
            done.stderr = re.sub(rb"(?m)^qemu: uncaught target signal .*\n", b"", done.stderr)
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

    def start(self, *words, env=None):
        """The program, running, with pipes for what it prints."""
        process = subprocess.Popen([PROGRAM, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, bufsize=0, cwd=self.path, env=environment(env))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def assert_takes(self, used, most):
        """Processor time is below so many seconds; on a slow machine, below as many more as that is slower."""
        if used >= most:  # which is seldom, so that the machine is seldom measured
            self.assertLess(used, most * slowness())

    @contextlib.contextmanager
    def within(self, most):
        """What ends meanwhile takes less than so many seconds of processor time, whether or not others keep the machine busy."""
        before = os.times()
        yield
        after = os.times()
        self.assert_takes(after.children_user + after.children_system - before.children_user - before.children_system, most)

    def has(self, name):
        return os.path.exists(os.path.join(self.path, name))

    def wait_until(self, happened, process=None):
        """Waits for an event, not for a time: the machine may be slow and busy. A process that is given must not end before."""
        end = time.monotonic() + 240
        while not happened():
            self.assertTrue(process is None or process.poll() is None, "the program ended before it was to")
            self.assertLess(time.monotonic(), end, "what is waited for does not happen")
            time.sleep(0.002)

    def stop(self, process, by=signal.SIGINT):
        """Signals a running program, which then works for seconds at most and does not wait for what will not come.
        Returns (exit code, stdout, stderr)."""
        used = seconds_used(process)
        with self.within(3 + used):
            process.send_signal(by)
            out, complaint = process.communicate(timeout=240)
        self.assertNotIn(b"does not return", complaint)  # what it says when it has waited for ten seconds
        return process.returncode, out.decode(), complaint.decode()

    def first_note(self, *words, **options):
        """What a long run on one thread says on stderr soon, and nothing else, before it is interrupted."""
        process = self.start(*words, "--threads", "1", **options)
        line = b""
        while not line.endswith(b"\n"):
            self.assertTrue(part := process.stderr.read(1), "it ended without a note")
            line += part
        self.assert_takes(seconds_used(process), 20)
        code, _, rest = self.stop(process)
        self.assertNotIn("note", rest)
        self.assertEqual(code, 130)
        return line.decode().rstrip("\n")

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
