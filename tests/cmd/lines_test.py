"""Lines of other projects: as inputs of a sweep, and in verify where they hold results."""

import ctypes
import os
import random
import struct
import unittest

import harness

# Shapes as the projects have them, with comments, other functions, and what is passed over.
WC = "# worst cases\n0x1.8p+0\n-0x1.fffffep-3  # a comment\n+inf\nsnan\n\n"
TESTFLOAT = "3F800000 40000000 40000000 00\n7F800000 00000000 FFC00000 10\n00000001 3F000000 00000000 03\n"
TST = """; a comment
func=expf op1=3f800000 result=402df854.58a errno=0
func=exp op1=3ff00000.00000000 result=4005bf0a.8b145769.535 errno=0
func=expf op1=ff800000 result=00000000 errno=0
func=expf op1=7f800001 result=7fc00001 errno=0 status=i
func=powf op1=40000000 op2=3f000000 result=3fb504f3.33f errno=0
func=sinf op1=00000001 result=00000000.800 errno=0 maybeerror=underflow
"""
CSV = """dtype,input,output,ulperrortol
# a comment
np.float32,0x3f800000,0x402df854,3
np.float64,0x3ff0000000000000,0x4005bf0a8b145769,3
"""
GLIBC = """# a comment
exp 0x1p-1
exp 0.1 xfail-rounding:ldbl-128ibm
exp -max
exp min_subnorm no-test-inline
exp 1e400
pow 2 0.1
"""
GLIBC_OUT = """exp 1
= exp downward binary32 0x1p+0 : 0x2.b7e15p+0 : inexact-ok
= exp tonearest binary32 0x1p+0 : 0x2.b7e15p+0 : inexact-ok
= exp upward binary32 0x1p+0 : 0x2.b7e154p+0 : inexact-ok
= exp towardzero binary64 0x1p+0 : 0x2.b7e151628aed2p+0 : inexact-ok
= exp tonearest intel96 0x1p+0 : 0x2.b7e151628aed2a6cp+0 : inexact-ok
= exp tonearest binary32 0xf.fffffp+124 : plus_infty : inexact-ok overflow errno-erange
= exp tonearest binary32 -0xf.fffffp+124 : 0x0p+0 : inexact-ok underflow errno-erange
= pown tonearest binary32 0x2p+0 3LL : 0x8p+0 : inexact-ok
= add tonearest binary32:arg_fmt(0,1,-30,31) 0x1.00000004p+0 0x1p+0 : 0x2p+0 : inexact
= add tonearest binary32:arg_fmt(0,0,0,0) 0x1p+0 0x1p+0 : 0x2p+0 :
"""
LIBC_TEST = """// a remark
T(RN,    0x1p+0,  0x1.5bf0a8p+1, 0x1.4f7b8cp-2, INEXACT)
T(RZ,    0x1p+0,  0x1.5bf0a8p+1, 0x1.4f7b8cp-2, INEXACT)
T(RU,    0x1p+0,  0x1.5bf0aap+1, -0x1p-1, INEXACT)
 T(RN,    inf,  inf, 0x0p+0, 0)
T(RN,    0x1.fffffep+127,  inf, 0x0p+0, INEXACT|OVERFLOW)
T(RN,    nan,  nan, 0x0p+0, 0)
T(RN,    0x1.00000001p+0,  0x1.5bf0a8p+1, 0x0p+0, INEXACT)
"""
TABLE = """# operands, result, flags
1, 0x1.5bf0a8p+1, inexact
1, 2.7182817459106445
0x7f800000 inf none
-inf 0 none
200 inf inexact|overflow
2
"""


