"""Which files the gate accepts as declarations of kappas, and where and why it refuses others."""

import itertools
import os
import random
import re
import unittest

from harness import Case

SQRT = "Sqrt<Binary8p4se, Binary8p4se, (NearestTiesToEven, SatNone)>(x) -> r"
DECLARED = f"""---
Metadata:
  conformance: "IEEE SA P3109"  # the working group's
  version: "4.0"
  contact:
    email: info@implementer.site
    note: |
      Ask us
        anything.
# reset context
Inference:
  SqrtFast:
    Approximates: "{SQRT}"
    Kappas:
      - {{ interval: '[ -Inf, 1 )', kappa: 2 }}  # near 0
      - {{interval: '[ 1, Inf ]', kappa: 3}}
    Verification:
      method: exhaustive
      function:
        uri: https://implementer.site/P3109/Kappas/SqrtFast.c
Training:
  SqrtFaster:
    - Approximates: '{SQRT}'
    - Kappa: .inf
    - Verification:
        note: Don't ask.
    - Kappas:
      - {{ interval: '[ -0x1p3, +Inf ]', kappa: .nan }}
"""
INTERVAL = "      - { interval: '[ -Inf, 1 )', kappa: 2 }  # near 0\n"
WANTED = "wanted one { interval: '[ -1, 2.5 )', kappa: 1 }"
# What is changed in it, to what, the line that the message names, and what it says.
MALFORMED = [
    ("    Kappas:\n" + INTERVAL, "    Kapas:\n" + INTERVAL, 14, "Kapas is no member of a declaration, which are Approximates, Kappa, "),
    ("    Kappas:\n" + INTERVAL, INTERVAL, 14, "wanted nothing below Approximates: but members of its column"),
    (INTERVAL, "    " + INTERVAL[6:], 16, "the indentation fits no line above it"),
    (INTERVAL, "   " + INTERVAL[6:], 15, "the indentation fits no line above it"),
    (INTERVAL, "\t" + INTERVAL[6:], 15, "indent with spaces, as YAML wants, not with tabs"),
    (INTERVAL, INTERVAL.replace("- {", "{"), 15, "wanted nothing below Kappas: but intervals, each behind a dash"),
    (INTERVAL, INTERVAL.replace("- {", "-{"), 15, "wanted nothing below Kappas: but intervals"),
    (INTERVAL, INTERVAL.replace(" )'", " )"), 15, "a quote is not closed on this line"),
    (INTERVAL, INTERVAL.replace(" )'", " )\""), 15, "a quote is not closed on this line"),
    (INTERVAL, INTERVAL.replace(" }", ""), 15, WANTED),
    (INTERVAL, INTERVAL.replace("kappa: 2", "kappa: 2, kappa: 3"), 15, WANTED),
    (INTERVAL, INTERVAL.replace("kappa: 2", "kappa:2"), 15, WANTED),
    (INTERVAL, INTERVAL.replace("kappa: 2", "kappa: 2.5"), 15, WANTED),
    (INTERVAL, INTERVAL.replace("kappa: 2", "kappa: 0x2"), 15, WANTED),
    (INTERVAL, INTERVAL.replace("kappa: 2", "kappa: -2"), 15, WANTED),
    (INTERVAL, INTERVAL.replace("kappa: 2", "kappa: inf"), 15, WANTED),
    (INTERVAL, INTERVAL.replace("interval", "range"), 15, WANTED),
    (INTERVAL, INTERVAL.replace("-Inf, 1", "-Inf 1"), 15, WANTED),
    (INTERVAL, INTERVAL.replace("-Inf, 1", "-Inf, Sqrt(5)"), 15, WANTED),
    (INTERVAL, INTERVAL.replace("-Inf, 1", "-Inf, 1@2"), 15, WANTED),
    (INTERVAL, INTERVAL.replace("-Inf, 1", "-Inf, 1 + 1"), 15, WANTED),
    (INTERVAL, INTERVAL.replace("-Inf, 1", "2, 1"), 15, "the interval is empty: wanted the lower end first"),
    (INTERVAL, INTERVAL.replace("-Inf, 1", "1, 1"), 15, "the interval is empty"),
    (INTERVAL, INTERVAL.replace("'[", "["), 15, WANTED),
    (INTERVAL, INTERVAL + "    Kappas:\n" + INTERVAL, 16, "Kappas: is given twice"),
    (INTERVAL, INTERVAL + "      Kappa: 2\n", 16, "wanted nothing below Kappas: but intervals"),
    ("    - Kappas:\n      - { interval: '[ -0x1p3, +Inf ]', kappa: .nan }\n", "    - Kappas:\nOther:\n", 28, "SqrtFaster has no interval below Kappas:"),
    (INTERVAL, INTERVAL + "    Kappa: two\n", 16, "wanted a whole number, .inf or .nan behind Kappa:"),
    ("    Kappas:\n" + INTERVAL, "    Kappas: [\n" + INTERVAL, 14, "wanted each interval on a line of its own below Kappas:"),
    (f'    Approximates: "{SQRT}"\n', "", 12, "SqrtFast does not say what it approximates: wanted Approximates:"),
    (f'    Approximates: "{SQRT}"\n', f'    Approximates: "{SQRT}\n', 13, "a quote is not closed on this line"),
    (f'    Approximates: "{SQRT}"\n', f'    Approximates: "{SQRT}" it\n', 13, "wanted nothing behind the closing quote"),
    ("Sqrt<Binary8p4se,", "Sqrt<fx,", 13, "nothing says which formats fx stands for: wanted a format in its place, or Requires: with a line such as"),
    ("Sqrt<Binary8p4se,", "Sqrt<Binary8p9se,", 13, "Binary8p9se is not a format"),
    ("Sqrt<Binary8p4se,", "Root<Binary8p4se,", 13, "Root is no operation of P3109 4.0"),
    ("Sqrt<Binary8p4se,", "Sqrt<1, Binary8p4se,", 13, "Sqrt has no size of blocks as its first parameter"),
    ("Sqrt<Binary8p4se,", "Add<Binary8p4se,", 13, "Add wants a format for each of 2 operands and the result"),
    ("Sqrt<Binary8p4se,", "ScaledSqrt<(Binary8p1uf, Binary8p4se),", 15, "the first operand has a scale, so that its numbers are in no order"),
    ("(NearestTiesToEven, ", "(NearestTieToEven, ", 13, "NearestTieToEven is not a rounding of P3109"),
    ("SatNone)", "OvfInf)", 13, "OvfInf is not a saturation: wanted SatNone, SatFinite or SatPropagate"),
    ("SatNone)>", "SatNone>", 13, "wanted (scale, element) or (rounding, saturation)"),
    (">(x) -> r", ">(x) = r", 13, "wanted the operands and the result"),
    ("    Verification:\n      method", "    Requires:\n      - ('fx == fr')\n      method", 19, "wanted nothing below Requires: but conditions, each behind a dash"),
    ("    Verification:\n      method: exhaustive\n", "    Requires:\n      - ('fx == fr')\n    Verification:\n", 18, "fx is neither a format nor a parameter of Approximates"),
    ("    Verification:\n      method: exhaustive\n", "    Projections: [ [ToOdd], [SatNone] ]\n    Verification:\n", 17, "Approximates has no parameter \u03c1 that Projections: could stand for"),
    ("    Verification:\n      method", "    Verification:\n   method", 18, "the indentation fits no line above it"),
    ("      function:\n", "     function:\n", 19, "the indentation fits no line above it"),
    ("      method: exhaustive\n", "      method: note: exhaustive\n", 18, "put what is behind method: into quotes, or on a line below"),
    ("      method: exhaustive\n", "      exhaustive\n", 18, "wanted a key and a colon"),
    ("Training:\n", "Training: yes\n", 21, "wanted nothing behind Training"),
    ("Training:\n", "- Training:\n", 21, "wanted a group of declarations, such as Inference:"),
    ("Training:\n", "Metadata:\n", 21, "Metadata: comes once, before all groups"),
    ("Training:\n", "Empty: true\n", 21, "wanted Empty: true, in a file without declarations"),
    ("Inference:\n", "", 12, "Approximates: declares nothing here: it stands below Group:, Name:"),
    ("Training:\n", ":\n", 21, "wanted a group of declarations, such as Inference:"),
    ("  SqrtFaster:\n", "  :\n    Approximates: '" + SQRT + "'\n  SqrtFaster:\n", 22, "wanted the name of an implementation and a colon"),
    ("  SqrtFaster:\n", "  SqrtFaster: 1\n", 22, "wanted the name of an implementation and a colon"),
    ("  SqrtFaster:\n", "  SqrtFastest:\n  SqrtFaster:\n", 22, "SqrtFastest declares no kappa: wanted Kappa: with a number, or intervals below Kappas:"),
    ("Metadata:\n", "  Metadata:\n", 2, "wanted Metadata: or a group of declarations, at the head of a line"),
    ("    email: ", "    email ", 6, "wanted a key and a colon"),
    ('  version: "4.0"\n', "  shard: 1/2\n", 4, 'wanted shard: with a shard and their number, such as "2/5"'),
]

