"""Everything that can be wrong with a command line, an output file or stdout: one line on stderr
that says what, exit code 2, and nothing done that looks like a result."""

import os
import resource
import shutil
import signal
import stat
import subprocess
import unittest

from harness import PROGRAM, Case, handles, parse

QUICK = ("sweep", "sqrt", "--format", "fp16")
PRINTING = (QUICK, ("sweep", "sqrt", "cbrt", "--format", "fp8_e5m2"), ("eval", "exp", "1"),
            ("list",), ("env",), ("--help",), ("--version",), ("sweep", "--help"), ("help", "eval"),
            ("completion", "bash"), (*QUICK, "--json", "-"), ("eval", "exp", "1", "--json", "-"),
            ("list", "--json", "-"), ("env", "--json", "-"))

needs_full_device = unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")


def is_sanitized():
    with open(PROGRAM, "rb") as stream:
        return b"__asan_init" in stream.read()


class Surroundings(Case):
    """What the program needs of whoever starts it."""

    QUICK = ("sweep", "sqrt", "-f", "fp8_e5m2", "-t", "2")

    def limited(self, limit, value, *words, **options):
        def set_limit():
            resource.setrlimit(limit, (value, value))
        return self.run_program(*words, preexec_fn=set_limit, **options)

    def test_a_small_stack(self):
        for kib in (128, 256, 512):
            done = self.limited(resource.RLIMIT_STACK, kib << 10, *self.QUICK)
            if done.returncode == -signal.SIGKILL or b"error while loading" in done.stderr:
                continue  # the system has not started it
            self.assertEqual((done.returncode, done.stdout, done.stderr.decode()), (2, b"", "detcheck: the stack is limited to "
                             f"{kib} KiB; detcheck needs 1024 or more ('ulimit -s 8192')\n"))

    @unittest.skipIf(is_sanitized(), "sanitizers take more for themselves")
    def test_a_stack_that_is_enough(self):
        for words in (self.QUICK, ("explain", "exp", "-f", "fp8_e5m2", "--impl", "libm", "--impl", "det"), ("eval", "softmax", "1", "2"),
                      ("invariance", "exp", "-f", "fp8_e5m2", "--impl", "lib:libm.so.6"), ("search", "lgamma", "-f", "fp64", "--evaluations", 99),
                      ("emit", "sum", "tgamma", "-f", "fp16", "-n", 2), ("bench", "exp", "--impl", "det")):
            done = self.limited(resource.RLIMIT_STACK, 1 << 20, *words)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertNotIn(b"stack", done.stderr)

    def test_small_stacks_of_threads(self):
        for name, text, size in (("OMP_STACKSIZE", "128k", 128), ("OMP_STACKSIZE", "16k", 16), ("OMP_STACKSIZE", " 20 ", 20),
                                 ("OMP_STACKSIZE", "16384 B", 16), ("GOMP_STACKSIZE", "32", 32)):
            complaint = self.refuse(*self.QUICK, env={name: text})
            self.assertEqual(complaint, f"detcheck: threads get a stack of {size} KiB; detcheck needs 1024 or more (OMP_STACKSIZE)\n")
        self.succeed(*self.QUICK, env={"OMP_STACKSIZE": "2M"})

    def test_few_descriptors(self):
        for name, what in (("lib:libm.so.6", "share memory with a worker"), ("exec:true", "make a pipe")):
            done = self.limited(resource.RLIMIT_NOFILE, 8, *self.QUICK, "--impl", name)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"cannot {what}: too many open files; 'ulimit -n 1024' allows enough", done.stderr.decode())

    @unittest.skipUnless(shutil.which("unshare") and subprocess.run(("unshare", "-r", "-m", "true"), check=False,
                                                                    capture_output=True).returncode == 0,
                         "no user namespaces here")
    def test_no_null_device(self):
        script = 'mount -t tmpfs none /dev && exec "$@"'
        done = subprocess.run(("unshare", "-r", "-m", "sh", "-c", script, "sh", PROGRAM, *self.QUICK, "--impl", "lib:libm.so.6"),
                              stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=300)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot open /dev/null for /proc/self/exe: No such file or directory", done.stderr.decode())

    def test_the_parent_by_a_wrong_number(self):
        for text in ("abc", "", "12x", "-3", "0"):
            self.assertIn("it should be the number of the process that starts detcheck",
                          self.refuse(*self.QUICK, env={"DETCHECK_PARENT": text}))
        done = self.run_program(*self.QUICK, env={"DETCHECK_PARENT": "1073741824"})
        self.assertEqual((done.returncode, done.stderr.decode()), (130, "detcheck: interrupted: the process that started it, by "
                                                                   "DETCHECK_PARENT, is gone\n"))
        complaint = self.refuse(*self.QUICK, env={"DETCHECK_PARENT": "1"})
        self.assertRegex(complaint, "^detcheck: DETCHECK_PARENT is 1, which is not the process that starts detcheck: that is [0-9]+; ")
        ended = subprocess.Popen(("true",))  # which nobody has asked for its status yet
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        done = self.run_program(*self.QUICK, env={"DETCHECK_PARENT": str(ended.pid)})
        self.assertEqual((done.returncode, done.stderr.decode().endswith("is gone\n")), (130, True))
        ended.wait()

    def test_instruction_sets_of_the_environment(self):
        for name, texts, there in (("DETCHECK_LEVEL", ("foo", "", "BASELINE"), "DETCHECK_LEVEL=baseline"),
                                   ("DETCHECK_VECTOR_BYTES", ("foo", "", "0", "8", "32x", "-16"), "16, 32, 64")):
            for text in texts:
                for words in (self.QUICK, ("list",)):
                    self.assertRegex(self.refuse(*words, env={name: text}), f"^detcheck: {name}={text} is not a .*; there are: {there}")
        words = ("sweep", "exp", "--format", "fp16", "--impl", "det,cr")
        usual = self.document(*words)
        document = self.document(*words, env={"DETCHECK_LEVEL": "baseline"})
        for was, now in zip(*(one["results"][0]["implementations"] for one in (usual, document))):
            self.assertTrue(now["detail"].endswith(", baseline"), now["detail"])
            self.assertEqual(was["fingerprint"], now["fingerprint"])
        for variant in ((), ("--variant", "DETCHECK_LEVEL=baseline")):  # a process of its own takes the level, too
            done = self.run_program("invariance", "exp", "--format", "fp16", "--impl", "det", "--property", "processor", *variant,
                                    env={"DETCHECK_LEVEL": "baseline"})
            self.assertEqual(done.returncode, 2)
            self.assertIn(", baseline computes without it, too" if variant else "det names no settings for it", done.stderr.decode())

    def test_a_python_that_is_not_there(self):
        for name, what in (("DETCHECK_PYTHON", "no program"), ("DETCHECK_PYTHON_WORKER", "no file that can be read")):
            self.assertIn(f"{name} is '/nonexistent/x', which is {what}",
                          self.refuse("sweep", "exp", "-f", "fp16", "--impl", "py:math:exp", env={name: "/nonexistent/x"}))
        self.assertIn("cannot make a folder for --rebuild in /nonexistent, which TMPDIR names: ",
                      self.refuse("explain", "exp", "-f", "fp16", "--impl", "det", "--impl", "lib:libm.so.6:exp", "--rebuild", "cc x.c",
                                  env={"TMPDIR": "/nonexistent"}))

    @unittest.skipIf(is_sanitized(), "sanitizers tell of signals themselves")
    def test_a_crash_of_its_own_is_a_signal(self):
        """Nobody is blamed where no implementation is running, and what looks for crashes sees one."""
        for sent in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGABRT, signal.SIGILL):
            read, write = os.pipe()
            process = subprocess.Popen((PROGRAM, "gate", "-", "--max-ulp", "1"), stdin=read, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, cwd=self.path)
            os.close(read)
            self.wait_until(lambda: handles(process, signal.SIGSEGV), process)
            process.send_signal(sent)
            out, complaint = process.communicate(timeout=60)
            os.close(write)
            self.assertEqual((process.returncode, out, complaint), (-sent, b"", b""))


