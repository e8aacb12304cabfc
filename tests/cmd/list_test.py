"""What the program says there is: `list`, `completion`, and the help; and that every name in them
is understood. A row added to the table of operations, and nothing else, must show up everywhere.

DETCHECK_ALTERED is the program built with the rows of made_up.c.
"""

import os
import re
import shutil
import subprocess
import unittest

from formats import FORMATS, ROUNDINGS
from harness import PROGRAM, Case, environment

MADE_UP = os.environ.get("DETCHECK_ALTERED")
TOPICS = ("operations", "parameters", "formats", "roundings", "implementations", "policies")


# How many values the shortest call has, of operations that tell no shape from them, or these values, and its shape.
CALLS = {"average_pool": (2, ["--shape", "1x1x2"]), "convolution": (2, ["--shape", "1x1x1"]), "average_pool_gradient": (1, ["--shape", "1x1x2"]),
         "convolution_gradient": (3, ["--shape", "1x1x1"]), "sgd": (2, []), "attention_gradient": (4, []), "embedding_bag_gradient": (2, []),
         **{f"{norm}_norm_gradient": (2, []) for norm in ("rms", "layer", "l2")},
         **{f"{norm}_norm{of}_gradient": (2, ["--shape", "1x1"]) for norm in ("group", "batch") for of in ("", "_weight")},
         **{f"embedding_bag_offsets{of}": (values, []) for of, values in (("", "110"), ("_gradient", "101"), ("_weight_gradient", "1101"))},
         "swiglu_gradient": (3, ["--shape", "2"]), "geglu_gradient": (3, ["--shape", "2"]),
         "packed.dequantise": (19, ["--shape", "32"]), "packed.quantise": (33, ["--shape", "32"]),
         "packed.nearest": (51, ["--shape", "32"])}


# All names of operations in annex G of the interim report 4.0 but those that begin with Block for an element-wise operation, and
# RoundOf and SatOf of section 4.15. Behind Block and Scaled stand those that 5.4 lists.
P3109_NAMES = """
Abs Add ArcCos ArcCosPi ArcCosh ArcSin ArcSinPi ArcSinh ArcTan ArcTan2 ArcTan2Pi ArcTanPi ArcTanh BitwidthOf
BlockConvert BlockDotProduct BlockReduceAdd BlockReduceMultiply Clamp Class CompareEqual CompareGreater
CompareGreaterEqual CompareLess CompareLessEqual Convert ConvertFromBlock ConvertToBlock ConvertToBlockMaxAbsFinite
CopySign Cos CosPi Cosh Divide DomainOf Exp Exp2 ExpMinusOne ExponentBiasOf ExponentBitwidthOf FAA FMA Hypot IsFinite
IsInfinite IsNaN IsNormal IsOne IsSignMinus IsSubnormal IsZero Log Log2 LogOnePlus MaxFiniteOf MaxSubnormalOf Maximum
MaximumFinite MaximumMagnitude MaximumMagnitudeNumber MaximumNumber MinFiniteOf MinNormalOf MinPositiveOf Minimum
MinimumFinite MinimumMagnitude MinimumMagnitudeNumber MinimumNumber Multiply Negate NextGreaterThan NextLessThan
PrecisionOf RSqrt Recip SignednessOf Sin SinPi Sinh Softplus Sqrt Subtract Tan TanPi Tanh TotalOrder
TrailingSignificandBitwidthOf
RoundOf SatOf
""".split()
P3109_ELEMENTWISE = """
Abs Add ArcCos ArcCosPi ArcCosh ArcSin ArcSinPi ArcSinh ArcTan ArcTan2 ArcTan2Pi ArcTanPi ArcTanh Clamp CopySign Cos
CosPi Cosh Divide Exp Exp2 ExpMinusOne FAA FMA Hypot Log Log2 LogOnePlus Maximum MaximumFinite MaximumMagnitude
MaximumMagnitudeNumber MaximumNumber Minimum MinimumFinite MinimumMagnitude MinimumMagnitudeNumber MinimumNumber
Multiply Negate RSqrt Recip Sin SinPi Sinh Softplus Sqrt Subtract Tan TanPi Tanh
""".split()


