"""Lines of other projects: as inputs of a sweep, and in verify where they hold results."""

import ctypes
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
                ("pow", GLIBC, "glibc", 2, [(0x40000000, code) for (code,) in tenth])):
            with self.subTest(kind=kind, operation=operation):
                self.assertEqual(self.seen(operation, content, kind, width=width), inputs)
                self.assertEqual(self.seen(operation, "\ufeff" + content, kind, width=width), inputs)

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
                ("exp", "\n0x1.2345678q0\n", "core-math", "in:2: '0x1.2345678q0' is no number"),
                ("exp", "0b1\n", "core-math", "'0b1' is no number"),
                ("exp", "--1\n", "core-math", "'--1' is no number"),
                ("exp", "nan(x\n", "core-math", "'nan(x' is no number"),
                ("pow", "0x1p0\n", "core-math", "pow takes 2 operands, and here is 1"),
                ("mul", "3F800000\n", "testfloat", "in:1: 1 words"),
                ("mul", "3F800000 4000000\n", "testfloat", "'4000000' are no bits of fp32"),
                ("mul", "3F800000 4000000g\n", "testfloat", "no bits of fp32"),
                ("exp", "func=expf op1=3f80000 result=0\n", "tst", "'3f80000' are no bits"),
                ("exp", "func=expf result=00000000\n", "tst", "there is no op1"),
                ("exp", "func=expf op1=3f800000 result=402df854.\n", "tst", "no bits"),
                ("exp", "np.float32,0x3f800000,0x402df854\n", "numpy-csv", "a type, an input"),
                ("exp", "np.float33,0x3f800000,0x402df854,3\n", "numpy-csv", "no type of numpy"),
                ("exp", "np.float32,0x13f800000,0x402df854,3\n", "numpy-csv", "no bits"),
                ("exp", "exp\n", "glibc", "exp takes 1 operands"),
                ("exp", "exp 0x1q\n", "glibc", "no number"),
                ("exp", "log 1\n", "glibc", "holds no inputs of exp in fp32"),
                ("exp", "\0\n", "glibc", "NUL"),
                ("exp", "x" * 2000, "tst", "longer than 1023"),
                ("exp", "1\n", "csv", "unknown kind of lines")):
            with self.subTest(kind=kind, what=what):
                self.file("in", content)
                self.assertIn(what, self.refuse("sweep", operation, "--inputs", "in", "--inputs-as", kind))
        self.assertIn("goes with --inputs", self.refuse("sweep", "exp", "--inputs-as", "tst"))


class Results(harness.Case):
    def test_results_of_each_kind(self):
        for content, words, tests in (
                (TESTFLOAT, ("testfloat", "--operation", "mul"), 3),
                (TST, ("tst",), 5), (TST, ("tst", "--operation", "pow", "--format", "fp32"), 1),
                (CSV, ("numpy-csv", "--operation", "exp"), 1),
                (CSV, ("numpy-csv", "--operation", "exp", "-f", "fp32,fp64"), 2)):
            with self.subTest(words=words):
                document = self.document("verify", self.file("in", content), "--as", *words, notes=True)
                self.assertEqual((document["tests"], document["mismatches"]), (tests, 0))

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
                            ((path, "--as", "numpy-csv", "--operation", "exp", "-f", "fp16"), "holds no results"),
                            ((path, "--format", "fp32"), "go with --as"),
                            (("nowhere", "--as", "tst"), "cannot read nowhere")):
            with self.subTest(words=words):
                self.assertIn(what, self.refuse("verify", *words))


if __name__ == "__main__":
    unittest.main()
