"""The system says no, at every place where it can: the Nth allocation, write, open, rename, fsync, close, new
process or thread, mmap, for every N, in each subcommand that writes.

What must come of it is either the right output, as if nothing had happened, with the usual exit code, or one line on
stderr and exit 2; then an output that existed is as it was, and none is new. Never a signal, half a file, or two lines.

Environment: DETCHECK; FAILING_ALLOCATION, the library of tests/programs/failing_allocation.c. System calls are made
to fail by strace; where it is missing or may not trace they are skipped, with a line that says so. FAILURES=all tries
every N; otherwise a few of them, spread over the run, and the last one. FAILURES_ONLY names one subcommand."""

import collections
import os
import re
import shutil
import subprocess
import sys
import unittest

from harness import PROGRAM, Case


def why_no_strace():
    """Why no system call can be made to fail here, or None: an emulated processor may have no ptrace."""
    if not shutil.which("strace"):
        return "strace is not installed"
    done = subprocess.run(["strace", "-qq", "-o", os.devnull, "-e", "trace=none", "true"], capture_output=True, text=True)
    return (done.stderr.splitlines() or ["strace fails"])[0] if done.returncode else None


ALL = os.environ.get("FAILURES") == "all"
ONLY = os.environ.get("FAILURES_ONLY")
SPREAD = 2  # places of a run that the default tries, of these commands
DENSE = {"sweep": range(60, 80)}  # and all of these allocations: the identity of the inputs was lost there
FEW = ("sweep", "table_format", "emit", "gate", "verify")
SMALL = ("-f", "fp8_e4m3fn", "--threads", "2")

# Name, words, the file that is written, and files that must be there before.
COMMANDS = [
    ("sweep", ("sweep", "exp", *SMALL, "--impl", "det,cr", "--json", "out", "--fingerprints", "prints"), ()),
    ("sweep_library", ("sweep", "exp", *SMALL, "--impl", "lib:libm.so.6", "--json", "out"), ()),
    ("sweep_array", ("sweep", "sum", "--shape", "8", "-n", "2", "--threads", "2", "--json", "out"), ()),
    ("sweep_fast", ("sweep", "exp", "-f", "bf16", "--threads", "2", "--impl", "det", "--json", "out"), ()),
    ("table", ("table", "exp", "-f", "fp8_e4m3fn", "--as", "raw", "-o", "out"), ()),
    ("table_format", ("table", "fp8_e5m2", "--as", "c", "-o", "out"), ()),
    ("emit", ("emit", "exp", "-f", "fp8_e4m3fn", "-o", "out"), ()),
    ("emit_array", ("emit", "softmax", "--shape", "4", "-n", "2", "-o", "out"), ()),
    ("verify", ("verify", "vectors.json", "--impl", "cr", "--json", "out"), ("vectors.json",)),
    ("compare", ("compare", "one.json", "same.json", "--json", "out"), ("one.json", "same.json")),
    ("gate", ("gate", "one.json", "--max-ulp", "1", "--json", "out", "--junit", "junit", "--sarif", "sarif"),
     ("one.json",)),
    ("gate_update", ("gate", "one.json", "--update", "out"), ("one.json",)),
    ("merge", ("merge", "one.json", "two.json", "-o", "out"), ("one.json", "two.json")),
    ("report", ("report", "one.json", "-o", "out"), ("one.json",)),
    ("eval", ("eval", "exp", "1", "--impl", "det,cr", "--json", "out"), ()),
    ("list", ("list", "--json", "out"), ()),
    ("env", ("env", "--json", "out"), ()),
]
SYSTEM_CALLS = {
    "write": ("write,writev,pwrite64", "ENOSPC"),
    "open": ("open,openat", "EMFILE"),
    "rename": ("rename,renameat,renameat2,link,linkat", "EIO"),
    "fsync": ("fsync,fdatasync", "EIO"),
    "close": ("close", "EIO"),
    "process": ("clone,clone3,fork,vfork", "EAGAIN"),
    "mmap": ("mmap,memfd_create,ftruncate", "ENOMEM"),
}
WORKERS = ("sweep_library",)
OLD = b'{"schema": "detcheck/policy/1", "rules": [{"max_ulp": 1}]}\n'  # what stood there before; --update reads it
NO_STRACE = why_no_strace()
LOADING = {}  # by kind of call: how many there are before main


