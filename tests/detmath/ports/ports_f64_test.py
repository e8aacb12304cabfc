"""The ports of fp64 that src/detmath/ports/ports.py writes have det's bits and cr's: what they return for the inputs of tests/reach
has the fingerprints that are in fingerprints.txt there.

Arguments: javascript, webassembly, java, rust or go; quick or full (16,384 or 1,048,576 inputs of each function); and a compiler of
C, of which a program prints the inputs. Without what the language needs the test is skipped (77)."""
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

from adapters_test import ADAPTERS, need
from ports_test import generate, name_in_go, run

SOURCES = pathlib.Path(__file__).resolve().parents[3]
REACH, INCLUDES = SOURCES / "tests/reach", SOURCES / "src"
ROWS = re.findall(r"^DETMATH_(UNARY|BINARY|PAIR)_F64\((\w+)", (INCLUDES / "detmath/functions_f64.inc").read_text(encoding="ascii"),
                  re.MULTILINE)
FUNCTIONS = {name: 2 if kind == "BINARY" else 1 for kind, name in ROWS if kind != "PAIR"}
COUNTS = {"quick": 1 << 14, "full": 1 << 20}
MASK = 2**64 - 1


def mix(x):
    x = (x ^ x >> 33) * 0xff51afd7ed558ccd & MASK
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53 & MASK
    return x ^ x >> 33


def fingerprint(numbers):
    """Of bits of fp64, as hash.h of tests/reach has it."""
    a, b = 0x243f6a8885a308d3, 0x13198a2e03707344
    for number in numbers:
        for word in (number >> 32, number & 0xffffffff):
            a = (a ^ word) * 0x9e3779b97f4a7c15 & MASK
            b = (b + word) * 0xc2b2ae3d27d4eb4f & MASK
            a ^= a >> 32
            b = (b << 29 | b >> 35) & MASK
    a, b = mix(a ^ 2 * len(numbers)), mix(b + 2 * len(numbers) & MASK)
    return f"{a + b & MASK:016x}{mix(b ^ a + b & MASK):016x}"


def canonical(bits):
    return 0x7ff8000000000000 if bits & 0x7fffffffffffffff > 0x7ff0000000000000 else bits


def read_operands(program, name, which, count):
    """Bits of the operands, one list for each: what the program shows for det, which comes first."""
    with subprocess.Popen([program, "--show", which, name], stdout=subprocess.PIPE, text=True) as shown:
        rows = [next(shown.stdout).split()[3:-2] for _ in range(count)]
        shown.kill()
        shown.stdout.close()
    return [[int(row[at] + row[at + 1], 16) for row in rows] for at in range(0, len(rows[0]), 2)]


def ask(command, operation, operands):
    """The bits that an adapter answers, by the protocol of detcheck-exec(7)."""
    names = b"".join(name.encode("ascii").ljust(32, b"\0") for name in (operation, "fp64", "fp64", "nearest-even"))
    header = b"detcheck" + struct.pack("<6I", 1, len(operands), 1, 8, 8, 0) + names
    results = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        worker.stdin.write(header)
        worker.stdin.flush()
        _, status, length = struct.unpack("<8sII", worker.stdout.read(16))
        said = worker.stdout.read(length).decode("ascii")
        if status:
            raise AssertionError(said)
        for first in range(0, len(operands[0]), 1 << 14):
            parts = [one[first:first + (1 << 14)] for one in operands]
            size = len(parts[0])
            worker.stdin.write(struct.pack("<IIQ", 2, size, 0) + b"".join(struct.pack(f"<{size}Q", *one) for one in parts))
            worker.stdin.flush()
            results += struct.unpack(f"<4sI{size}Q4s", worker.stdout.read(12 + 8 * size))[2:-1]
        worker.stdin.close()
    return list(map(canonical, results))


class Port(unittest.TestCase):
    """command: of a worker; behind it cr_ for cr."""
    command, folder, which, compiler = None, None, None, None

    @classmethod
    def setUpClass(cls):
        program = f"{cls.folder}/fingerprint"
        run([cls.compiler, "-O2", "-std=c11", "-I", str(INCLUDES), str(REACH / "fingerprint.c"), "-o", program])
        cls.operands = {count: read_operands(program, name, cls.which, COUNTS[cls.which]) for count, name in
                        ((1, "exp_f64"), (2, "pow_f64"))}
        lines = [line.split() for line in (REACH / "fingerprints.txt").read_text(encoding="ascii").splitlines()]
        cls.wanted = {tuple(line[1:3]): line[3] for line in lines if line[0] == cls.which}

    def test_fingerprints(self):
        equal = 0
        for name, count in FUNCTIONS.items():
            for variant in ("det", "cr"):
                with self.subTest(function=name, variant=variant):
                    before = ["cr_"] * (variant == "cr")
                    results = ask(self.command + before, name, self.operands[count])
                    self.assertEqual(len(results), COUNTS[self.which])
                    self.assertEqual(fingerprint(results), self.wanted[name + "_f64", variant])
                    equal += 1
        print(f"{equal} of {2 * len(FUNCTIONS)} fingerprints equal, of {COUNTS[self.which]} inputs each", flush=True)


