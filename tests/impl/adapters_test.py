"""The adapters of src/impl/adapters: each computes what it should, through detcheck.

Arguments: which one; then what compiles and runs it. Without what it needs the test is skipped (77).

  c COMPILER [--run RUNNER] [OPTION...]    c_adapter.c
  c_arrays COMPILER                        c_arrays_adapter.c
  opencl COMPILER                          opencl_adapter.c, on whatever OpenCL device there is
  cuda NVCC                                cuda_adapter.cu; run where there is a device; mma_adapter.cu and cublas_adapter.cu are
                                           compiled
  hip HIPCC                                mma_adapter.cu, compiled alone
  numpy | jax | torch | onnx               by a Python that has it
  torch_stand_in                           torch_adapter.py, with numpy behind the names of PyTorch
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import PROGRAM, Case, parse

ADAPTERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "impl", "adapters")


def skip(reason):
    print("SKIPPED:", reason)
    sys.exit(77)


def need(program):
    if not shutil.which(program):
        skip(f"{program} is not installed")
    return program


WARNINGS = ["-O2", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
LEAVING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "leaving_adapter.c")


class Adapter(Case):
    command = None
    unary = "exp log sin cos tanh sqrt".split()

    def sweep(self, operation, *words, code=0):
        # One worker: some take long to start.
        done = self.run_program("sweep", operation, "--impl", "exec:" + self.command, "--json", "-", "--threads", 1, *words)
        self.assertEqual(done.returncode, code, done.stderr)
        result, = parse(done.stdout.decode())["results"]
        return result["implementations"][0]

    def check(self, operation, *words, most=4.0):
        """No output is far off, and none is a NaN that should not be."""
        entry = self.sweep(operation, "-n", "3000", *words)
        self.assertEqual((entry["tested"], entry["nan_mismatches"]), (3000, 0))
        self.assertLess(entry["max_ulp"]["error"], most)
        return entry

    def test_functions_of_one_operand(self):
        for operation in self.unary:
            with self.subTest(operation=operation):
                self.check(operation)

    def test_square_roots_are_right(self):
        entry = self.sweep("sqrt", "--range", "0x3f7f0000:0x4000ffff", "--threads", 2)
        self.assertEqual(entry["incorrectly_rounded"], 0)

    def test_two_operands(self):
        self.check("pow", most=17)
        self.check("atan2", most=7)

    def test_what_it_does_not_know(self):
        done = self.run_program("sweep", "exp", "-f", "fp8_e5m2", "--impl", "exec:" + self.command)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr.decode(), r"nothing was tested: .")
        done = self.run_program("sweep", "exp", "-f", "fp32", "-r", "nearest-away", "--impl",
                                "exec:" + self.command)
        self.assertEqual(done.returncode, 2)

    def test_started_by_hand(self):
        done = subprocess.run(["/bin/sh", "-c", self.command], input=b"hello\n" * 100, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"is for 'detcheck sweep ... --impl exec:COMMAND'", done.stderr)


class Arrays:
    """Operations on arrays: what is added to an adapter that knows them."""

    # The largest errors of a few hundred normal numbers, in ulps, of any order that makes sense: sums may cancel.
    arrays = {"sum": 500, "mean": 500, "cumsum": 5000, "dot": 5000, "matmul": 5000, "logsumexp": 300,
              "logcumsumexp": 300, "softmax": 200, "log_softmax": 300}

    def check_array(self, operation, *words, most=None):
        shape = ("--shape", "5x16x3" if operation == "matmul" else "6x31", "--distribution", "normal", "-n", 2)
        entry = self.sweep(operation, *shape, *words)
        self.assertEqual((entry["nan_mismatches"], entry["events"]), (0, []))
        self.assertGreater(entry["tested"], 1)
        if entry["max_ulp"]:
            self.assertLess(entry["max_ulp"]["error"], most or self.arrays[operation])
        return entry

    def test_operations_on_arrays(self):
        for operation in self.arrays:
            with self.subTest(operation=operation):
                self.check_array(operation)

    def test_axes_and_formats_of_arrays(self):
        for operation, words in (("sum", ("--axis", "0")), ("cumsum", ("--axis", "1", "--reverse")),
                                 ("cumsum", ("--axis", "0", "--exclusive")), ("logcumsumexp", ("--exclusive",)),
                                 ("logcumsumexp", ("--axis", "0", "--exclusive", "--reverse")),
                                 ("logcumsumexp", ("--axis", "-1", "--reverse")), ("dot", ("--axis", "1")), ("softmax", ("--axis", "0")),
                                 ("sum", ("-f", "fp16", "--dtype", "fp32")), ("matmul", ("-f", "fp16"))):
            with self.subTest(operation=operation, words=words):
                self.check_array(operation, *words)

    def test_arrays_that_it_does_not_know(self):
        for operation, words in (("scaled.add", ("--distribution", "near")), ("dyadic.add", ("--distribution", "pairs")),
                                 ("sum", ("--distribution", "normal", "--accumulate", "fp64"))):
            done = self.run_program("sweep", operation, *words, "-n", 1, "--impl", "exec:" + self.command)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertRegex(done.stderr.decode(), r"^detcheck: nothing was tested: [^\n]*\n$")


class CArrays(Case):
    command = None

    def test_same_bits_as_plain_loops(self):
        for operation in ("sum", "mean", "dot", "cumsum"):
            result, = self.results(operation, "--distribution", "normal", "-n", 2, "--impl",
                                   "exec:" + self.command, "--impl", "sequential")
            self.assertEqual(result["differences"][0]["count"], 0, operation)
        for operation in ("logsumexp", "softmax", "log_softmax"):
            # A plain loop is far off here, which a sweep that takes over a second says early.
            result, = self.results(operation, "--distribution", "uniform", "-n", 2, "--impl",
                                   "exec:" + self.command, "--impl", "libm", notes=True)
            ours, libms = (entry["mean_ulp"] for entry in result["implementations"])
            self.assertLess(ours, 3 * libms + 1, operation)

    def test_what_it_does_not_know(self):
        for words in (("exp",), ("sum", "--axis", "0"), ("matmul",), ("sum", "-f", "fp16")):
            done = self.run_program("sweep", *words, "-n", 1, "--impl", "exec:" + self.command)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"nothing was tested: c_arrays_adapter knows some operations", done.stderr)


class C(Adapter):
    unary = "exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh " \
            "atanh erf erfc cbrt sqrt".split()

    def test_all_its_rows(self):
        with open(os.path.join(ADAPTERS, "c_adapter.c"), encoding="ascii") as stream:
            rows = re.findall(r"(UNARY|BINARY|TERNARY)\((\w+)\)", stream.read().split("functions[] = {")[1])
        self.assertEqual(len(rows), 46)
        for form in ("fp32", "fp64"):
            done = self.run_program("sweep", *(name for _, name in rows), "-n", 2000, "-f", form, "--impl",
                                    "exec:" + self.command, "--json", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            for result in parse(done.stdout.decode())["results"]:
                entry = result["implementations"][0]
                with self.subTest(operation=result["operation"], format=form):
                    self.assertEqual(entry["tested"], 2000)
                    # musl's has a number for acosh(-2e5), and for a signaling NaN and a number.
                    if result["operation"] not in ("acosh", "fmin", "fmax"):
                        self.assertEqual(entry["nan_mismatches"], 0)
                    if result["operation"] not in ("lgamma", "tgamma", "pow", "j0", "j1", "y0", "y1"):
                        self.assertLess(entry["max_ulp"]["error"], 4)

    def test_flags_are_told(self):
        for operation, value, raised in (("log", "0", ["divide-by-zero"]), ("log", "-1", ["invalid"]),
                                         ("exp", "1e4", ["overflow", "inexact"]), ("fma", "1.5 2 3", [])):
            for form in ("fp32", "fp64"):
                result, = parse(self.succeed("eval", operation, *value.split(), "-f", form, "--flags", "--errno",
                                             "--impl", "exec:" + self.command, "--json", "-"))["results"]
                answer = result["implementations"][0]
                with self.subTest(operation=operation, value=value, format=form):
                    self.assertEqual(set(answer["flags"]["raised"]) | {"inexact"}, set(raised) | {"inexact"})
                    self.assertEqual((answer["flags"]["missing"], answer["flags"]["cleared"]), ([], []))
                    self.assertIn(answer["errno"]["got"], ("none", *result["errno"]))

    def test_rounding_is_set(self):
        for rounding in ("up", "down", "toward-zero"):
            entry = self.sweep("sqrt", "-n", 5000, "-r", rounding)
            self.assertEqual(entry["incorrectly_rounded"], 0, rounding)
        self.assertGreater(self.sweep("sqrt", "-n", 5000, "-r", "up")["mean_ulp"], 0.4)


class NativeC(C):
    compiler = None

    def test_what_a_function_leaves_as_it_was_is_no_answer(self):
        with tempfile.TemporaryDirectory() as folder:
            self.command = compile_adapter([self.compiler, *WARNINGS, "-I", ADAPTERS], LEAVING, folder, "-lm", "-pthread")
            for words in ((), ("--flags",)):
                entry = self.sweep("exp", "--range", "-1:1", "-n", 4096, *words, code=1)
                left = entry["unanswered"]
                self.assertEqual(entry["event_counts"], {"not-written": left})
                self.assertEqual((entry["tested"], left > 1000), (4096 - left, True))
                self.assertLess(entry["max_ulp"]["error"], 1)
            entry = self.sweep("cumsum", "--distribution", "normal", "--shape", "1x5", "-n", 3, code=1)
            self.assertEqual((entry["event_counts"], entry["tested"]), ({"not-written": 3}, 0))
            done = self.run_program("invariance", "exp", "--range", "-1:1", "-n", 64, "--property", "length,threads",
                                    "--impl", "exec:" + self.command, "--json", "-")
            self.assertEqual(done.returncode, 1)
            entry, = parse(done.stdout.decode())["results"][0]["implementations"]
            self.assertEqual({*entry["event_counts"]}, {"not-written"})

    def test_arrays_are_not_provided(self):
        done = self.run_program("sweep", "sum", "--distribution", "normal", "--impl", "exec:" + self.command)
        self.assertEqual((done.returncode, done.stderr),
                         (2, b"detcheck: nothing was tested: this adapter has no operations on arrays\n"))

    def test_same_bits_as_the_libm_it_is_linked_to(self):
        for operation in ("exp", "sin", "pow"):
            report = parse(self.succeed("sweep", operation, "-n", 5000, "--impl", "exec:" + self.command,
                                        "--impl", "libm", "--json", "-"))
            self.assertEqual(report["results"][0]["differences"][0]["count"], 0)


class Casts:
    """Conversions: of finite numbers that the target can hold all packages and profiles make the same."""

    targets = ("fp16", "fp8_e4m3fn")
    small = ("--from", "fp32", "--range=-100:100", "-n", 3000)

    def test_casts(self):
        for target in self.targets:
            with self.subTest(target=target):
                entry = self.sweep("cast", "--to", target, *self.small)
                self.assertEqual((entry["tested"], entry["incorrectly_rounded"], entry["nan_mismatches"],
                                  entry["sign_mismatches"]), (3000, 0, 0, 0))

    def test_a_type_that_it_lacks(self):
        done = self.run_program("sweep", "cast", "--from", "fp16", "--to", "fp6_e2m3fn" if self.lacks_six else "tf32",
                                "--impl", "exec:" + self.command)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr.decode(), r"^detcheck: nothing was tested: [^\n]* has no cast [^\n]*\n$")

    lacks_six = False


class Onnx(Casts, Case):
    command = None
    sweep = Adapter.sweep

    def test_scales_in_the_roundings_that_it_names(self):
        for rounding in ("up", "toward-zero", "nearest-away"):
            entry = self.sweep("cast", "--from", "fp32", "--to", "fp8_e8m0fnu", "--range", "0x1p-100:0x1p100", "-n", 3000,
                               "-r", rounding)
            self.assertEqual((entry["tested"], entry["incorrectly_rounded"]), (3000, 0), rounding)

    def test_operator_set_and_saturation(self):
        largest = ("--from", "fp32", "--to", "fp8_e4m3fn", "--range", "1000:2000", "-n", 100, "--profile")
        ours = self.command
        for profile, more in (("onnx-24", " reference"), ("onnx-19-unsaturated", " --opset 19 --unsaturated")):
            self.command = ours + more
            entry = self.sweep("cast", *largest, profile)
            self.assertEqual(entry["nan_mismatches"], 0, profile)
            self.assertEqual("saturate=0" in entry["detail"], "unsaturated" in profile)


class Python(Casts, Arrays, Adapter):
    def test_one_line_where_a_package_is_missing(self):
        done = self.run_program("sweep", "exp", "-n", 5, "--impl", "exec:" + self.command.replace(" ", " -S ", 1))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr.decode(), r"^detcheck: nothing was tested: \S+ cannot import numpy: "
                                               r"No module named 'numpy'\n$")


class Numpy(Python):
    @classmethod
    def setUpClass(cls):
        python = cls.command.split()[0]
        if subprocess.run([python, "-c", "import ml_dtypes"], check=False, stderr=subprocess.DEVNULL).returncode:
            cls.targets = ("fp16",)
            print("no ml_dtypes: casts of numpy's own types alone")

    def test_exp_is_near_the_exact_results_in_fp16_and_fp64(self):
        for form in ("fp16", "fp64"):
            self.check("exp", "-f", form)

    def test_all_of_fp16_and_a_range_of_fp32(self):
        entry = self.sweep("exp", "-f", "fp16")
        self.assertEqual((entry["tested"], entry["nan_mismatches"]), (1 << 16, 0))
        self.assertLess(entry["max_ulp"]["error"], 0.51)
        entry = self.sweep("exp", "--range", "0x3f000000:0x3f0fffff")
        self.assertEqual((entry["tested"], entry["nan_mismatches"]), (1 << 20, 0))

    def test_two_results(self):
        done = self.succeed("sweep", "sincos", "-n", 1000, "--impl", "exec:" + self.command, "--json", "-")
        for result in parse(done)["results"]:
            self.assertLess(result["implementations"][0]["max_ulp"]["error"], 4)


class Jax(Python):
    lacks_six = True
    unary = "exp log sin cos sqrt sigmoid".split()

    def check(self, operation, *words, most=4.0):
        # On a CPU, XLA flushes subnormal numbers.
        normal = ("--range", "0x30000000:0x42000000")
        entry = self.sweep(operation, *normal, "-n", "3000", *words)
        self.assertEqual((entry["tested"], entry["nan_mismatches"]), (3000, 0))
        self.assertLess(entry["max_ulp"]["error"], most)

    def test_two_operands(self):
        self.check("atan2", most=7)

    def test_sigmoid_is_near_the_exact_results_in_bf16(self):
        entry = self.sweep("sigmoid", "-f", "bf16", "--range", "0x3c00:0x4000")
        self.assertLess(entry["max_ulp"]["error"], 2)


class Torch(Python):
    lacks_six = True
    unary = "exp log sin cos sqrt".split()

    def test_functions_of_one_operand(self):
        """With AVX2 sigmoid gives 0 in place of subnormal results."""
        super().test_functions_of_one_operand()
        self.assertLess(self.sweep("sigmoid", "--range", "-87:100", "-n", "3000")["max_ulp"]["error"], 4)

    def test_square_roots_are_right(self):
        """With AVX2 they are not correctly rounded: up to 0.75 ulp."""
        entry = self.sweep("sqrt", "--range", "0x3f7f0000:0x4000ffff", "--threads", 2)
        self.assertLess(entry["max_ulp"]["error"], 1)

    def test_two_operands(self):
        self.check("atan2", most=7)

    def test_gelu_is_near_the_exact_results_in_bf16(self):
        entry = self.sweep("gelu", "-f", "bf16", "--range", "0x3c00:0x4000")
        self.assertLess(entry["max_ulp"]["error"], 2)


class TorchStandIn(Case):
    """What the adapter does around PyTorch's functions."""
    command = None

    def entries(self, *words, device="cpu"):
        command = f"exec:env TORCH_DEVICE={device} {self.command}"
        # A sweep that takes over a second says early what is far off.
        results = self.document("sweep", *words, "--timeout", 100, "--impl", command, notes=True)["results"]
        return [result["implementations"][0] for result in results]

    def test_functions_of_one_and_two_operands_and_two_results(self):
        for device, operations in (("cpu", ["exp"]), ("cuda", ["sincos", "atan2"])):
            for entry in self.entries(*operations, "-n", 500, device=device):
                self.assertEqual((entry["tested"], entry["nan_mismatches"], entry["events"]), (500, 0, []))
                self.assertLess(entry["max_ulp"]["error"], 7)
                self.assertIn("GPU" if device == "cuda" else "cpu", entry["detail"])

    def test_scans_that_pytorch_has_not(self):
        for words in (("--exclusive",), ("--exclusive", "--reverse", "--axis", 0)):
            entry, = self.entries("logcumsumexp", "--shape", "6x31", "--distribution", "normal", "-n", 2, *words,
                                  device="cuda:0")
            self.assertEqual((entry["nan_mismatches"], entry["events"]), (0, []))
            self.assertLess(entry["max_ulp"]["error"], 300)

    def test_what_it_does_not_know(self):
        done = self.run_program("sweep", "cbrt", "-n", 5, "--timeout", 100, "--impl", "exec:" + self.command)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"this adapter has no cbrt in fp32", done.stderr)


