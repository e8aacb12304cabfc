"""`detcheck compare` and `sweep --fingerprints`: where two parties part, to the block and the input."""

import os
import re
import unittest

import harness


class Implementations(harness.Case):
    def test_implementations_of_equal_bits_compare_equal(self):
        self.assertIn("equal", self.succeed("compare", "recip", "-f", "fp16", "--impl", "det,cr"))
        document = self.document("compare", "recip", "-f", "fp16", "--impl", "det,cr")
        self.assertTrue(document["equal"])
        self.assertEqual(document["comparisons"][0]["tested"], 65536)

    def test_they_differ_as_a_sweep_says(self):
        report = self.results("exp", "-f", "fp16", "--impl", "det,cr")[0]
        found, = report["differences"]
        done = self.run_program("compare", "exp", "-f", "fp16", "--impl", "det", "--impl", "cr",
                                "--json", "-")
        self.assertEqual(done.returncode, 1)
        row, = harness.parse(done.stdout.decode())["comparisons"]
        self.assertEqual(row["differ"], found["count"])
        self.assertEqual([one["in"] for one in row["first"]],
                         [[one["input"]] for one in found["first"]][:len(row["first"])])
        self.assertEqual(sum(one["differ"] for one in row["by_binade"]), found["count"])
        text = self.run_program("compare", "exp", "-f", "fp16", "--impl", "det,cr").stdout.decode()
        self.assertIn("they differ", text)
        self.assertIn(row["first"][0]["in"][0], text)

    def test_threads_change_nothing(self):
        texts = {self.run_program("compare", "sincos", "pow", "-f", "fp8_e5m2,fp16", "--samples", 90000,
                                  "--impl", "det,cr", "-t", threads).stdout for threads in (1, 3)}
        self.assertEqual(len(texts), 1)

    def test_outputs_of_another_machine(self):
        """file: has the outputs in order of the inputs, those of a second result behind the first."""
        for name in ("sin", "cos"):
            self.succeed("table", name, "-f", "fp16", "--as", "raw", "-o", name)
        both = bytearray()
        for name in ("sin", "cos"):
            with open(os.path.join(self.path, name), "rb") as stream:
                both += stream.read()
        self.file("both", bytes(both))
        self.succeed("compare", "sin", "-f", "fp16", "--impl", "cr", "--impl", "file:sin", "-t", 3)
        self.succeed("compare", "sincos", "-f", "fp16", "--impl", "cr", "--impl", "file:both", "-t", 3)
        changed = 2 * (65536 + 0x7b00)
        both[changed] ^= 1
        self.file("other", bytes(both))
        done = self.run_program("compare", "sincos", "-f", "fp16", "--impl", "file:other", "--impl", "cr", "--json", "-")
        row, = harness.parse(done.stdout.decode())["comparisons"]
        self.assertEqual((row["differ"], row["first"][0]["in"]), (1, ["0x7b00"]))

    def test_nans_with_other_bits_are_counted_apart(self):
        """The NaNs changed in a table are those that compare and sweep count, beside the numbers changed."""
        self.succeed("table", "sqrt", "-f", "fp16", "--as", "raw", "-o", "right")
        with open(os.path.join(self.path, "right"), "rb") as stream:
            outputs = bytearray(stream.read())
        for code in range(0x7c01, 0x7c01 + 1021):  # NaNs, which sqrt keeps
            self.assertEqual(outputs[2 * code:2 * code + 2], b"\x00\x7e")
            outputs[2 * code + 1] |= 0x80
        self.file("nans", bytes(outputs))
        words = ("sqrt", "-f", "fp16", "--impl", "cr", "--impl", "file:nans")
        apart = "  1,021 inputs apart: NaNs with other bits, which count as equal\n"
        self.assertIn("65,536 inputs equal\n" + apart, self.succeed("compare", *words))
        of_each = "  apart from NaNs with other bits than 0x7e00: 0 of cr, 1,021 of file:nans\n"
        self.assertRegex(self.succeed("sweep", *words), r"different bits for 0 inputs  \(.*\)\n" + re.escape(of_each))
        outputs[2 * 0x3c00] ^= 1
        self.file("nans", bytes(outputs))
        self.assertIn("  1 of 65,536 inputs have other bits\n" + apart, self.succeed("compare", *words, code=1))
        row, = harness.parse(self.succeed("compare", *words, "--json", "-", code=1))["comparisons"]
        self.assertEqual((row["differ"], row["nan_bits_differ"]), (1, 1021))
        self.assertNotIn("apart", self.succeed("compare", *words[:-1], "file:right"))
        self.assertNotIn("apart", self.succeed("sweep", *words[:-1], "file:right"))

    def test_an_interrupted_run_says_what_it_has_found(self):
        for operation, other, found in (("sqrt", "libm", r"all equal"), ("log", "libm", r"[\d,]+ have other bits, such as that of x = 0x([0-9a-f]{8})")):
            process = self.start("compare", operation, "--impl", "det", "--impl", other, "--threads", 1)
            self.wait_until(lambda started=process: harness.seconds_used(started) > 1, process)
            code, said, complaint = self.stop(process)
            self.assertEqual((code, said), (130, ""))
            match = re.fullmatch(rf"detcheck: interrupted after ([\d,]+) of 4,294,967,296 inputs of {operation} in fp32: {found}\n", complaint)
            self.assertTrue(match, complaint)
            self.assertGreaterEqual(int(match.group(1).replace(",", "")), 1 << 14)
            if match.lastindex > 1:
                here = self.run_program("eval", operation, "0x" + match.group(2), "--impl", "det,libm")
                self.assertEqual(here.returncode, 0)
                self.assertGreater(len(set(re.findall(r"0x[0-9a-f]{8}\b", here.stdout.decode()))), 2)

    def test_a_part_of_the_inputs(self):
        self.succeed("compare", "exp", "-f", "fp16", "--impl", "det,cr", "--range", "1:2")

    def test_a_parameter_that_is_not_taken_names_what_is_meant(self):
        for words, meant in ((("gelu", "--approximate", "tanh"), "its tanh form is the operation gelu_tanh"),
                             (("exp", "--dtype", "fp16"), "the format of the inputs is --format")):
            self.assertIn(f"{words[0]} takes no {words[1]}; {meant}\n", self.refuse("compare", *words, "--impl", "det,cr"))

    def test_wrong_words_are_refused(self):
        for words, what in ((("exp", "--impl", "det"), "needs two implementations"),
                            (("exp", "--impl", "det,cr,libm"), "needs two implementations"),
                            (("--impl", "det,cr"), "needs an operation"),
                            (("exp", "-r", "up", "--impl", "det,libm"), "det does not provide exp"),
                            (("expp", "--impl", "det,cr"), "did you mean exp"),
                            ((), "needs two files"), (("nowhere", "nowhere"), "nowhere")):
            with self.subTest(words=words):
                self.assertIn(what, self.refuse("compare", *words))