class WrongWords(Case):
    def refused(self, command, *says):
        line = self.refuse(*command.split())
        for part in says:
            self.assertIn(part, line, command)

    def test_unknown_names_suggest_the_nearest(self):
        self.refused("sweep exq", "'exq'", "did you mean exp?")
        self.refused("eval lgama 1", "'lgama'", "did you mean lgamma?")
        self.refused("sweep quantise", "did you mean mx.quantise or onnx.quantise or packed.quantise?")
        self.refused("sweep exp --format fp61", "'fp61'", "did you mean fp")
        self.refused("sweep exp --rounding nearest-evn", "did you mean nearest-even?")
        self.refused("sweep exp --impl libn", "'libn'", "did you mean libm?")
        self.refused("sweep exp --fromat fp16", "--fromat", "did you mean --format?")
        self.refused("sweep exp --sample=3", "did you mean --samples?")
        self.refused("swep exp", "'swep'", "did you mean sweep?")
        self.refused("help evla", "did you mean eval?")

    def test_unknown_names_far_from_any(self):
        self.refused("sweep frobnicate", "frobnicate", "detcheck list operations")
        self.refused("sweep exp --format posit", "posit", "detcheck list formats")
        self.refused("sweep exp --rounding sideways", "nearest-away")
        self.refused("sweep exp --impl mystery", "mystery", "libm")
        self.refused("list zebras", "zebras", "operations")
        self.refused("completion tcsh", "bash")
        self.refused("sweep exp -z", "-z", "--help")
        self.refused("transmogrify", "transmogrify", "--help")
        self.refused("--verbose", "--verbose")

    def test_names_that_are_hard_to_print(self):
        for name in ("", "a\nb", "a" * 5000, "\x1b[31m", "%s%n"):
            options = (("--format", name), ("--json", "/x/" + name), ("--range", name),
                       ("--inputs", "/x" + name), ("--impl", name), ("--rounding", name),
                       ("--oracle", name), ("--" + (name or "?"),))
            for words in (("sweep", name), ("eval", name, "1"), (name,), ("list", name),
                          *(("sweep", "exp", *option) for option in options)):
                line = self.refuse(*words)
                self.assertNotIn("\x1b", line)
                self.assertLess(len(line), 1000)

    def test_a_missing_word_is_asked_for(self):
        self.refused("sweep", "needs an operation")
        self.refused("eval", "needs an operation")
        self.refused("eval exp", "value")
        self.refused("completion", "bash")
        self.refused("sweep exp --format", "--format", "needs a value")
        self.refused("sweep exp -n", "--samples", "needs a value")
        self.assertEqual(self.run_program().returncode, 2)

    def test_words_too_many(self):
        self.refused("sweep exp --all=yes", "--all takes no value")
        self.refused("env now", "now")
        self.refused("completion bash zsh", "bash")
        self.refused("sweep exp --range 0:1 --range 0:1", "1 operand")
        self.refused("sweep fma --range 0:1 --range 0:1", "3 operands")
        self.refused("eval pow 1 2 3", "2 values")
        self.refuse("sweep", "exp", *["--all"] * 300)

    def test_malformed_lists_are_refused(self):
        self.refused("sweep exp --format fp16,", "comma")
        self.refused("sweep exp --format ,fp16", "--format")
        self.refused("sweep exp --rounding up,,down", "--rounding")

    def test_malformed_numbers_are_refused(self):
        for word in ("0", "abc", "-1", "1.5", "1e4", "2k", "99999999999999999999", "1025", " 1"):
            self.assertIn("--threads", self.refuse(*QUICK, "--threads", word), word)
        for word in ("0", "abc", "-5", "1e-6", "0x", "18446744073709551616"):
            self.assertIn("--samples", self.refuse(*QUICK, "--samples", word), word)
        for word in ("-1", "x", "18446744073709551616"):
            line = self.refuse(*QUICK, "--samples", 5, "--seed", word)
            self.assertIn("--seed", line)

    def test_options_that_exclude_each_other(self):
        self.refused("sweep exp --all --special", "exclude")
        self.refused("sweep exp --range 0:1 --special", "exclude")
        self.refused("sweep exp --inputs f --all", "exclude")
        self.refused("sweep exp --special --samples 3", "--samples")
        self.refused("sweep exp --inputs f --samples 3", "--samples")
        self.refused("sweep exp --all --seed 3", "--seed")

    def test_options_that_would_do_nothing(self):
        for name in ("a.json", "policy.json", "vectors.json"):
            self.file(name, "{}")
        for words, says in (("compare a.json a.json --format fp16", "without --impl"),
                            ("compare a.json a.json --samples 9", "without --impl"),
                            ("compare a.json a.json --axis 0", "without --impl"),
                            ("emit exp --inputs-of vectors.json -n 9", "with --inputs-of"),
                            ("sweep exp --oracle exact --recheck 9", "without the fast filter"),
                            ("sweep exp --plot --json -", "with --json -"),
                            ("sweep cast --to fp16 --random 9", "without --rounding stochastic"),
                            ("sweep exp --timeout 9", "without --impl lib:"),
                            ("eval exp 1 --impl det --memory 9", "without --impl lib:"),
                            ("verify vectors.json --impl exec:true --no-isolation", "without --impl lib:"),
                            ("sweep sum --run-length 9", "--run-length is for operations on numbers")):
            self.refused(words, says)
        self.succeed("sweep", "cast", "-f", "fp16", "--to", "fp8_e5m2", "--random", 1, "-r", "up,Stochastic")