def changing(text):
    """Without what differs from run to run."""
    text = re.sub(rb" in [0-9.]+ s, .* inputs/s", b"", text)
    text = re.sub(rb'"run":\s*\{[^}]*\},?', b"", text)
    return re.sub(rb'"(date|host|seconds|inputs_per_second|nanoseconds|timestamp)":\s*("[^"]*"|[^,}\s]*)', b"", text)


class Failures(Case):
    def prepare(self, needed):
        for name in needed:
            if name == "vectors.json":
                self.succeed("emit", "exp", "-f", "fp8_e4m3fn", "-o", name)
            else:
                self.succeed("sweep", "exp", "-f", "fp8_e4m3fn", "--impl", "libm,det", "--range",
                             "0x40:0x7f" if name == "two.json" else "0x00:0x3f", "--json", name)

    def outputs(self):
        """Files that are there, but for those prepared and strace's own."""
        found = {}
        for name in os.listdir(self.path):
            if name not in ("one.json", "two.json", "same.json", "vectors.json", "count", "trace"):
                with open(os.path.join(self.path, name), "rb") as stream:
                    found[name] = stream.read()
        return found

    def run_one(self, words, environment, prefix=()):
        for name in self.outputs():
            os.remove(os.path.join(self.path, name))
        self.file("out", OLD)
        try:
            return subprocess.run([*prefix, PROGRAM, *words], cwd=self.path, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                                  env={**os.environ, **environment})
        except subprocess.TimeoutExpired:
            self.fail(f"{words} hangs with {environment} {prefix}")

    def check(self, good, done, where):
        """Nothing but the two allowed outcomes. Returns which."""
        files = self.outputs()
        if done.returncode == 1 and done.stderr.startswith(b"\nlibgomp: Out of memory allocating"):
            # It asks for memory before main, on some processors first of all; then the program has done nothing yet.
            self.assertEqual((done.stdout, files), (b"", {"out": OLD}), where)
            return "ended by libgomp"
        self.assertIn(done.returncode, (good.returncode, 2), (where, done.stderr[-500:]))
        if done.returncode == 2:
            # A worker, whose memory runs out too, may have had its say before.
            before = rb"(?:[^\n]+\n)*" if self.name in WORKERS else rb""
            self.assertTrue(re.fullmatch(before + rb"detcheck: [^\n]+\n", done.stderr), (where, done.stderr[-500:]))
            for name, text in files.items():
                whole = name in self.good_files and changing(text) == changing(self.good_files[name])
                self.assertTrue((name == "out" and text == OLD) or whole, (where, name, text[:80], done.stderr))
            return "refused"
        self.assertEqual(changing(done.stdout), changing(good.stdout), where)
        self.assertEqual(sorted(files), sorted(self.good_files), where)
        for name, text in files.items():
            self.assertEqual(changing(text), changing(self.good_files[name]), (where, name))
        return "right"

    def places(self, count):
        if ALL or count <= SPREAD:
            return range(1, count + 1)
        step = count / SPREAD
        return sorted({1 + int(i * step) for i in range(SPREAD)} | {count})

    def loading(self, calls):
        """How many of them there are before main, which the dynamic linker answers for."""
        if calls not in LOADING:
            trace = os.path.join(self.path, "trace")
            subprocess.run(["strace", "-qq", "-o", trace, "-e", f"trace={calls}", PROGRAM, "--version"], check=True,
                           stdout=subprocess.DEVNULL)
            with open(trace, encoding="utf-8", errors="replace") as stream:
                LOADING[calls] = sum("(" in line and "write" not in line for line in stream)
        return LOADING[calls]

    def walk(self, what, first, count, run):
        outcomes = collections.Counter()
        wrong = []
        dense = DENSE.get(self.name, ()) if what == "allocation" else ()
        for at in sorted({*self.places(count - first), *dense}):
            at += first
            try:
                outcomes[self.check(self.good, run(at), f"{what} {at} of {count}")] += 1
            except AssertionError as problem:
                wrong.append(str(problem)[:300])
        print(f"{self.name}: {what}: {count - first} places, " + ", ".join(f"{n} {kind}" for kind, n in outcomes.items()) +
              (f", {len(wrong)} WRONG" if wrong else ""), file=sys.stderr)
        return wrong

    def try_command(self, name, words, needed):
        self.name = name
        self.prepare(needed)
        self.good = self.run_one(words, {})
        self.assertIn(self.good.returncode, (0, 1), self.good.stderr)
        self.good_files = self.outputs()
        wrong = []
        library = os.environ.get("FAILING_ALLOCATION")
        if not library:
            with self.subTest(what="allocation"):
                self.skipTest("no allocation can be made to fail here")
        else:
            count_file = os.path.join(self.path, "count")
            environment = {"LD_PRELOAD": library, "FAIL_COUNT": count_file}
            self.run_one(words, environment)
            with open(count_file, encoding="ascii") as stream:
                count = int(stream.read())
            for more in ({}, {"FAIL_LASTS": "1"}):
                wrong += self.walk("allocation" + (" and all after it" if more else ""), 0, count,
                                   lambda at: self.run_one(words, {"LD_PRELOAD": library, "FAIL_AT": str(at), **more}))
        if NO_STRACE:
            with self.subTest(what="system calls"):
                self.skipTest(NO_STRACE)
        else:
            trace = os.path.join(self.path, "trace")
            for kind, (calls, failure) in SYSTEM_CALLS.items():
                # Calls of a worker are not ours: there only the program's own thread is followed.
                follow = () if name in WORKERS else ("-f",)
                if kind == "close" and name in WORKERS:
                    continue  # strace leaves the end of a pipe open, for whose closing the worker waits
                self.run_one(words, {}, ("strace", *follow, "-qq", "-o", trace, "-e", f"trace={calls}"))
                with open(trace, encoding="utf-8", errors="replace") as stream:
                    # strace counts the calls of each thread by itself; the first is the program's.
                    threads = [line.split()[0] if follow else "" for line in stream if "(" in line]
                count = threads.count(threads[0]) if threads else 0
                wrong += self.walk(kind, self.loading(calls), count, lambda at: self.run_one(
                    words, {}, ("strace", *follow, "-qq", "-o", "/dev/null", "-e", f"trace={calls}", "-e",
                                f"inject={calls}:error={failure}:when={at}")))
        self.assertFalse(wrong, "\n".join([str(len(wrong)), *wrong[:20]]))

    @unittest.skipIf(NO_STRACE, NO_STRACE)
    def test_a_write_of_nothing_is_no_end(self):
        # Where the file system has no second names, a copy takes the target's place. Its writes are the last ones.
        words = ("table", "fp8_e5m2", "--as", "c", "-o", "out")
        trace = os.path.join(self.path, "trace")
        no_links = ("strace", "-qq", "-o", trace, "-e", "trace=write,linkat", "-e", "inject=linkat:error=EPERM")
        good = self.run_one(words, {}, no_links)
        self.assertEqual((good.returncode, list(self.outputs())), (0, ["out"]), good.stderr)
        with open(trace, encoding="utf-8", errors="replace") as stream:
            calls = [line.split("(")[0] for line in stream if "(" in line]
        copied = len(calls) - calls.index("linkat") - 1
        self.assertGreater(copied, 0)
        for at in range(calls.count("write") - copied + 1, calls.count("write") + 1):
            done = self.run_one(words, {}, (*no_links, "-e", f"inject=write:retval=0:when={at}"))
            self.assertEqual((done.returncode, self.outputs()), (2, {"out": OLD}), (at, done.stderr))
            self.assertIn(b"cannot write out: Input/output error", done.stderr)


def add(name, words, needed):
    def test(self):
        self.try_command(name, words, needed)
    setattr(Failures, f"test_{name}", test)


for row in COMMANDS:
    if ONLY == row[0] or (ONLY is None and (ALL or row[0] in FEW)):
        add(*row)


if __name__ == "__main__":
    unittest.main()