class Files(harness.Case):
    def setUp(self):
        super().setUp()
        for name in ("det", "cr"):
            self.succeed("sweep", "exp", "sincos", "-f", "fp16", "--impl", name, "--fingerprints",
                         name + ".txt", "--json", name + ".json")

    def text(self, name):
        with open(os.path.join(self.path, name), encoding="ascii") as stream:
            return stream.read()

    def test_the_fingerprint_is_that_of_the_report(self):
        report = harness.parse(self.text("det.json"))
        totals = re.findall(r"^fingerprint (.*)$", self.text("det.txt"), re.MULTILINE)
        self.assertEqual(totals, [result["implementations"][0]["fingerprint"]
                                  for result in report["results"]])

    def test_one_of_the_two_may_be_stdin(self):
        for suffix in ("txt", "json"):
            name = "det." + suffix
            for words in (("-", name), (name, "-")):
                text = self.succeed("compare", *words, input=self.text(name).encode())
                self.assertEqual(text, "3 results equal, 0 differ\n")
            self.assertIn("once", self.refuse("compare", "-", "-", input=self.text(name).encode()))

    def test_rows_name_the_implementations(self):
        self.assertIn("exp  fp16  nearest-even  det: all 65,536 inputs equal\n", self.succeed("compare", "-v", "det.json", "det.json"))
        self.assertIn("recip  fp16  nearest-even  det and cr: all 65,536 inputs equal\n",
                      self.succeed("compare", "recip", "-f", "fp16", "--impl", "det,cr"))

    def test_equal_files_compare_equal(self):
        for suffix in ("txt", "json"):
            self.assertEqual(self.succeed("compare", "det." + suffix, "det." + suffix), "3 results equal, 0 differ\n")
            text = self.succeed("compare", "--verbose", "det." + suffix, "det." + suffix)
            self.assertTrue(text.startswith("3 results equal, 0 differ\nexp  fp16  nearest-even  det: all 65,536 inputs equal\n"), text)
            self.assertEqual(text.count(": all 65,536 inputs equal\n"), 3)
            self.assertEqual(self.succeed("compare", "-q", "det." + suffix, "det." + suffix), "")

    def test_files_that_differ(self):
        expected = self.run_program("compare", "exp", "-f", "fp16", "--impl", "det,cr", "--json", "-")
        direct, = harness.parse(expected.stdout.decode())["comparisons"]
        for suffix in ("txt", "json"):
            with self.subTest(suffix=suffix):
                done = self.run_program("compare", "det." + suffix, "cr." + suffix, "--json", "-")
                self.assertEqual(done.returncode, 1, done.stderr)
                rows = harness.parse(done.stdout.decode())["comparisons"]
                self.assertEqual([row["operation"] for row in rows],
                                 ["exp", "sincos.sin", "sincos.cos"])
                self.assertEqual((rows[0]["differ"], rows[0]["first"]),
                                 (direct["differ"], direct["first"]))
                # sin of sincos parts elsewhere than cos.
                self.assertNotEqual(rows[1]["first"], rows[2]["first"])

    def test_the_first_block(self):
        """The first block that differs is the one with the first input that does."""
        self.succeed("sweep", "exp", "--range", "0x3f800000:0x3f84ffff", "--impl", "det",
                     "--fingerprints", "a.txt")
        lines = self.text("a.txt").splitlines()
        self.assertIn("codes 0x3f800000-0x3f84ffff", lines)
        self.assertIn("blocks 5", lines)
        self.succeed("sweep", "exp", "--range", "0x3f800000:0x3f84ffff", "--impl", "cr",
                     "--fingerprints", "b.txt")
        done = self.run_program("compare", "a.txt", "b.txt", "--json", "-")
        row, = harness.parse(done.stdout.decode())["comparisons"]
        self.assertEqual(row["blocks"], 5)
        first = int(row["first"][0]["in"][0], 16) - 0x3f800000
        self.assertEqual(first // 65536, row["first_block"])

    def test_of_operations_on_many_arrays(self):
        """matmul has a dozen of operands and attributes, more than functions can have."""
        for operation, results in (("scaled.matmul", 2), ("scaled.convolution", 2)):
            self.succeed("sweep", operation, "--distribution", "near", "-n", 3, "--impl", "det", "--fingerprints", operation)
            self.assertEqual(self.text(operation).count("\ncodes -\n"), results)
            self.assertEqual(self.succeed("compare", "-v", operation, operation).count(" arrays equal\n"), results)

    def test_of_arrays_every_call_has_a_digest(self):
        words = ("sum", "--shape", "100", "--distribution", "normal", "-n", 5)
        for name, more in (("a", ("--impl", "det")), ("b", ("--impl", "sequential")), ("c", ("--impl", "det", "--seed", 2))):
            self.succeed("sweep", *words, *more, "--fingerprints", name)
        lines = self.text("a").splitlines()
        self.assertIn("count 5", lines)
        self.assertIn("blocks 5", lines)
        self.assertEqual(len([line for line in lines if re.fullmatch("[0-9a-f]{32}", line)]), 5)
        self.assertIn(": 5 arrays equal\n", self.succeed("compare", "a", "a"))
        done = self.run_program("compare", "a", "b", "--json", "-")
        row, = harness.parse(done.stdout.decode())["comparisons"]
        a, b = (re.findall("^[0-9a-f]{32}$", self.text(name), re.M) for name in "ab")
        differ = [i for i in range(5) if a[i] != b[i]]
        self.assertEqual((row["blocks"], row["blocks_differ"], row["first_block"]), (5, len(differ), differ[0]))
        said = self.run_program("compare", "a", "b").stdout.decode()
        self.assertIn(f"  {len(differ)} of 5 calls, the first is number {differ[0]}\n", said)
        self.assertNotIn("equal", self.run_program("compare", "a", "c").stdout.decode())  # of other inputs
        self.file("bad.txt", self.text("a").replace("blocks 5", "blocks 1"))
        self.assertIn("number of blocks", self.refuse("compare", "a", "bad.txt"))

    def test_damaged_files_are_refused(self):
        good = self.text("det.txt")
        for content, what in (
                (good.replace("fingerprints 1", "fingerprints 2", 1), "version 1"),
                (good[:-1], "the file ends here"), (good[:100], "the file ends here"),
                (good.replace("count 65536", "count 65537", 1), "number of blocks"),
                (good.replace("blocks 1", "blocks 4000000000", 1), "number of blocks"),
                (good.replace("count 65536\nblocks 1", "count 65536000000\nblocks 1000000", 1),
                 "ends before its digests"),
                (good.replace("rounding ", "rounded ", 1), "'rounding' and a text"),
                (re.sub(r"^[0-9a-f]{32}$", "0" * 32, good, count=1, flags=re.M), "not that of the digests"),
                (re.sub(r"^[0-9a-f]{32}$", "x" * 32, good, count=1, flags=re.M), "32 lower-case hex"),
                ("detcheck fingerprints 1\n", "no fingerprints follow")):
            with self.subTest(what=what):
                self.file("bad.txt", content)
                self.assertIn(what, self.refuse("compare", "det.txt", "bad.txt"))
        self.assertIn("detcheck fingerprints", self.refuse("compare", "det.txt", "det.json"))
        self.refuse("compare", "det.json", "det.txt")

    def test_nothing_in_common_is_not_equal(self):
        self.succeed("sweep", "log", "-f", "fp16", "--impl", "det", "--fingerprints", "log.txt",
                     "--json", "log.json")
        for suffix in ("txt", "json"):
            done = self.run_program("compare", "det." + suffix, "log." + suffix)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(b"nothing could be compared", done.stderr)
        # A part that is in one file only is a difference.
        self.succeed("sweep", "exp", "-f", "fp16", "--impl", "det", "--fingerprints", "exp.txt")
        done = self.run_program("compare", "exp.txt", "det.txt")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"no counterpart", done.stderr)
        self.assertRegex(done.stdout.decode(), r"^\d+ results? equal, \d+ differs?, [1-9]\d* in one file only\n")

    def test_other_inputs_are_not_compared(self):
        for name, bounds in (("a", "1:2"), ("b", "1:3")):
            self.succeed("sweep", "exp", "-f", "fp16", "--range", bounds, "--impl", "det",
                         "--fingerprints", name)
        done = self.run_program("compare", "a", "b")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"nothing could be compared", done.stderr)

    def test_all_and_a_range_of_everything_are_the_same(self):
        self.succeed("sweep", "exp", "-f", "fp16", "--range", "0x0000:0xffff", "--impl", "det",
                     "--fingerprints", "range.txt")
        self.succeed("sweep", "exp", "-f", "fp16", "--impl", "det", "--fingerprints", "all.txt")
        self.assertIn("equal", self.succeed("compare", "range.txt", "all.txt"))

    def test_stdout_is_no_place_for_fingerprints(self):
        self.assertIn("needs a file", self.refuse("sweep", "exp", "-f", "fp16", "--fingerprints", "-"))


