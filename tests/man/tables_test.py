"""The measured tables of the manual are those that man/tables/make_pages.py makes from the data files of man/data: each row has its
command, its versions and its date and stands in a page, and a figure that is changed in the data changes the page."""

import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

TABLES = Path(__file__).resolve().parents[2] / "man" / "tables"
sys.path.insert(0, str(TABLES))
sys.dont_write_bytecode = True
import layouts  # noqa: E402
import make_pages  # noqa: E402
import measured  # noqa: E402

FILES = sorted(path.stem for path in measured.FOLDER.glob("*.json"))
PLACES = [(path, found[1]) for path in make_pages.pages() for found in make_pages.PLACE.findall(path.read_text(encoding="ascii"))]
DATE = re.compile(r"2\d{3}-[01]\d-[0-3]\d")


def parted(words):
    """The file, the table, the layout and the settings of a place."""
    name, table, layout, *settings = words.split()
    return name, table, layout, {key: cells.split(",") for key, _, cells in (one.partition("=") for one in settings)}


def selected(name, table, settings):
    return make_pages.selected(measured.Data(name).read(), table, {key: cells for key, cells in settings.items() if key not in ("show", "joined")}, [])


def shown():
    """{(file, table): rows that a page shows, but for lists of runs}"""
    found = {}
    for name, table, layout, settings in map(parted, (words for _, words in PLACES)):
        if layout != "runs":
            found.setdefault((name, table), []).extend(selected(name, table, settings))
    return found


class Rows(unittest.TestCase):
    def test_every_row_says_how_it_was_measured(self):
        self.assertGreaterEqual(len(FILES), 20)
        for name in FILES:
            document = measured.Data(name).read()
            for run in document["runs"].values():
                self.assertEqual(set(run), set(measured.MEMBERS), name)
                self.assertTrue(run["command"] and run["versions"], (name, run))
                self.assertTrue(DATE.fullmatch(run["date"]) or run["date"] == measured.NOT_RECORDED, (name, run))
                self.assertNotRegex(run["command"], r"(^|[\s'=:])/", name)  # a path of somebody's machine
            used = set()
            for table, found in document["tables"].items():
                self.assertEqual(found["columns"][0], "run")
                for row in found["rows"]:
                    self.assertEqual((len(row), {type(cell) for cell in row}), (len(found["columns"]), {str}), (name, table, row))
                    used.add(row[0])
                keys = [tuple(row[1:found["keys"] + 1]) for row in found["rows"]]
                self.assertEqual(len(keys), len(set(keys)), (name, table))
            self.assertEqual(used, set(document["runs"]), name)

    def test_every_row_stands_in_a_page(self):
        found = shown()
        for name in FILES:
            document = measured.Data(name).read()
            for table, has in document["tables"].items():
                with self.subTest(file=name, table=table):
                    in_pages = {tuple(row[column] for column in has["columns"]) for row in found[name, table]}
                    self.assertEqual(in_pages, set(map(tuple, has["rows"])))

    def test_every_run_stands_in_a_page(self):
        found = {name: set() for name in FILES}
        for name, table, layout, conditions in map(parted, (words for _, words in PLACES)):
            if layout == "runs" or "date" in conditions.get("show", []):
                found[name] |= {row["run"] for row in selected(name, table, conditions)}
        self.assertEqual(found, {name: set(measured.Data(name).read()["runs"]) for name in FILES})