class OpenCL(Adapter):
    def test_two_operands(self):
        self.check("pow", most=17)

    def test_conditions_reach_the_device(self):
        """A kernel that looks at what lies beside its operand, and one that computes in groups of eight."""
        with open(os.path.join(ADAPTERS, "opencl_adapter.c"), encoding="utf-8") as file:
            source = file.read()
        for kernel, blamed in (("b[at.y + i + 1] != b[at.y + i + 1] ? 2 / x : 1 / x", {"neighbours"}),
                               ("get_global_size(0) < 9 ? 2 / x : 1 / x", {"length"}),
                               ("(at.y & 1) ? 2 / x : 1 / x", {"alignment"}),
                               ("(a == b) ? 2 / x : 1 / x", {"in-place"})):
            with self.subTest(kernel=kernel), tempfile.TemporaryDirectory() as folder:
                changed = os.path.join(folder, "changed.c")
                with open(changed, "w", encoding="utf-8") as file:
                    file.write(source.replace('"1 / x"', f'"{kernel}"'))
                built = compile_adapter(["cc", "-O2", "-I", ADAPTERS], changed, folder, "-lOpenCL", "-lm", "-pthread")
                done = self.run_program("invariance", "recip", "-f", "fp32", "--samples", "64", "--range", "1:2",
                                        "--impl", "exec:" + built, "--json", "-")
                result, = parse(done.stdout.decode())["results"]
                found = {each["property"] for each in result["implementations"][0]["invariance"]
                         if each["tested"] and each["changed"]}
                self.assertEqual(found, blamed)