class WrongValues(Case):
    def range(self, text, *says, form="fp16"):
        line = self.refuse("sweep", "exp", "--format", form, "--range", text)
        for part in says:
            self.assertIn(part, line)

    def test_empty_ranges_are_refused(self):
        self.range("1:0.5", "empty")
        self.range("0x3c01:0x3c00", "empty")
        self.range("-1:-2", "empty")
        self.range("0:-0", "empty")
        self.range("inf:-inf", "empty")

    def test_malformed_ranges_are_refused(self):
        for text in ("", ":", "1", "1:", ":1", "1:2:3", "1-2", "one:two", "1: 2"):
            self.range(text)

    def test_ranges_of_mixed_spelling_are_refused(self):
        self.range("0x3c00:2", "both the same way")
        self.range("-0x1p0:0x3c00", "both the same way")

    def test_nan_is_no_value_of_a_range(self):
        self.range("nan:1", "NaN")
        self.range("0:nan", "NaN")

    def test_beyond_the_format(self):
        self.range("0:65520", "fp16 cannot hold 65520", "0x7bff")
        self.range("-1e9:0", "fp16 cannot hold -1e9", "0xfbff")
        self.range("0:1e-9", "fp16 cannot hold", "0x0000", "0x0001")
        self.range("0:inf", "no infinity", form="fp8_e4m3fn")
        self.range("0:500", "cannot hold 500", "0x7e", form="fp8_e4m3fn")

    def test_hex_float_between_two_numbers(self):
        self.range("0x1.002p0:2", "0x1p+0 (0x3c00)", "0x1.004p+0 (0x3c01)")
        line = self.refuse("eval", "exp", "0x1.0000001p0")
        for part in ("0x1p+0 (0x3f800000)", "0x1.000002p+0 (0x3f800001)"):
            self.assertIn(part, line)

    def test_bits_too_wide(self):
        self.range("0x0:0x10000", "0x10000", "16 bits")
        self.assertIn("32 bits", self.refuse("eval", "exp", "0x100000000"))
        self.assertIn("8 bits", self.refuse("eval", "exp", "0x100", "--format", "fp8_e5m2"))
        # Zeros in front are no bits.
        self.succeed("eval", "exp", "0x0000000000000000000000003f800000")

    def test_more_inputs_than_any_sweep_ends(self):
        self.assertIn("2^64", self.refuse("sweep", "exp", "--format", "fp64", "--all"))
        self.assertIn("2^64", self.refuse("sweep", "pow", "--all"))

    def test_error_in_one_of_many_stops_all_before_any_runs(self):
        # 65536 is a number of bf16 and of fp32, but not of fp16, which comes last.
        words = ("sweep", "exp", "sin", "--format", "bf16,fp32,fp16", "--range", "1:65536")
        line = self.refuse(*words)
        self.assertIn("fp16", line)