class Inputs(harness.Case):
    def seen(self, operation, content, kind, width=1, **options):
        return self.asked(operation, "--inputs", self.file("in", content), "--inputs-as", kind, "--impl",
                          "libm", width=width, **options)

    @harness.needs_faulty_libm
    def test_inputs_of_each_kind(self):
        tenth = [(0x3dcccccc,), (0x3dcccccd,)]  # 0.1 lies between these
        for operation, content, kind, width, inputs in (
                ("exp", WC, "core-math", 1, [(0x3fc00000,), (0x7f800000,), (0x7f800001,), (0xbe7fffff,)]),
                ("exp", TST, "tst", 1, [(0x3f800000,), (0x7f800001,), (0xff800000,)]),
                ("pow", TST, "tst", 2, [(0x40000000, 0x3f000000)]),
                ("exp", CSV, "numpy-csv", 1, [(0x3f800000,)]),
                ("exp", GLIBC, "glibc", 1, [(1,), *tenth, (0x3f000000,), (0xff7fffff,)]),
                ("pow", GLIBC, "glibc", 2, [(0x40000000, code) for (code,) in tenth]),
                ("exp", "exp e\nexp 1/e\nexp inf\nexp min_subnorm_p120\nexp 1e400\nexp e-1\nexp -2pi/3\nexp pi/6\n", "glibc", 1,
                 [(0x31000000,), (0x3ebc5ab1,), (0x3ebc5ab2,), (0x3f060a91,), (0x3f060a92,), (0x3fdbf0a8,), (0x3fdbf0a9,),
                  (0x402df854,), (0x402df855,), (0x7f800000,), (0xc0060a91,), (0xc0060a92,)]),
                ("exp", GLIBC_OUT, "glibc-out", 1, [(0x3f800000,), (0x7f7fffff,), (0xff7fffff,)]),
                ("exp", LIBC_TEST, "libc-test", 1, [(0x3f800000,), (0x7f7fffff,), (0x7f800000,), (0x7fc00000,)]),
                ("exp", TABLE, "table", 1, [(0x3f800000,), (0x40000000,), (0x43480000,), (0x7f800000,), (0xff800000,)])):
            with self.subTest(kind=kind, operation=operation):
                self.assertEqual(self.seen(operation, content, kind, width=width, notes=True), inputs)
                self.assertEqual(self.seen(operation, "\ufeff" + content, kind, width=width, notes=True), inputs)

    @harness.needs_faulty_libm
    def test_core_math_reads_as_strtof(self):
        """Lines of the forms that CORE-MATH's files have, against the C library's own reader."""
        words = ["0x1p-149", "-0x1p-149", "0x1p-150", "0x1.000002p-150", "0x1.fffffep-127", "0x1.fffffdp-127",
                 "0x1.fffffep+127", "0x1.ffffffp+127", "0x1p128", "1e-46", "1e39", "-1e400", "0.1", ".5", "5.",
                 "16777217", "16777217.0000000000000000000000000000000001", "-0", "0x0p+0", "0x.8", "0X1P3",
                 "+inf", "-inf", "INFINITY", "1E5", "0x1.8", "0x0.000002p-126", "-0x0.fffffep-126"]
        generator = random.Random(7)
        for _ in range(300):
            digits, exponent = generator.choice((3, 6, 7, 12)), generator.randrange(-155, 130)
            words.append(f"{generator.choice(('', '-', '+'))}0x1.{generator.getrandbits(4 * digits):0{digits}x}"
                         f"p{exponent:+d}")
            words.append(f"{generator.uniform(-9, 9):.{generator.randrange(1, 25)}f}e{generator.randrange(-47, 40)}")
        text = "# of many forms\n" + "\n".join(words) + "\n"
        library = ctypes.CDLL(None)
        codes = {}
        for read, result, layout in ((library.strtof, ctypes.c_float, "fI"), (library.strtod, ctypes.c_double, "dQ")):
            read.restype, read.argtypes = result, (ctypes.c_char_p, ctypes.c_void_p)
            codes[layout] = sorted({struct.unpack("<" + layout[1], struct.pack("<" + layout[0], read(
                word.encode(), None)))[0] for word in words})
        self.assertEqual([code for (code,) in self.seen("exp", text, "core-math", notes=True)], codes["fI"])
        document = self.document("sweep", "exp", "-f", "fp64", "--inputs", self.file("in", text), "--inputs-as",
                                 "core-math", "--impl", "libm", notes=True)
        self.assertEqual(document["results"][0]["inputs"]["count"], len(codes["dQ"]))
        nans = "nan\n-nan\nsnan\n+snan\n-snan\nNaN(0x12)\n-nan(3)\nqnan\n"
        self.assertEqual(self.seen("exp", nans, "core-math", notes=True),
                         [(0x7f800001,), (0x7fc00000,), (0x7fc00012,), (0xff800001,), (0xffc00000,),
                          (0xffc00003,)])
        pairs = "# x,y\n0x1.8p+1,-0x1.2p-3\nsnan, 0x1p-149\n0x1p+127,0x1.4p+3,ERANGE\n-inf,nan  # no\n"
        self.assertEqual(self.seen("pow", pairs, "core-math", width=2),
                         [(0x40400000, 0xbe100000), (0x7f000000, 0x41200000), (0x7f800001, 1),
                          (0xff800000, 0x7fc00000)])

    def test_operands_of_testfloat(self):
        document = self.document("sweep", "mul", "--inputs", self.file("in", TESTFLOAT), "--inputs-as",
                                 "testfloat", "--impl", "libm")
        self.assertEqual(document["results"][0]["inputs"]["count"], 3)

    def test_mistakes(self):
        for operation, content, kind, what in (
                ("exp", "0x1p0 0x1p0\n", "core-math", "in:1: exp takes 1 operand, and here are 2"),
                ("exp", "\n0x1.2345678q0\n", "core-math", "in:2: '0x1.2345678q0' is not a number"),
                ("exp", "0b1\n", "core-math", "'0b1' is not a number"),
                ("exp", "--1\n", "core-math", "'--1' is not a number"),
                ("exp", "nan(x\n", "core-math", "'nan(x' is not a number"),
                ("pow", "0x1p0\n", "core-math", "pow takes 2 operands, and here is 1"),
                ("mul", "3F800000\n", "testfloat", "in:1: 1 words"),
                ("mul", "3F800000 4000000\n", "testfloat", "'4000000' are not bits of fp32"),
                ("mul", "3F800000 4000000g\n", "testfloat", "not bits of fp32"),
                ("exp", "func=expf op1=3f80000 result=0\n", "tst", "'3f80000' are not bits"),
                ("exp", "func=expf result=00000000\n", "tst", "there is no op1"),
                ("exp", "func=expf op1=3f800000 result=402df854.\n", "tst", "not bits"),
                ("exp", "np.float32,0x3f800000,0x402df854\n", "numpy-csv", "a type, an input"),
                ("exp", "np.float33,0x3f800000,0x402df854,3\n", "numpy-csv", "is not a type of numpy"),
                ("exp", "np.float32,0x13f800000,0x402df854,3\n", "numpy-csv", "not bits"),
                ("exp", "exp\n", "glibc", "exp takes 1 operands"),
                ("exp", "exp 0x1q\n", "glibc", "is not a number"),
                ("exp", "log 1\n", "glibc", "holds no inputs of exp in fp32"),
                ("exp", "\0\n", "glibc", "NUL"),
                ("exp", "x" * 2000, "tst", "longer than 1023"),
                ("exp", "func=expf op1=3f800000 result=402df854 status=q\n", "tst", "'status=q' are not flags"),
                ("exp", "func=expf op1=3f800000 result=402df854 error=some\n", "tst", "'error=some' are not flags"),
                ("exp", "= exp upward binary32 0x1p+0 0x1p+0 : inexact\n", "glibc-out", "exp takes 1 operand, and a colon"),
                ("exp", "= exp upward binary32 0x1p+0 : 0x1p+0\n", "glibc-out", "a colon and the flags should follow"),
                ("exp", "= exp upward binary32 0x1p+0 : 0x1p+0 : wrong\n", "glibc-out", "'wrong' is not a flag"),
                ("exp", "T(RN, 0x1p+0)\n", "libc-test", "T(rounding, 1 operand, a result, flags) should stand here"),
                ("exp", "= exp upward binary32 0x1p+0 : 0x1p+0 :" + 30 * " inexact-ok" + " overflow\n", "glibc-out",
                 "the line has 32 words or more"),
                ("exp", "", "onnx", "files of onnx are tensors, which --inputs reads without --inputs-as"),
                ("exp", "T(RN, 0x1p+0, 0x1p+0, INEXACT|BAD)\n", "libc-test", "'BAD' is not a flag; flags are 0, or such as INEXACT|OVERFLOW"),
                ("exp", "1 2 inexakt\n", "table", "'inexakt' is not a flag; flags are none, or such as inexact|overflow"),
                ("exp", "1 2 none 3\n", "table", "4 words, where exp has 1 operand"),
                ("exp", "0x1.00000001p0 2\n", "table", "in:1: "),
                ("exp", "log2 1\n", "glibc", "holds no inputs"),
                ("exp", "1\n", "csv", "unknown kind of lines")):
            with self.subTest(kind=kind, what=what):
                self.file("in", content)
                self.assertIn(what, self.refuse("sweep", operation, "--inputs", "in", "--inputs-as", kind))
        self.assertIn("goes with --inputs", self.refuse("sweep", "exp", "--inputs-as", "tst"))