class Pages(unittest.TestCase):
    def test_pages_are_those_of_the_data(self):
        done = subprocess.run([sys.executable, "-B", str(TABLES / "make_pages.py"), "--check"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_figure_changed_in_the_data_changes_the_page(self):
        """The last cell, other than "-", of the first and the last row of each table."""
        for name in FILES:
            document = measured.Data(name).read()
            for table, has in document["tables"].items():
                for at in {0, len(has["rows"]) - 1}:
                    altered = copy.deepcopy(document)
                    row = altered["tables"][table]["rows"][at]
                    row[max(place for place, cell in enumerate(row) if cell != "-")] += " 7531"
                    with self.subTest(file=name, table=table, row=at), tempfile.TemporaryDirectory() as folder, \
                            mock.patch.object(measured, "FOLDER", Path(folder)):
                        Path(folder, f"{name}.json").write_text(json.dumps(altered), encoding="ascii")
                        made = [make_pages.made(words) for _, words in PLACES if words.split()[:2] == [name, table]]
                        self.assertTrue(any("7531" in text for text in made), made[:1])

    def test_a_place_that_names_nothing_is_refused(self):
        for words, said in (("library-runtimes errors grid show=format,libraries", "no column libraries; "[:20]),
                            ("library-runtimes errors grid show=function,library,error format=fp8", "no row"),
                            ("library-runtimes errors lines show=error colour=red", "no column colour")):
            with self.subTest(place=words), self.assertRaisesRegex(ValueError, said):
                make_pages.made(words)

    def test_rows_that_agree_are_joined(self):
        rows = [{"target": target, "code": code, "profile": profile}
                for target, code, profile in (("fp8", "0", "a"), ("fp8", "1", "b"), ("fp8", "0", "c"), ("fp4", "0", "d"))]
        self.assertEqual(make_pages.joined(rows, ["target", "code", "profile"], "profile"),
                         [{"target": "fp8", "code": "0", "profile": "a, c"}, {"target": "fp8", "code": "1", "profile": "b"},
                          {"target": "fp4", "code": "0", "profile": "d"}])

    def test_a_condition_keeps_or_leaves_out(self):
        document = measured.Data("library-kernels").read()
        rows = make_pages.selected(document, "kernels", {}, [])
        none, some = (make_pages.selected(document, "kernels", {key: ["-"]}, []) for key in ("largest", "largest!"))
        self.assertEqual([len(none) > 0, len(some) > 0, len(none) + len(some)], [True, True, len(rows)])
        self.assertEqual({row["largest"] for row in none}, {"-"})
        self.assertNotIn("-", {row["largest"] for row in some})

    def test_what_is_written_by_hand_into_a_table_goes(self):
        text = PLACES[0][0].read_text(encoding="ascii")
        self.assertEqual(make_pages.renewed(text), text)
        altered = make_pages.PLACE.sub(lambda found: found[1] + "by hand\n", text)
        self.assertNotEqual(altered, text)
        self.assertEqual(make_pages.renewed(altered), text)


class Put(unittest.TestCase):
    RUNS = [{"command": f"measure {number}", "versions": "1.0", "date": "2026-11-30"} for number in range(3)]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        patched = mock.patch.object(measured, "FOLDER", Path(folder.name))
        patched.start()
        self.addCleanup(patched.stop)
        self.data = measured.Data("made")
        self.data.write({"runs": {"1": self.RUNS[0]}, "tables": {"errors": {"columns": ["run", "function", "library", "error"], "keys": 2, "rows": [
            ["1", "exp", "one", "0.5"], ["1", "exp", "two", "0.6"], ["1", "sin", "one", "0.7"]]}}})
        self.order = measured.placed({"function": ["exp", "log", "sin"]}, {"library": ["one", "two"]})

    def rows(self):
        runs = self.data.read()["runs"]
        return [(row["function"], row["library"], row["error"], runs[row["run"]]["command"]) for row in self.data.rows("errors")]

    def test_a_row_takes_the_place_of_the_one_with_its_keys(self):
        self.data.put("errors", [("exp", "two", "0.8"), ("log", "one", "0.9")], self.RUNS[1], self.order)
        self.assertEqual(self.rows(), [("exp", "one", "0.5", "measure 0"), ("exp", "two", "0.8", "measure 1"),
                                       ("log", "one", "0.9", "measure 1"), ("sin", "one", "0.7", "measure 0")])

    def test_rows_that_are_replaced_go_with_their_run(self):
        self.data.put("errors", [("exp", "one", "0.8")], self.RUNS[2], self.order, lambda row: True)
        self.assertEqual(self.rows(), [("exp", "one", "0.8", "measure 2")])
        self.assertEqual([*self.data.read()["runs"].values()], [self.RUNS[2]])

    def test_one_run_has_one_number(self):
        for function in ("exp", "log"):
            self.data.put("errors", [(function, "two", "0.8")], self.RUNS[1], self.order)
        self.assertEqual(len(self.data.read()["runs"]), 2)
        self.assertEqual(os.listdir(measured.FOLDER), ["made.json"])

    def test_a_command_has_no_folder_of_this_machine(self):
        with mock.patch.object(sys, "argv", ["/far/man/tables/measure.py", "/far/detcheck", "--only", "a row", "-n", "5"]):
            self.assertEqual(measured.this_run("1.0")["command"], "man/tables/measure.py detcheck --only 'a row' -n 5")


class Layouts(unittest.TestCase):
    def made(self, layout, rows, columns):
        return list(layouts.LAYOUTS[layout](rows, columns))

    def test_a_grid_has_a_column_for_each_cell(self):
        rows = [{"f": f, "l": l, "e": e} for f, l, e in (("exp", "one", "1"), ("exp", "two", "2"), ("sin", "two", "3"))]
        self.assertEqual(self.made("grid", rows, ["f", "l", "e"]), [".Bd -literal", "f   one two", "exp   1   2", "sin   ?   3", ".Ed"])

    def test_columns_that_do_not_fit_stand_below(self):
        rows = [{"f": f, "l": f"library{number}", "e": f"{f}{number}"} for f in ("a", "b") for number in range(12)]
        made = self.made("grid", rows, ["f", "l", "e"])
        self.assertEqual([made.count(".Bd -literal"), max(map(len, made)) <= layouts.WIDTH], [2, True])
        for row in rows:
            self.assertEqual(sum(row["e"] in line.split() for line in made), 1)

    def test_long_cells_wrap_and_lose_nothing(self):
        rows = [{"name": "exp", "text": "word " * 40 + "end"}, {"name": "of_a_very_long_name.that_has=signs,and_no_spaces_at_all_in_it", "text": "short"}]
        made = self.made("lines", rows, ["name", "text"])
        self.assertLessEqual(max(map(len, made)), layouts.WIDTH)
        text = "".join("".join(line.split()) for line in made)
        self.assertEqual([text.count("word"), text.count("end"), text.count("short")], [40, 1, 1])
        self.assertIn(rows[1]["name"], "".join(line[:line.index(" ")] if " " in line else line for line in made[-6:]))

    def test_what_mdoc_would_read_as_a_request_is_text(self):
        self.assertEqual(list(layouts.sentences(".5 is half\n'tis")), ["\\&.5 is half", "\\&'tis"])
        self.assertEqual(layouts.escaped("a\\b"), "a\\eb")

    def test_a_paragraph_has_few_lines(self):
        text = "\n".join(f"Sentence {number} has some words in it." for number in range(40))
        parts = layouts.in_paragraphs(text)
        self.assertEqual("\n".join(parts), text)
        self.assertLessEqual(max(layouts.height(part.split("\n")) for part in parts), layouts.MOST_LINES)

    def test_a_long_sentence_breaks_outside_of_parentheses(self):
        side = "one side adds " + "many words " * 22
        parts = layouts.in_paragraphs(f"{side}(form a; sums b); {side}(form c; sums d).")
        self.assertEqual(parts, [f"{side}(form a; sums b);", f"{side}(form c; sums d)."])
        self.assertEqual("".join(layouts.outside("a; (b; (c; d); e); f", "; ")), "a;(b; (c; d); e);f")

    def test_runs_of_one_command_stand_together(self):
        rows = [{"command": "measure", "versions": versions, "date": date} for versions, date in
                (("one", "2026-11-02"), ("two", "2026-11-03"), ("one", "2026-11-01"))]
        made = "\n".join(self.made("runs", rows, []))
        self.assertEqual(made.count("$ measure"), 1)
        self.assertIn("one: 2026-11-01 to 2026-11-02.\n.It\ntwo: 2026-11-03.", made)

    def test_commands_that_measured_alike_share_a_list(self):
        rows = [{"command": command, "versions": versions, "date": "2026-11-01"} for command, versions in
                (("first", "one"), ("other", "two"), ("second", "one"), (measured.NOT_RECORDED, "one"))]
        made = "\n".join(self.made("runs", rows, []))
        ends = made.index("$ second"), made.index("one: "), made.index("$ other"), made.index("two: "), made.index("not recorded")
        self.assertEqual([made.index("$ first"), *ends], sorted([made.index("$ first"), *ends]))
        self.assertEqual([made.count("one: "), made.count("two: ")], [2, 1])

    def test_a_long_item_is_not_repeated(self):
        rows = [{"row": row, "text": text} for row, text in
                (("A", "long " * 60), ("B", "long " * 60), ("C", "short"), ("D", "short"), ("E", "long " * 60 + "end"))]
        made = self.made("items", rows, ["row", "text"])
        self.assertEqual(made.count("The same as for A."), 1)
        self.assertEqual(made[made.index(".It B") + 1], "The same as for A.")
        self.assertEqual([made.count("short"), "\n".join(made).count("end")], [2, 1])

    def test_lengths_of_which_the_same_is_said_stand_together(self):
        rows = [{"row": "A", "text": text} for text in
                ("From the left.", "1024 terms: in halves.", "4096 terms: in halves.", "8192 terms: in lanes.")]
        made = "\n".join(self.made("items", rows, ["row", "text"]))
        self.assertIn("1024 and 4096 terms: in halves.\n", made)
        self.assertEqual([made.count("halves"), made.count("8192 terms: in lanes.")], [1, 1])


if __name__ == "__main__":
    unittest.main()
