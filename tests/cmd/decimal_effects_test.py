"""What calls of strtod and snprintf do besides giving a result: the end, the length, errno and flags, beside Python's fractions. Planted
faults are found, each as what it is, and in as many texts as Python says."""

import math
import os
import re
import sys
import unittest
from fractions import Fraction

from harness import Case, parse

LIBRARY, WORKER = os.environ["TEXT_LIBRARY"], os.environ["WORKER"]
NUMBER = re.compile(r"\s*[-+]?(0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[-+]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
                    r"|inf(?:inity)?|nan(?:\(\w*\))?)", re.IGNORECASE | re.ASCII)
LARGEST, LEAST, TINIEST = Fraction(2) ** 1024 - Fraction(2) ** 970, Fraction(2) ** -1022, Fraction(2) ** -1074
TEXTS = ["0.1", "0.5", "1,5", "1e", "1e+", "0x", "0x.8p1", "0x1p+", ".", "-", "", "no number", "-0", "inf", "-INFINITY", "infinit", "nan",
         "nan(7)", "nan(a_9)x", "nan(7", "nan(-)", " \t2", "1_000", "5.", "+.5", "12 ", "1e400", "-1e400", "1e-400", "-1e-400", "4e-320",
         "1.8e308", "0x1p-1074", "0x1p-1075", "0x1.8p-1074", "0x1p-1022", "0x1.fffffffffffffp-1023", "0x1.fffffffffffff8p-1023",
         "0x1.fffffffffffff7p-1023", "0x1p-1060", "0x1.fffffffffffffp1023", "0x1.fffffffffffff7p1023", "0x1.fffffffffffff8p1023", "1e22",
         "1e23", "9007199254740993", "9007199254740992", "2.2250738585072011e-308", "0e5", "0x0p9", "3.25trailing"]
NUMBERS = [0.0, -0.0, 0.5, 0.1, 1e23, 2.0 ** 60, 2.0 ** -20, 1.0, 1.5, 5e-324, math.inf, 123456789.5, 1 + 2.0 ** -30]


def value(text):
    """The number at the beginning of a text as a fraction, and where it ends; None and an end of what is none or not finite."""
    found = NUMBER.match(text)
    if not found:
        return None, 0
    word, sign = found.group(1).lower(), -1 if "-" in found.group()[:found.start(1)] else 1
    if word[0] in "in":
        return None, found.end()
    if word.startswith("0x"):
        digits, _, exponent = word[2:].partition("p")
        whole, _, behind = digits.partition(".")
        return sign * Fraction(int(whole + behind or "0", 16)) * Fraction(2) ** (int(exponent or 0) - 4 * len(behind)), found.end()
    digits, _, exponent = word.partition("e")
    return sign * Fraction(digits) * Fraction(10) ** int(exponent or 0), found.end()


def rounded(y):
    """|y| rounded to fp64's places, with an exponent that has no end above."""
    unit = TINIEST
    while y / unit >= 2 ** 53:
        unit *= 2
    whole, rest = divmod(y / unit, 1)
    return (whole + (rest > Fraction(1, 2) or rest == Fraction(1, 2) and whole % 2)) * unit


def unbounded(y):
    """|y| rounded to 53 bits, whatever its exponent."""
    return rounded(y * 2 ** 2000) / 2 ** 2000


def facts(text):
    """Which flags reading the text raises, what has to be in errno, and what may be."""
    y, _ = value(text)
    if not y:
        return set(), False, False
    y = abs(y)
    result = rounded(y)
    flags = {"inexact"} if result != y else set()
    over, tiny = result > LARGEST, y < LEAST
    if over:
        flags |= {"overflow", "inexact"}
    if result != y and tiny and unbounded(y) < LEAST:
        flags.add("underflow")
    return flags, over or "underflow" in flags, over or tiny