# Declarations with parameters: SqrtFaster says what SqrtFaster.1 and SqrtFaster.2 approximate.
PARAMETERS = """Inference:
  SqrtFast:
    Approximates: "Sqrt<fx, fr, \u03c1>(x) -> r"
    Kappas:
      - { interval: '[ -Inf, Inf ]', kappa: 1 }
    Requires:
      - ('fx == fr')
      - ('fx in [Binary8p3se, Binary8p4se]')
    Projections:
      [ [NearestTiesToEven, TowardZero], [SatNone, SatFinite] ]
Training:
  SqrtFaster:
    - Approximates: "Sqrt<fx, fr, rho>(x) -> r"
    - Verification:
        method: statistical sampling
        note: 10 million samples
  SqrtFaster.1:
    - Requires:
        - (' fr == fx ')
        - (' fx in [ Binary8p2se ] ')
    - Projections:
        RoundingMode:
          - ToOdd
          - StochasticB:
            - bits: (4)
        SaturationMode:
          - SatPropagate
    - Kappas:
        - {interval: '[ -Inf, 0 )', kappa: 2}
        - {interval: '[ 0, Inf ]', kappa: 0}
  SqrtFaster.2:
    - Requires:
        - [ (' fx in [ Binary8p3se, Binary6p3se ] '), (' fr in [ binary8p4se, Binary6p2se, Binary6p3se ] ') ]
        - (' PrecisionOf(fr) >= PrecisionOf(fx) ')
        - (' BitwidthOf(fr) > 6 ')
    - Projections:
        - { RoundingMode: ToOdd, SaturationMode: SatFinite }
        - { RoundingMode: TowardZero, SaturationMode: SatNone }
    - Kappa: 3
"""
# {specialization: kappa of all operands}, which the above declares.
PARAMETRIC = {
    **{(one, one, rounding, saturation): 1 for one in ("8p3se", "8p4se") for rounding in ("NearestTiesToEven", "TowardZero") for saturation in ("SatNone", "SatFinite")},
    **{("8p2se", "8p2se", rounding, "SatPropagate"): 2 for rounding in ("ToOdd", "StochasticB_4")},
    **{(one, "8p4se", *pair): 3 for one in ("8p3se", "6p3se") for pair in (("ToOdd", "SatFinite"), ("TowardZero", "SatNone"))}}