def exact_sum(a, b, c):
    """Of finite numbers, rounded once by Python's division of integers, which is correctly rounded."""
    whole = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return whole.numerator / whole.denominator if whole else a * b + c if a * b == 0 and a * b + c == 0 else 0.0
    except OverflowError:
        return float("inf") if whole > 0 else float("-inf")


class NodePort(Port):
    file = None

    def node(self, program, given=""):
        done = subprocess.run(["node", "-e", program, "--", f"{self.folder}/{self.file}"], input=given, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()


class WebAssemblyPort(NodePort):
    file = "detmath_f64.wasm"

    def test_sincos_and_names(self):
        """sincos tells where the bits of sin and cos stand in the memory."""
        program = """
            const module = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]));
            const port = new WebAssembly.Instance(module).exports;
            for (const before of ["", "cr_"])
                for (const x of [0.5, -3, 1e22, 1e300, 2 ** -40, Infinity, -0]) {
                    const [sine, cosine] = new Float64Array(port.memory.buffer, port[before + "sincos"](x), 2);
                    if (!Object.is(sine, port[before + "sin"](x)) || !Object.is(cosine, port[before + "cos"](x)))
                        throw new Error(`sincos(${x}) is ${sine}, ${cosine}`);
                }
            console.log(Object.keys(port).sort().join(" "));"""
        names = [before + name for name in [*FUNCTIONS, "sincos"] for before in ("", "cr_")]
        self.assertEqual(self.node(program), sorted([*names, "memory"]))


class JavaScriptPort(NodePort):
    file = "detmath_f64.mjs"

    def test_fused_sums_are_rounded_once(self):
        """Also where the product or the sum is too large, or too small to be exact, where all but a bit cancels, and at middles."""
        draw = random.Random(64)

        def number(low, high, bits=53):
            return draw.choice((-1, 1)) * (draw.getrandbits(bits) | 1 << bits - 1) * 2.0**(draw.randint(low, high) - bits)

        rows = []
        for _ in range(20000):
            low, high = draw.choice(((-20, 20), (-540, -480), (-1000, 900), (480, 512), (-1020, -900)))
            a, b = number(low, high, draw.choice((53, 53, 30, 12))), number(low, high, draw.choice((53, 26, 8)))
            c = draw.choice((-a * b, a * b, number(-1020, 1000), a * b * 2.0**draw.randint(-60, 60), a * b * 0.75, 0.0, 2.0**-1074))
            if abs(c) != float("inf"):
                rows.append((a, b, c))
        edges = [0.0, -0.0, 1.0, -1.0, 2.0**-1074, -(2.0**-1022), 2.0**1023, (2 - 2.0**-52) * 2.0**1023, 1 + 2.0**-52, 1 - 2.0**-53]
        rows += [(a, b, c) for a in edges for b in edges for c in edges]
        infinity, nan = float("inf"), float("nan")
        special = [(2.0**1023, 2.0, -infinity, -infinity), (2.0**1023, -4.0, infinity, infinity), (1.0, 1.0, infinity, infinity),
                   (infinity, 2.0, -infinity, nan), (infinity, 0.0, 1.0, nan), (-infinity, 2.0, 2.0**1023, -infinity),
                   (nan, 1.0, 1.0, nan), (1.0, 1.0, nan, nan)]
        program = """
            const text = require("fs").readFileSync(process.argv[1], "latin1").replace(/^export .*$/m, "");
            const fused = new Function(text + "; return fused;")();
            const view = new DataView(new ArrayBuffer(24)), lines = require("fs").readFileSync(0, "latin1").trim().split("\\n");
            console.log(lines.map(line => {
                line.split(" ").forEach((word, i) => view.setBigUint64(8 * i, BigInt(word)));
                view.setFloat64(0, fused(view.getFloat64(0), view.getFloat64(8), view.getFloat64(16)));
                return view.getBigUint64(0).toString();
            }).join("\\n"));"""
        wanted = [exact_sum(*row) for row in rows] + [row[3] for row in special]
        rows += [row[:3] for row in special]
        bits = [struct.unpack("<3Q", struct.pack("<3d", *row)) for row in rows]
        got = self.node(program, "\n".join(" ".join(map(str, row)) for row in bits))
        self.assertEqual(len(got), len(rows))
        for row, word, want in zip(rows, got, wanted):
            self.assertEqual(canonical(int(word)), canonical(struct.unpack("<Q", struct.pack("<d", want))[0]), row)

    def test_sincos_and_names(self):
        """Both files have the same names; sincos has the bits of sin and cos; operands become numbers."""
        program = """
            const { pathToFileURL } = require("url"), file = process.argv[1];
            import(pathToFileURL(file)).then(module => {
                const other = require(file.replace(/mjs$/, "js")), names = Object.keys(module).sort();
                if (names.join() !== Object.keys(other).sort().join())
                    throw new Error("the files differ");
                for (const one of [module, other])
                    for (const before of ["", "cr_"])
                        for (const x of [0.5, -3, 1e22, 1e300, 2 ** -40, Infinity, -0, "2"]) {
                            const [sine, cosine] = one[before + "sincos"](x);
                            if (!Object.is(sine, one[before + "sin"](x)) || !Object.is(cosine, one[before + "cos"](Number(x))))
                                throw new Error(`sincos(${x}) is ${sine}, ${cosine}`);
                        }
                console.log(names.join(" "));
            });"""
        names = [before + name for name in [*FUNCTIONS, "sincos"] for before in ("", "cr_")]
        self.assertEqual(self.node(program), sorted(names))


def build_go(folder):
    rows = "".join(f'\twide["{name}"] = function{{{count}, {"unary" if count == 1 else "binary_"}(port.{name_in_go(name)})}}\n'
                   for name, count in FUNCTIONS.items())
    rounded = rows.replace("(port.", "(port.Cr").replace("\t", "\t\t")
    # Behind the adapter, whose rows these replace.
    for path, text in (("go.mod", "module port\n"), ("go_adapter.go", pathlib.Path(ADAPTERS, "go_adapter.go").read_text("ascii")),
                       ("port.go", f'package main\n\nimport (\n\t"os"\n\tport "port/detmathf64"\n)\n\nfunc init() {{\n{rows}'
                        f'\tif len(os.Args) > 1 {{\n{rounded}\t}}\n}}\n')):
        pathlib.Path(folder, path).write_text(text, encoding="ascii")
    shutil.rmtree(f"{folder}/detmath")  # fp32's
    run([need("go"), "vet", "./..."], folder)
    run(["go", "build", "-o", "worker", "."], folder)
    return [f"{folder}/worker"]


def build_java(folder):
    run([need("javac"), "-Xlint:all", "-Werror", "-d", folder, f"{folder}/DetmathF64.java", f"{ADAPTERS}/JavaAdapter.java"])
    return [need("java"), "-cp", folder, "JavaAdapter", "DetmathF64"]


def build_rust(folder):
    run([need("rustc"), "-O", "-D", "warnings", "--crate-type", "lib", "detmath_f64.rs"], folder)
    run(["rustc", "-O", "--cfg", "detmath_f64", "--extern", "detmath_f64=libdetmath_f64.rlib", f"{ADAPTERS}/rust_adapter.rs", "-o",
         "worker"], folder)
    return [f"{folder}/worker"]


def build(language, folder):
    generate(folder, *(["--wasm"] if language == "webassembly" else []))
    if language in ("javascript", "webassembly"):
        file = "detmath_f64.js" if language == "javascript" else "detmath_f64.wasm"
        return [need("node"), f"{ADAPTERS}/node_adapter.js", f"{folder}/{file}"]
    return {"go": build_go, "java": build_java, "rust": build_rust}[language](folder)


if __name__ == "__main__":
    need("clang")
    with tempfile.TemporaryDirectory(prefix="detcheck-test-") as place:
        case = {"javascript": JavaScriptPort, "webassembly": WebAssemblyPort}.get(sys.argv[1], Port)
        case.command, case.folder, case.which, case.compiler = build(sys.argv[1], place), place, sys.argv[2], sys.argv[3]
        tests = unittest.defaultTestLoader.loadTestsFromTestCase(case)
        sys.exit(not unittest.TextTestRunner().run(tests).wasSuccessful())