class List(Case):
    def test_text_names_everything_in_the_json(self):
        document = self.document("list")
        self.assertEqual(document["schema"], "detcheck/list/1")
        text = self.succeed("list", "--all")
        for topic in TOPICS:
            self.assertGreater(len(document[topic]), 0)
            section = self.succeed("list", "--all", topic)
            self.assertIn(section, text)
            for row in document[topic]:
                self.assertRegex(section, rf"(?m)^  {row['name']}[ (\n]")

    def test_families_are_those_that_functions_are_taught_by(self):
        family = {row["name"]: row["family"] for row in self.document("list", "operations")["operations"]}
        for name, of in (("exp10m1", "exponential"), ("atanpi", "trigonometric"), ("sincos", "trigonometric"),
                         ("erfinv", "error_function"), ("mish", "activation"), ("fma", "arithmetic"), ("jn", "bessel"),
                         ("remquo", "representation"), ("cast", "cast"), ("sum", "arrays"), ("onnx.quantise", "onnx")):
            self.assertEqual(family[name], of)
        for name, of in family.items():
            if "." in name:
                self.assertEqual(name.split(".")[0], of)

    def test_one_topic(self):
        for topic in TOPICS:
            also = {"integer_formats"} if topic == "formats" else set()
            self.assertEqual(set(self.document("list", topic)), {"schema", topic} | also)
        self.assertEqual(set(self.document("list", "formats", "roundings")),
                         {"schema", "formats", "integer_formats", "roundings"})

    def test_formats_of_integers(self):
        listed = {row["name"]: (row["width"], row["signed"]) for row in self.document("list", "formats")["integer_formats"]}
        self.assertEqual(listed, {f"{'' if signed else 'u'}int{width}": (width, signed) for width in (2, 4, 8, 16, 32, 64) for signed in (True, False)})

    def test_formats_are_what_their_papers_say(self):
        listed = {row["name"]: row for row in self.document("list", "formats")["formats"]}
        self.assertEqual(set(listed), set(FORMATS))
        for name, form in FORMATS.items():
            row = listed[name]
            self.assertEqual((row["width"], row["precision"], row["emin"], row["emax"]),
                             (form.width, form.precision, form.emin, form.emax), name)
            self.assertEqual(row["exponent_bias"], form.bias, name)
            self.assertIs(row["has_infinity"], form.family == "ieee", name)
            self.assertIs(row["has_negative_zero"], form.family not in ("fnuz", "scale"), name)
            self.assertIs(row["has_nan"], form.family != "all", name)
            self.assertIs(row["has_zero"], form.family != "scale", name)

    def test_roundings(self):
        rows = self.document("list", "roundings")["roundings"]
        self.assertEqual([row["name"] for row in rows if row["results"] == "all"], list(ROUNDINGS))
        further = {row["name"]: row["results"] for row in rows if row["results"] != "all"}
        self.assertEqual(set(further), {"stochastic", "nearest-up", "to-odd", "stochastic-a", "stochastic-b", "stochastic-c"})
        text = self.succeed("list", "roundings")
        for row in rows:
            self.assertRegex(text, rf"(?m)^  {row['name']} +{row['results']}$")
        for name, results in further.items():
            self.succeed("eval", "cast", "1", "--to", "int8" if results == "integers" else "bf16", "-r", name)
            if results.endswith("P3109's formats"):
                self.succeed("eval", "exp", "1", "-f", "binary8p4se", "-r", name)
            self.refuse("eval", "exp", "1", "-r", name)

    def test_every_name_of_a_format_is_understood(self):
        for row in self.document("list", "formats")["formats"]:
            for name in [row["name"], *row["aliases"]]:
                for spelling in (name, name.upper(), name.replace("_", "-")):
                    result, = self.document("eval", "exp", "1", "--format", spelling)["results"]
                    self.assertEqual(result["format"], row["name"])

    def test_every_operation_is_understood_by_any_name(self):
        """By eval one of its names, in capital letters; by sweep, in one run, all of those without parameters."""
        for row in self.document("list", "operations")["operations"]:
            to = ["--to", "fp32"] if "to" in row["parameters"] and not row["name"].endswith("quantise") else []
            names = [row["name"], *row["aliases"]] if row["parameters"] else [[row["name"], *row["aliases"]][-1].upper()]
            for name in names:
                more = row["name"] in ("swiglu", "geglu", "rope", "rope_gradient")  # halves of lines
                count, shape = CALLS.get(row["name"], (row["operands"] + more, []))
                values = count if isinstance(count, str) else "1" * count
                results = self.document("eval", name, *values, *shape, *to)["results"]
                self.assertEqual([result["operation"] for result in results], row["results"])

    def test_sweep_takes_every_name_too(self):
        rows = self.document("list", "operations")["operations"]
        rows = [row for row in rows if not row["parameters"]]
        names = [name for row in rows for name in [row["name"], *row["aliases"], row["name"].upper()]]
        results = self.results(*names, "--format", "fp8_e5m2", "--samples", 64)
        entries = [result["operation"] for result in results]
        # Aliases add nothing: each operation once, in the order given.
        self.assertEqual(entries, [name for row in rows for name in row["results"]])

    def test_groups(self):
        rows = self.document("list", "operations")["operations"]
        for group, operands in (("unary", (1,)), ("binary", (2,)), ("ternary", (3,)),
                                ("all", (1, 2, 3))):
            results = self.results(group, "--format", "fp8_e5m2", "--samples", 16)
            expected = [name for row in rows if row["operands"] in operands
                        and not row["parameters"] and row["family"] != "p3109" for name in row["results"]]
            self.assertEqual([result["operation"] for result in results], expected)

    def test_roundings_and_implementations_are_understood(self):
        for rounding in ROUNDINGS:
            result, = self.document("eval", "exp", "1", "--rounding", rounding.upper())["results"]
            self.assertEqual(result["rounding"], rounding)
        for row in self.document("list", "implementations")["implementations"]:
            if row["name"] in ("sleef", "libmvec", "svml"):  # which may not be installed
                done = self.run_program("eval", "exp", "1", "--impl", row["name"])
                self.assertRegex(done.stderr.decode(), r"^$|^detcheck: no \w+ here |on x86-64 only")
            elif not row["name"].endswith(":"):
                self.succeed("eval", "exp", "1", "--impl", row["name"])