MALFORMED_PARAMETERS = [
    ("      - ('fx in [Binary8p3se, Binary8p4se]')\n", "", 3, "nothing says which formats fx stands for"),
    ("      - ('fx == fr')\n", "", 3, "nothing says which formats fr stands for"),
    ("('fx == fr')", "('fx == fz')", 7, "fz is neither a format nor a parameter of Approximates"),
    ("('fx == fr')", "('fx = fr')", 7, "wanted a condition such as ('fx == fr') or ('fx in [Binary8p3se, Binary8p4se]')"),
    ("('fx == fr')", "('fx <= fr')", 7, "wanted a condition such as"),
    ("('fx == fr')", "('fx == 8')", 7, "wanted a condition such as"),
    ("('fx == fr')", "'fx == fr'", 7, "wanted a condition such as"),
    ("('fx == fr')", "('fx == fr' and 'fx == fr')", 7, "wanted a condition such as"),
    ("('fx == fr')", "('EmaxOf(fx) > 3')", 7, "wanted a condition such as"),
    ("('fx == fr')", "('fx == fr')\n      - ('fx != fr')", 3, "no choice of formats fulfils all conditions of Requires:"),
    ("Binary8p3se, Binary8p4se]", "Binary8p3se, Binary8p9se]", 8, "Binary8p9se is not a format, such as Binary8p4se"),
    ("Binary8p3se, Binary8p4se]", "Binary8p$(i)se]", 8, "wanted a condition such as"),
    ("    Projections:\n      [ [NearestTiesToEven, TowardZero], [SatNone, SatFinite] ]\n", "", 3, "nothing says which projections \u03c1 stands for"),
    ("[SatNone, SatFinite]", "[NearestTiesToEven, SatFinite]", 10, "NearestTiesToEven is not a saturation: wanted SatNone, SatFinite or SatPropagate"),
    ("[SatNone, SatFinite]", "[OvfInf]", 10, "OvfInf is not a saturation"),
    (", [SatNone, SatFinite] ]", " ]", 10, "wanted a list of saturations behind that of roundings"),
    ("TowardZero], ", "ToZero], ", 10, "ToZero is not a rounding of P3109, such as NearestTiesToEven"),
    ("            - bits: (4)\n", "", 25, "StochasticB needs its number of random bits, such as - bits: (4)"),
    ("bits: (4)", "bits: (four)", 25, "wanted a number of random bits, such as (4)"),
    ("        SaturationMode:\n          - SatPropagate\n", "", 21, "wanted RoundingMode: and SaturationMode:, each with a list"),
    ("        SaturationMode:\n", "        Saturation:\n", 26, "wanted RoundingMode: and SaturationMode:, each with a list"),
    ("ToOdd, SaturationMode: SatFinite", "ToOdd", 37, "wanted { RoundingMode: ToOdd, SaturationMode: SatNone } or the like"),
    ("  SqrtFaster.1:\n", "  SqrtOther.1:\n", 17, "SqrtOther.1 does not say what it approximates: wanted Approximates:"),
    ("  SqrtFaster:\n", "  SqrtNever:\n    - Approximates: 'Sqrt<fx, fr, rho>(x) -> r'\n  SqrtFaster:\n", 12, "SqrtNever declares no kappa"),
    ("fx, fr, rho>", "fx, fr, rho", 13, "wanted > behind (rounding, saturation)"),
    ("Sqrt<fx, fr, rho>", "Add<fx, fr, rho>", 13, "Add wants a format for each of 2 operands and the result"),
    ("kappa: 0}", "kappa: 0.5}", 30, "wanted one { interval: '[ -1, 2.5 )', kappa: 1 }"),
]


