"""detcheck invariance: properties of time, threads, surroundings and the processor. A library that is made wrong in one
respect is found wrong in that, and in nothing else: by default in that and the next property of the table, with
EXHAUSTIVE in all of them.

Environment: DETCHECK; FICKLE_LIBRARY is fickle_library.c.
"""

import os
import platform
import shlex
import shutil
import sys
import unittest

from harness import EXHAUSTIVE, Case, parse

LIBRARY = os.environ["FICKLE_LIBRARY"]
WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "impl", "remote", "faulty_worker.py")
STRIDE_WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stride_worker.py")
OLD_WORKER = f"exec:{shlex.quote(sys.executable)} -E -s -S {shlex.quote(WORKER)}"
NAMES = "stride repetition threads rounding rounding-sense flushing precision flags traps loading processor".split()
RANGE = ("--range", "0x3c01:0x3c04")
IS_X86 = platform.machine() == "x86_64"
IS_GLIBC = platform.libc_ver()[0] == "glibc"


class Surroundings(Case):
    def properties(self, *words, operation="relu", form="fp16", code=0, env=None, names=NAMES):
        """{implementation: {name: outcome}}"""
        done = self.run_program("invariance", operation, "-f", form, "--property", ",".join(names), "--json", "-", *words, env=env)
        self.assertEqual(done.returncode, code, done.stderr)
        result, = parse(done.stdout.decode())["results"]
        return {one["name"]: {"events": one.get("event_counts", {}), **{each["property"]: each for each in one["invariance"]}}
                for one in result["implementations"]}

    def fickle(self, fault, *words, **options):
        library = f"lib:{LIBRARY}:positive"
        return self.properties(*RANGE, "--impl", library, *words, env={"FICKLE": fault}, **options)[library]

    def blamed(self, found):
        return [name for name in NAMES if found.get(name, {}).get("changed")] + [*found["events"]]

    def check(self, fault, *blamed):
        own = [*blamed]
        beside = NAMES[(NAMES.index(own[-1]) + 1) % len(NAMES)]
        found = self.fickle(fault, names=NAMES if EXHAUSTIVE else [*own, beside])
        self.assertEqual(self.blamed(found), [*blamed])
        return found

    def test_a_library_that_is_right(self):
        found = self.fickle("")
        self.assertEqual(self.blamed(found), [])
        for name in NAMES:
            if name == "stride":
                self.assertIn("only contiguous arrays", found[name]["why"])
            elif IS_X86 and IS_GLIBC:
                self.assertEqual((found[name]["tested"], found[name].get("inputs")), (True, 4), name)

    def test_the_first_call_is_other(self):
        first = self.check("first", "repetition")["repetition"]["first"]
        self.assertIn("of the same process", first["where"])

    def test_later_calls_depend_on_the_order(self):
        self.assertEqual(self.check("order", "repetition")["repetition"]["changed"], 4)

    def test_the_reverse_order_alone(self):
        self.assertEqual(self.check("reverse", "repetition")["repetition"]["changed"], 3)

    def test_first_calls_race(self):
        first = self.check("race", "threads")["threads"]["first"]
        self.assertIn("4 threads", first["where"])

    def test_how_often_threads_called_at_once_is_told(self):
        found = self.fickle("", names=["threads"])["threads"]
        # Each of 4 inputs is a call: all of them, and from each on in a process whose first calls they are.
        self.assertEqual((found["at_once"], found["first_at_once"]), (4 + 4 + 3 + 2 + 1, 4))

    def test_a_rounding_of_the_caller(self):
        found = self.check("rounding", "rounding")
        self.assertEqual(found["rounding"]["changed"], 4)
        self.assertIn("toward zero", found["rounding"]["first"]["where"])

    def test_nonsense_in_a_rounding_of_the_caller(self):
        self.check("nonsense", "rounding", "rounding-sense")

    @unittest.skipUnless(IS_X86, "flushing and traps are set on x86-64 only")
    def test_flushing_and_traps(self):
        self.check("flushing", "flushing")
        first = self.check("traps", "traps")["traps"]["first"]
        self.assertEqual((first["reference"], first["where"]),
                         (first["got"], "trapped: invalid, which is not a flag that the call raises"))

    @unittest.skipUnless(IS_X86, "x87 is a part of x86-64")
    def test_a_precision_of_the_caller(self):
        first = self.check("precision", "precision")["precision"]["first"]
        self.assertEqual(first["where"], "where the caller has x87 compute in 53 bits")

    def test_an_environment_that_a_call_leaves_changed(self):
        """Whatever property is asked for, the change is an event of the one input, and nothing else is blamed."""
        changes = "rounding flushing precision traps registers direction".split() if IS_X86 else ["rounding"]
        for what in changes if EXHAUSTIVE else changes[:3]:
            found = self.fickle(f"leaving {what}", code=1, names=NAMES if EXHAUSTIVE else ["flags"])
            self.assertEqual(self.blamed(found), [f"{what}-changed"])
        done = self.run_program("invariance", "relu", "-f", "fp16", *RANGE, "--impl", f"lib:{LIBRARY}:positive", "--property", "flags",
                                env={"FICKLE": "leaving rounding"})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout.decode(), "(?s)rounding.changed.*0x3c01")

    @unittest.skipUnless(IS_X86, "the register is one of x86-64")
    def test_loading_that_sets_rounding_or_flushing(self):
        for what in ("rounding", "flushing"):
            found = self.check(f"loading {what}", "loading")["loading"]
            self.assertEqual((found["changed"], found["first"]["where"]), (4, f"loading it sets {what}"))

    def test_flags_that_are_set(self):
        self.check("flags", "flags")

    @unittest.skipUnless(IS_X86 and IS_GLIBC, "the variants of glibc are those of x86-64")
    def test_a_setting_that_hides_features(self):
        first = self.check("dispatch", "processor")["processor"]["first"]
        self.assertIn("GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA", first["where"])

    def test_a_setting_that_the_user_names(self):
        # A variable that means nothing, and one that makes all calls but the first other.
        only = {"names": ["processor"]}
        found = self.fickle("dispatch", "--variant", "NOTHING=1", "--variant", "FICKLE=first", **only)["processor"]
        if IS_X86 and IS_GLIBC:
            self.assertIn("GLIBC_TUNABLES", found["first"]["where"])
        found = self.fickle("", "--variant", "FICKLE=order", "--variant", "NOTHING=1", **only)["processor"]
        self.assertEqual((found["changed"], found["first"]["where"]), (1, "with FICKLE=order"))
        self.assertIn("--variant needs", self.refuse("invariance", "relu", "--variant", ""))

    def test_a_variant_that_cannot_be_started_is_not_tested(self):
        for variant, why in (("no-such-emulator -cpu X", "there is no program no-such-emulator in PATH"),
                             ("false", "ended with status 1")):
            found = self.fickle("", "--variant", variant, "--variant", "FICKLE=order", names=["flags", "processor"])
            self.assertTrue(found["flags"]["tested"])
            bad, good = found["processor"]["variants"][:2]
            self.assertEqual((bad["variant"], bad["tested"], good), (variant, False, {"variant": "FICKLE=order", "tested": True, "changed": 1}))
            self.assertIn(why, bad["why"])
            self.assertEqual(found["processor"]["changed"], 1)
            text = self.run_program("invariance", "relu", "-f", "fp16", *RANGE, "--impl", f"lib:{LIBRARY}:positive", "--property", "processor",
                                    "--variant", variant, "--variant", "FICKLE=order", "-v").stdout.decode()
            self.assertIn(f"not tested with {variant}: ", text)
            self.assertIn("1 changed with FICKLE=order", text)

    def test_the_command_finds_it_again(self):
        faults = [("order", "repetition"), ("rounding", "rounding"), ("reverse", "repetition"), ("first", "repetition"),
                  ("race", "threads"), ("nonsense", "rounding-sense"), ("flags", "flags")]
        if IS_X86:
            faults += [("flushing", "flushing"), ("traps", "traps"), ("precision", "precision"), ("loading rounding", "loading")]
        for fault, name in faults if EXHAUSTIVE else faults[:3]:
            command = shlex.split(self.fickle(fault, names=[name])[name]["first"]["command"])
            done = self.run_program(*command[1:], "--max-changed", "0", env={"FICKLE": fault})
            self.assertEqual(done.returncode, 1, (command, done.stderr))

    def test_a_worker_whose_results_depend_on_strides(self):
        worker = f"exec:{shlex.quote(sys.executable)} -E -s -S {shlex.quote(STRIDE_WORKER)}"
        names = ["position", "length", "stride", "repetition"]
        found = self.properties(*RANGE, "--impl", worker, names=names)[worker]
        self.assertEqual([name for name in names if found[name]["changed"]], ["stride"])
        self.assertEqual((found["stride"]["changed"], found["stride"]["first"]["where"]), (4, "at every second number of an array"))

    def test_a_worker_that_knows_of_no_conditions(self):
        cannot = ["stride", "threads", "rounding", "flushing", "precision", "flags", "traps", "processor"]
        words = ("--range", "1:1.000001", "--impl", OLD_WORKER)
        for tells in ("0", "7") if EXHAUSTIVE else "0":
            found = self.properties(*words, operation="sqrt", form="fp32", env={"TELLS": tells},
                                    names=["repetition", *cannot])[OLD_WORKER]
            self.assertEqual((found["repetition"]["tested"], found["repetition"]["changed"]), (True, 0))
            for name in cannot:
                self.assertFalse(found[name]["tested"], name)
                self.assertRegex(found[name]["why"], "cannot be tested for|names no settings")

    def test_det_and_cr_pass(self):
        words = ("--impl", "det,cr", "--range", "0x3c00:0x3c3f")
        if IS_X86:
            found = self.properties(*words, operation="exp")
            for name in ("det", "cr"):
                self.assertEqual(self.blamed(found[name]), [])
                for each in NAMES:
                    self.assertEqual(found[name][each]["tested"], each != "stride", each)

    @unittest.skipUnless(IS_X86 and IS_GLIBC, "the variants of glibc are those of x86-64")
    def test_glibc_without_fma_is_another_sin(self):
        found = self.properties("--range", "0x406db33def01e0fe:0x406db33def01e0fe", "--impl", "libm", operation="sin",
                                form="fp64", names=["processor"])["libm"]
        with open("/proc/cpuinfo", encoding="ascii") as stream:
            has_fma = " fma " in stream.read()
        self.assertEqual(found["processor"]["changed"] > 0, has_fma)

    @unittest.skipUnless(IS_X86 and shutil.which("qemu-x86_64"), "qemu-x86_64 is not installed")
    def slow_a_processor_that_is_emulated(self):
        words = ("invariance", "exp", "-f", "fp16", *RANGE, "--impl", "det", "--property", "processor", "--json", "-")
        done = self.run_program(*words, "--variant", "qemu-x86_64 -cpu Nehalem")
        if b"Sanitizer" not in done.stderr:
            found, = parse(done.stdout.decode())["results"][0]["implementations"][0]["invariance"]
            self.assertEqual((found["tested"], found["changed"]), (True, 0))


if __name__ == "__main__":
    unittest.main()
