"""No output takes the place of what the same command reads, or of another of its outputs: every option
that names an output, against every way to name an input, of every command."""

import os
import shutil
import unittest

from harness import Case

POLICY = '{"schema": "detcheck/policy/1", "rules": [{"match": {}, "max_ulp": 9000}]}'
GATE = ("--json", "--junit", "--sarif", "--markdown")


class Files(Case):
    def setUp(self):
        super().setUp()
        quick = ("exp", "-f", "fp8_e5m2", "--impl", "libm")
        for name in ("r", "s"):
            self.succeed("sweep", *quick, "--json", name, "--fingerprints", "f" + name)
        self.succeed("emit", "exp", "-f", "fp8_e5m2", "-o", "v")
        self.file("p", POLICY)
        self.file("in", "1\n2\n")
        self.file("outputs", "0x00\n" * 256)
        self.file("worker", "#!/bin/sh\n")
        shutil.copy(os.environ["FAULTY_LIBRARY"], os.path.join(self.path, "l.so"))
        self.before = self.contents()

    def contents(self):
        found = {}
        for name in sorted(os.listdir(self.path)):
            with open(os.path.join(self.path, name), "rb") as stream:
                found[name] = stream.read()
        return found

    def check(self, *words, says="would overwrite", **options):
        complaint = self.refuse(*words, **options)
        self.assertIn(says, complaint, words)
        self.assertEqual(self.contents(), self.before, words)

    def test_the_lock_of_a_checkpoint_is_written_too(self):
        words = ("exp", "-f", "fp8_e5m2", "--checkpoint", "kept")
        self.check("sweep", *words, "--json", "kept.lock", says="the lock of --checkpoint")
        self.file("kept.lock", "1\n")
        self.before = self.contents()
        self.check("sweep", *words, "--inputs", "kept.lock", says="would overwrite")

    def lines(self):
        """(the input, the words without the output, the options for outputs)"""
        for name, words in (("r", ("gate", "r", "--max-ulp", 9)), ("p", ("gate", "r", "-p", "p")),
                            ("p", ("gate", "r", "--glibc-ulps", "p")),
                            ("s", ("gate", "r", "--baseline", "s"))):
            yield name, words, GATE
        yield "r", ("gate", "r"), ("--update",)
        yield "r", ("report", "r"), ("-o",)
        yield "p", ("report", "r", "-p", "p"), ("-o",)
        yield "s", ("report", "r", "s"), ("-o",)
        yield "r", ("emit", "exp", "-f", "fp8_e5m2", "--worst-of", "r"), ("-o",)
        yield "v", ("emit", "exp", "-f", "fp8_e5m2", "--inputs-of", "v"), ("-o",)
        yield "v", ("verify", "v"), ("--json",)
        yield "l.so", ("verify", "v", "--impl", "lib:./l.so:expf"), ("--json",)
        yield "r", ("compare", "r", "s"), ("--json",)
        yield "s", ("compare", "r", "s"), ("--json",)
        yield "fr", ("compare", "fr", "fs"), ("--json",)
        yield "in", ("compare", "exp", "--impl", "det", "--impl", "cr", "--inputs", "in"), ("--json",)
        yield "l.so", ("compare", "exp", "--impl", "det", "--impl", "lib:./l.so"), ("--json",)
        yield "r", ("merge", "r", "s"), ("-o",)
        yield "s", ("merge", "r", "s"), ("-o",)
        both = ("--json", "--fingerprints")
        yield "in", ("sweep", "exp", "--inputs", "in"), both
        yield "outputs", ("sweep", "exp", "-f", "fp8_e5m2", "--impl", "file:outputs"), both
        yield "l.so", ("sweep", "exp", "-f", "fp8_e5m2", "--impl", "lib:./l.so,array"), both
        yield "l.so", ("sweep", "exp", "-f", "fp8_e5m2", "--impl", "lib:./l.so:expf,array"), both
        yield "worker", ("sweep", "exp", "-f", "fp8_e5m2", "--impl", "exec:sh ./worker -x"), both
        yield "l.so", ("eval", "exp", "1", "--impl", "lib:l.so"), ("--json",)
        yield "l.so", ("bench", "exp", "--impl", "lib:l.so"), ("--json",)

    def test_no_input_is_overwritten(self):
        count = 0
        for name, words, outputs in self.lines():
            for output in outputs:
                self.check(*words, output, name)
                count += 1
        self.assertGreaterEqual(count, 36)

    def test_by_whatever_path(self):
        for path in ("./r", self.path + "/r", "../" + os.path.basename(self.path) + "/r"):
            self.check("merge", "r", "s", "-o", path)
        for make, name in ((os.symlink, "soft"), (os.link, "hard")):
            make(os.path.join(self.path, "r"), os.path.join(self.path, name))
            self.before = self.contents()
            self.check("merge", "r", "s", "-o", name)
            self.check("merge", name, "s", "-o", "r")

    def test_the_page_that_is_written_without_a_word(self):
        os.rename(os.path.join(self.path, "r"), os.path.join(self.path, "report.html"))
        self.before = self.contents()
        self.check("report", "report.html")
        self.assertIn(b"<html", self.run_program("report", "report.html", "-o", "-").stdout)

    def test_the_summary_of_a_step(self):
        step = {"GITHUB_STEP_SUMMARY": "r"}
        self.check("gate", "r", "--max-ulp", 9, env=step)

    def test_standard_input(self):
        lines = [(name, [word if word != name else "-" for word in words], outputs) for name, words, outputs in self.lines()
                 if name in words and name not in ("l.so", "worker", "outputs")]
        count = 0
        for name, words, outputs in lines:
            for output in outputs:
                with open(os.path.join(self.path, name), "rb") as stream:
                    self.check(*words, output, name, says="would overwrite the file that is stdin", stdin=stream)
                count += 1
        self.assertGreaterEqual(count, 25)
        with open(os.path.join(self.path, "r"), "rb") as stream, open(os.path.join(self.path, "r"), "ab") as out:
            self.check("gate", "-", "--max-ulp", 9, says="would overwrite the file that is stdin", stdin=stream, stdout=out)

    def test_standard_output(self):
        with open(os.path.join(self.path, "r"), "ab") as stream:
            self.check("merge", "r", "s", stdout=stream)

    def test_standard_output_and_another_output(self):
        for words in (("sweep", "exp", "-f", "fp8_e5m2", "--json"), ("sweep", "exp", "-f", "fp8_e5m2", "--fingerprints"),
                      ("gate", "r", "--max-ulp", 9, "--junit"), ("list", "--json")):
            with open(os.path.join(self.path, "s"), "ab") as stream:
                self.check(*words, "./s", says="and stdout both write ./s", stdout=stream)
                self.check(*words, "/dev/stdout", says="and stdout both write", stdout=stream)
        with open(os.path.join(self.path, "vectors"), "wb") as stream:
            self.succeed("emit", "exp", "-f", "fp8_e5m2", "-o", "/dev/stdout", stdout=stream)

    def test_no_two_outputs_are_one(self):
        for i, first in enumerate(GATE):
            for second in GATE[i + 1:]:
                for path in ("new", "s"):
                    self.check("gate", "r", "--max-ulp", 9, first, path, second, "./" + path,
                               says="both write")
        self.check("sweep", "exp", "-f", "fp8_e5m2", "--json", "new", "--fingerprints", "new",
                   says="both write")
        os.symlink("new", os.path.join(self.path, "to_new"))
        self.assertIn("both write", self.refuse("gate", "r", "--max-ulp", 9, "--json", "new", "--junit",
                                                "to_new"))

    def test_what_is_no_mistake(self):
        self.succeed("merge", "r", "s", "-o", "/dev/null", notes=True)
        self.succeed("gate", "r", "--max-ulp", 9000, "--json", "/dev/null", "--junit", "/dev/null")
        self.succeed("gate", "r", "--update", "new")
        self.succeed("gate", "r", "--update", "new")
        self.succeed("gate", "r", "--max-ulp", 9000, "--json", "a", "--json", "a", "--junit", "b")
        self.file("exp", "")
        self.succeed("sweep", "exp", "-f", "fp8_e5m2", "--json", "exp")


if __name__ == "__main__":
    unittest.main()
