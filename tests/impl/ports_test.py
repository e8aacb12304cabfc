"""The workers that contain det, to be changed by one line for a port: each answers every function with det's bits.

Arguments: which one, and what compiles it. Without what it needs the test is skipped (77).

  c COMPILER        port_adapter.c
  processor CXX     port_adapter.cu as C++, whose kernels the processor runs
  cuda NVCC         the same for a GPU; run where there is one
  opencl COMPILER   port_opencl_adapter.c, on whatever OpenCL device there is
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import harness
from harness import PROGRAM, Case

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src")
ADAPTERS = os.path.join(SOURCE, "impl", "adapters")
# Of each kind: the file, the words in front of it and behind it, the worker's options, and its formats.
KINDS = {
    "c": ("port_adapter.c", ["-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"], [], "",
          ("fp32", "fp64")),
    "processor": ("port_adapter.cu", ["-O2", "-Wall", "-Wextra", "-Werror", "-x", "c++"], [], "", ("fp32", "fp64")),
    "cuda": ("port_adapter.cu", ["-O2", "-arch=sm_90"], [], "", ("fp32", "fp64")),
    "opencl": ("port_opencl_adapter.c", ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"], ["-lOpenCL"],
               f" -I{SOURCE} -I{ADAPTERS}", ("fp32",)),
}
LINE = "detmath_##NAME##SUFFIX"
HEADER = "port_lines.h"
LINES_ALONG = ("AXIS", "LAST")


def is_laid(roles):
    """Whether operands are shared as they lie: their shapes have an order of their own."""
    return "s" in roles


# For operations on arrays: a rule for rows, and words for their sweep. A line of the first is longer than a block of detmath's sums.
SWEEPS = (
    (lambda name, lines, roles: name != "matmul" and not is_laid(roles), ["--shape", "2x4x300"]),
    (lambda name, lines, roles: lines in LINES_ALONG and "rope" not in name and not is_laid(roles), ["--shape", "3x40x4", "--axis", "1"]),
    (lambda name, lines, roles: "k" in roles, ["--shape", "3x40x4", "--axis", "0", "--reverse"]),
    (lambda name, lines, roles: name == "top_k", ["--shape", "3x40x4", "--axis", "1", "--k", "7"]),
    (lambda name, lines, roles: name == "group_norm_weight_gradient", ["--shape", "2x6x5x3", "--groups", "3", "--epsilon", "none"]),
    (lambda name, lines, roles: name == "attention", ["--shape", "2x2x3x70x5"]),
    (lambda name, lines, roles: name == "attention", ["--shape", "1x4x9x70x8", "--groups", "2", "--causal", "--bias", "alibi"]),
    (lambda name, lines, roles: name == "attention", ["--shape", "2x2x9x5x6", "--window", "3", "--soft-cap", "2.5", "--bias", "mask"]),
    (lambda name, lines, roles: name == "convolution", ["--shape", "2x4x9x8"]),
    (lambda name, lines, roles: name == "convolution",
     ["--shape", "2x4x9x8", "--groups", "2", "--stride", "2", "--padding", "1", "--dilation", "2", "--affine", "bias"]),
    (lambda name, lines, roles: name == "convolution", ["--shape", "1x40x7", "--second-shape", "3x40x2", "--padding", "1"]),
    (lambda name, lines, roles: "cumsum" in name, ["--shape", "3x40x4", "--axis", "0", "--exclusive", "--reverse"]),
    (lambda name, lines, roles: "w" in roles and "norm" in name, ["--shape", "3x6x5", "--affine", "weight", "--epsilon", "none"]),
    (lambda name, lines, roles: roles.startswith("xww"), ["--shape", "3x6x5", "--affine", "bias"]),
    (lambda name, lines, roles: lines == "GROUPS" and "w" in roles, ["--shape", "2x6x5x3", "--groups", "3", "--affine", "weight"]),
    (lambda name, lines, roles: name.startswith("ge"), ["--shape", "3x40", "--approximate", "tanh"]),
    (lambda name, lines, roles: roles.startswith("ab"), ["--shape", "3x40x4", "--axis", "-2", "--reverse"]),
    (lambda name, lines, roles: name == "matmul", ["--shape", "3x70x5"]),
    (lambda name, lines, roles: name in ("dot", "matmul"), ["--shape", "3x33x2", "--addend"]),
    (lambda name, lines, roles: "rope" in name, ["--shape", "2x3x10", "--rotary", "6", "--interleaved", "--factor", "2"]),
    (lambda name, lines, roles: "entropy" in name, ["--shape", "3x9x4", "--axis", "1", "--weighted", "--smoothing", "0.1"]),
    (lambda name, lines, roles: name == "sgd", ["--shape", "3x40", "--momentum", "0.9", "--nesterov", "--step", "3", "--weight-decay", "0.01"]),
    (lambda name, lines, roles: name.startswith("adam"), ["--shape", "40", "--step", "7", "--weight-decay", "0.01"]),
)
PLANTED = """DETMATH_FUNCTION float my_sumf(DETMATH_ARRAY const float *x, detmath_u64 n) {
    float sum = 0;
    for (detmath_u64 i = 0; i < n; i++)
        sum = sum + x[i];
    return sum;
}
#define my_softmaxf detmath_softmaxf
"""


def skip(reason):
    print("SKIPPED:", reason)
    sys.exit(77)


def names(form):
    """The functions of detmath's rows."""
    suffix = "_F64" if form == "fp64" else ""
    path = os.path.join(SOURCE, "detmath", f"functions{suffix.lower()}.inc")
    with open(path, encoding="ascii") as file:
        return re.findall(rf"^DETMATH_(?:UNARY|BINARY|PAIR){suffix}\((\w+),", file.read(), re.MULTILINE)