class NothingTested(Case):
    def test_operation_that_libm_lacks(self):
        line = self.refuse("sweep", "softplus", "--impl", "libm", "--format", "fp16",
                           "--json", "report.json")
        self.assertIn("nothing was tested", line)
        self.assertIn("softplus", line)
        self.assertEqual(os.listdir(self.path), [])

    def test_rounding_that_libm_lacks(self):
        line = self.refuse(*QUICK, "--rounding", "nearest-away", "--json", "-")
        self.assertIn("nothing was tested", line)
        self.assertIn("nearest-away", line)

    def test_several_operations_none_of_which_is_there(self):
        done = self.run_program("sweep", "softplus", "mish", "--impl", "libm", "--format", "fp16",
                                "--json", "r")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"nothing was tested", done.stderr)
        self.assertEqual(os.listdir(self.path), [])

    def test_one_that_is_there_is_enough(self):
        self.succeed("sweep", "softplus", "sqrt", "--format", "fp16", "--json", "r")
        self.assertEqual(os.listdir(self.path), ["r"])


class Stdout(Case):
    """A result that could not be written is never exit 0, and the reason is told once."""

    @needs_full_device
    def test_full_device(self):
        for words in PRINTING:
            with open("/dev/full", "wb") as full:
                line = self.refuse(*words, stdout=full)
            self.assertIn("No space left", line, words)

    def test_closed(self):
        for words in PRINTING:
            line = self.refuse(*words, preexec_fn=lambda: os.close(1))
            self.assertIn("stdout is closed", line)

    def test_closed_pipe(self):
        for words in PRINTING:
            reader, writer = os.pipe()
            os.close(reader)
            try:
                line = self.refuse(*words, stdout=writer)
            finally:
                os.close(writer)
            self.assertIn("Broken pipe", line, words)

    def test_stdin_and_stderr_closed_do_no_harm(self):
        def close():
            os.close(0)
            os.close(2)
        done = self.run_program(*QUICK, "--json", "r", preexec_fn=close)
        self.assertEqual(done.returncode, 0)
        with open(self.path + "/r", encoding="utf-8") as stream:
            parse(stream.read())  # and nothing else went into that file

    def test_json_is_all_there_is(self):
        for words in (QUICK, ("eval", "exp", "1"), ("list",), ("env",),
                      ("sweep", "sqrt", "cbrt", "--format", "fp8_e5m2")):
            parse(self.succeed(*words, "--json", "-"))