class Help(Case):
    def commands(self):
        lines = self.succeed("--help").split("Commands:\n")[1].split("\n\n")[0].splitlines()
        return [line.split()[0] for line in lines]

    def test_every_command_has_its_own(self):
        self.assertGreater(len(self.commands()), 4)
        for command in self.commands():
            text = self.succeed(command, "--help")
            self.assertTrue(text.startswith(f"Usage: detcheck {command}"), text)
            self.assertEqual(text, self.succeed("help", command))
            self.assertEqual(text, self.succeed(command, "-h"))
            every = self.succeed(command, "--help", "all")
            self.assertEqual(every, self.succeed("help", command, "all"))
            self.assertTrue(every.startswith(f"Usage: detcheck {command}"), every)
            self.assertLessEqual(max(map(len, text.splitlines() + every.splitlines())), 80)
        self.assertLessEqual(max(map(len, self.succeed("--help").splitlines())), 80)

    def test_the_short_one_is_a_screen(self):
        """Two lines of what it is for, two examples, at most eight options beside --help, in 40 lines."""
        for command in self.commands():
            text = self.succeed(command, "--help")
            self.assertLessEqual(len(text.splitlines()), 40, command)
            head, examples, options = re.split("\n(?:Examples|Options):\n", text)
            self.assertEqual(len(head.split("\n\n")[1].strip().splitlines()), 2, head)
            examples = examples.strip().splitlines()
            self.assertEqual(len(examples), 2)
            for line in examples:
                self.assertTrue(line.strip().startswith(f"detcheck {command}"), line)
            shown = re.findall(r"(?m)^  (?:-\w,|   ) (--[\w-]+)", options)
            every = re.findall(r"(?m)^  (?:-\w,|   ) (--[\w-]+)", self.succeed(command, "--help", "all").split("\nParameters of op")[0])
            self.assertLessEqual(len(shown), 9)
            self.assertLessEqual(set(shown), set(every))
            self.assertIn("--help", shown)
            self.assertIn(f"has all {len(every)} options", text)

    def test_examples_run(self):
        """Those of commands that answer at once and write no file."""
        count = 0
        for command in self.commands():
            for line in re.findall(r"(?m)^  detcheck (.*)$", self.succeed(command, "--help").split("Options:")[0]):
                if command in ("eval", "list", "env", "table", "completion") and not re.search("[>|]", line):
                    self.assertEqual(self.run_program(*line.split()).returncode, 0, line)
                    count += 1
        self.assertGreater(count, 6)

    def test_parameters_are_those_of_the_operations_that_are_named(self):
        self.assertNotIn("--axis", self.succeed("sweep", "--help"))
        for words in (("sweep", "softmax", "--help"), ("help", "sweep", "softmax")):
            text = self.succeed(*words)
            self.assertIn("Parameters of softmax:\n      --axis N", text)
            self.assertNotIn("--affine", text)
        self.assertIn("--axis", self.succeed("sweep", "--help", "all"))
        self.assertNotIn("Parameters of", self.succeed("sweep", "all", "--help"))  # the group of operations

    def test_words(self):
        for word, said in (("witness", r"witness \(word\): an input that shows something"), ("fp16", r"fp16 \(format\): 16 bits"),
                           ("pow", r"pow \(operation\): "), ("samples", r"--samples \(option of sweep invariance compare explain\)"),
                           ("--samples", r"-n, --samples N"), ("axis", r"--axis \(parameter of operations\)"), ("softmax", r"Parameters of softmax:"),
                           ("rtz", r"toward-zero \(rounding\)"), ("libm", r"libm \(implementation\)"), ("lib:", r"lib: \(implementation\)")):
            self.assertRegex(self.succeed("help", word), rf"(?m){said}", word)
        for word, said in (("casts", r"detcheck-casts \(page\): [a-z ]+\n  man 7 detcheck-casts"), ("detcheck-tour(7)", r"  man 7 detcheck-tour"),
                           ("report", "Usage: detcheck report"), ("detmath", r"  man 3 detmath"), ("binade", r"binade \(word\): "),
                           ("faithful", r"faithful \(word\): .*ulp"), ("DETCHECK_LEVEL", r"\(environment variable\): The instruction set"),
                           ("GLIBC_TUNABLES", r"\(in the manual\): .*detcheck\(1\)"), ("SLURM_NTASKS", r"\(environment variable\): A process"),
                           ("XLA_FLAGS", r"\(environment variable\): .*detcheck-adapters\(7\)")):
            text = self.succeed("help", word)
            self.assertRegex(re.sub(r"\n(?!  )", " ", text), said, word)
            self.assertLessEqual(max(map(len, text.splitlines())), 80, word)
        for word, name in (("ExpMinusOne", "expm1"), ("ScaledAdd", "add, on operands of scaled formats"), ("Add", "add")):
            self.assertIn(f"{word} (operation of IEEE P3109): {name};", self.succeed("help", word))
        self.assertIn("did you mean MinPositiveOf?", self.refuse("help", "MinPositivOf"))
        self.assertEqual(self.succeed("help", "port"), self.succeed("help", "porting"))
        for word in ("machine", "machines"):
            self.assertIn("detcheck-compare (page): ", self.succeed("help", word))
        # A word of two meanings has both.
        both = self.succeed("help", "policy")
        self.assertIn("policy (word): ", both)
        self.assertIn("--policy (option of ", both)
        self.assertIn("help knows no 'zzzz'", self.refuse("help", "zzzz"))
        for word, meant in (("kapa", "kappa"), ("tuor", "tour"), ("sweeep", "sweep"), ("--sampels", "samples"), ("softmx", "softmax"),
                            ("GLIBC_TUNABLE", "GLIBC_TUNABLES")):
            self.assertIn(f"help knows no '{word}'; did you mean {meant}?", self.refuse("help", word))

    def test_every_page_of_the_manual_is_known(self):
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "man")
        names = {name.removesuffix(".in") for name in os.listdir(folder) if re.search(r"\.[137](\.in)?$", name)}
        self.assertGreater(len(names), 80)
        commands = self.commands()
        for name in sorted(names):
            page, section = name.rsplit(".", 1)
            with self.subTest(page=page):
                said = self.succeed("help", page.removeprefix("detcheck-") if page.removeprefix("detcheck-") not in commands else page)
                self.assertIn(f"  man {section} {page}\n", said)
        self.assertIn("fp8_e4m3fn", self.refuse("help", "e4m3"))

    def test_the_glossary_is_that_of_the_architecture(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "ARCHITECTURE.md")
        with open(path, encoding="utf-8") as stream:
            table = stream.read().split("## Words\n")[1].split("\n## ")[0]
        rows = [[cell.strip().replace("`", "") for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("| ")]
        self.assertGreater(len(rows), 35)
        commands = self.commands()
        for word, means in (row[:2] for row in rows[2:] if row[0] not in commands):  # whose own help there is
            self.assertIn(f"{word} (word): {means}", re.sub(r"\n", " ", self.succeed("help", word)))

    def test_help_has_all_names_of_p3109(self):
        self.assertEqual((len(P3109_NAMES), len(P3109_ELEMENTWISE)), (90, 51))
        names = P3109_NAMES + [prefix + name for prefix in ("Block", "Scaled") for name in P3109_ELEMENTWISE] + ["ScaledConvert"]
        for name in names:
            self.assertRegex(self.succeed("help", name).replace("\n", " "), rf"\b{name} \(operation of IEEE P3109\): .+; detcheck-p3109-operations\(7\)")
        for name in ("ScaledConvertToBlock", "ScaledCompareLess", "BlockNextLessThan", "ScaledBlockAdd", "BlockRoundOf"):
            self.assertIn("help knows no", self.refuse("help", name))

    def test_help_wins_over_other_words(self):
        self.assertIn("Usage", self.succeed("sweep", "exp", "--help"))

    def test_version(self):
        self.assertRegex(self.succeed("--version"), r"\Adetcheck \d+\.\d+\.\d+\n\Z")


@unittest.skipUnless(shutil.which("bash"), "no bash here")
class Completion(Case):
    program = PROGRAM

    def offered(self, *words):
        """What bash would offer for the last word, after those before it."""
        script = self.file("completion.bash", self.succeed("completion", "bash",
                                                           program=self.program))
        array = " ".join(f"'{word}'" for word in ("detcheck", *words))
        # compopt works only while bash itself completes.
        ask = (f"compopt() {{ echo files; }}; source '{script}'; COMP_WORDS=({array}); "
               f"COMP_CWORD={len(words)}; _detcheck; echo \"${{COMPREPLY[@]}}\"")
        done = subprocess.run(["bash", "--norc", "-c", ask], capture_output=True, text=True,
                              env=environment(), check=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_is_bash(self):
        script = self.file("completion.bash", self.succeed("completion", "bash"))
        done = subprocess.run(["bash", "-n", script], capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        shown = subprocess.run(["bash", "--norc", "-c", f"source '{script}'; complete -p detcheck"],
                               capture_output=True, text=True, check=True)
        self.assertIn("-F _detcheck", shown.stdout)

    def test_commands(self):
        self.assert_holds(self.offered(""), "sweep", "eval", "list", "env", "completion", "--help")
        self.assertEqual(self.offered("sw"), ["sweep"])

    def test_operations(self):
        names = [row["name"] for row in self.document("list", "operations")["operations"]]
        for command in ("sweep", "eval"):
            self.assert_holds(self.offered(command, ""), *names)
            self.assertEqual(self.offered(command, "lgam"), ["lgamma"])
        self.assert_holds(self.offered("sweep", "exp", "un"), "unary")

    def test_what_is_offered_is_understood(self):
        for name in self.offered("eval", ""):
            if not name.startswith("-"):  # of a name that eval knows only the value is wrong
                done = self.run_program("eval", name, "x")  # which from_decimal reads as 0
                self.assertNotIn(b"unknown", done.stderr, name)
                self.assertEqual(done.returncode, 0 if name == "from_decimal" else 2, name)

    def test_values_of_options(self):
        self.assertEqual(self.offered("sweep", "exp", "--format", ""), list(FORMATS))
        self.assertEqual(self.offered("sweep", "-f", "bf"), ["bf16"])
        self.assertEqual(self.offered("eval", "--rounding", ""), [*ROUNDINGS, "stochastic", "nearest-up", "to-odd",
                         "stochastic-a", "stochastic-b", "stochastic-c"])
        self.assert_holds(self.offered("sweep", "--impl", ""), "libm")
        self.assertEqual(self.offered("sweep", "--json", ""), ["files"])
        self.assertEqual(self.offered("list", ""), [*TOPICS, "--all", "--family", "--json", "--help"])
        self.assert_holds(self.offered("completion", ""), "bash")

    def test_every_option_of_the_help_is_offered(self):
        for command in ("sweep", "eval", "list", "env"):
            text = self.succeed(command, "--help", "all").split("Options:\n")[1]
            options = [word.rstrip(",") for line in text.splitlines() for word in line.split()[:2]
                       if word.startswith("--")]
            self.assertGreater(len(options), 1)
            self.assert_holds(self.offered(command, "--"), *options)


@unittest.skipUnless(MADE_UP, "no program with made-up operations was built")
class MadeUp(Completion):
    """Two rows more in the table; see made_up.c. Completion's own tests run on it too."""

    program = MADE_UP

    def run_program(self, *words, **options):
        return super().run_program(*words, **{"program": MADE_UP, **options})

    def test_is_listed(self):
        text = self.succeed("list", "operations")
        self.assertIn("square(x)          x^2, made up  [sqr power_of_2]\n", text)
        self.assertIn("half_exp(x)        e^x / 2, made up\n", text)
        rows = {row["name"]: row for row in self.document("list", "operations")["operations"]}
        self.assertEqual(rows["square"], {"name": "square", "aliases": ["sqr", "power_of_2"], "family": "made_up",
                                          "formula": "x^2, made up", "operands": 1,
                                          "results": ["square"], "parameters": []})
        self.assertEqual(rows["narrow"]["parameters"], ["to"])
        self.assertIn("narrow(x)          x, made up  --to\n", text)
        self.assertEqual(rows["half_exp"]["aliases"], [])

    def test_is_no_operation_of_the_program_itself(self):
        self.assertIn("unknown operation", self.refuse("sweep", "square", program=PROGRAM))

    def test_is_evaluated(self):
        for name in ("square", "sqr", "POWER-OF-2"):
            result, = self.document("eval", name, "3")["results"]
            self.assertEqual((result["operation"], result["exact"]), ("square", "9"))
            self.assertEqual(result["implementations"][0]["got"], "0x41100000")
        result, = self.document("eval", "half_exp", "1")["results"]
        self.assertEqual(result["exact"], "1.359140914229522617680143735676331248878...")
        self.assertIs(result["implementations"][0]["provided"], False)
        zero, = self.document("eval", "half_exp", "0")["results"]
        self.assertEqual(zero["exact"], "0.5")

    def test_is_swept_where_the_platform_has_it(self):
        libm = self.libm("square", "--format", "fp16")
        self.assertEqual(libm["tested"], 65536)
        self.assertEqual(libm["nan_mismatches"] + libm["sign_mismatches"], 0)
        # A product of two fp16 numbers is exact in fp32, so the one rounding that is left is right.
        self.assertEqual(libm["incorrectly_rounded"], 0)
        self.assertEqual(self.libm("square", "--samples", 5000)["incorrectly_rounded"], 0)
        special, = self.results("square", "--special")
        self.assertEqual(special["inputs"]["kind"], "special")

    def test_is_refused_alone_where_nothing_has_it(self):
        line = self.refuse("sweep", "half_exp", "--format", "fp16", "--json", "r")
        self.assertIn("nothing was tested", line)
        self.assertIn("half_exp", line)
        self.assertEqual(os.listdir(self.path), [])

    def test_is_in_the_groups(self):
        results = self.results("unary", "--format", "fp8_e5m2", "--samples", 16)
        entries = {one["operation"]: one["implementations"][0] for one in results}
        self.assertIs(entries["square"]["provided"], True)
        self.assertIs(entries["half_exp"]["provided"], False)

    def test_results_are_in_the_format_that_a_parameter_names(self):
        result, = self.document("eval", "narrow", "0x3e99999a", "--to", "float16",
                                "--got", "0x34cd")["results"]
        self.assertEqual(result["parameters"], {"to": "fp16"})
        self.assertEqual((result["input"], result["want"]), (["0x3e99999a"], "0x34cd"))
        self.assertEqual([one["provided"] for one in result["implementations"]], [False, True])
        self.assertEqual(result["implementations"][1]["verdict"], "correctly rounded")
        self.assertIn("narrow in fp32, nearest-even  --to fp16\n",
                      self.succeed("eval", "narrow", "0.25", "--to", "fp16"))

    def test_parameters_are_asked_for(self):
        self.assertIn("narrow needs --to FORMAT", self.refuse("eval", "narrow", "0.3"))
        self.assertIn("narrow needs --to FORMAT", self.refuse("sweep", "narrow"))
        self.assertIn("did you mean fp16?", self.refuse("eval", "narrow", "1", "--to", "fp61"))
        self.assertIn("given twice",
                      self.refuse("eval", "narrow", "1", "--to", "fp16", "--to", "fp16"))
        self.assertIn("half_exp takes no --to", self.refuse("sweep", "half_exp", "--to", "fp16"))
        self.assertIn("did you mean --to?", self.refuse("sweep", "narrow", "--ot", "fp16"))
        self.assertIn("libm has no narrow", self.refuse("sweep", "narrow", "--to", "fp16"))

    def test_one_that_stands_alone_is_in_no_group(self):
        names = [one["operation"] for one in
                 self.results("all", "--format", "fp8_e5m2", "--samples", 16)]
        self.assertIn("square", names)
        self.assertNotIn("narrow", names)

    def test_is_suggested_and_completed(self):
        self.assertIn("did you mean square?", self.refuse("sweep", "squrae"))
        self.assertEqual(self.offered("sweep", "half"), ["half_exp"])
        self.assertEqual(self.offered("eval", "squ"), ["square"])


if __name__ == "__main__":
    unittest.main()