# A command of exec-text: that answers every line in one way.
COMMAND = """
import sys
how, asked = sys.argv[1], next(sys.stdin).split("tells=")[1].split()[0]
print("ready decimal+" + {"all": asked.replace(",", "+"), "turned": "flags+errno+length", "twice": "length+length", "other": "length+size",
                          "unasked": "length+errno"}.get(how, "length"), "worker", flush=True)
for _ in sys.stdin:
    print({"all": "3 ERANGE inexact,overflow underflow 1", "turned": "inexact,overflow underflow ERANGE 3 1", "none": "- 1",
           "length": "3 1", "word": "three 1", "text": "7 0x1.8p+0 and more"}.get(how, how), flush=True)
"""


class DecimalEffects(Case):
    def sweep(self, operation, implementation, *options, lines=TEXTS):
        path = self.file("lines", "".join(line + "\n" for line in lines))
        return self.only("sweep", operation, "--inputs", path, "--flags", "--tininess", "after", "--impl", implementation, *options)

    def only(self, *words, **options):
        result, = parse(self.succeed(*words, "--json", "-", **options))["results"]
        return result["implementations"][0]

    def reading(self, name, *options):
        return self.sweep("from_decimal", f"lib:{LIBRARY}:read_{name}" if name != "libm" else name, "--errno", *options)

    def faults(self, part):
        self.assertTrue(part["told"])
        return {(fault["fault"], fault.get("flag", fault.get("errno"))): fault["count"] for fault in part["faults"]}

    def test_libm_has_no_fault(self):
        """glibc's, that is, and by lib: as by libm."""
        for name in ("libm", "lib:libc.so.6:strtod"):
            one = self.sweep("from_decimal", name, "--errno")
            self.assertEqual((one["tested"], one["incorrectly_rounded"]), (len(TEXTS), 0))
            self.assertEqual(one["lengths"], {"lines": len(TEXTS), "wrong": 0, "first": None})
            self.assertEqual((self.faults(one["flags"]), self.faults(one["errno"])), ({}, {}), name)
            self.assertEqual((one["flags"]["calls"], one["errno"]["calls"]), (len(TEXTS), len(TEXTS)))

    def test_cut_subnormal_hexadecimal_is_found(self):
        """By a call of each shape: 0x1.8p-1074 read as 0x1p-1074. The inputs that it names are wrong by fractions, too."""
        words = ("sweep", "from_decimal", "-n", "1", "--distribution", "hexadecimal", "--impl")
        self.assertEqual(self.only(*words, "lib:libc.so.6:strtod")["incorrectly_rounded"], 0)
        one = self.only(*words, f"lib:{LIBRARY}:read_cutting_subnormal")
        self.assertGreater(one["incorrectly_rounded"], 64)
        for worst in one["worst"]:
            got, want = (int(worst[which], 16) & 2 ** 63 - 1 for which in ("got", "want"))
            self.assertEqual(got + 1, want)
            self.assertLessEqual(want * TINIEST, LEAST)
        text = self.succeed(*words, f"lib:{LIBRARY}:read_cutting_subnormal")
        read, got, want = (re.search(pattern, text).group(1) for pattern in (r'at .*\n *"(.*)"', r"got .*  (0x\w+)\n", r"want .*  (0x\w+)\n"))
        self.assertEqual(rounded(abs(value(read)[0])), (int(want, 16) & 2 ** 63 - 1) * TINIEST)
        self.assertNotEqual(got, want)

    def test_ends(self):
        wrong = [text for text in TEXTS if value(text)[1] != len(text)]
        one = self.reading("to_the_end")["lengths"]
        self.assertEqual((one["lines"], one["wrong"]), (len(TEXTS), len(wrong)))
        self.assertEqual((one["first"]["got"], one["first"]["want"]), (len(wrong[0]), value(wrong[0])[1]))
        self.assertEqual(one["first"]["input"]["element"], TEXTS.index(wrong[0]))
        self.assertEqual(self.reading("one_too_far")["lengths"]["wrong"], sum(0 < value(text)[1] < len(text) for text in TEXTS))
        one = self.reading("without_end")["lengths"]
        self.assertEqual((one["wrong"], one["first"]["got"]), (len(TEXTS), None))

    def test_errno(self):
        required = [text for text in TEXTS if facts(text)[1]]
        self.assertEqual(self.faults(self.reading("without_erange")["errno"]), {("missing", "ERANGE"): len(required)})
        below = [text for text in required if abs(value(text)[0]) < 1]
        self.assertEqual(self.faults(self.reading("without_erange_below")["errno"]), {("missing", "ERANGE"): len(below)})
        self.assertGreater(len(required), len(below))
        spurious = [text for text in TEXTS if not facts(text)[2]]
        self.assertEqual(self.faults(self.reading("with_erange")["errno"]), {("spurious", "ERANGE"): len(spurious)})

    def test_flags(self):
        for flag in ("inexact", "overflow", "underflow"):
            count = sum(flag in facts(text)[0] for text in TEXTS)
            self.assertGreater(count, 2)
            self.assertEqual(self.faults(self.reading("without_" + flag)["flags"]), {("missing", flag): count}, flag)
        self.assertEqual(self.faults(self.reading("with_invalid")["flags"]), {("spurious", "invalid"): len(TEXTS)})
        self.assertEqual(self.faults(self.reading("clearing")["flags"]), {("cleared", "divide-by-zero"): len(TEXTS)})
        self.assertEqual(self.faults(self.reading("clearing", "--may-clear")["flags"]), {})

    def writing(self, name, *options):
        return self.sweep("to_decimal", f"lib:{LIBRARY}:write_{name}" if name != "libm" else name, "--style", "exponent", "--digits", "3",
                          *options, lines=[float.hex(x) for x in NUMBERS])

    def test_written_texts(self):
        exact = sum(math.isinf(x) or Fraction("%.3e" % x) == Fraction(x) for x in NUMBERS)
        self.assertTrue(0 < exact < len(NUMBERS))
        self.assertEqual(self.faults(self.writing("with_inexact")["flags"]), {("spurious", "inexact"): exact})
        found = self.faults(self.writing("with_overflow")["flags"])
        self.assertEqual(found[("spurious", "overflow")], len(NUMBERS))
        one = self.writing("libm")
        self.assertEqual((one["incorrectly_rounded"], one["lengths"]["wrong"], one["lengths"]["lines"]), (0, 0, len(NUMBERS)))
        self.assertIn(self.faults(one["flags"]), ({}, {("missing", "inexact"): len(NUMBERS) - exact}))  # C libraries differ
        for name, length in (("with_zero", len("%.3e" % NUMBERS[0]) + 1), ("below_zero", None)):
            one = self.writing(name)["lengths"]
            self.assertEqual((one["wrong"], one["first"]["got"], one["first"]["want"]), (len(NUMBERS), length, len("%.3e" % NUMBERS[0])))

    def test_the_protocol_tells_the_same(self):
        """By a worker in a process of its own: the same counts as by lib: itself, and the same first inputs."""
        reads = ("to_the_end", "one_too_far", "without_end", "without_erange", "with_erange", "without_underflow", "with_invalid", "clearing")
        for work, name in [*((self.reading, name) for name in reads), *((self.writing, name) for name in ("with_zero", "below_zero"))]:
            with self.subTest(name=name):
                kind = "read_" if work == self.reading else "write_"
                near = work(name)
                sweep = self.sweep
                self.sweep = lambda operation, _, *options, **given: sweep(
                    operation, f"exec:{WORKER} lib:{LIBRARY}:{kind}{name}", *options, **given)  # pylint: disable=cell-var-from-loop
                far = work(name)
                self.sweep = sweep
                self.assertEqual(far["events"], near["events"])
                for part in ("lengths", "flags", "errno"):
                    self.assertEqual(far.get(part), near.get(part), part)
                self.assertEqual(far["fingerprint"], near["fingerprint"])

    def line(self, how, *options, operation="from_decimal", lines=("1.5",)):
        command = f"exec-text:{sys.executable} {self.file('command.py', COMMAND)} {how}"
        path = self.file("lines", "".join(line + "\n" for line in lines))
        return ("sweep", operation, "--inputs", path, "--impl", command, *options)

    def test_commands_of_lines_tell(self):
        for how in ("all", "turned"):
            one = self.only(*self.line(how, "--flags", "--errno", "--tininess", "after"), notes=True)  # of a wrong result, after 2 s
            self.assertEqual(one["lengths"], {"lines": 1, "wrong": 0, "first": None})
            self.assertEqual(self.faults(one["errno"]), {("spurious", "ERANGE"): 1})
            self.assertEqual(self.faults(one["flags"]), {("spurious", "inexact"): 1, ("spurious", "overflow"): 1, ("cleared", "underflow"): 1})
            self.assertEqual(one["incorrectly_rounded"], 1)
        one = self.only(*self.line("length", lines=("1", "1,5", "x")))
        self.assertEqual((one["lengths"]["lines"], one["lengths"]["wrong"]), (3, 3))
        self.assertEqual((one["lengths"]["first"]["got"], one["lengths"]["first"]["want"], "flags" in one), (3, 1, False))
        self.assertIsNone(self.only(*self.line("none"), notes=True)["lengths"]["first"]["got"])
        one = self.only(*self.line("text", "--style", "hexadecimal", operation="to_decimal"))
        self.assertEqual((one["lengths"]["first"]["got"], one["lengths"]["first"]["want"]), (7, len("0x1.8p+0 and more")))

    def test_words_that_say_nothing_are_errors(self):
        for how, options, said in (("twice", (), "exec-text: the first line of the command is 'ready decimal.length.length worker'"),
                                   ("other", (), "one of these with a . and what 'tells=' asks for"),
                                   ("unasked", (), "the first line of the command is"),
                                   ("word", (), "it wrote 'three' where a length is expected, a number of bytes or -"),
                                   ("-1", (), "it wrote '-1' where a length is expected"),
                                   ("18446744073709551615", (), "it wrote '18446744073709551615' where a length is expected"),
                                   ("turned", ("--errno",), "the first line of the command is"),
                                   ("''", (), "where a length is expected")):
            with self.subTest(how=how):
                done = self.run_program(*self.line(how, *options))
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertRegex(done.stderr.decode(), said)

    def evaluated(self, *words):
        result, = parse(self.succeed("eval", *words, "--tininess", "after", "--json", "-"))["results"]
        return [element["implementations"][0] for element in result["elements"]]

    def test_eval_shows_what_a_function_did_besides(self):
        for name, changed in (("without_underflow", "flags"), ("with_erange", "errno"), ("one_too_far", "length"), ("without_end", "length")):
            texts = ["0.1", "1e-400", "1,5", "no"]
            found = self.evaluated("from_decimal", *texts, "--flags", "--errno", "--impl", f"lib:{LIBRARY}:read_{name}")
            for text, one in zip(texts, found):
                flags, required, permitted = facts(text)
                length = value(text)[1]
                self.assertEqual(one["right_length"], length)
                wrong = {"length": one["length"] != length, "errno": not one["errno"]["right"],
                         "flags": bool(one["flags"]["missing"] or one["flags"]["spurious"] or one["flags"]["cleared"])}
                planted = {"without_underflow": "underflow" in flags, "with_erange": not (required or permitted), "without_end": True,
                           "one_too_far": 0 < length < len(text)}[name]
                self.assertEqual(wrong, {part: part == changed and planted for part in wrong}, (name, text))
        text = self.succeed("eval", "to_decimal", "0.5", "--style", "exponent", "--digits", "3", "--impl", f"lib:{LIBRARY}:write_with_zero")
        self.assertIn("returns the length 10, not 9\n", text)
        text = self.succeed("eval", "from_decimal", "1,5", "--errno", "--impl", f"lib:{LIBRARY}:read_without_end", "--impl", "cr")
        self.assertRegex(text, r"sets no end, not 1\n +errno none, as it should be\n(.*\n){2} +it does not report errno\n")
        self.assertIn("--flags and --errno are for operations on numbers and texts; sum is on arrays",
                      self.refuse("eval", "sum", "1", "--flags"))

    def test_who_tells_nothing_is_not_called_clean(self):
        one = self.sweep("from_decimal", "cr", "--errno")
        self.assertEqual((one["lengths"], one["flags"], one["errno"]),
                         ({"lines": 0, "wrong": 0, "first": None}, {"told": False}, {"told": False}))
        one = self.only("sweep", "to_decimal", "-n", "1", "--distribution", "ends", "--flags", "--impl", "libm")  # the shortest: several calls
        self.assertEqual((one["lengths"]["lines"], one["flags"]), (0, {"told": False}))
        self.assertIn("C leaves errno open after to_decimal", self.refuse("sweep", "to_decimal", "--errno", "--impl", "libm"))

    def test_shards_merge_and_text_page_and_gate_tell(self):
        words = ("sweep", "from_decimal", "--flags", "--errno", "-n", "4", "--shape", "20x40", "--distribution", "ends",
                 "--impl", f"lib:{LIBRARY}:read_without_underflow", "--impl", f"lib:{LIBRARY}:read_one_too_far")
        text = self.succeed(*words, "--json", "whole.json")
        for number in (1, 2):
            self.succeed(*words, "--shard", f"{number}/2", "--json", f"{number}.json")
        merged = parse(self.succeed("merge", "2.json", "1.json"))["results"][0]["implementations"]
        whole = parse(self.read("whole.json"))["results"][0]["implementations"]
        for part in ("flags", "errno", "lengths"):
            self.assertEqual([one[part] for one in merged], [one[part] for one in whole])
        count = self.faults(whole[0]["flags"])[("missing", "underflow")]
        self.assertGreater(count, 0)
        self.assertRegex(text, rf"underflow missing +{count}\n")
        self.assertRegex(text, r"end of the number +0 of 80 calls returned a wrong one")
        self.gate_says("max_missing_flags", count)
        self.gate_says("max_wrong_lengths", 0)
        self.succeed("report", "whole.json", "-o", "page.html")
        page = self.read("page.html")
        table = page[page.index("<caption>Exception flags, errno and lengths"):]
        table = re.sub("<[^>]*>", "|", table[:table.index("</table>")])
        self.assertRegex(table, r"length\|none\|0\|80")
        self.assertRegex(table, rf"underflow\|missing\|{count}\|80")

    def gate_says(self, limit, most):
        option = "--" + limit.replace("_", "-")
        self.succeed("gate", "whole.json", option, most)
        if most:
            checks = parse(self.succeed("gate", "whole.json", option, most - 1, "--json", "-", code=1))["checks"]
            self.assertIn((limit, str(most)), [(check["check"], check["found"]) for check in checks if check["status"] == "failed"])

    def test_wrong_ends_fail_a_gate(self):
        path = self.file("lines", "1 \n12x\n")
        words = ("sweep", "from_decimal", "--inputs", path, "--impl", f"lib:{LIBRARY}:read_one_too_far")
        text = self.succeed(*words, "--json", "whole.json")
        self.assertRegex(text, r"end of the number +2 of 2 calls returned a wrong one\n +first +element 0[^\n]*\n +\"1 \"\n +got  2\n +want 1")
        self.gate_says("max_wrong_lengths", 2)
        self.succeed("report", "whole.json", "-o", "page.html")
        self.assertIn("told 2; right 1", self.read("page.html"))



class Scanf(Case):
    """C 7.21.6.2: scanf takes the longest text that begins a number, and fails if that is none; strtod takes the longest number."""

    def wrong(self, *words):
        path = self.file("words", "\n".join(words))
        result, = self.document("sweep", "from_decimal", "--inputs", path, "--impl", f"lib:{LIBRARY}:read_as_scanf_does")["results"]
        tally, = result["implementations"]
        return tally["tested"], tally["incorrectly_rounded"] + tally["nan_mismatches"]

    def test_the_begin_of_infinity_is_no_number_to_it(self):
        begins = ["infi", "INFIN", "-infini", "infinit"]
        self.assertEqual(self.wrong(*begins), (4, 4))

    def test_other_words_are_the_same_numbers(self):
        words = ["inf", "-INF", "infinity", "Infinityx", "nan", "NAN(12)", ".", "-", "+", ".e5", "0x", "0xg", "0x.p1", "1e", "1e+", "0x1p+",
                 "1.5x", "-0", " 2", "1e23", "0x1.8p1", "x", "in", "na"]
        self.assertEqual(self.wrong(*words), (len(words), 0))


if __name__ == "__main__":
    unittest.main()