class JsonFile(Case):
    COMMANDS = (QUICK, ("eval", "exp", "1"), ("list",), ("env",))

    def read(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8") as stream:
            return stream.read()

    def test_places_that_cannot_be_written(self):
        self.file("plain")
        os.mkdir(os.path.join(self.path, "directory"))
        for place in ("absent/r", "plain/r", "directory", ".", ""):
            for words in self.COMMANDS:
                self.refuse(*words, "--json", place)
        self.assertEqual(sorted(os.listdir(self.path)), ["directory", "plain"])

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_no_permission(self):
        os.chmod(self.path, 0o500)
        for words in self.COMMANDS:
            self.assertIn("Permission", self.refuse(*words, "--json", "r"))
        os.chmod(self.path, 0o700)

    @needs_full_device
    def test_full_device(self):
        for words in self.COMMANDS:
            line = self.refuse(*words, "--json", "/dev/full", prints=True)
            self.assertIn("/dev/full: No space left", line)

    @needs_full_device
    def test_failure_keeps_the_old_file(self):
        self.file("r", "precious")
        self.refuse("sweep", "softplus", "--impl", "libm", "--format", "fp16",
                    "--json", "r")  # nothing tested
        self.refuse("sweep", "exp", "--range", "2:1", "--json", "r")
        self.refuse("eval", "exp", "bad", "--json", "r")
        self.refuse("list", "zebras", "--json", "r")
        with open("/dev/full", "wb") as full:
            self.refuse(*QUICK, "--json", "r", stdout=full)
        self.assertEqual(os.listdir(self.path), ["r"])
        self.assertEqual(self.read("r"), "precious")

    def test_file_too_large_keeps_the_old_one(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            # Less than the JSON has; more than clang's OpenMP takes for a file of its own.
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        self.file("r", "precious")
        for words in (QUICK, ("list",)):
            line = self.refuse(*words, "--json", "r", prints=True, preexec_fn=limit)
            self.assertIn("cannot write r: File too large", line)
        self.assertEqual(os.listdir(self.path), ["r"])
        self.assertEqual(self.read("r"), "precious")

    def test_new_file_has_an_ordinary_mode(self):
        self.succeed(*QUICK, "--json", "r", preexec_fn=lambda: os.umask(0o027))
        self.assertEqual(stat.S_IMODE(os.stat(self.path + "/r").st_mode), 0o640)

    def test_old_file_is_replaced_and_keeps_its_mode(self):
        path = self.file("r", "old " * 50000)
        os.chmod(path, 0o604)
        for words in self.COMMANDS:
            before = os.stat(path).st_ino
            self.succeed(*words, "--json", "r")
            parse(self.read("r"))
            self.assertNotEqual(os.stat(path).st_ino, before)  # replaced, not written over
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o604)
        self.assertEqual(os.listdir(self.path), ["r"])

    def test_symbolic_link_stays_one(self):
        os.mkdir(self.path + "/there")
        self.file("there/r", "old")
        os.symlink("there/r", self.path + "/link")
        self.succeed(*QUICK, "--json", "link")
        self.assertTrue(os.path.islink(self.path + "/link"))
        parse(self.read("there/r"))
        self.assertEqual(os.listdir(self.path + "/there"), ["r"])

    def test_symbolic_link_to_nothing_yet(self):
        os.mkdir(self.path + "/there")
        os.symlink("there/r", self.path + "/link")
        self.succeed(*QUICK, "--json", "link")
        self.assertTrue(os.path.islink(self.path + "/link"))
        parse(self.read("there/r"))

    def test_text_as_well(self):
        self.assertIn("not correctly rounded", self.succeed(*QUICK, "--json", "r"))
        self.assertEqual(self.succeed(*QUICK, "--json", "-")[0], "{")


if __name__ == "__main__":
    unittest.main()
