"""`detcheck env` as a user runs it: as it is, and with the machine made to look different.

DETCHECK is the program; ALTERED_LIBM, where it can be built, a library that changes the state or the
functions that the program meets.
"""

import json
import os
import subprocess
import tempfile
import unittest

DETCHECK = os.environ["DETCHECK"]
ALTERED_LIBM = os.environ.get("ALTERED_LIBM", "")

# Both spellings of the features: glibc dropped "_Usable" in 2.33. Unknown names are ignored.
HIDE_FMA = "glibc.cpu.hwcaps=-FMA,-AVX2,-FMA_Usable,-AVX2_Usable"

KEYS = {
    "os": str, "arch": str, "cpu": str, "features": list, "fma": bool, "compiler": str,
    "libc": str, "libm_variant": str, "fmaf_exact": bool, "fmaf_failure": (str, type(None)),
    "sqrtf_exact": bool, "sqrtf_failure": (str, type(None)),
    "rounding": (str, type(None)), "ftz": bool, "daz": bool, "flt_eval_method": int,
}


def run(*words, stdout=subprocess.PIPE, **changes):
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("GLIBC_TUNABLES", "LD_PRELOAD")}
    environment.update(changes)
    return subprocess.run([DETCHECK, "env", *words], stdout=stdout, stderr=subprocess.PIPE,
                          text=True, env=environment, timeout=60)


def altered(names):
    """The changes to the environment that load the altered library in front of all others."""
    sanitizer = os.environ.get("ASAN_OPTIONS", "")
    return {"LD_PRELOAD": ALTERED_LIBM, "ALTER": names,
            "ASAN_OPTIONS": sanitizer + ":verify_asan_link_order=0"}


class Env(unittest.TestCase):
    def ask(self, **changes):
        done = run("--json", "-", **changes)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def assert_trouble(self, done, *parts):
        """Exit code 2 and one line that says what was wrong."""
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("detcheck: "), done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)


class Answer(Env):
    def test_text_fits_a_screen(self):
        done = run()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertLessEqual(len(lines), 24)
        self.assertLess(max(map(len, lines)), 80)
        for label in ("processor", "FMA", "compiler", "C library", "libm variant", "fmaf", "sqrtf",
                      "rounding", "FTZ", "DAZ", "FLT_EVAL_METHOD"):
            self.assertEqual(sum(line[2:].startswith(label + " ") for line in lines), 1, label)

    def test_json_is_complete(self):
        document = self.ask()
        self.assertEqual(document["schema"], "detcheck/env/1")
        self.assertEqual(document["tool"]["name"], "detcheck")
        platform = document["platform"]
        self.assertEqual(set(platform), set(KEYS))
        for name, kind in KEYS.items():
            self.assertIsInstance(platform[name], kind, name)
        self.assertIn(platform["libm_variant"], ("fma", "no-fma", "unknown"))
        self.assertEqual(platform["rounding"], "nearest-even")
        self.assertFalse(platform["ftz"] or platform["daz"])
        if platform["libc"].startswith("glibc"):
            self.assertTrue(platform["fmaf_exact"] and platform["sqrtf_exact"])
            if platform["flt_eval_method"] == 0:
                self.assertEqual(document["warnings"], [])

    def test_json_file_beside_the_text(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "env.json")
            done = run("--json", path)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("FLT_EVAL_METHOD", done.stdout)
            self.assertEqual(os.listdir(directory), ["env.json"])
            with open(path, encoding="utf-8") as stream:
                self.assertEqual(json.load(stream), self.ask())

    def test_twice_is_the_same(self):
        self.assertEqual(run().stdout, run().stdout)