def arrays():
    """The rows of operations on arrays: name, numbers, what a line is, and roles. The rows of gelu by tanh have no name of detcheck's."""
    with open(os.path.join(ADAPTERS, "port_arrays.inc"), encoding="ascii") as file:
        rows = re.findall(r"^PORT_ARRAY\((\w+), \w+, (\w+), (\w+), \"([^\"]+)\"", file.read(), re.MULTILINE)
    return [row for row in rows if "tanh" not in row[0]]


def compile_worker(kind, compiler, folder, change=LINE, more=(), planted=""):
    """The worker's command; `change` takes the place of the one line's name. `more` are words for the compiler, and `planted` is text
    behind HEADER."""
    name, words, libraries, options, _ = KINDS[kind]
    with open(os.path.join(ADAPTERS, name), encoding="utf-8") as file:
        source = file.read()
    assert source.count(LINE) == 1, name
    path, built = os.path.join(folder, name), os.path.join(folder, "worker")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source.replace(LINE, change).replace(HEADER, "planted.h"))
    with open(os.path.join(folder, "planted.h"), "w", encoding="utf-8") as file:
        file.write(f'#include "{HEADER}"\n{planted}')
    done = subprocess.run([compiler, *words, *more, "-I", SOURCE, "-I", ADAPTERS, path, "-o", built, *libraries], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(done.stdout)
    return built + options + (f" -I{folder}" if options else "")


class Port(Case):
    kind = compiler = command = None

    def compare(self, command, operations, *words, code):
        done = self.run_program("compare", *operations, *words, "--threads", 1, "--impl", "det", "--impl", f"exec:{command}",
                                timeout=1500)  # a device compiles a program for each function
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout.decode().splitlines()

    def test_every_function_has_the_bits_of_det(self):
        for form in KINDS[self.kind][-1]:
            rows = names(form)
            self.assertGreater(len(rows), 50)
            line = self.compare(self.command, rows, "-f", form, "-n", 500, code=0)[-1]
            self.assertRegex(line, rf"^{len(rows)} results equal, 0 differ")

    def test_a_port_of_other_bits_differs_in_the_line_that_is_changed(self):
        """cr in place of det: other bits of sin and log, the same of sqrt."""
        with tempfile.TemporaryDirectory() as folder:
            functions = os.path.join(folder, "functions.inc")
            with open(functions, "w", encoding="ascii") as all_of_them:
                all_of_them.write("#include <detmath/functions.inc>\n#include <detmath/functions_f64.inc>\n")
            command = compile_worker(self.kind, self.compiler, folder, "detmath_cr_##NAME##SUFFIX", [f"-DFUNCTIONS=\"{functions}\""])
            lines = self.compare(command, ["sin", "log", "sqrt"], "--range", "1.5:1.51", code=1)
            self.assertIn("1 result equal, 2 differ", " ".join(lines))

    def test_a_port_of_few_functions_has_a_list_of_them(self):
        """Nothing defines the others by then, but where the port is text that OpenCL compiles."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "few.inc"), "w", encoding="ascii") as few:
                for suffix in ("", "_F64"):
                    with open(os.path.join(SOURCE, "detmath", f"functions{suffix.lower()}.inc"), encoding="ascii") as all_of_them:
                        few.writelines(line for line in all_of_them if re.match(rf"DETMATH_\w+{suffix}\((exp|pow|sincos),", line))
            mine = [f"-Dmy_{name}{suffix}=detmath_{name}{suffix}" for name in ("exp", "pow", "sincos") for suffix in ("", "f")]
            command = compile_worker(self.kind, self.compiler, folder, LINE if self.kind == "opencl" else "my_##NAME##SUFFIX",
                                     ["-DFUNCTIONS=\"few.inc\"", "-I", folder, *mine])
            for form in KINDS[self.kind][-1]:
                line = self.compare(command, ["exp", "pow", "sincos"], "-f", form, "-n", 500, code=0)[-1]
                self.assertRegex(line, "^3 results equal, 0 differ")
                done = self.run_program("sweep", "sin", "-f", form, "-n", 5, "--impl", f"exec:{command}")
                self.assertEqual(done.returncode, 2)
                self.assertIn("the port has the functions of few.inc, to nearest-even", done.stderr.decode())

    def test_a_port_of_fp32_alone_needs_no_function_of_fp64(self):
        if self.kind == "opencl":
            self.skipTest("it has fp32 only")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "few.inc"), "w", encoding="ascii") as few:
                few.write("DETMATH_UNARY(exp, , , )\nDETMATH_UNARY_F64(exp, , , )\n")
                few.write('PORT_ARRAY(softmax, softmax, BOTH, LAST, "x>x", LINE_OF_X)\n')
            mine = [f"-Dmy_{name}f=detmath_{name}f" for name in ("exp", "softmax")]
            command = compile_worker(self.kind, self.compiler, folder, "my_##NAME##SUFFIX",
                                     ["-DPORT_FP32_ALONE", "-DFUNCTIONS=\"few.inc\"", "-I", folder, *mine])
            self.assertRegex(self.compare(command, ["exp"], "-f", "fp32", "-n", 500, code=0)[-1], "equal")
            self.assertEqual(self.sweep(["softmax"], "fp32", ["--shape", "3x8"], command), {"softmax": 0})

    def sweep(self, operations, form, words, command):
        """How many elements differ, by operation; both sides have answered."""
        if not operations:
            return {}
        done = self.run_program("sweep", *operations, "-f", form, *words, "-n", 1, "--threads", 1, "--impl", "det", "--impl",
                                f"exec:{command}", "--json", "report.json", timeout=1500)
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = dict.fromkeys(operations, 0)
        for result in harness.parse(self.read("report.json"))["results"]:
            for one in result["implementations"]:
                self.assertTrue(one["provided"], (result["operation"], one))
                self.assertGreater(one["tested"], 0)
            difference, = result["differences"]
            counts[result["operation"].split(".")[0]] += difference["count"]  # sgd.velocity
        return counts

    def test_every_operation_on_arrays_has_the_bits_of_det(self):
        for form in KINDS[self.kind][-1]:
            rows = [row for row in arrays() if row[1] == "BOTH" or form == "fp32"]
            tested = set()
            for rule, words in SWEEPS:
                counts = self.sweep([name for name, _, lines, roles in rows if rule(name, lines, roles)], form, words, self.command)
                self.assertEqual(set(counts.values()) | {0}, {0}, (form, words, counts))
                tested |= counts.keys()
            self.assertEqual(tested, {row[0] for row in rows})
            self.assertGreater(len(tested), 10)

    def test_a_planted_fault_in_arrays_is_seen(self):
        """A sum from the left has other bits; softmax is det's."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "few.inc"), "w", encoding="ascii") as few:
                few.write('PORT_ARRAY(sum, sum, F32, AXIS, "x>n", NUMBER_OF_X)\nPORT_ARRAY(softmax, softmax, F32, LAST, "x>x", LINE_OF_X)\n')
            command = compile_worker(self.kind, self.compiler, folder, "my_##NAME##SUFFIX", ["-DFUNCTIONS=\"few.inc\"", "-I", folder],
                                     PLANTED)
            counts = self.sweep(["sum", "softmax"], "fp32", ["--shape", "3x200"], command)
            self.assertGreater(counts["sum"], 0)
            self.assertEqual(counts["softmax"], 0)
            for words, why in ((("mean",), "the port has the functions of few.inc"), (("sum", "-f", "fp64"), "the port has sum in fp32 only"),
                               (("sum", "--dtype", "fp16"), "with all arrays in one format")):
                done = self.run_program("sweep", *words, "--shape", "3x4", "-n", 1, "--impl", f"exec:{command}")
                self.assertEqual(done.returncode, 2)
                self.assertIn(why, done.stderr.decode())

    def test_it_says_in_which_formats_it_has_a_function(self):
        both = " and ".join(KINDS[self.kind][-1])
        for words in (("-f", "fp16"), ("-f", "fp32", "-r", "toward-zero")):
            done = self.run_program("sweep", "exp", *words, "-n", 5, "--impl", f"exec:{self.command}")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"the port has exp in {both} only, to nearest-even", done.stderr.decode())

    def test_what_it_does_not_know(self):
        done = self.run_program("sweep", "rint", "-f", "fp32", "-n", 5, "--impl", f"exec:{self.command}")
        self.assertEqual(done.returncode, 2)
        self.assertIn("detmath's functions", done.stderr.decode())


def prepare(kind, compiler, folder):
    if not shutil.which(compiler):
        skip(f"{compiler} is not installed")
    if kind == "opencl" and not glob.glob("/usr/include/CL/cl.h"):
        skip("there are no OpenCL headers: apt-get install opencl-headers ocl-icd-opencl-dev")
    Port.kind, Port.compiler, Port.command = kind, compiler, compile_worker(kind, compiler, folder)
    if kind in ("cuda", "opencl"):
        tried = subprocess.run([PROGRAM, "eval", "exp", "1", "--impl", "exec:" + Port.command], check=False,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if "ended with status 77" in tried.stdout:
            skip("compiled; " + tried.stdout.splitlines()[0])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="detcheck-test-") as place:
        prepare(*sys.argv[1:], place)
        tests = unittest.defaultTestLoader.loadTestsFromTestCase(Port)
        sys.exit(not unittest.TextTestRunner().run(tests).wasSuccessful())
