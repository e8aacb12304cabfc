"""The adapters of src/impl/adapters for the functions of other languages' runtimes: each computes what it should, through
detcheck. Argument: which one. Without what it needs the test is skipped (77).

  node | java | go | rust    JavaScript's Math, Java's Math and StrictMath, Go's math, Rust's std
  libm                       Rust's crate libm, of Debian's package librust-libm-dev
  wasm | wasmtime            the C library of WASI as a module of WebAssembly, by clang, in node and in wasmtime
  browser                    Chromium's Math, through the page
"""
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "man", "tables"))
from adapters_test import ADAPTERS, Adapter, find_python, need, skip
from harness import parse
from library_page import rust_libm

EXACT = ("trunc", "ceil", "floor", "sqrt")


class Runtime(Adapter):
    """What the runtime has: names of detcheck's. Its functions in fp32 are those in fp64, rounded once."""
    functions = "exp expm1 log log10 log1p sin cos tan asin acos atan sinh cosh tanh sqrt cbrt ceil floor pow atan2 hypot".split()
    rounds, floats = True, ()  # but for these, which there are for fp32 too
    # Of numbers of any size, what a function of the runtime is off in fp64 by more than 4 ulps.
    far = ()
    nans = ()  # what has a NaN where there is none, or the reverse

    def test_all_its_functions(self):
        for form in ("fp32", "fp64"):
            done = self.run_program("sweep", *self.functions, "-n", 300, "-f", form, "--threads", 1, "--impl",
                                    "exec:" + self.command, "--json", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            for result in parse(done.stdout.decode())["results"]:
                entry, name = result["implementations"][0], result["operation"]
                with self.subTest(operation=name, format=form):
                    self.assertEqual((entry["tested"], entry["events"]), (300, []))
                    self.assertTrue(name in self.nans or entry["nan_mismatches"] == 0)
                    rounds = self.rounds and form == "fp32" and name not in self.floats
                    self.assertEqual("rounded once from fp64" in entry["detail"], rounds)
                    if name in EXACT:
                        self.assertEqual(entry["incorrectly_rounded"], 0)
                    elif name not in self.far:
                        self.assertLess(entry["max_ulp"]["error"], 0.51 if rounds else 4)

    def test_ranges_and_blocks_are_the_same_inputs(self):
        """A range is asked for by its first code, and the same inputs from a file by theirs."""
        with tempfile.TemporaryDirectory() as folder:
            for form, first in (("fp32", 0x3f7ff000), ("fp64", 0x3fefffffffff0000)):
                path = os.path.join(folder, form)
                with open(path, "w", encoding="ascii") as file:
                    file.writelines(f"{first + i:#x}\n" for i in range(5000))
                whole = self.sweep("exp", "-f", form, "--range", f"{first:#x}:{first + 4999:#x}")
                listed = self.sweep("exp", "-f", form, "--inputs", path)
                self.assertEqual((whole["tested"], whole["fingerprint"]), (5000, listed["fingerprint"]), form)


class Node(Runtime):
    functions = Runtime.functions + "log2 asinh acosh atanh trunc fmod fminimum fmaximum".split()

    def test_two_operands(self):
        self.check("pow", most=0.51)
        self.check("atan2", most=0.51)


class Browser(Node):
    # A browser takes seconds to start.
    functions = "exp sin cbrt pow sqrt".split()
    unary = ["exp"]

    def test_who_answers_is_told(self):
        self.assertRegex(self.sweep("exp", "-n", 10)["detail"], "^Math of Mozilla/.*Chrome/")

    def test_no_browser(self):
        done = self.run_program("sweep", "exp", "-n", 5, "--impl", f"exec:{self.command}-that-is-not-there")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr.decode(), "nothing was tested: no browser: .*that-is-not-there")


class Java(Runtime):
    floats = "nextup nextdown fminimum fmaximum".split()
    functions = [*Runtime.functions, "rint", "remainder", *floats]

    def test_fused_multiplication_and_addition_is_one_of_floats(self):
        entry = self.sweep("fma", "-n", 3000)
        self.assertEqual((entry["tested"], entry["incorrectly_rounded"]), (3000, 0))
        self.assertNotIn("rounded once", entry["detail"])

    def test_both_classes_and_none(self):
        ours = self.command
        for name in ("java.lang.Math", "java.lang.StrictMath"):
            self.command = f"{ours} {name}"
            entry = self.sweep("sin", "-f", "fp64", "-n", 20000)
            self.assertRegex(entry["detail"], f"^{name} of Java ")
            self.assertLess(entry["max_ulp"]["error"], 1)
        done = self.run_program("sweep", "exp", "-n", 5, "--impl", f"exec:{ours} java.lang.Missing")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"there is no class java.lang.Missing", done.stderr)
        self.command = ours


