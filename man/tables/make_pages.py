#!/usr/bin/env python3
"""Makes the tables of manual pages from the data files of man/data.

    man/tables/make_pages.py [--check]

A page says where a table stands, and make_pages.py writes it below that line:

    .\\" table library-runtimes errors grid show=function,library,error format=fp64
    .\\" end of table

These are the data file, its table, the layout (layouts.py), the columns to be shown, and which rows: those whose column has one of
these cells, or with "column!=cells" none of them. A column may have another heading (function:name). With joined=profile, rows that differ
only in their profile are one row, which lists the profiles. With --check nothing is written, and a page that its data would change is
named, with exit status 1.
"""
import pathlib
import re
import sys

from layouts import LAYOUTS
from measured import MEMBERS, ROOT, Data

BEGIN, END = '.\\" table ', '.\\" end of table'
PLACE = re.compile(rf"^({re.escape(BEGIN)}([^\n]+)\n)(.*?)^(?={re.escape(END)}$)", re.MULTILINE | re.DOTALL)


def selected(document, table, conditions, columns):
    """The rows of a table, as {column: cell} with what their runs have, that meet the conditions."""
    found = document["tables"][table]
    unknown = {*(column.rstrip("!") for column in conditions), *columns} - {*found["columns"], *MEMBERS}
    if unknown:
        raise ValueError(f"{table} has no column {', '.join(sorted(unknown))}; it has {', '.join(found['columns'])}")
    rows = [{**document["runs"][row[0]], **dict(zip(found["columns"], row))} for row in found["rows"]]
    return [row for row in rows
            if all((row[column.rstrip("!")] in cells) != column.endswith("!") for column, cells in conditions.items())]


def joined(rows, shown, column):
    """The rows, where those that agree in all other shown columns are one, with the list of their cells in the column."""
    found = {}
    for row in rows:
        found.setdefault(tuple(row[one] for one in shown if one != column), []).append(row)
    return [{**same[0], column: ", ".join(row[column] for row in same)} for same in found.values()]


def made(words):
    """The lines of a table."""
    name, table, layout, *settings = words.split()
    given = {key: cells.split(",") for key, _, cells in (one.partition("=") for one in settings)}
    document = Data(name).read()
    shown = [one.partition(":") for one in given.pop("show", [])]
    lists = given.pop("joined", [])
    headings = {column: (heading or column).replace("_", " ") for column, _, heading in shown}
    rows = selected(document, table, given, headings)
    if not rows:
        raise ValueError(f"no row is as {words} says")
    for column in lists:
        rows = joined(rows, headings, column)
    named = [{**row, **{heading: row[column] for column, heading in headings.items()}} for row in rows]
    return "".join(line + "\n" for line in LAYOUTS[layout](named, [*headings.values()]))


def renewed(text):
    """The text of a page with its tables made anew."""
    return PLACE.sub(lambda found: found[1] + made(found[2]), text)


def pages():
    return sorted(path for path in pathlib.Path(ROOT, "man").iterdir() if re.search(r"\.\d(\.in)?$", path.name))


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    changed = []
    for path in pages():
        text = path.read_text(encoding="ascii")
        try:
            new = renewed(text)
        except (ValueError, KeyError) as error:
            sys.exit(f"{path.relative_to(ROOT)}: {error}")
        if new != text:
            changed.append(path)
            if not check:
                path.write_text(new, encoding="ascii")
    print("".join(f"{path.relative_to(ROOT)}\n" for path in changed), end="")
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
