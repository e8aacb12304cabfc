"""The program's results as objects: members of its documents are attributes, and frequent questions are methods."""

from __future__ import annotations

import html
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

from ._program import Done, Error, run_program


class Document:
    """A JSON document of the program. Members are attributes (report.results[0].implementations[0].max_ulp.error) and items
    (report["results"]); print() prints the text that the program prints."""

    def __init__(self, members: Dict[str, Any], text: str = "", status: int = 0) -> None:
        self._members, self._text, self._status = members, text, status

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._members:
            raise AttributeError(f"there is no '{name}' here; there are: {', '.join(self._members)}")
        return wrapped(self._members[name])

    def __getitem__(self, name: str) -> Any:
        return wrapped(self._members[name])

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *self._members})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Document) and self._members == other._members

    def __str__(self) -> str:
        return self._text.rstrip("\n") or json.dumps(self._members, indent=2)

    def __repr__(self) -> str:
        return str(self) if self._text else f"<{type(self).__name__} of {', '.join(self._members)}>"

    @property
    def passed(self) -> bool:
        """Whether the exit status was 0: nothing failed."""
        return self._status == 0

    def to_dict(self) -> Dict[str, Any]:
        """The document as dicts, lists, strings and numbers."""
        return json.loads(json.dumps(self._members))

    def to_json(self) -> str:
        return json.dumps(self._members, indent=2)

    def save(self, path: Any) -> None:
        """Writes the document as JSON, or a report as an HTML page if the name ends in .html. The file is complete or not written."""
        target = Path(path)
        data = page(self) if target.suffix == ".html" else self.to_json() + "\n"
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=target.name)
        try:
            with os.fdopen(descriptor, "w") as file:
                file.write(data)
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(name, 0o666 & ~umask)
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise


def place_of(worst: Any) -> Any:
    """An input, or of arrays where the element is: 4x300 1 [17] is element 17 of draw 1."""
    return f"{'x'.join(map(str, worst['shape']))} {worst['draw']} [{worst['element']}]" if isinstance(worst, dict) else worst


class Worst(List[Document]):
    """A list of inputs that prints as a table, in a notebook too."""

    HEADS = ("input", "got", "want", "error")

    def _cells(self) -> List[List[str]]:
        """The heads, then the inputs; several operands stand with blanks between them."""
        rows = [[one._members.get(name, "") for name in self.HEADS] for one in self]
        return [[*self.HEADS], *([" ".join(map(str, cell)) if isinstance(cell, list) else str(place_of(cell)) for cell in row] for row in rows)]

    def __str__(self) -> str:
        cells = self._cells()
        widths = [max(map(len, column)) for column in zip(*cells)]
        return "\n".join("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths)).rstrip() for row in cells)

    __repr__ = __str__

    def to_pandas(self) -> Any:
        import pandas
        return pandas.DataFrame([{name: one._members.get(name) for name in self.HEADS} for one in self], columns=list(self.HEADS))

    def _repr_html_(self) -> str:
        heads, *rows = ["".join(f"<{kind}>{html.escape(cell)}</{kind}>" for cell in row)
                        for kind, row in zip(["th", *["td"] * len(self)], self._cells())]
        return f"<table><tr>{heads}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


class Report(Document):
    """The report of a sweep, a search or a test of invariance: detcheck-report(7)."""

    def entries(self) -> Iterator[Document]:
        """The implementations that were tested, over all results."""
        for result in self._members["results"]:
            for entry in result["implementations"]:
                if entry.get("provided", True):
                    yield Document({**{name: result[name] for name in ("operation", "format", "rounding")}, **entry})

    def _first(self) -> Document:
        """The implementation that the others are beside: the first one that is tested."""
        for entry in self.entries():
            return entry
        reasons = [entry.get("reason", "not provided") for result in self._members["results"] for entry in result["implementations"]]
        raise Error(f"nothing was tested: {'; '.join(reasons)}")

    @property
    def worst(self) -> Worst:
        """The inputs with the largest errors of the first implementation: input, got, want (bits) and error.

        If all outputs are correctly rounded, this is the input of the largest error alone."""
        first = self._first()
        largest = first._members.get("max_ulp")
        return Worst(first.worst or ([first.max_ulp] if largest and "input" in largest else []))

    @property
    def max_ulp(self) -> float:
        """The largest error of the first implementation, in units in the last place."""
        return self._first().max_ulp.error

    @property
    def fingerprint(self) -> str:
        """The hash of all outputs of the first implementation."""
        return self._first().fingerprint

    @property
    def incorrectly_rounded(self) -> int:
        return self._first().incorrectly_rounded

    def to_pandas(self) -> Any:
        """The rows of .rows() as a DataFrame of pandas."""
        import pandas
        return pandas.DataFrame(self.rows())

    def rows(self) -> List[Dict[str, Any]]:
        """A dict for each implementation of each result, and for each property of invariance. Its values are numbers and strings."""
        found = []
        for entry in self.entries():
            row = {name: value for name, value in entry.to_dict().items() if not isinstance(value, (dict, list))}
            if "invariance" in entry:
                found += [{**row, **{name: value for name, value in one.to_dict().items() if not isinstance(value, dict)}}
                          for one in entry.invariance]
                continue
            for name, value in entry._members.get("max_ulp", {}).items() if isinstance(entry._members.get("max_ulp"), dict) else ():
                row["max_ulp" if name == "error" else f"max_ulp_{name}"] = value if not isinstance(value, list) else " ".join(map(str, value))
            found.append(row)
        return found

    def _repr_html_(self) -> str:
        """The program's page, in a frame of its own, so that its style is not the notebook's."""
        return (f'<iframe srcdoc="{html.escape(page(self))}" style="width: 100%; height: 40em; border: 0" '
                f'sandbox="allow-scripts"></iframe>')


def page(document: Document) -> str:
    """The HTML page that 'detcheck report' writes for a report."""
    with tempfile.TemporaryDirectory(prefix="detcheck-") as folder:
        source = Path(folder) / "report.json"
        source.write_text(document.to_json())
        return run_program(["report", str(source), "--output=-"]).text


def wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return Document(value)
    return [wrapped(one) for one in value] if isinstance(value, list) else value


def document_of(text: Optional[str], done: Done) -> Any:
    if text is None:
        raise Error("the program wrote no document")
    members = json.loads(text)
    kind = Report if str(members.get("schema", "")).startswith("detcheck/report/") else Document
    return kind(members, done.text if done.text.lstrip()[:1] != "{" else "", done.status)


def load(path: Any) -> Any:
    """Reads a document that the program or .save has written."""
    return document_of(Path(path).read_text(), Done(0, "", ""))
