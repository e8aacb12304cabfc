"""--checkpoint: a run that is ended at any moment and begun again gives the report of one that was not."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from harness import PROGRAM, Case, environment, faulty, handles, needs_faulty_libm, without_run

# Four tasks that take long enough to be caught in the midst of; and four that end where a call hangs.
LONG = ("exp", "-f", "fp32", "--range", "0x3f800000:0x3f83ffff", "--oracle", "mpfr", "--impl", "libm")
TASK = 1 << 16
FIRST = 0x3F800000
HANGING = ("sqrt", "-f", "fp32", "--range", f"{FIRST:#x}:{FIRST + 4 * TASK - 1:#x}", "--impl", "lib:" + os.environ["FAULTY_LIBRARY"],
           "--timeout", "600")
ENDLESS = ("exp", "-f", "fp32", "--oracle", "mpfr", "--impl", "libm", "-t", "1")
KINDS = [
    ("exp", "sincos", "-f", "fp16,bf16", "--impl", "libm,det", "-r", "up", "-r", "nearest-even"),
    ("pow", "-f", "fp16", "--impl", "libm,cr", "-n", "70000", "--seed", "7"),
    ("log", "-f", "fp32", "--range", "0x0:0x11000", "--flags", "--errno", "--impl", "libm"),
    ("exp", "-f", "fp16", "--impl", "lib:libm.so.6", "--shard", "1/2"),
    ("exp", "sin", "-f", "fp64", "--inputs", "inputs"),
    ("exp", "log", "-f", "fp16,bf16", "--impl", "libm", "--policy", "policy"),
    ("cumsum", "matmul", "-f", "fp16", "-n", "2", "--distribution", "normal"),
]


class Checkpoint(Case):
    def setUp(self):
        super().setUp()
        self.file("inputs", "1\n2\n3\n")

    def promise(self, limit):
        rule = {"operation": "exp", "promise": {"ulp": limit}}
        self.file("policy", json.dumps({"schema": "detcheck/policy/1", "rules": [rule]}))

    def read(self, name):
        with open(os.path.join(self.path, name), "rb") as stream:
            return stream.read()

    def assert_same(self, a, b):
        self.assertEqual(without_run(self.read(a).decode()), without_run(self.read(b).decode()))

    def end(self, words, by, env=None, name="kept", command="sweep"):
        """Starts the command and signals it once it has written a new checkpoint; if it ended sooner, once more. Returns
        (exit code, stderr)."""
        for _ in range(100):
            before = self.read(name) if self.has(name) else None
            process = self.start(command, *words, "--json", "r", "--checkpoint", name, "--checkpoint-every", "0", env=env)
            while process.poll() is None and not (self.has(name) and self.newer(name, before)):
                time.sleep(0.002)
            process.send_signal(by)
            _, complaint = process.communicate(timeout=240)
            if process.returncode:
                return process.returncode, complaint.decode()
            os.remove(os.path.join(self.path, "r"))
        self.fail("it is never caught before its end")

    def newer(self, name, before):
        try:
            return self.read(name) != before
        except FileNotFoundError:  # it has just ended
            return False

    def end_where_it_hangs(self, by, hang, *crashes):
        """Signals a sweep whose tasks before the one that begins at `hang` are done. Returns (exit code, stderr)."""
        faults = [f"hang@{hang:x}", *(f"crash@{at:x}" for at in crashes)]
        process = self.start("sweep", *HANGING, "-t", "1", "--json", "r", "--checkpoint", "kept", "--checkpoint-every", "0",
                             env={"FAULTS": ",".join(faults), "HANGS_FILE": "hangs"})
        self.wait_until(lambda: self.has("hangs"), process)
        process.send_signal(by)
        _, complaint = process.communicate(timeout=240)
        os.remove(os.path.join(self.path, "hangs"))
        return process.returncode, complaint.decode()

    def test_what_is_done_is_not_done_again(self):
        """A call of it would crash."""
        second, third, fourth = (FIRST + i * TASK for i in (1, 2, 3))
        self.succeed("sweep", *HANGING, "--json", "whole")
        self.assertEqual(self.end_where_it_hangs(signal.SIGKILL, third), (-signal.SIGKILL, ""))
        self.assertFalse(self.has("r"))
        # Of what was ended the last twentieth of a second may be lost, but not the first task of a run.
        code, complaint = self.end_where_it_hangs(signal.SIGTERM, fourth, FIRST, second - 1)
        goes_on = "detcheck: note: the run resumes from kept\n"
        self.assertEqual((code, complaint), (130, goes_on + "detcheck: interrupted; the results above are incomplete\n"))
        crashes = ",".join(f"crash@{at:x}" for at in (FIRST, second - 1, second, third - 1))
        done = self.run_program("sweep", *HANGING, "-t", "3", "--json", "r", "--checkpoint", "kept", env={"FAULTS": crashes})
        self.assertEqual((done.returncode, done.stderr.decode()), (0, goes_on))
        self.assert_same("whole", "r")
        self.assertEqual(sorted(os.listdir(self.path)), ["inputs", "r", "whole"])

    def test_killed_and_resumed(self):
        self.check_resumed("sweep", *LONG)

    def check_resumed(self, command, *words):
        """Killed, then told to end, then let alone, with another number of threads."""
        self.succeed(command, *words, "--json", "whole")
        self.assertEqual(self.end((*words, "-t", "2"), signal.SIGKILL, command=command)[0], -signal.SIGKILL)
        self.assertEqual(self.end((*words, "-t", "1"), signal.SIGTERM, command=command)[0], 130)
        self.assertTrue(self.has("kept"))
        text = self.succeed(command, *words, "-t", "3", "--json", "-", "--checkpoint", "kept", notes=True)
        self.assertEqual(without_run(self.read("whole").decode()), without_run(text))
        self.assertFalse(self.has("kept") or self.has("kept.lock"))

    def test_a_search(self):
        self.check_resumed("search", "exp", "-f", "fp64", "--impl", "libm", "--evaluations", "2000000")
        words = ("pow", "-f", "fp32", "--impl", "libm", "--evaluations", "1000000", "--start", "inputs")
        self.check_resumed("search", *words)
        self.end(words, signal.SIGKILL, command="search")
        self.file("inputs", "1\n3\n")
        complaint = self.refuse("search", *words, "--checkpoint", "kept")
        self.assertIn("other inputs: the inputs of the command have changed", complaint)
        complaint = self.refuse("search", "exp", "--checkpoint", "kept")
        self.assertIn("is the checkpoint of another command, 'search pow --format fp32", complaint)

    def test_invariance(self):
        self.check_resumed("invariance", "exp", "-f", "fp16", "--range", "0.5:1", "--impl", "libm,det", "--property",
                           "position,repetition,rounding")
        self.check_resumed("invariance", "sum", "-f", "fp16", "-n", "3", "--impl", "det", "--property", "repetition")

    def keep_all(self, *words):
        """A run that cannot write its result leaves all of it in the checkpoint."""
        with open("/dev/full", "wb") as full:
            done = self.run_program("sweep", *words, "--checkpoint", "kept", "--json", "-", stdout=full)
        self.assertEqual(done.returncode, 2)
        self.assertTrue(self.has("kept"))

    def test_every_kind_of_sweep(self):
        self.promise("1 + 2^-9*|x|")
        for words in KINDS:
            with self.subTest(words=words):
                self.succeed("sweep", *words, "--json", "whole", notes=True)
                self.succeed("sweep", *words, "--json", "r", "--checkpoint", "kept", "--checkpoint-every", "0", notes=True)
                self.assert_same("whole", "r")
                self.keep_all(*words)
                text = self.succeed("sweep", *words, "--checkpoint", "kept", "--json", "-", notes=True)
                self.assertEqual(without_run(self.read("whole").decode()), without_run(text))
                self.assertFalse(self.has("kept") or self.has("kept.lock"))

    def refuse_kept(self, *words, says, program=PROGRAM):
        kept = self.read("kept")
        complaint = self.refuse("sweep", *words, "--checkpoint", "kept", "--json", "no", program=program)
        self.assertIn(says, complaint)
        self.assertEqual(self.read("kept"), kept)
        self.assertFalse(self.has("no") or self.has("kept.lock"))

    def test_a_foreign_checkpoint_is_refused(self):
        library = shutil.copy(os.environ["FAULTY_LIBRARY"], os.path.join(self.path, "lib.so"))
        words = ("exp", "log", "-f", "bf16", "--impl", "libm", "--impl", f"lib:{library}", "--inputs", "inputs")
        self.keep_all(*words)
        whole = self.read("kept")
        self.refuse_kept(*words, "-r", "up", says="another command, 'sweep exp log --format bf16 --impl libm")
        self.refuse_kept(*words, "--shard", "1/2", says="another command")
        self.file("inputs", "1\n2\n4\n")
        self.refuse_kept(*words, says="other inputs")
        self.file("inputs", "1\n2\n3\n")
        with open(library, "ab") as stream:
            stream.write(b"\0")
        self.refuse_kept(*words, says="another build of an implementation")
        other = shutil.copy(PROGRAM, os.path.join(self.path, "other"))
        with open(other, "ab") as stream:
            stream.write(b"\0")
        self.refuse_kept(*words, says="another version or build", program=other)
        for torn in (whole[:-1], whole[:100], whole[:30], whole[:-20] + bytes([whole[-20] ^ 1]) + whole[-19:]):
            self.file("kept", torn)
            self.refuse_kept(*words, says="is damaged")
        self.file("kept", whole.replace(b"checkpoint 1\n", b"checkpoint 2\n", 1))
        self.refuse_kept(*words, says="another version of detcheck")
        for text in (b"", b"{}\n"):
            self.file("kept", text)
            self.refuse_kept(*words, says="is not a checkpoint")
        for begins, says in ((b"", "is not a checkpoint"), (b"detcheck checkpoint 1\n", "is larger than 4096 MiB")):
            self.file("kept", begins)
            os.truncate(os.path.join(self.path, "kept"), 20 << 30)  # of which nothing is on the disk
            self.assertIn(says, self.refuse("sweep", *words, "--checkpoint", "kept"))
        os.remove(os.path.join(self.path, "kept"))
        os.mkfifo(os.path.join(self.path, "pipe"))
        for name in ("/dev/zero", "/dev/null", "pipe", "."):
            self.assertIn("is not a plain file", self.refuse("sweep", *words, "--checkpoint", name))
        self.refuse("sweep", "exp", "--checkpoint", "no/kept")
        self.refuse("sweep", "exp", "--checkpoint-every", "3")

    @needs_faulty_libm
    def test_another_build_of_libm_is_refused(self):
        """Even where it says the same of itself and no name leads to it: a system is updated while a run is ended."""
        with open(os.environ["FAULTY_LIBM"], "rb") as stream:
            library = bytearray(stream.read())
        note = re.search(rb"\x04\0\0\0.{4}\x03\0\0\0GNU\0", library, re.DOTALL)  # of a build ID
        for last in (0, 1):
            if note:
                library[note.end()] ^= last
            else:
                library += b"\0" * last
            self.file("libm_copy.so", bytes(library))
            environment = {**faulty(), "LD_PRELOAD": os.path.join(self.path, "libm_copy.so")}
            words = ("exp", "-f", "fp16", "--impl", "libm", "--checkpoint", "kept", "--json")
            if not last:
                with open("/dev/full", "wb") as full:
                    self.assertEqual(self.run_program("sweep", *words, "-", stdout=full, env=environment).returncode, 2)
        self.assertIn("another build of an implementation", self.refuse("sweep", *words, "no", env=environment))

    def test_a_run_that_did_nothing_leaves_nothing(self):
        many = ("pow", "-f", "fp32", "--range", "1:2", "--checkpoint", "kept")
        self.assertIn("is for up to 2^36 inputs", self.refuse("sweep", *many))
        self.assertEqual(sorted(os.listdir(self.path)), ["inputs"])

    def test_ended_at_once(self):
        """By a signal that comes before anything is done."""
        words = ("exp", "-f", "fp64", "--impl", "libm", "--evaluations", "200000")
        for command, more in (("search", words), ("invariance", ("exp", "-f", "fp16", "--property", "position"))):
            for _ in range(4):
                process = self.start(command, *more, "--checkpoint", "kept", "--json", "r")
                self.wait_until(lambda process=process: process.poll() is not None or handles(process, signal.SIGTERM))  # or ended
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=240)
            self.succeed(command, *more, "--checkpoint", "kept", notes=True)
            self.assertFalse(self.has("kept"))

    def test_a_checkpoint_of_other_promises_is_refused(self):
        words = ("exp", "-f", "bf16", "--impl", "libm", "--policy", "policy")
        self.promise("1 + 2^-9*|x|")
        self.keep_all(*words)
        self.promise("2 + 2^-9*|x|")
        self.refuse_kept(*words, says="other promises: the promises of --policy have changed")

    def test_one_run_at_a_time(self):
        process = self.start("sweep", *ENDLESS, "--checkpoint", "kept", "--checkpoint-every", "1000000")
        self.wait_until(lambda: handles(process, signal.SIGUSR1), process)
        self.assertIn("another run has the checkpoint kept", self.refuse("sweep", *ENDLESS, "--checkpoint", "kept"))
        self.assertFalse(self.has("kept"))
        process.send_signal(signal.SIGUSR1)
        self.wait_until(lambda: self.has("kept"), process)
        process.kill()
        process.wait()
        self.assertTrue(self.has("kept.lock"))
        self.refuse_after_kill()

    def refuse_after_kill(self):
        """The lock of who was killed is nobody's: only the command is refused."""
        complaint = self.refuse("sweep", "exp", "-f", "bf16", "--checkpoint", "kept")
        self.assertIn("another command", complaint)

    def test_a_full_disk_loses_nothing(self):
        words = ("exp", "log", "-f", "bf16", "--impl", "det")
        command = f'ulimit -f 0; exec "$0" sweep {" ".join(words)} --checkpoint kept --checkpoint-every 0'
        done = subprocess.run(["sh", "-c", command, PROGRAM], cwd=self.path, env=environment(), check=False,
                              capture_output=True)
        complaint = done.stderr.decode()
        self.assertEqual(done.returncode, 0, complaint)
        self.assertRegex(complaint, r"\Adetcheck: warning: cannot write the checkpoint: .*the last one stays, and the run goes on\n\Z")
        self.assertEqual(os.listdir(self.path), ["inputs"])


if __name__ == "__main__":
    unittest.main()