NO_FMA = "glibc.cpu.hwcaps=-FMA,-AVX2_Usable,-AVX2,-FMA4"


class Machines(harness.Case):
    """What stands of two machines, one of which is a stand-in: this one's glibc told to do without FMA."""

    def setUp(self):
        super().setUp()
        variants = {tunables: self.document("env", env={"GLIBC_TUNABLES": tunables})["platform"]["libm_variant"] for tunables in ("", NO_FMA)}
        if list(variants.values()) != ["fma", "no-fma"]:
            self.skipTest("this C library has no variants of libm, or is not told which to take by GLIBC_TUNABLES")

    def sweep(self, name, *words, env=None):
        self.succeed("sweep", "exp", "-f", "fp32", *words, "--impl", "libm", "--fingerprints", name + ".txt", "--json", name + ".json", env=env)

    def test_a_block_that_differs_says_its_range_and_the_next_command(self):
        """glibc's exp with FMA and without differs at 32.564632, which no sweep of fp16 has among its inputs."""
        for name, env in (("here", None), ("there", {"GLIBC_TUNABLES": NO_FMA})):
            self.sweep(name, "--range", "0x42000000:0x420fffff", env=env)
        done = self.run_program("compare", "here.txt", "there.txt")
        self.assertEqual((done.returncode, done.stderr), (1, b""))
        text = done.stdout.decode()
        host, libc = os.uname().nodename, self.document("env")["platform"]["libc"]
        self.assertIn("1 of 16 blocks of 65,536 outputs, the first is number 2\n    its inputs from 32.5 (0x42020000) to 32.749996 (0x4202ffff)\n", text)
        self.assertIn("  next: detcheck compare exp -f fp32 --range 0x42020000:0x4202ffff --impl libm --impl 'exec:ssh HOST detcheck-worker'\n", text)
        for side, variant in (("A", "fma"), ("B", "no-fma")):
            self.assertRegex(text, rf"  {side} libm  {libc}, \S+, {variant}, on {host}\n    (build-id|xxh3-128):[0-9a-f]+\n")
        row, = harness.parse(self.run_program("compare", "here.txt", "there.txt", "--json", "-").stdout.decode())["comparisons"]
        self.assertEqual([row[name] for name in ("a_variant", "b_variant", "a_host", "b_host")], ["fma", "no-fma", host, host])
        self.assertIn("--range 0x42020000:0x4202ffff", row["next"])
        reports = self.run_program("compare", "here.json", "there.json").stdout.decode()
        self.assertIn(f", no-fma, on {host}\n", reports)
        self.assertIn("  next: detcheck compare exp -f fp32 --range 0x42000000:0x420fffff --impl libm --impl 'exec:ssh HOST detcheck-worker'\n", reports)

    def test_the_other_machine_answers_by_ssh(self):
        """A stand-in of ssh, which runs the worker here with the other libm, finds what the files of both found."""
        bin_folder = os.path.join(self.path, "bin")
        os.mkdir(bin_folder)
        ssh = self.file("bin/ssh", f"#!/bin/sh\n[ \"$1\" = build-7 ] || exit 1\nshift\nGLIBC_TUNABLES={NO_FMA} exec \"$@\"\n")
        os.chmod(ssh, 0o755)
        path = os.pathsep.join((bin_folder, os.path.dirname(harness.PROGRAM), os.environ["PATH"]))
        done = self.run_program("compare", "exp", "-f", "fp32", "--range", "0x42020000:0x4202ffff", "--impl", "libm",
                                "--impl", "exec:ssh build-7 detcheck-worker", env={"PATH": path})
        self.assertEqual((done.returncode, done.stderr), (1, b""))
        text = done.stdout.decode()
        # What runs there says so once it is asked for an operation, and says how its libm computes.
        host, libc = os.uname().nodename, self.document("env")["platform"]["libc"]
        for side, name, variant in (("A", "libm", "fma"), ("B", "exec:ssh build-7 detcheck-worker", "no-fma")):
            self.assertRegex(text, rf"  {side} {name}  {libc}, \S+, {variant}, on {host}\n    (build-id|xxh3-128):[0-9a-f]+\n")
        self.assertIn("  1 of 65,536 inputs have other bits\n", text)
        self.assertIn("    x    32.564632  0x1.04845ep+5  0x4202422f\n", text)
        equal = self.succeed("compare", "exp", "-f", "fp32", "--range", "1:1.0078125", "--impl", "libm", "--impl", "exec:ssh build-7 detcheck-worker",
                             env={"PATH": path})
        self.assertIn(" equal; of 4,294,967,296 inputs; libm is fma in A, no-fma in B\n", equal)

    def test_recorded_samples_are_drawn_again_by_the_next_command(self):
        """The command of another machine is run here with a stand-in: it compares the very inputs of the files."""
        cases = (("tanh", "fp64", ("-n", 20000, "--seed", 3), "-n 20000 --seed 3 --run-length 4"),
                 ("tanh", "fp64", ("-n", 20000, "--range", "1:2"), "--range 0x3ff0000000000000:0x4000000000000000 -n 20000 --seed 1 --run-length 4"),
                 ("tanh", "fp64", ("-n", 20000, "--seed", 5, "--run-length", 1), "-n 20000 --seed 5 --run-length 1"),
                 ("tanh", "fp32", ("-n", 9000, "--seed", 3), "-n 9000 --seed 3"),
                 ("pow", "fp32", ("-n", 9000, "--seed", 3), "-n 9000 --seed 3"))
        for operation, form, words, options in cases:
            for name, implementation in (("a", "det"), ("b", "libm")):
                self.succeed("sweep", operation, "-f", form, *words, "--impl", implementation, "--fingerprints", name + ".txt", "--json", name + ".json")
            for end in ("txt", "json"):
                with self.subTest(operation=operation, form=form, words=words, end=end):
                    for name in "ab":
                        path = f"{name}.{end}"
                        with open(os.path.join(self.path, path), encoding="utf-8") as stream:
                            text = stream.read()
                        # The implementation of both is one that does not run here, so that the inputs stay unknown.
                        pattern = r"(?m)^implementation .*$" if end == "txt" else r'"name":\s*"(det|libm)"'
                        text = re.sub(pattern, "implementation exec:./gone" if end == "txt" else '"name": "exec:./gone"', text)
                        self.file(path, text)
                    done = self.run_program("compare", f"a.{end}", f"b.{end}").stdout.decode()
                    self.assertIn(f"  next: detcheck compare {operation} -f {form} {options} --impl exec:./gone --impl 'exec:ssh", done)
            again = self.run_program("sweep", operation, "-f", form, *options.split(), "--impl", "det", "--fingerprints", "again.txt")
            self.assertEqual(again.returncode, 0, again.stderr)
            inputs = []
            for path in ("a.txt", "again.txt"):
                with open(os.path.join(self.path, path), encoding="ascii") as stream:
                    inputs.append(re.search("(?m)^inputs .*$", stream.read())[0])
            self.assertEqual(*inputs)

    def test_samples_that_no_option_names_have_no_next_command(self):
        for name, implementation in (("a", "det"), ("b", "cr")):
            self.succeed("sweep", "exp", "-f", "fp64", "-n", 2000, "--range=-1:1", "--impl", implementation, "--json", name)
        self.assertNotIn("next:", self.run_program("compare", "a", "b").stdout.decode())

    def test_another_host_is_named_in_the_next_command(self):
        for name, env in (("here", None), ("there", {"GLIBC_TUNABLES": NO_FMA})):
            self.sweep(name, "--range", "0x42020000:0x4202ffff", env=env)
        with open(os.path.join(self.path, "there.txt"), encoding="ascii") as stream:
            text = re.sub(r"(?m)^host .*$", "host build-7", stream.read())
        self.file("there.txt", text)
        self.assertIn("'exec:ssh build-7 detcheck-worker'\n", self.run_program("compare", "here.txt", "there.txt").stdout.decode())
        for hostile in ("x; touch pwned #", "$(touch pwned)", "-oProxyCommand=touch", "a'b"):
            self.file("there.txt", re.sub(r"(?m)^host .*$", lambda _, host=hostile: f"host {host}", text))
            self.assertIn("'exec:ssh HOST detcheck-worker'\n", self.run_program("compare", "here.txt", "there.txt").stdout.decode(), hostile)
        # Files of before do not say these.
        self.file("old.txt", re.sub(r"(?m)^(host|variant|build) .*\n", "", text))
        self.assertIn("'exec:ssh HOST detcheck-worker'\n", self.run_program("compare", "here.txt", "old.txt").stdout.decode())


