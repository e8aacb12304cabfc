"""Which texts are numbers by --grammar, beside regular expressions: the number and its end. Planted faults of scanf are found."""

import math
import os
import random
import re
import shutil
import sys
import unittest

from harness import Case, parse

LIBRARY = os.environ["TEXT_LIBRARY"]
# As a command of exec-text:, which answers by the expressions, and as a module of this test.
MODEL = r'''
import re
import sys

DECIMAL = r"(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
C = r"(?:0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[-+]?\d+)?|%s|inf(?:inity)?|nan(?:\(\w*\))?)" % DECIMAL
DIGITS = r"\d(?:_?\d)*"
NUMBERS = {
    "strtod": r"[ \t\n\v\f\r]*[-+]?" + C,
    "scanf": r"[ \t\n\v\f\r]*[-+]?" + C,
    "from_chars": r"-?(?:%s|inf(?:inity)?|nan(?:\(\w*\))?)" % DECIMAL,
    "python": r"[ \t\n\v\f\r\x1c-\x1f\x85\xa0]*[-+]?(?:(?:D\.?(?:D)?|\.D)(?:e[-+]?D)?|inf(?:inity)?|nan)[ \t\n\v\f\r\x1c-\x1f\x85\xa0]*"
              .replace("D", DIGITS),
    "javascript": r"S*(?:[-+]?(?:%s|(?-i:Infinity))|0x[0-9a-f]+|0o[0-7]+|0b[01]+)?S*" % DECIMAL,
    "parse-float": r"S*[-+]?(?:%s|(?-i:Infinity))" % DECIMAL}
NUMBERS = {name: text.replace("S*", r"[ \t\n\v\f\r\xa0]*") for name, text in NUMBERS.items()}
WHOLE = ("python", "javascript")
NUMBERS = {name: re.compile(text, re.IGNORECASE | re.ASCII) for name, text in NUMBERS.items()}
# Any beginning of a number is a number with one of these behind.
RESTS = ("", "0", ")", "nf", "f", "an", "n", "nity", "ity", "ty", "y")


def taken(grammar, text):
    """The number at the beginning of the text; "" where none stands there."""
    number = NUMBERS[grammar]
    if grammar in WHOLE:
        return text if number.fullmatch(text) else ""
    if grammar != "scanf":
        return max((text[:end] for end in range(len(text) + 1) if number.fullmatch(text[:end])), key=len, default="")
    item = max((text[:end] for end in range(len(text) + 1) if any(number.fullmatch(text[:end] + rest) for rest in RESTS)), key=len)
    return item if number.fullmatch(item) else ""


def value(grammar, text):
    """What is read, by Python."""
    found = taken(grammar, text)
    item = found.strip().lower()
    if not item:
        is_blank = grammar == "javascript" and NUMBERS[grammar].fullmatch(text)
        return float("nan" if grammar in (*WHOLE, "parse-float") and not is_blank else 0)
    if grammar == "javascript" and item[1:2] in ("x", "o", "b"):
        return float(int(item, 0))
    if "0x" not in item:
        return float(item.partition("(")[0])
    try:
        return float.fromhex(item)
    except OverflowError:
        return float("-inf" if "-" in item.partition("x")[0] else "inf")


if __name__ == "__main__":
    words = dict(word.split("=") for word in sys.stdin.buffer.readline().decode().split() if "=" in word)
    grammar = sys.argv[1] if sys.argv[1:] else words.get("grammar", "strtod")
    print("ready hexadecimal+length model", flush=True)
    for line in sys.stdin.buffer:
        text = line[:-1].decode("latin-1")
        print(len(taken(grammar, text)), value(grammar, text).hex(), flush=True)
'''
# Number or parseFloat of the text in each line.
NODE = r'''
let rest = Buffer.alloc(0), isReady = false
const read = process.argv[2] === "javascript" ? Number : parseFloat
function answer(line) {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleBE(read(line.toString("latin1")))
    return isReady ? "0x" + bytes.toString("hex") : (isReady = true, "ready bits node")
}
process.stdin.on("data", (bytes) => {
    rest = Buffer.concat([rest, bytes])
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        process.stdout.write(answer(rest.subarray(0, end)) + "\n")
        rest = rest.subarray(end + 1)
    }
})
'''
model = {"__name__": "model"}
exec(MODEL, model)  # pylint: disable=exec-used
GRAMMARS = ("strtod", "scanf", "from_chars", "python", "javascript", "parse-float")
WORDS = ["inf", "-INF", "Infinity", "infinit", "-infini", "INFI", "infx", "in", "na", "i", "nan", "NaN(12)", "nan(", "nan(1_a)x", "nan(-)", "-nan",
         "0", "-0", "1e", "1e+", "1.5e-", "1e+5", "0x", "0xg", "0x.", "0x.p1", "0x1p", "0x1p+", "0x1p+4", "-0x.8p1", "0X1.P2", "0x1p1_0", ".", "-",
         "+", "+1", "-1", "--1", "+-1", ".e5", "-.5", "5.", "1,5", "1_000", "1__0", "_1", "1_", "1_.5", "1._5", "1_e5", "1e1_0", "1e_1", "1.5_0", " 2",
         "\t-3 ", " ", "", "\x0b\x0c\r7", "4\r", "1 5", "x", "1e5e5", "1.2.3", "0b101", "1f", "1e999", "-1e-999", "\x1c3\x1f", "\xa04\x85", "\xa04x",
         "infinity ", "nan ", "0x1e5", "1d5", "e5", "1e0005", "0o17", " 0O7 ", "0o8", "0B11", "0b2", "0xfF", "-0x1", "+0b1", "0x1.", "0x1p1", "\xa0Infinity\xa0",
         "-Infinity", "Infinityx", "infinity", "0x1ffffffffffffffffffffff", "0x20000000000001", "0b", "0o"]


