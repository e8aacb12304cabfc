"""The ports that src/detmath/ports/ports.py writes have det's bits, through detcheck.

Argument: files or twice, for the files alone, or a language: javascript, java, go, rust, webassembly (in node), wasmtime
(WebAssembly there), wgsl, glsl. Without what it needs the test is skipped (77). A million inputs of each function (50,000 of WGSL
and GLSL); with EXHAUSTIVE all of fp32, or those of EXHAUSTIVE_RANGE; EXHAUSTIVE may name the functions, 1 stands for all.
"""
import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from adapters_test import ADAPTERS, find_python, need, skip
from harness import Case, parse

SOURCE = pathlib.Path(__file__).resolve().parents[3] / "src/detmath/ports"
sys.path.append(str(SOURCE))
import llvm  # noqa: E402
import webassembly  # noqa: E402
from languages import LANGUAGES  # noqa: E402
from lower import Lowering  # noqa: E402
FUNCTIONS = "exp log sin tanh sigmoid gelu".split()
LAVAPIPE = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
# What stands in each file of the function exp.
HEADS = {"detmath.js": "function exp(", "detmath.mjs": "function exp(", "Detmath.java": "public static float exp(",
         "detmath/detmath.go": "func Exp(", "detmath.rs": "pub fn exp(", "detmath.wgsl": "fn detmath_exp(x: f32) -> f32",
         "detmath.glsl": "float detmath_exp(float x)"}

# The same of fp64, and what stands for its names: of cr_exp2 CrExp2 in Go.
HEADS_F64 = {"detmath_f64.js": "function exp(", "detmath_f64.mjs": "function exp(", "DetmathF64.java": "public static double exp(",
             "detmathf64/detmathf64.go": "func Exp(", "detmath_f64.rs": "pub fn exp("}
FUNCTIONS_F64 = re.findall(r"^DETMATH_(?:UNARY|BINARY|PAIR)_F64\((\w+)", (SOURCE.parent / "functions_f64.inc").read_text("ascii"),
                           re.MULTILINE)

# A module as clang 19 writes it: an element of a table by its number and by a distance in bytes, |x| by its name, a number that
# is not below 0, and a comparison that NaN passes.
MODULE = """@rows = internal constant [2 x float] [float 0.000000e+00, float 1.000000e+00], align 4
define float @port(float %0, i32 %1) {
  %3 = getelementptr inbounds float, ptr @rows, i32 %1
  %4 = getelementptr inbounds i8, ptr %3, i32 8
  %5 = load float, ptr %4, align 4
  %6 = uitofp nneg i32 %1 to float
  %7 = tail call float @llvm.fabs.f32(float %0)
  %8 = fcmp uge float %7, %6
  %9 = select i1 %8, float %5, float %7
  ret float %9
}
"""
LOWERED = """const v5 = fromBits(rows[(v1 + 2 | 0)]);
const v6 = fround(v1);
const v7 = fromBits((bitsOf(v0) & 2147483647));
const v8 = !(v7 < v6);
const v9 = (v8 ? v5 : v7);
return v9;"""