class Results(harness.Case):
    def test_an_operation_of_two_results_has_no_lines(self):
        self.file("in", "1 2 3\n")
        for kind in ("table", "onnx"):
            self.assertIn("lines have one result and no parameters, which does not fit sincos",
                          self.refuse("verify", "in", "--as", kind, "--operation", "sincos"))

    def test_a_long_number_is_read_whole(self):
        self.file("in", f"= exp tonearest binary32 0x1p+0 : 0x{'0' * 111}2.b7e15p+0 : inexact-ok\n")
        self.succeed("verify", "in", "--as", "glibc-out", "--operation", "exp", "--impl", "exact")

    def test_results_of_each_kind(self):
        for content, words, tests in (
                (TESTFLOAT, ("testfloat", "--operation", "mul"), 3),
                (TST, ("tst",), 5), (TST, ("tst", "--operation", "pow", "--format", "fp32"), 1),
                (CSV, ("numpy-csv", "--operation", "exp"), 1),
                (CSV, ("numpy-csv", "--operation", "exp", "-f", "fp32,fp64"), 2),
                (GLIBC_OUT, ("glibc-out",), 8), (GLIBC_OUT, ("glibc-out", "--operation", "exp", "-r", "up,down", "-f", "fp32"), 2),
                (LIBC_TEST, ("libc-test", "--operation", "exp"), 6), (LIBC_TEST, ("libc-test", "--operation", "exp", "-r", "up"), 1),
                (TABLE, ("table", "--operation", "exp"), 5)):
            with self.subTest(words=words):
                for more in ((), ("--impl", "exact"), ("--impl", "exact", "--flags")):
                    if more[2:] and content == CSV:
                        continue  # which has none
                    document = self.document("verify", self.file("in", content), "--as", *words, *more, notes=True)
                    self.assertEqual((document["tests"], document["mismatches"]), (tests, 0))

    def test_lines_that_are_no_tests_are_counted(self):
        for content, words, note in (
                (GLIBC_OUT, ("glibc-out",), "10 lines, 8 tests; left out: 1 in other formats, 1 with operands that the format lacks"),
                (GLIBC_OUT, ("glibc-out", "--operation", "exp", "-f", "fp32", "-r", "up"),
                 "10 lines, 1 test; left out: 3 of other functions, 2 in other formats, 4 in other roundings"),
                (LIBC_TEST, ("libc-test", "--operation", "exp"), "7 lines, 6 tests; left out: 1 with operands that the format lacks"),
                (TABLE, ("table", "--operation", "exp"), "6 lines, 5 tests; left out: 1 without a clear result"),
                (TST, ("tst", "--operation", "exp"), "6 lines, 4 tests; left out: 2 of other functions")):
            with self.subTest(words=words):
                done = self.run_program("verify", self.file("in", content), "--as", *words, "--impl", "exact")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr.decode(), f"detcheck: note: {self.path}/in: {note}\n")

    def test_the_oracle_finds_what_is_wrong_in_a_file(self):
        """A result, and a flag: each in one line of a file that is right elsewhere."""
        for content, kind, words in ((GLIBC_OUT.replace("0x2.b7e154p+0", "0x2.b7e158p+0"), "glibc-out", ()),
                                     (GLIBC_OUT.replace("inexact-ok overflow", "inexact-ok"), "glibc-out", ("--flags",)),
                                     (LIBC_TEST.replace("|OVERFLOW", ""), "libc-test", ("--flags",)),
                                     (LIBC_TEST.replace("inf, 0x0p+0, 0", "inf, 0x0p+0, DIVBYZERO"), "libc-test", ("--flags",)),
                                     (TABLE.replace("-inf 0 none", "-inf -0 none"), "table", ()),
                                     (TABLE.replace("-inf 0 none", "-inf 0 underflow"), "table", ("--flags",)),
                                     (TST.replace("errno=0 status=i", "errno=0"), "tst", ("--flags",))):
            with self.subTest(kind=kind, words=words):
                done = self.run_program("verify", self.file("in", content), "--as", kind, "--operation", "exp", "--impl", "exact", *words, "--json", "-")
                self.assertEqual(done.returncode, 1, done.stderr)
                document = harness.parse(done.stdout.decode())
                self.assertEqual(document["mismatches"], 1)

    def test_errno_by_what_the_lines_say(self):
        """The platform's exp: ERANGE where it overflows, and 0 where a number goes in. Lines with -ok, and those without errno=, say
        nothing."""
        over = "func=expf op1=7f7fffff result=7f800000 status=ox errno=ERANGE\n"
        for content, kind, wrong in (
                (GLIBC_OUT, "glibc-out", None), (GLIBC_OUT.replace("overflow errno-erange", "overflow"), "glibc-out", ("ERANGE", ["none"])),
                (GLIBC_OUT.replace("inexact-ok overflow errno-erange", "inexact-ok overflow errno-edom"), "glibc-out", ("ERANGE", ["EDOM"])),
                (GLIBC_OUT.replace("overflow errno-erange", "overflow errno-erange-ok"), "glibc-out", None),
                (TST + over, "tst", None), (TST + over.replace("ERANGE", "0"), "tst", ("ERANGE", ["none"])),
                (TST + over.replace(" errno=ERANGE", ""), "tst", None),
                (TST.replace("402df854.58a errno=0", "402df854.58a errno=EDOM"), "tst", ("none", ["EDOM"]))):
            with self.subTest(content=content, kind=kind):
                words = ("verify", self.file("in", content), "--as", kind, "--operation", "exp", "-f", "fp32", "--impl", "libm")
                done = self.run_program(*words, "--errno", "--json", "-")
                self.assertEqual(done.returncode, 1 if wrong else 0, done.stderr)
                rows = harness.parse(done.stdout.decode())["results"]
                self.assertEqual(sum(row["errno_mismatches"] for row in rows), 1 if wrong else 0)
                if wrong:
                    found, = [one["errno"] for row in rows for one in row["first"]]
                    self.assertEqual((found["after"], found["allowed"]), wrong)
                    text = self.run_program(*words, "--errno").stdout.decode()
                    self.assertIn(f": errno {wrong[0]}, not {wrong[1][0]}\n", text)
                    self.assertIn(", 1 by errno", text)
                    self.assertEqual(self.run_program(*words).returncode, 0)  # judged where it is asked for
        done = self.run_program("verify", self.file("in", GLIBC_OUT), "--as", "glibc-out", "--operation", "exp", "--impl", "exact", "--errno")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"exact does not report errno after exp in fp32", done.stderr)
        done = self.run_program("verify", self.file("in", CSV), "--as", "numpy-csv", "--operation", "exp", "--errno")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"no test says what errno is", done.stderr)
        self.assertIn("errno=EIO is not 0, EDOM or ERANGE",
                      self.refuse("verify", self.file("in", TST.replace("errno=0", "errno=EIO", 1)), "--as", "tst", "--errno"))

    def test_a_table_in_any_format_and_rounding(self):
        """Casts apart: sums of fp8 toward zero and up, by bits and by numbers."""
        for mode, result in (("toward-zero", "1"), ("up", "1.125")):
            path = self.file("in", f"1 0.015625 {result} inexact\n0x38, 0x01, {result}, inexact\n")
            self.succeed("verify", path, "--as", "table", "--operation", "add", "-f", "fp8_e4m3fn", "-r", mode, "--impl", "exact", "--flags")

    def test_tensors_of_onnx(self):
        """A TensorProto by hand: the extents, fp32 (1), and the elements as raw bytes."""
        def tensor(name, *values):
            raw = struct.pack(f"<{len(values)}f", *values)
            with open(os.path.join(self.path, name), "wb") as stream:
                stream.write(bytes([8, len(values), 16, 1, 74, len(raw)]) + raw)
        for wrong in (0, 1):
            tensor("input_0.pb", 2, 0.5, 3, -0.0)
            tensor("input_1.pb", 1, 0.25, 4, 0.0)
            tensor("output_0.pb", 3, 0.75, 7 + wrong, 0.0)
            words = ("verify", os.path.join(self.path, "output_0.pb"), "--as", "onnx", "--operation", "add", "--impl", "exact", "--json", "-")
            done = self.run_program(*words)
            document = harness.parse(done.stdout.decode())
            self.assertEqual((done.returncode, document["tests"], document["mismatches"]), (wrong, 4, wrong), done.stderr)
        # 0x1.800008p-1 is 4 ulps from the exact sum. With the oracle --max-ulp judges the file, else the implementation.
        tensor("output_0.pb", 3, float.fromhex("0x1.800008p-1"), 7, 0.0)
        for most, wrong in ((3, 1), (4, 0)):
            done = self.run_program(*words[:-2], "--max-ulp", most, "--json", "-")
            document = harness.parse(done.stdout.decode())
            self.assertEqual((done.returncode, document["mismatches"], document["results"][0]["within_max_ulp"]), (wrong, wrong, 1 - wrong), done.stderr)
            self.assertEqual([first["error"] for first in document["results"][0].get("first", [])], [4] * wrong)
        done = self.run_program(*words[:-4], "--impl", "libm", "--max-ulp", 0.5)
        self.assertEqual((done.returncode, b"4 tests pass" in done.stdout), (0, True), done.stderr)
        tensor("input_1.pb", 1)
        self.assertIn("has another shape than the output", self.refuse(*words[:-2]))
        os.remove(os.path.join(self.path, "input_1.pb"))
        self.assertIn("input_1.pb", self.refuse(*words[:-2]))

    def test_words_of_tst(self):
        text = ("func=sincosf_sinf op1=7f800000 result=7fc00001 errno=EDOM status=i\n"
                "func=sincosf_cosf op1=00000000 result=3f800000 errno=0\n"
                "func=expf op1=7f7fffff result=7f800000 error=overflow\n"
                "func=expf op1=c2cff1b4 result=00000001.000 maybestatus=ux\n")
        document = self.document("verify", self.file("in", text), "--as", "tst", "--impl", "exact", "--flags", notes=True)
        self.assertEqual((document["tests"], document["mismatches"]), (4, 0))

    def test_stdin_and_a_byte_order_mark(self):
        words = ("verify", "--as", "testfloat", "--operation", "mul", "--impl", "libm")
        text = ("\ufeff" + TESTFLOAT).encode()
        self.assertIn("3 tests pass", self.succeed(*words, "-", input=text))
        self.assertIn("once", self.refuse(*words, "-f", "fp32,fp64", "-", input=text))

    def test_a_wrong_result_is_found_at_its_line(self):
        path = self.file("in", TESTFLOAT.replace("40000000 40000000", "40000000 40000001"))
        done = self.run_program("verify", path, "--as", "testfloat", "--operation", "mul", "--json", "-")
        self.assertEqual(done.returncode, 1)
        row, = harness.parse(done.stdout.decode())["results"]
        self.assertEqual([one["tcId"] for one in row["first"]], [1])

    def test_what_was_written_is_read_back(self):
        for operation, form, kind in (("div", "fp16", "testfloat"), ("fma", "fp64", "testfloat"),
                                      ("pow", "fp64", "tst"), ("log2", "fp64", "numpy-csv")):
            with self.subTest(kind=kind):
                self.succeed("emit", operation, "-f", form, "-n", 30, "--as", kind, "-o", "out")
                again = self.run_program("verify", "out", "--as", kind, "--operation", operation, "-f", form,
                                         "--impl", "libm", "--max-ulp", "1")
                self.assertEqual(again.returncode, 0, again.stdout)

    def test_mistakes(self):
        path = self.file("in", CSV)
        for words, what in (((path, "--as", "numpy-csv"), "give --operation"),
                            ((path, "--as", "glibc"), "hold no results"),
                            ((path, "--as", "numpy-csv", "--operation", "exp", "-f", "fp16"), "has no results for these options"),
                            ((path, "--format", "fp32"), "go with --as"),
                            (("nowhere", "--as", "tst"), "cannot read nowhere")):
            with self.subTest(words=words):
                self.assertIn(what, self.refuse("verify", *words))


if __name__ == "__main__":
    unittest.main()
