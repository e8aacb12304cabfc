"""Data files of measured rows (man/data/NAME.json): each row says by which run it was measured, and a run has its command, the
versions of what was measured and the date. make_pages.py makes the tables of the manual from them.

A file has "runs", {number: {"command", "versions", "date"}}, and "tables", {name: {"columns", "keys", "rows"}}. The first cell of
a row is the number of its run; the first `keys` columns behind it tell rows apart."""
import datetime
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "man" / "data"
MEMBERS = ("command", "versions", "date")  # of a run
NOT_RECORDED = "not recorded"


def this_run(versions):
    """The run of the script that calls this: its command without the folders of this machine, what it measures, and today."""
    script, *words = sys.argv
    words = [os.path.basename(word) if os.path.isabs(word) else word for word in words]
    command = shlex.join([f"man/tables/{os.path.basename(script)}", *words])
    return {"command": command, "versions": versions, "date": datetime.date.today().isoformat()}


def version_of(program):
    """The program and its version: detcheck 0.1.0."""
    return subprocess.run([program, "--version"], capture_output=True, check=True, text=True).stdout.splitlines()[0]


class Data:
    """A data file. Every change reads it anew, since several scripts may write it at once."""

    def __init__(self, name):
        self.path = FOLDER / f"{name}.json"

    def read(self):
        return json.loads(self.path.read_text(encoding="ascii"))

    def rows(self, table):
        """The rows as {column: cell}."""
        found = self.read()["tables"][table]
        return [dict(zip(found["columns"], row)) for row in found["rows"]]

    def put(self, table, rows, run, order, replaced=lambda row: False):
        """Adds rows, tuples without the number of their run, in the place of those with the same keys and of those that
        `replaced` names. `order` gives what the rows of the table are sorted by."""
        document = self.read()
        found = document["tables"][table]
        number = number_of(document["runs"], run)
        new = [[number, *row] for row in rows]
        last = found["keys"] + 1
        gone = {tuple(row[1:last]) for row in new}
        kept = [row for row in found["rows"] if tuple(row[1:last]) not in gone and not replaced(dict(zip(found["columns"], row)))]
        found["rows"] = sorted(kept + new, key=lambda row: order(dict(zip(found["columns"], row))))
        self.write(document)

    def write(self, document):
        """Writes one row to a line, and runs only that a row has."""
        used = {row[0] for table in document["tables"].values() for row in table["rows"]}
        runs = [f"  {json.dumps(number)}: {json.dumps(run)}" for number, run in document["runs"].items() if number in used]
        tables = [f"  {json.dumps(name)}: {{\"columns\": {json.dumps(table['columns'])}, \"keys\": {table['keys']}, \"rows\": [\n" +
                  ",\n".join(f"   {json.dumps(row)}" for row in table["rows"]) + "\n  ]}" for name, table in document["tables"].items()]
        text = "{\n \"runs\": {\n" + ",\n".join(runs) + "\n },\n \"tables\": {\n" + ",\n".join(tables) + "\n }\n}\n"
        other = self.path.with_suffix(f".{os.getpid()}")
        other.write_text(text, encoding="ascii")
        other.replace(self.path)


def number_of(runs, run):
    """The number of a run among those of a document, which it joins if it is new."""
    for number, one in runs.items():
        if one == run:
            return number
    number = str(max(map(int, runs), default=0) + 1)
    runs[number] = run
    return number


def placed(*lists):
    """What to sort rows by: the places of their cells in lists; {column: list} each. A cell that a list lacks comes last."""
    places = [(column, {cell: at for at, cell in enumerate(cells)}) for one in lists for column, cells in one.items()]
    return lambda row: [where.get(row[column], len(where)) for column, where in places]