def run(words, folder=None):
    need(words[0])
    done = subprocess.run(words, cwd=folder, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(done.stdout)


def generate(folder, *options):
    run([sys.executable, "-B", SOURCE / "ports.py", *options, folder])


def name_in_go(name):
    return "".join(part.capitalize() for part in name.split("_"))


class Files(unittest.TestCase):
    """The files alone."""
    def test_every_language_has_every_function(self):
        with tempfile.TemporaryDirectory(prefix="detcheck-test-") as folder:
            generate(folder)
            for path, head in HEADS.items():
                text = pathlib.Path(folder, path).read_text(encoding="ascii")
                for name in FUNCTIONS:
                    called = head.replace("exp", name).replace("Exp", name.capitalize())
                    self.assertEqual(text.count(called), 1, (path, name))
            for path, head in HEADS_F64.items():
                text = pathlib.Path(folder, path).read_text(encoding="ascii").replace("double[] ", "double ")
                for name in FUNCTIONS_F64 + ["cr_" + name for name in FUNCTIONS_F64]:
                    called = head.replace("exp", name).replace("Exp", name_in_go(name))
                    self.assertEqual(text.count(called), 1, (path, name))

    def test_what_a_module_of_webassembly_has_that_is_not_known(self):
        start = b"\0asm\1\0\0\0"
        bodies = {b"\x01\x05\x01\x60\x01\x7d\x00": "the type 0x7d of WebAssembly is not known",  # of a signature: fp32
                  b"\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x0a\x05\x01\x03\x00\xfd\x0b":
                  "the instruction 0xfd of WebAssembly is not known"}
        for data, says in [(b"\0elf", "clang made no module of WebAssembly"), *((start + one, says) for one, says in bodies.items())]:
            with self.subTest(says=says), contextlib.redirect_stderr(io.StringIO()) as told, self.assertRaises(SystemExit):
                webassembly.Module(data)
            self.assertEqual(told.getvalue(), f"ports.py: {says}\n")

    def test_what_clang_19_writes(self):
        functions, _ = llvm.read(MODULE)
        texts = [Lowering(language, functions["port"], {}).lines("port", False) for language in LANGUAGES]
        self.assertEqual([line.strip() for line in texts[0].splitlines()][1:-1], LOWERED.splitlines())
        for text in texts[1:]:
            self.assertRegex(text, r"v8.* = \(?!\(")  # and no comparison of words


    def test_what_is_wrong_is_one_line(self):
        with tempfile.TemporaryDirectory(prefix="detcheck-test-") as folder:
            file = pathlib.Path(folder, "file")
            file.write_text("", encoding="ascii")
            failing = pathlib.Path(folder, "failing")
            failing.write_text("#!/bin/sh\necho 'x.c:1: error: no such option' >&2\nexit 1\n", encoding="ascii")
            failing.chmod(0o755)
            for words, says in ((["--clang", "no-such-clang", folder], "no-such-clang: No such file or directory"),
                                ([file], "file: "), (["--clang", failing, folder], "x.c:1: error: no such option")):
                done = subprocess.run([sys.executable, "-B", SOURCE / "ports.py", *words], check=False, capture_output=True,
                                      text=True)
                self.assertEqual((done.returncode, done.stderr.count("\n"), says in done.stderr), (2, 1, True), done.stderr)
            self.assertEqual(sorted(os.listdir(folder)), ["failing", "file"])


class Twice(unittest.TestCase):
    def test_twice_the_same(self):
        with tempfile.TemporaryDirectory(prefix="detcheck-test-") as folder:
            for name in "ab":
                generate(f"{folder}/{name}")
            paths = [path.relative_to(f"{folder}/a") for path in pathlib.Path(folder, "a").rglob("*.*")]
            self.assertGreater(len(paths), len(HEADS))  # those of fp64, too
            for path in paths:
                self.assertEqual(*(pathlib.Path(folder, name, path).read_bytes() for name in "ab"), path)


class Port(Case):
    command = None

    count = 1_000_000

    def inputs(self):
        """Both ends of the numbers of each sign, of each binade and of the subnormal ones, and inputs evenly over all."""
        if os.environ.get("EXHAUSTIVE"):
            return ["--range", os.environ.get("EXHAUSTIVE_RANGE", "0x0:0xffffffff")]
        codes = {(binade << 23) + near & 2**32 - 1 for binade in range(512) for near in range(-20, 20)}
        codes.update(range(0, 2**32, 2**32 // self.count))
        path = os.path.join(self.path, "inputs")
        with open(path, "w", encoding="ascii") as file:
            file.writelines(f"{code:#x}\n" for code in sorted(codes))
        return ["--inputs", path]

    def test_same_bits_as_det(self):
        asked = os.environ.get("EXHAUSTIVE")
        functions, equal = asked.split(",") if asked and asked != "1" else FUNCTIONS, 0
        for name in functions:
            done = self.run_program("sweep", name, *self.inputs(), "--threads", 1, "--timeout", 100, "--impl", "det", "--impl",
                                    "exec:" + self.command, "--json", "-", timeout=None)
            self.assertEqual(done.returncode, 0, done.stderr)
            result, = parse(done.stdout.decode())["results"]
            det, port = result["implementations"]
            equal += port["fingerprint"] == det["fingerprint"]
            with self.subTest(function=name):
                self.assertEqual((port["tested"], port["events"]), (det["tested"], []))
                self.assertTrue(asked or port["tested"] > self.count)
                self.assertEqual(result["differences"][0]["count"], 0)
                self.assertEqual(port["fingerprint"], det["fingerprint"])
        print(f"worker: {port['detail']}\n{equal} fingerprints equal, {len(functions) - equal} not", flush=True)


class JavaScriptPort(Port):
    def test_numbers_that_are_not_of_fp32(self):
        """They are rounded first, and results are of fp32."""
        program = """
            const { pathToFileURL } = require("url"), names = process.argv[2].split(" "), file = process.argv[1];
            import(pathToFileURL(file.replace(/js$/, "mjs"))).then(module => {
                for (const one of [require(file), module])
                    for (const name of names)
                        for (const x of [0.3, 1.1, 88.7, -3.3, 1e39, -1e39, 1e-300, "1", 2 ** -149 / 3, 3.4028235677973366e38]) {
                            const got = one[name](x), want = module[name](Math.fround(x));
                            if (!Object.is(got, want) || !Object.is(got, Math.fround(got)))
                                throw new Error(`${name}(${x}) is ${got}, not ${want}`);
                        }
                console.log(Object.keys(module).join(" "));
            });"""
        file = self.command.split()[-1]
        done = subprocess.run(["node", "-e", program, "--", file, " ".join(FUNCTIONS)], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, sorted(done.stdout.split())), (0, sorted(FUNCTIONS)), done.stderr)


class ShaderPort(Port):
    count = 50_000

    def test_no_file(self):
        done = self.run_program("sweep", "exp", "-n", 5, "--threads", 1, "--impl", f"exec:{self.command}-that-is-not-there")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        self.assertIn(b"has no exp in fp32, nearest-even: ", done.stderr)


def build_java(folder):
    run(["javac", "-Xlint:all", "-Werror", "-d", folder, f"{folder}/Detmath.java", f"{ADAPTERS}/JavaAdapter.java"])
    return f"{need('java')} -cp {folder} JavaAdapter Detmath"


def build_go(folder):
    rows = "".join(f'\tnarrow["{name}"] = detmath.{name.capitalize()}\n' for name in FUNCTIONS)
    for path, text in (("go.mod", "module port\n"),
                       ("functions.go", f'package main\n\nimport "port/detmath"\n\nfunc init() {{\n{rows}}}\n'),
                       ("go_adapter.go", pathlib.Path(ADAPTERS, "go_adapter.go").read_text(encoding="ascii"))):
        pathlib.Path(folder, path).write_text(text, encoding="ascii")
    run(["go", "vet", "./..."], folder)
    run(["go", "build", "-o", "worker", "."], folder)
    return f"{folder}/worker"


def build_rust(folder):
    run(["rustc", "-O", "-D", "warnings", "--crate-type", "lib", "detmath.rs"], folder)
    run(["rustc", "-O", "--cfg", "detmath", "--extern", "detmath=libdetmath.rlib", f"{ADAPTERS}/rust_adapter.rs", "-o", "worker"],
        folder)
    return f"{folder}/worker"


def build_shader(folder, name):
    if not os.path.exists(LAVAPIPE):
        skip("there is no Vulkan on the processor: apt-get install mesa-vulkan-drivers")
    if name.endswith("glsl"):
        need("glslangValidator")
    python = find_python("wgpu, numpy")
    return f"env VK_ICD_FILENAMES={LAVAPIPE} {python} -B {ADAPTERS}/wgpu_adapter.py {folder}/{name}"


def build(language, folder):
    """The command of a worker that has the port."""
    generate(folder, *(["--wasm"] if language in ("webassembly", "wasmtime") else []))
    if language == "wasmtime":
        return f"{find_python('wasmtime, numpy')} -B {ADAPTERS}/wasmtime_adapter.py {folder}/detmath.wasm"
    if language in ("javascript", "webassembly"):
        file = "detmath.js" if language == "javascript" else "detmath.wasm"
        return f"{need('node')} {ADAPTERS}/node_adapter.js {folder}/{file}"
    if language in ("wgsl", "glsl"):
        return build_shader(folder, "detmath." + language)
    return {"java": build_java, "go": build_go, "rust": build_rust}[language](folder)


if __name__ == "__main__":
    need("clang")
    with tempfile.TemporaryDirectory(prefix="detcheck-test-") as place:
        cases = {"files": Files, "twice": Twice, "javascript": JavaScriptPort, "wgsl": ShaderPort, "glsl": ShaderPort}
        case = cases.get(sys.argv[1], Port)
        if issubclass(case, Port):
            case.command = build(sys.argv[1], place)
        tests = unittest.defaultTestLoader.loadTestsFromTestCase(case)
        sys.exit(not unittest.TextTestRunner().run(tests).wasSuccessful())