def intervals_of(document):
    """The declared kappas of a document that another reader of YAML has read: (interval or None, kappa) in order of the lines."""
    found = []
    for group, declarations in document.items():
        for members in (declarations or {}).values() if group != "Metadata" else ():
            for member in members if isinstance(members, list) else [members]:
                for name, value in member.items():
                    if name == "Kappa":
                        found.append((None, float(value)))
                    found += [(item["interval"], float(item["kappa"])) for item in value] if name == "Kappas" else []
    return found


class Declared(Case):
    def setUp(self):
        super().setUp()
        self.measured = self.file("measured.yaml", f"Measured:\n  Sqrt.1:\n    Approximates: \"{SQRT}\"\n    Kappa: 0\n")

    def gate(self, text):
        """The exit status and what is said of a declaration."""
        done = self.run_program("gate", self.measured, "--kappa", self.file("declared.yaml", text))
        return done.returncode, (done.stdout + done.stderr).decode()

    def test_the_form_of_the_report(self):
        self.assertEqual(self.gate(DECLARED), (0, "the declared kappas hold for all operands\n"))
        for old, new in (("---\n", ""), ("\n", "\r\n"), (">(x) -> r", ">"), ("kappa: 3", "kappa: .NaN"), ("\n  ", "\n    "),
                         (f"'{SQRT}'", SQRT),
                         (DECLARED[DECLARED.index(INTERVAL):DECLARED.index("    Veri")], INTERVAL[2:] + "    - {interval: '[ 1, Inf ]', kappa: 3}\n"), ("    Verification:", "    note: 'it''s # no comment'\n    Verification:")):
            with self.subTest(new=new):
                self.assertIn(old, DECLARED)
                self.assertEqual(self.gate(DECLARED.replace(old, new)), (0, "the declared kappas hold for all operands\n"))

    def test_each_kappa_of_it_is_held(self):
        """A kappa in every place that is too small for what was measured is found."""
        self.measured = self.file("measured.yaml", f"Measured:\n  Sqrt.1:\n    Approximates: \"{SQRT}\"\n    Kappas:\n"
                                  "      - { interval: '[ -Inf, Inf ]', kappa: .inf }\n")
        status, said = self.gate(DECLARED)
        self.assertEqual((status, said.count("too small")), (1, 2), said)
        status, said = self.gate(DECLARED.replace(".nan", "7").replace("kappa: 2", "kappa: .inf"))
        self.assertEqual((status, said.count("too small")), (1, 2), said)

    def test_malformed_files(self):
        refused = 0
        for old, new, line, says in MALFORMED:
            with self.subTest(new=new):
                self.assertIn(old, DECLARED)
                status, said = self.gate(DECLARED.replace(old, new, 1))
                refused += 1
                self.assertEqual(status, 2, said)
                self.assertRegex(said, rf"\Adetcheck: \S+declared\.yaml, line {line}: {re.escape(says)}[^\n]*\n\Z")
        self.assertGreater(refused, 45)
        for text, says in (("", "declares no kappa"), ("Metadata:\n  version: '4.0'\nEmpty: true\n", "declares no kappa"),
                           ("Empty: true\nMine:\n", "line 2: wanted nothing behind Empty: true"), ("Mine:\n  A\0:\n", "line 2: a byte of 0 is no text")):
            self.assertIn(says, self.refuse("gate", self.measured, "--kappa", self.file("declared.yaml", text)))

    def measure(self, kappas):
        self.measured = self.file("measured.yaml", "Measured:\n" + "".join(
            f"  Sqrt.{i}:\n    Approximates: \"Sqrt<Binary{one}, Binary{other}, ({rounding}, {saturation})>(x) -> r\"\n    Kappa: {kappa}\n"
            for i, ((one, other, rounding, saturation), kappa) in enumerate(kappas.items())))

    def test_parameters_stand_for_what_the_declaration_says(self):
        """Kappas that are as large as declared hold, larger ones do not, and of no other specialization anything is declared."""
        self.measure(PARAMETRIC)
        self.assertEqual(self.gate(PARAMETERS), (0, "the declared kappas hold for all operands\n"))
        self.measure({one: kappa + 1 for one, kappa in PARAMETRIC.items()})
        status, said = self.gate(PARAMETERS)
        self.assertEqual((status, said.count("too small")), (1, len(PARAMETRIC)), said)
        formats = ("8p2se", "8p3se", "8p4se", "6p2se", "6p3se")
        every = itertools.product(formats, formats, ("NearestTiesToEven", "TowardZero", "ToOdd", "StochasticB_4"), ("SatNone", "SatFinite", "SatPropagate"))
        others = [one for one in every if one not in PARAMETRIC]
        self.assertEqual(len(others), 300 - len(PARAMETRIC))
        for one in others[::7]:
            self.measure({one: 0})
            status, said = self.gate(PARAMETERS)
            self.assertEqual(status, 2, one)
            self.assertIn("the declaration says nothing of sqrt<", said)

    def test_intervals_of_parameters(self):
        """The same interval in each format that a parameter stands for: a measured kappa in it is found too large."""
        for name in ("8p3se", "8p4se"):
            self.measured = self.file("measured.yaml", f"Measured:\n  Sqrt.1:\n    Approximates: \"Sqrt<Binary{name}, Binary{name}, (TowardZero, SatFinite)>\"\n"
                                      "    Kappas:\n      - { interval: '[ -Inf, 0 )', kappa: 1 }\n      - { interval: '[ 0, Inf ]', kappa: 2 }\n")
            status, said = self.gate(PARAMETERS)
            self.assertEqual((status, said.count("too small")), (1, 1), said)
            self.assertIn("on [ 0, Inf ] it is 2", said)

    def test_malformed_parameters(self):
        for old, new, line, says in MALFORMED_PARAMETERS:
            with self.subTest(new=new):
                self.assertIn(old, PARAMETERS)
                status, said = self.gate(PARAMETERS.replace(old, new, 1))
                self.assertEqual(status, 2, said)
                self.assertRegex(said, rf"\Adetcheck: \S+declared\.yaml, line {line}: {re.escape(says)}[^\n]*\n\Z")

    def slow_what_another_reader_of_yaml_says(self):
        """Changes drawn from a seed: whatever the gate accepts, PyYAML reads, and finds the same kappas in it."""
        try:
            import yaml
        except ImportError:
            self.skipTest("this Python has no yaml")
        draw, accepted = random.Random(int(os.environ.get("SEED", "1"))), 0
        for _ in range(int(os.environ.get("CASES", "2000"))):
            lines = DECLARED.splitlines(keepends=True)
            at = draw.randrange(len(lines))
            where = draw.randrange(len(lines[at]))
            lines[at] = draw.choice((lambda l: "", lambda l: " " + l, lambda l: l[1:], lambda l: l + l, lambda l: l[:where] + l[where + 1:],
                                     lambda l: l[:where] + draw.choice("-:'\"{}[]#,. \n") + l[where:]))(lines[at])
            text = "".join(lines)
            status, said = self.gate(text)
            if status == 2:
                continue
            accepted += 1
            try:
                kappas = intervals_of(yaml.safe_load(text))
            except yaml.MarkedYAMLError as wrong:  # in what is for people alone
                at = wrong.problem_mark.line
                above = "".join(text.splitlines(keepends=True)[:at + 1])
                self.assertRegex(above, r"Metadata:\n(  .*\n|#.*\n)*\Z|Verification:.*\n(     *\S.*\n)*\Z", (text, wrong))
                continue
            wanted = [(m[1], m[2] or m[3]) for m in re.finditer(r"(?m)^(?!\s*#).*?(?:interval: +'([^']*)' *, *kappa: +([^ }]+)|\bKappa: (\S+))", text)]
            self.assertEqual(str(kappas), str([(interval, float(kappa.lstrip("."))) for interval, kappa in wanted]), (text, said))
        self.assertGreater(accepted, 50)
        print(accepted, "of the changed files are accepted")


if __name__ == "__main__":
    unittest.main()