class Elsewhere(Env):
    """What the machine is made to look like is what is reported."""

    def test_variant_without_fma(self):
        platform = self.ask()["platform"]
        if platform["arch"] != "x86_64" or not platform["libc"].startswith("glibc"):
            self.skipTest("only glibc on x86_64 has two variants")
        if not {"fma", "avx2"} <= set(platform["features"]):
            self.skipTest("this processor has no FMA that could be hidden")
        self.assertEqual(platform["libm_variant"], "fma")
        hidden = self.ask(GLIBC_TUNABLES=HIDE_FMA)["platform"]
        self.assertEqual(hidden["libm_variant"], "no-fma")
        # The rest is the same; fmaf by software is exact too.
        self.assertEqual({**hidden, "libm_variant": "fma"}, platform)
        self.assertIn("no FMA", run(GLIBC_TUNABLES=HIDE_FMA).stdout)

    def check_altered(self, names, changed, label):
        """Exactly the fields `changed` differ, and the line with the label is marked."""
        if not ALTERED_LIBM:
            self.skipTest("libraries cannot be loaded in front of others here")
        before, after = self.ask(), self.ask(**altered(names))
        self.assertEqual(self.ask(**altered("nothing")), before)
        differing = {name: after["platform"][name] for name in KEYS
                     if after["platform"][name] != before["platform"][name]}
        self.assertEqual({name: differing.get(name) for name in changed}, changed)
        marked = [line for line in run(**altered(names)).stdout.splitlines()
                  if line.startswith("!")]
        if label:
            self.assertEqual(len(marked), len(before["warnings"]) + 1, marked)
            self.assertTrue(any(line.startswith("! " + label) for line in marked), marked)
            self.assertTrue(any(line.startswith(label + ": ") for line in after["warnings"]))
        else:
            self.assertEqual(after["warnings"], before["warnings"])
        return differing

    def test_another_expf_changes_the_variant_only(self):
        changed = self.check_altered("exp", {"libm_variant": "unknown"}, None)
        self.assertEqual(len(changed), 1)

    def test_a_wrong_fmaf_is_found(self):
        changed = self.check_altered("fmaf", {"fmaf_exact": False}, "fmaf")
        self.assertEqual(set(changed), {"fmaf_exact", "fmaf_failure"})
        self.assertRegex(changed["fmaf_failure"], r"^fmaf\(.*\) = .*, not .*$")

    def test_a_wrong_sqrtf_is_found(self):
        changed = self.check_altered("sqrtf", {"sqrtf_exact": False}, "sqrtf")
        self.assertEqual(changed["sqrtf_failure"], "sqrtf(-0x0p+0) = 0x0p+0, not -0x0p+0")

    def test_another_rounding_mode_is_found(self):
        changed = self.check_altered("up", {"rounding": "up"}, "rounding")
        self.assertEqual(len(changed), 1)

    def test_flushing_of_subnormal_numbers_is_found(self):
        if self.ask()["platform"]["arch"] != "x86_64":
            self.skipTest("the altered library sets FTZ and DAZ on x86_64 only")
        for name in ("ftz", "daz"):
            changed = self.check_altered(name, {name: True}, name.upper())
            self.assertEqual(len(changed), 1)


class Trouble(Env):
    def test_unknown_option(self):
        self.assert_trouble(run("--jsno", "x"), "--jsno", "--json")

    def test_unexpected_argument(self):
        self.assert_trouble(run("exp"), "exp")

    def test_option_without_value(self):
        self.assert_trouble(run("--json"), "--json")

    def test_unwritable_file(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assert_trouble(run("--json", os.path.join(directory, "no", "env.json")), "no")
            self.assert_trouble(run("--json", directory), directory)
            self.assertEqual(os.listdir(directory), [])

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
    def test_full_device(self):
        for words in ((), ("--json", "-")):
            with open("/dev/full", "w", encoding="ascii") as full:
                self.assert_trouble(run(*words, stdout=full))
        self.assert_trouble(run("--json", "/dev/full"), "/dev/full")

    def test_closed_stdout(self):
        for words in ("", "--json -"):
            done = subprocess.run(["sh", "-c", f'"$DETCHECK" env {words} >&-'],
                                  stderr=subprocess.PIPE, text=True, timeout=60)
            self.assert_trouble(done, "stdout")

    def test_reader_gone(self):
        read_end, write_end = os.pipe()
        os.close(read_end)
        with os.fdopen(write_end, "w") as stream:
            self.assert_trouble(run(stdout=stream))


if __name__ == "__main__":
    unittest.main()