class Coverage(harness.Case):
    def test_the_name_of_a_host_in_a_file_is_no_line_for_the_shell(self):
        self.succeed("sweep", "exp", "-f", "fp16", "--impl", "det", "--fingerprints", "here.txt")
        self.succeed("sweep", "exp", "-f", "fp16", "--impl", "cr", "--fingerprints", "there.txt")
        with open(os.path.join(self.path, "there.txt"), encoding="ascii") as stream:
            text = re.sub(r"(?m)^implementation .*$", "implementation det", stream.read())
        for host, shown in (("build-7.example", "build-7.example"), ("x; touch pwned #", "HOST"), ("-oProxyCommand=touch", "HOST"), ("a'b", "HOST")):
            self.file("there.txt", re.sub(r"(?m)^host .*$", lambda _, host=host: f"host {host}", text))
            self.assertIn(f"'exec:ssh {shown} detcheck-worker'\n", self.run_program("compare", "here.txt", "there.txt").stdout.decode())

    def test_equal_says_of_what(self):
        text = self.succeed("compare", "recip", "--impl", "det,cr", "-n", "1e5")
        self.assertEqual(text, "recip  fp32  nearest-even  det and cr: 100,000 samples equal; of 4,294,967,296 inputs\n")
        for name in "ab":
            self.succeed("sweep", "recip", "cbrt", "-f", "fp16,fp32", "-n", "1e5", "--impl", "cr", "--fingerprints", name)
        self.assertEqual(self.succeed("compare", "a", "b"), "4 results equal, 0 differ; 2 of a part of the inputs only\n")
        verbose = self.succeed("compare", "-v", "a", "b")
        self.assertIn("cbrt  fp16  nearest-even  cr: all 65,536 inputs equal\n", verbose)
        self.assertIn("cbrt  fp32  nearest-even  cr: 100,000 samples equal; of 4,294,967,296 inputs\n", verbose)
        row, = self.document("compare", "recip", "--impl", "det,cr", "-n", "1e5")["comparisons"]
        self.assertEqual((row["inputs"], row["of"]), (100000, 2 ** 32))
        both = self.succeed("compare", "-v", "recip", "hypot", "--impl", "cr,libm", "-n", "1000")
        self.assertEqual(both.splitlines()[0], "2 results equal, 0 differ; 2 of a part of the inputs only")
        self.assertIn("1,000 samples equal; of 2^64 inputs", both)
        self.assertIn("512 inputs equal; of 4,294,967,296 inputs", self.succeed("compare", "recip", "--impl", "det,cr", "--range", "0x3f800000:0x3f8001ff"))

    def test_the_verdict_comes_first_and_then_what_differs(self):
        done = self.run_program("compare", "recip", "exp", "sqrt", "-f", "fp16", "--impl", "det,cr")
        lines = done.stdout.decode().splitlines()
        self.assertEqual(lines[:2], ["2 results equal, 1 differs", "exp  fp16  nearest-even  det and cr: they differ"])
        self.assertNotIn("recip", done.stdout.decode())
        self.assertRegex(lines[-1], r"^  next: detcheck eval exp 0x\w{4} -f fp16 --impl det --impl cr$")
        shown = self.run_program(*lines[-1].split()[2:])
        self.assertIn(b"exp in fp16", shown.stdout)
        self.assertEqual(lines[-2], "  why: detcheck explain exp -f fp16 --impl det --impl cr")
        self.assertIn(b"inputs differ", self.run_program(*lines[-2].split()[2:]).stdout)

    def test_why_explains_the_neighbours_of_the_first_difference(self):
        """All of a format of 32 bits would take minutes."""
        for words, ranges in ((("exp", "--range", "33:33.125"), "-f fp32 --range 0x42000000:0x427fffff"),
                              (("exp", "-f", "fp64", "--range", "0x4040800000000000:0x40408000000003ff"),
                               "-f fp64 --range 0x4040800000000000:0x404080000000ffff"),
                              (("pow", "-f", "fp16", "--range", "3:4", "--range", "2.5:2.625"), r"-f fp16 --range 0x4[02]00:0x43ff --range 0x(4\w{3}):0x\1")):
            lines = self.succeed("compare", *words, "--impl", "det,cr", code=1).splitlines()
            self.assertRegex(lines[-2], f"^  why: detcheck explain {words[0]} {ranges} --impl det --impl cr$")
        self.assertRegex(self.succeed(*lines[-2].split()[2:], code=1), r"inputs differ")

    def test_parameters_stand_in_the_next_command(self):
        words = ("cast", "-f", "fp16", "--to", "fp8_e4m3fn")
        self.succeed("table", *words, "--as", "raw", "-o", "outputs")
        with open(os.path.join(self.path, "outputs"), "r+b") as stream:
            stream.seek(0x3c00)
            code, = stream.read(1)
            stream.seek(0x3c00)
            stream.write(bytes([code ^ 1]))
        done = self.run_program("compare", *words, "--profile", "saturate", "--impl", "cr", "--impl", "file:outputs").stdout.decode()
        self.assertRegex(done.splitlines()[-1],
                         r"^  next: detcheck eval cast 0x\w{4} -f fp16 --to fp8_e4m3fn --profile saturate --impl cr --impl file:outputs$")
        shown = self.run_program(*done.splitlines()[-1].split()[2:])
        self.assertIn(b"fp8_e4m3fn", shown.stdout)

    def test_parameters_of_a_file_are_no_line_for_the_shell(self):
        for name, implementation in (("a.txt", "det"), ("b.txt", "cr")):
            self.succeed("sweep", "exp", "-f", "fp16", "--impl", implementation, "--fingerprints", name)
            with open(os.path.join(self.path, name), encoding="ascii") as stream:
                text = stream.read()
            self.file(name, re.sub("(?m)^parameters .*$", "parameters --to $(touch pwned);", text))
        self.assertIn("  next: detcheck compare exp -f fp16 --to '$(touch' 'pwned);' ", self.run_program("compare", "a.txt", "b.txt").stdout.decode())

    def test_reports_have_their_parameters_in_the_next_command(self):
        for name, profile in (("a.json", "ieee"), ("b.json", "saturate")):
            self.succeed("sweep", "cast", "-f", "fp16", "--to", "fp8_e4m3fn", "--profile", profile, "--impl", "cr", "--json", name)
        self.file("b.json", self.read("b.json").replace('"saturate"', '"ieee"'))
        self.assertIn("  next: detcheck compare cast -f fp16 --to fp8_e4m3fn --profile ieee --impl cr ",
                      self.run_program("compare", "a.json", "b.json").stdout.decode())

    def test_reports_have_their_range_in_the_next_command(self):
        for name, implementation in (("a.json", "det"), ("b.json", "cr")):
            self.succeed("sweep", "exp", "--range", "33:33.125", "--impl", implementation, "--json", name)
        self.file("b.json", re.sub(r'"name":\s*"cr"', '"name": "det"', self.read("b.json")))
        text = self.succeed("compare", "a.json", "b.json", code=1)
        self.assertIn("  the inputs are not known: reports have no digests of blocks; on each machine run the sweep with --fingerprints FILE, and compare the files\n", text)
        self.assertIn("  next: detcheck compare exp -f fp32 --range 0x42040000:0x42048000 --impl det ", text)

    def test_csv_has_a_line_a_result(self):
        done = self.run_program("compare", "recip", "exp", "-f", "fp16", "--impl", "det,cr", "--csv")
        differ = self.run_program("compare", "exp", "-f", "fp16", "--impl", "det,cr", "--json", "-").stdout.decode()
        differ = harness.parse(differ)["comparisons"][0]["differ"]
        self.assertEqual(done.stdout.decode(), "operation,format,rounding,a,b,equal,inputs,of,tested,differ\n"
                         "recip,fp16,nearest-even,det,cr,true,65536,65536,65536,0\n"
                         f"exp,fp16,nearest-even,det,cr,false,65536,65536,65536,{differ}\n")


if __name__ == "__main__":
    unittest.main()