class Cuda(Adapter):
    pass


def compile_adapter(words, source, folder, *libraries):
    built = os.path.join(folder, "adapter")
    done = subprocess.run([*words, os.path.join(ADAPTERS, source), "-o", built, *libraries], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(done.stdout)
    return built


PACKAGES = {"numpy": Numpy, "jax": Jax, "torch": Torch, "onnx": Onnx}


def find_python(module):
    for python in (os.environ.get("ADAPTER_PYTHON"), sys.executable, "/usr/bin/python3"):
        if python and subprocess.run([python, "-c", f"import {module}"], check=False,
                                     stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return skip(f"no Python here has {module}; ADAPTER_PYTHON names one that does")


def prepare(kind, words, folder):
    """The test case and the adapter's command."""
    if kind in PACKAGES:
        script = os.path.join(ADAPTERS, f"{kind}_adapter.py")
        return PACKAGES[kind], f"{find_python(kind)} -B {script}"
    if kind == "torch_stand_in":
        stand_in = os.path.join(os.path.dirname(os.path.abspath(__file__)), kind)
        return TorchStandIn, f"env PYTHONPATH={stand_in} {find_python('numpy')} -B {ADAPTERS}/torch_adapter.py"
    compiler, *options = words
    need(compiler)
    runner = ""
    if options[:1] == ["--run"]:
        runner, options = need(options[1]) + " ", options[2:]
    if kind == "c_arrays":
        return CArrays, compile_adapter([compiler, *WARNINGS, "-ffp-contract=off"], "c_arrays_adapter.c",
                                        folder, "-lm")
    if kind == "c":
        built = compile_adapter([compiler, *WARNINGS, "-ffp-contract=off", "-D_GNU_SOURCE", *options],
                                "c_adapter.c", folder, "-lm")
        NativeC.compiler = compiler
        return (C if runner or options else NativeC), runner + built
    if kind == "opencl":
        if not glob.glob("/usr/include/CL/cl.h"):
            skip("there are no OpenCL headers: apt-get install opencl-headers ocl-icd-opencl-dev")
        built = compile_adapter([compiler, *WARNINGS], "opencl_adapter.c", folder, "-lOpenCL", "-lm", "-pthread")
        case = OpenCL
    elif kind == "hip":
        for architecture in ("gfx908", "gfx90a", "gfx940"):
            compile_adapter([compiler, "-x", "hip", "-O2", "-std=c++17", f"--offload-arch={architecture}"], "mma_adapter.cu", folder)
        skip("compiled; it runs by order/units/gpu.py")
    else:
        for architecture in ("sm_89", "sm_90a"):  # run by order/units/gpu.py
            compile_adapter([compiler, "-O2", "-std=c++17", f"-arch={architecture}"], "mma_adapter.cu", folder)
        if glob.glob("/usr/local/cuda*/include/cublas_v2.h"):
            compile_adapter([compiler, "-O2", "-std=c++17", "-arch=sm_89"], "cublas_adapter.cu", folder, "-lcublas")
        built = compile_adapter([compiler, "-O2"], "cuda_adapter.cu", folder)
        case = Cuda
    tried = subprocess.run([PROGRAM, "eval", "exp", "1", "--impl", "exec:" + built], check=False,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if "ended with status 77" in tried.stdout:
        skip("compiled; " + tried.stdout.splitlines()[0])
    return case, built


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="detcheck-test-") as place:
        case, case.command = prepare(sys.argv[1], sys.argv[2:], place)
        tests = unittest.defaultTestLoader.loadTestsFromTestCase(case)
        sys.exit(not unittest.TextTestRunner().run(tests).wasSuccessful())