class Go(Runtime):
    functions = Runtime.functions + """exp2 log2 asinh acosh atanh erf erfc erfinv tgamma lgamma j0 y0 y1 logb trunc round
        roundeven fmod remainder fdim fminimum fmaximum""".split()
    # Of large and of subnormal numbers.
    far = "log log2 log10 sin cos tan lgamma tgamma j0 y0 y1 pow atan2".split()

    def test_no_fused_sum_in_fp32(self):
        self.assertEqual(self.sweep("fma", "-f", "fp64", "-n", 3000)["incorrectly_rounded"], 0)
        self.assertEqual(self.run_program("sweep", "fma", "-n", 5, "--impl", "exec:" + self.command).returncode, 2)


class Rust(Runtime):
    functions = Runtime.functions + "exp2 log2 asinh acosh atanh trunc round fma".split()
    rounds = False
    # Rust's own formulas; asinh and acosh are infinite in the last binade, where twice the input overflows.
    far = ("asinh", "acosh", "atanh")


class Libm(Runtime):
    functions = Rust.functions + "exp10 erf erfc tgamma lgamma j0 j1 y0 y1".split()
    rounds = False
    far, nans = ("fma",), ("acosh",)  # of 0.2.1, in fp64; acosh of negative numbers

    def test_it_is_the_crate(self):
        self.assertIn("the crate libm, Rust", self.sweep("exp", "-n", 10)["detail"])


class Wasm(Runtime):
    functions = "exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh cbrt sqrt erf pow atan2".split()
    rounds = False

    def test_no_function_no_module(self):
        done = self.run_program("sweep", "gelu", "-n", 5, "--impl", "exec:" + self.command)
        self.assertEqual((done.returncode, b"has no gelu in fp32" in done.stderr), (2, True))
        ours, dot, ending = self.command.rpartition(".")
        for name in (f"{ours}-that-is-not-there{dot}{ending}", f"{ours}-that-is-not-there"):
            done = self.run_program("sweep", "exp", "-n", 5, "--impl", "exec:" + name)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn(b"has no exp in fp32, nearest-even: ", done.stderr)


class Wasmtime(Wasm):
    def test_same_bits_as_in_node(self):
        """What is no NaN, of which the bits are not determined."""
        node = f"{need('node')} {ADAPTERS}/node_adapter.js {self.command.split()[-1]}"
        for form in ("fp32", "fp64"):
            report = parse(self.succeed("sweep", "sin", "pow", "-f", form, "-n", 5000, "--impl", "exec:" + self.command, "--impl",
                                        "exec:" + node, "--json", "-"))
            self.assertEqual([result["differences"][0]["count"] for result in report["results"]], [0, 0])


def build(words, folder):
    need(words[0])
    done = subprocess.run(words, cwd=folder, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(done.stdout)


def build_wasm(folder):
    """The C library of WASI as a module whose functions of this test are exported; nothing is imported. Its path."""
    need("clang")
    names = [name + suffix for name in Wasm.functions for suffix in ("", "f")]
    with open(os.path.join(folder, "empty.c"), "w", encoding="ascii") as file:
        file.write("typedef int empty;\n")
    if not os.path.isdir("/usr/lib/wasm32-wasi"):
        skip("there is no C library for WebAssembly: apt-get install wasi-libc libclang-rt-dev-wasm32 lld")
    build(["clang", "--target=wasm32-wasi", "-O2", "-nostartfiles", "-Wl,--no-entry", *(f"-Wl,--export={name}" for name in names),
           "empty.c", "-o", "libm.wasm", "-lm"], folder)
    return f"{folder}/libm.wasm"


def build_libm(folder):
    need("rustc")
    for words in rust_libm() or skip("there is no crate libm: apt-get install librust-libm-dev"):
        build(words, folder)
    return f"{folder}/libm_worker"


def prepare(kind, folder):
    """The test case and the adapter's command."""
    if kind == "node":
        return Node, f"{need('node')} {ADAPTERS}/node_adapter.js"
    if kind == "browser":
        return Browser, f"{find_python('numpy')} -B {ADAPTERS}/browser_adapter.py --browser {need('chromium')}"
    if kind == "wasm":
        return Wasm, f"{need('node')} {ADAPTERS}/node_adapter.js {build_wasm(folder)}"
    if kind == "wasmtime":
        return Wasmtime, f"{find_python('wasmtime, numpy')} -B {ADAPTERS}/wasmtime_adapter.py {build_wasm(folder)}"
    if kind == "libm":
        return Libm, build_libm(folder)
    if kind == "java":
        build(["javac", "-Xlint:all", "-Werror", "-d", folder, f"{ADAPTERS}/JavaAdapter.java"], folder)
        return Java, f"{need('java')} -cp {folder} JavaAdapter"
    if kind == "go":
        build(["go", "build", "-o", "adapter", f"{ADAPTERS}/go_adapter.go"], folder)
        return Go, f"{folder}/adapter"
    build(["rustc", "-O", "-D", "warnings", f"{ADAPTERS}/rust_adapter.rs", "-o", "adapter"], folder)
    return Rust, f"{folder}/adapter"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="detcheck-test-") as place:
        case, case.command = prepare(sys.argv[1], place)
        tests = unittest.defaultTestLoader.loadTestsFromTestCase(case)
        sys.exit(not unittest.TextTestRunner().run(tests).wasSuccessful())
