"""The manual pages against the program: every command and option is told of, and nothing is told that does
not exist; the pages that the build makes are those of their templates.

Environment: as for pages.py; DETCHECK_ALTERED is the program with rows more in its table of operations
(tests/programs/made_up.c)."""

import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from pages import PAGES, PROGRAM, SOURCES, page, run, tags

MADE_UP = os.environ.get("DETCHECK_ALTERED")


def commands():
    """The commands that the program names in its help."""
    listed = run("--help").split("Commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]


def help_options(text):
    """{"--format": "-f FORMAT", "--all": ""}: every option of a help text, with the rest of it."""
    rows = re.findall(r"^  (-\w)?,? +(--[\w-]+)(?: ([A-Z:/]+))?(?= |$)", text, re.MULTILINE)
    return {name: " ".join(word for word in (letter, value) if word) for letter, name, value in rows}


def help_parts(text):
    """The options of a help text: the command's own, and the parameters of operations."""
    own, _, parameters = text.partition("\nParameters of operations")
    return help_options(own), help_options(parameters)


def page_options(text):
    """The options that a page describes, in the form of help_options; where one is described again,
    by the first tag."""
    options = {}
    for tag in tags(text, "Fl"):
        words = ["-" + word if macro == "Fl" else word
                 for macro, word in re.findall(r"(Fl|Ar) (\S+)", "Fl " + tag)]
        name = next(word for word in words if word.startswith("--"))
        options.setdefault(name, " ".join(word for word in words if word != name))
    return options


def mentioned_options(text, command=r"\w+"):
    """Every option that a page mentions anywhere, long or short; in examples, of that command."""
    found = set()
    for line in text.splitlines():
        if line.startswith("."):
            found |= {"-" + word for word in re.findall(r"\bFl ([\w-]+)", line) if word != "-"}
    for line in re.findall(rf"^(?:\.Dl )?\$ detcheck {command}\b.*$", text, re.MULTILINE):
        found |= set(re.findall(r"(?<= )--?[a-z][\w-]*", line.split("|")[0]))
    return found


class Pages(unittest.TestCase):
    maxDiff = 4000

    def each(self):
        """The name and the text of every page."""
        self.assertIn("detcheck.1", PAGES)
        for name in sorted(PAGES):
            with self.subTest(page=name):
                yield name, page(name)

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_mandoc_has_no_complaint(self):
        for name, _ in self.each():
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", PAGES[name]],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  check=False)
            self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_title_and_name_are_those_of_the_file(self):
        for name, text in self.each():
            stem, section = name.split(".")
            self.assertRegex(text, rf"(?m)^\.Dt {stem.upper()} {section}$")
            self.assertRegex(text, rf"(?m)^\.Nm {stem}$")

    def test_references_lead_to_pages(self):
        for _, text in self.each():
            for stem, section in re.findall(r"\.Xr (detcheck\S*) (\d)", text):
                self.assertIn(f"{stem}.{section}", PAGES)

    def test_no_macro_eats_a_quote(self):
        """roff takes a quote at the beginning of an argument away; within a quotation it is \\(dq."""
        for _, text in self.each():
            for line in re.findall(r'(?m)^\.Ql [^" ].*$', text):
                self.assertNotRegex(line, r' "')

    def test_no_word_is_taken_for_a_macro(self):
        """An, In and At are macros within headings and tags; as words they are \\&An and so on. A header is In indeed."""
        for _, text in self.each():
            for line in re.findall(r"(?m)^\.(?:Sh|Ss|It) .*$", text):
                self.assertNotRegex(line, r" (?:An|At)\b| In (?!\S+\.h\b)")

    def test_no_machine_shows(self):
        for _, text in self.each():
            self.assertNotRegex(text, r"/(work|tmp|home|root|build)\b")


class Commands(unittest.TestCase):
    def test_every_command_has_a_page(self):
        for command in commands():
            with self.subTest(command=command):
                self.assertIn(f".Nm detcheck Cm {command}\n", page(f"detcheck-{command}.1"))

    def test_every_page_has_a_command(self):
        pages = {name[9:-2] for name in PAGES if re.fullmatch(r"detcheck-.*\.1", name)}
        self.assertEqual(pages, {*commands(), "worker"})  # the page of a program of its own

    def test_the_overview_lists_the_commands(self):
        listed = re.findall(r"^\.It Cm (\w+)\n(?:[^.\n].*\n)+See\n\.Xr detcheck-(\w+) 1 \.$",
                            page("detcheck.1"), re.MULTILINE)
        self.assertEqual(listed, [(command, command) for command in commands()])

    def test_the_summary_is_that_of_the_help(self):
        summaries = dict(re.findall(r"^  (\w+) +(.*)$", run("--help"), re.MULTILINE))
        for command in commands():
            with self.subTest(command=command):
                self.assertIn(f".Nd {summaries[command]}\n", page(f"detcheck-{command}.1"))

    def test_pages_name_what_there_is(self):
        document = json.loads(run("list", "--json", "-"))
        for row in document["formats"]:
            self.assertIn(f".It {row['name']} Ta ", page("detcheck-formats.7"))
        for row in document["roundings"]:
            self.assertIn(f".It Cm {row['name']}\n", page("detcheck.1"))
        for row in document["implementations"]:
            self.assertIn(f".It Cm {row['name']}\n", page("detcheck-implementations.7"))

    def test_canonical_nans_are_right(self):
        for name, nan in re.findall(r"^\.It (\w+) Ta (0x\w+) Ta", page("detcheck-formats.7"), re.MULTILINE):
            with self.subTest(format=name):
                document = json.loads(run("eval", "exp", "nan", "-f", name, "--json", "-"))
                self.assertEqual(document["results"][0]["want"], nan)


class Options(unittest.TestCase):
    def test_pages_describe_the_options_of_the_help(self):
        for command in commands():
            with self.subTest(command=command):
                offered, _ = help_parts(run(command, "--help", "all"))
                self.assertIn("--help", offered)
                described = page_options(page(f"detcheck-{command}.1"))
                self.assertEqual(described, offered)

    def test_two_pages_describe_the_parameters_of_operations(self):
        described = page_options(page("detcheck-parameters.7") + page("detcheck-parameters-arrays.7"))
        for command in ("sweep", "eval", "emit", "compare"):
            with self.subTest(command=command):
                _, offered = help_parts(run(command, "--help", "all"))
                self.assertEqual(described, offered)

    def test_the_synopsis_has_every_option(self):
        for command in commands():
            text = page(f"detcheck-{command}.1")
            synopsis = text.split(".Sh SYNOPSIS\n")[1].split("\n.Sh ")[0]
            shown = mentioned_options(synopsis)
            for name, rest in help_parts(run(command, "--help", "all"))[0].items():
                with self.subTest(command=command, option=name):
                    self.assertTrue(name == "--help" or shown & {name, rest.split(" ")[0]})

    def test_no_option_is_mentioned_that_does_not_exist(self):
        existing = {"--version", "-V"}
        for command in commands():
            options = help_options(run(command, "--help", "all"))
            own = {*options, *(rest.split(" ")[0] for rest in options.values())}
            existing |= own
            if command not in ("completion", "plan"):  # they tell of the options of others
                with self.subTest(command=command):
                    self.assertLessEqual(mentioned_options(page(f"detcheck-{command}.1"), command),
                                         own)
        for name in ("detcheck.1", "detcheck-completion.1", "detcheck-plan.1", "detcheck-report.7", "detcheck-report-flags.7", "detcheck-report-tally.7",
                     "detcheck-parameters.7", "detcheck-parameters-arrays.7", "detcheck-policy.7", "detcheck-policy-limits.7", "detcheck-promises.7"):
            with self.subTest(page=name):
                self.assertLessEqual(mentioned_options(page(name)), existing)

    def test_options_of_the_program_itself(self):
        self.assertEqual(page_options(page("detcheck.1")), {"--help": "-h", "--version": "-V"})
        self.assertRegex(run("--version"), r"^detcheck \d")
        self.assertEqual(run("-h"), run("--help"))


class Templates(unittest.TestCase):
    """What makes pages of man/*.in: detcheck --manual-page TEMPLATE PAGE."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="detcheck-test-")
        self.addCleanup(directory.cleanup)
        self.template = os.path.join(directory.name, "template.in")
        self.made = os.path.join(directory.name, "page")

    def make(self, text, code=0, program=PROGRAM):
        with open(self.template, "w", encoding="ascii") as stream:
            stream.write(text)
        done = subprocess.run([program, "--manual-page", self.template, self.made],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (code, ""))
        return done.stderr

    def test_pages_are_those_that_the_templates_make_now(self):
        templates = glob.glob(os.path.join(SOURCES, "*.in"))
        self.assertGreater(len(templates), 15)
        for template in templates:
            name = os.path.basename(template)[:-3]
            with self.subTest(page=name):
                with open(template, encoding="ascii") as stream:
                    self.make(stream.read())
                with open(self.made, encoding="ascii") as stream:
                    self.assertEqual(stream.read(), page(name))

    def test_every_operation_is_in_a_table(self):
        tables = "".join(page(name) for name in ("detcheck-operations.7", "detcheck-arrays.7", "detcheck-kernels.7",
                                                 "detcheck-decimal.7", "detcheck-p3109.7", "detcheck-dyadic.7", "detcheck-mx.7", "detcheck-onnx.7", "detcheck-quantisers.7",
                                                 "detcheck-scaled.7"))
        for row in json.loads(run("list", "operations", "--json", "-"))["operations"]:
            with self.subTest(operation=row["name"]):
                self.assertIn(f"\n.It Cm {row['name']}\n{row['formula']}", tables)

    @unittest.skipUnless(MADE_UP, "no program with made-up operations was built")
    def test_a_row_more_in_the_program_is_an_item_more(self):
        with open(os.path.join(SOURCES, "detcheck-operations.7.in"), encoding="ascii") as stream:
            self.make(stream.read(), program=MADE_UP)
        with open(self.made, encoding="ascii") as stream:
            text = stream.read()
        added = ".It Cm square\nx^2, made up;\nalso called\n.Cm sqr , power_of_2\n"
        self.assertTrue(added in text)
        self.assertNotIn(added, page("detcheck-operations.7"))

    def test_a_paragraph_goes_to_its_row(self):
        self.make("before\n@options merge\n@about output\nMore.\n@end\nafter\n")
        with open(self.made, encoding="ascii") as stream:
            self.assertEqual(stream.read(),
                             "before\n.It Fl -partial\n"
                             "Merge even if shards are missing; the report says how many.\n"
                             ".It Fl o , Fl -output Ar FILE\n"
                             "Write to\n.Ar FILE ,\nor to stdout if\n.Ar FILE\nis \\-; default \\-.\nMore.\n"
                             ".It Fl h , Fl -help\nPrint this help.\nafter\n")

    def test_members_that_are_named_are_listed_in_that_order_with_what_is_below_them(self):
        self.make("@members tally worst max_ulp over_1_ulp\n@end\n")
        with open(self.made, encoding="ascii") as stream:
            listed = re.findall(r"^\.It Va (\w+)", stream.read(), re.MULTILINE)
        self.assertEqual(list(dict.fromkeys(listed)), ["worst", "max_ulp", "over_1_ulp"])
        self.assertGreater(listed.count("max_ulp"), 1)

    def test_each_name_that_a_comparison_of_traces_may_hold_is_on_its_page(self):
        with open(os.path.join(SOURCES, "..", "vectors", "trace-comparison.schema.json"), encoding="ascii") as stream:
            names = [name for found in re.findall(r'"enum":\s*\[([^]]*)\]', stream.read()) for name in re.findall(r'"([^"]*)"', found)]
        self.assertGreater(len(names), 15)
        text = page("detcheck-trace-json.7")
        for name in names:
            self.assertRegex(text, rf"(?m)^\.It Cm {name}$")

    def test_every_form_is_told_whole_with_its_source(self):
        pages = re.sub(r"\s+", " ", re.sub(r"\\([-&])", lambda escape: escape[1].strip("&"), page("detcheck-forms.7") + page("detcheck-forms-layers.7")))
        told = 0
        for path in glob.glob(os.path.join(SOURCES, "..", "src", "impl", "forms", "*.inc")):
            with open(path, encoding="ascii") as stream:
                rows = re.findall(r'\.source\s*=\s*((?:"[^"]*"\s*)+)[,}]', stream.read())
            for literals in rows:
                source = "".join(re.findall(r'"([^"]*)"', literals))
                with self.subTest(source=source):
                    self.assertIn(f" In {source}.", pages)
                told += 1
        self.assertGreater(told, 50)

    def test_what_is_wrong_is_said_and_nothing_is_made(self):
        for text, line, says in (
                ("@options swoop\n@end\n", 1, "there are no rows for '@options swoop'"),
                ("@options merge\nText.\n", 1, "no @end after '@options merge'"),
                ("@options merge\n@about gone\nText.\n@end\n", 2, "there is no row of the name 'gone'"),
                ("@options merge\nText.\n@end\n", 2, "not an @about or @end: 'Text.'"),
                ("\n@options merge\n@about output\n@abuot\n@end\n", 4, "not an @about or @end: '@abuot'"),
                ("@synopsis swoop\n", 1, "there is no command 'swoop'"),
                ("@operations nothing\n@end\n", 1, "there are no rows for '@operations nothing'"),
                ("@members tally tested gone\n@end\n", 1, "there are no rows for '@members tally tested gone'"),
                ("@members tally test\n@end\n", 1, "there are no rows for '@members tally test'"),
                ("@table\n", 1, "unknown directive '@table'")):
            with self.subTest(text=text):
                self.assertEqual(self.make(text, code=2),
                                 f"detcheck: {self.template}:{line}: {says}\n")
                self.assertFalse(os.path.exists(self.made))


if __name__ == "__main__":
    unittest.main()
