"""detcheck asks for numbers of texts and for texts of numbers, and Python, numpy or node answers:

    detcheck sweep from_decimal --impl 'exec:python3 texts_adapter.py'
    detcheck sweep from_decimal --to fp32 --impl 'exec:python3 texts_adapter.py numpy'
    detcheck sweep to_decimal --style exponent --digits 16 --impl 'exec:python3 texts_adapter.py node'

Where Python refuses a text, the number is NaN.
"""

import math
import re
import struct
import subprocess
import sys

from adapter import np, serve

# Numbers of a text that node reads to the end of its number, and texts as C's printf has them.
NODE = r"""
const bytes = new DataView(new ArrayBuffer(8));
const padded = text => text.replace(/e([+-])(\d)$/, "e$10$2");
const style = process.argv[1], digits = Number(process.argv[2]), bits = Number(process.argv[3]);
function read(text) {
    const y = Number.parseFloat(text);
    if (bits === 32) { bytes.setFloat32(0, y); return bytes.getUint32(0).toString(16); }
    bytes.setFloat64(0, y);
    return bytes.getBigUint64(0).toString(16);
}
function write(code) {
    bytes.setBigUint64(0, BigInt("0x" + code));
    const x = bytes.getFloat64(0);
    if (Number.isNaN(x)) return "nan";
    if (!Number.isFinite(x)) return x < 0 ? "-inf" : "inf";
    const text = style === "fixed" ? x.toFixed(digits) : padded(x.toExponential(style === "shortest" ? undefined : digits));
    return Object.is(x, -0) ? "-" + text : text; // JavaScript writes no sign there
}
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", line => process.stdout.write((style === "read" ? read(line) : write(line)) + "\n"));
"""
# What node has of styles: --digits goes to 100, and toFixed writes numbers from 10^21 on in another way.
NODE_STYLES = ("shortest", "exponent")
LETTERS = {"exponent": "e", "fixed": "f", "general": "g"}


def python_read(text):
    try:
        return float(text)
    except ValueError:
        return math.nan


def scientific(text):
    """repr's digits as %e has them."""
    sign, whole, point, exponent = re.fullmatch(r"(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?", text).groups()
    digits = (whole + (point or "")).lstrip("0")
    place = len(whole) - 1 + int(exponent or 0) - (len(whole + (point or "")) - len(digits))
    digits = digits.rstrip("0") or "0"
    place = place if digits != "0" else 0
    return f"{sign}{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}e{'-' if place < 0 else '+'}{abs(place):02d}"


def python_write(style, digits):
    if style == "shortest":
        return lambda x: scientific(repr(x)) if math.isfinite(x) else str(x)
    return (lambda x: f"%.{digits}{LETTERS[style]}" % x) if style in LETTERS else None


def numpy_read(kind):
    def read(text):
        try:
            with np.errstate(over="ignore"):  # a warning for each line
                return kind(text)
        except ValueError:
            return math.nan
    return read


def numpy_write(style, digits):
    if style == "shortest":
        return lambda x: np.format_float_scientific(x, trim="-", exp_digits=2)
    if style == "exponent":
        return lambda x: np.format_float_scientific(x, precision=digits, unique=False, trim="-" if not digits else "k", exp_digits=2)
    if style == "fixed":
        return lambda x: np.format_float_positional(x, precision=digits, unique=False, trim="-" if not digits else "k")
    return None


class Command:
    """One that answers a line by a line."""

    def __init__(self, words):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, lines):
        answers = []
        for start in range(0, len(lines), 64):  # as much as pipes hold
            part = lines[start:start + 64]
            self.process.stdin.write(b"".join(line + b"\n" for line in part))
            self.process.stdin.flush()
            answers += [self.process.stdout.readline().rstrip(b"\n") for _ in part]
        return answers


def texts_of(codes):
    lines = codes.astype(np.uint8).reshape(-1, codes.shape[-1])
    return [bytes(line).split(b"\0", 1)[0] for line in lines]


def lines_of(texts, shape):
    lines = np.zeros((len(texts), shape[-1]), np.uint8)
    for line, text in zip(lines, texts):
        line[:len(text)] = np.frombuffer(text[:len(line)], np.uint8)
    return [lines.reshape(shape)]


def reader(who, wide):
    """A function from texts to numbers' codes."""
    kind, code = (np.float64, np.uint64) if wide else (np.float32, np.uint32)
    if who in ("python", "numpy"):
        read = python_read if who == "python" else numpy_read(kind)
        return lambda texts: np.array([read(text.decode("latin-1")) for text in texts], kind).view(code)
    command = Command(["node", "-e", NODE, "read", "0", "64" if wide else "32"])
    return lambda texts: np.array([int(answer, 16) for answer in command.ask(texts)], code)


def writer(who, kind, style, digits):
    """A function from numbers to texts."""
    if who in ("python", "numpy"):
        write = (python_write if who == "python" else numpy_write)(style, digits)
        if not write:
            return None
        return lambda numbers: [write(float(x) if who == "python" else x).encode() for x in numbers]
    if style not in NODE_STYLES or digits > 100:
        return None
    command = Command(["node", "-e", NODE, style, str(digits), "64"])
    code = f"u{np.dtype(kind).itemsize}"
    return lambda numbers: command.ask([f"{int(x):x}".encode() for x in numbers.view(code)])


def start(request):
    who = sys.argv[1] if len(sys.argv) > 1 else "python"
    names = {"python": f"Python {sys.version.split()[0]}", "numpy": f"numpy {np.__version__}", "node": "node"}
    if who not in names:
        return None, f"texts_adapter.py takes python, numpy or node, and not {who}"
    name = names[who]
    formats = {"fp64": np.float64, "fp32": np.float32}
    refused = f"{name} has no {request.operation} of that format, rounding, style and number of digits"
    reads = request.operation == "from_decimal"
    kind = formats.get(request.parameters.get("to") if reads else request.format)
    if request.operation not in ("from_decimal", "to_decimal") or not kind or request.rounding != "nearest-even":
        return None, refused
    if who in ("python", "node") and kind is not np.float64:
        return None, refused
    if reads:
        try:
            read = reader(who, kind is np.float64)
        except OSError as error:
            return None, f"{who}: {error.strerror}"

        def compute(texts, shapes):
            return [read(texts_of(texts)).reshape(shapes[0])]
    else:
        style, digits = request.parameters.get("style", "shortest"), int(request.parameters.get("digits", "6"))
        try:
            write = writer(who, kind, style, digits)
        except OSError as error:
            return None, f"{who}: {error.strerror}"
        if not write:
            return None, refused

        def compute(numbers, shapes):
            return lines_of(write(numbers.view(kind).reshape(-1)), shapes[0])
    compute.takes_shapes = True
    return compute, name


serve(start, arrays=True)