def texts(count):
    """Words with characters that are put in, taken out or cut off."""
    draw = random.Random(56)
    for _ in range(count):
        text = draw.choice(WORDS + ["12.5e-3", "0x1.8p-12", "infinity", "nan(a1)", "1_2.3_4e0_5"])
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(text) + 1)
            put = draw.choice("0123.eExXpP+-_infatyINFNA() \t")
            text = draw.choice((text[:at] + put + text[at:], text[:at] + text[at + 1:], text[:at]))
        yield text


class Grammar(Case):
    def sweep(self, grammar, implementation, lines, *options):
        path = self.file("lines", "".join(line + "\n" for line in lines).encode("latin-1"))
        result, = parse(self.succeed("sweep", "from_decimal", *(["--grammar", grammar] if grammar else []), "--inputs", path,
                                     "--impl", implementation, *options, "--json", "-"))["results"]
        one = result["implementations"][0]
        self.assertEqual(one["tested"], len(lines))
        return one["incorrectly_rounded"] + one["nan_mismatches"], one["lengths"]

    def judged(self, grammar, implementation, lines, *options):
        """How many numbers and how many ends are wrong."""
        wrong, lengths = self.sweep(grammar, implementation, lines, *options)
        self.assertEqual(lengths["lines"], len(lines))
        return wrong, lengths["wrong"]

    def command(self, *words):
        return " ".join([f"exec-text:{sys.executable}", self.file("model.py", MODEL), *words])

    def test_numbers_and_ends_are_those_of_the_expressions(self):
        lines = WORDS + list(texts(800))
        for grammar in GRAMMARS:
            self.assertEqual(self.judged(grammar, self.command(), lines), (0, 0), grammar)
        self.assertEqual(self.judged(None, self.command(), lines), (0, 0))

    def different(self, one, other, lines):
        """How many numbers and ends two grammars have apart."""
        taken, value = model["taken"], model["value"]
        numbers = [(value(one, text), value(other, text)) for text in lines]
        return (sum(a != b and not (math.isnan(a) and math.isnan(b)) or math.copysign(1, a) != math.copysign(1, b) and a == b == 0
                    for a, b in numbers), sum(len(taken(one, text)) != len(taken(other, text)) for text in lines))

    def test_the_rule_of_another_function_is_wrong(self):
        for grammar in GRAMMARS:
            for other in GRAMMARS:
                want = self.different(grammar, other, WORDS)
                self.assertEqual(self.judged(grammar, self.command(other), WORDS), want, (grammar, other))
                self.assertEqual(min(want) > 5, grammar != other, (grammar, other))

    def scanned(self, name, lines, *options):
        return self.judged("scanf", f"lib:{LIBRARY}:scan_{name}", lines, *options)

    def test_faults_of_scanf(self):
        """One that goes back as strtod does, one that never stores the length, and one that returns 0."""
        lines = [text for text in WORDS if text.isascii()]
        self.assertEqual(self.scanned("going_back", lines), self.different("scanf", "strtod", lines))
        numbers = [text for text in lines if model["taken"]("strtod", text)]
        self.assertEqual(self.scanned("without_length", lines)[1],
                         sum(bool(model["taken"]("strtod", text) or model["taken"]("scanf", text)) for text in lines))
        wrong, ends = self.scanned("finding_nothing", numbers)
        self.assertEqual(ends, sum(bool(model["taken"]("scanf", text)) for text in numbers))
        self.assertGreater(wrong, 10)

    def test_scanf_may_set_errno(self):
        """C says nothing of it; for strtod that is a fault."""
        path = self.file("lines", "1\n1e999\n")
        for grammar, name, faults in (("scanf", "scan_with_erange", 0), ("strtod", "read_with_erange", 1)):
            result, = parse(self.succeed("sweep", "from_decimal", "--grammar", grammar, "--inputs", path, "--errno", "--impl",
                                         f"lib:{LIBRARY}:{name}", "--json", "-"))["results"]
            self.assertEqual(sum(one["count"] for one in result["implementations"][0]["errno"]["faults"]), faults, name)

    def test_fp32_is_scanned_too(self):
        lines = ["1.00000005960464477539062500001", "0x1.000001p0", "1e39", "16777217", "1e-46"]
        self.assertEqual(self.judged("scanf", "libm", lines, "--to", "fp32"), (0, 0))
        self.assertEqual(self.judged("scanf", "lib:libc.so.6:sscanf", lines, "--to", "fp32"), (0, 0))

    def test_sscanf_of_the_platform(self):
        """glibc's takes exponents without digits, 0x. without digits, and nan without its characters; nothing else is wrong."""
        known = re.compile(r"\s*[-+]?(?:0x\.(?![0-9a-f])|[0-9.]+e[-+]?(?!\d)|0x[0-9a-f.]+p[-+]?(?!\d)|nan\()", re.IGNORECASE)
        lines = [text for text in WORDS + list(texts(400)) if text.isascii() and not known.match(text)]
        self.assertGreater(len(lines), 300)
        self.assertEqual(self.judged("scanf", "libm", lines), (0, 0))

    def test_functions_of_node(self):
        node = shutil.which("node")
        if not node:
            self.skipTest("there is no node")
        lines = WORDS + list(texts(400))
        path = self.file("lines", "".join(line + "\n" for line in lines).encode("latin-1"))
        command = f"exec-text:{node} {self.file('reads.js', NODE)}"
        for grammar, others in (("javascript", "parse-float"), ("parse-float", "javascript")):
            for judged, right in ((grammar, True), (others, False)):
                result, = parse(self.succeed("sweep", "from_decimal", "--grammar", judged, "--inputs", path, "--impl",
                                             f"{command} {grammar}", "--json", "-"))["results"]
                one = result["implementations"][0]
                self.assertEqual(one["tested"], len(lines))
                self.assertEqual(one["incorrectly_rounded"] + one["nan_mismatches"] == 0, right, (grammar, judged))

    def test_who_has_no_such_grammar_says_so(self):
        done = self.run_program("sweep", "from_decimal", "-n", "1", "--distribution", "words", "--grammar", "python", "--impl", "libm")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertRegex(done.stderr.decode(), "^detcheck: nothing was tested: C has no function that reads by the grammar of python\n$")
        self.assertIn("--grammar", self.refuse("sweep", "from_decimal", "--grammar", "pascal", "--impl", "libm"))


if __name__ == "__main__":
    unittest.main()
