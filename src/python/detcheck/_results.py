"""The program's results as objects: members of its documents are attributes, and frequent questions are methods."""

from __future__ import annotations

import html
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

from ._codes import decimal, format_of_result
from ._program import Done, Error, UsageError, run_program


WITHOUT_VERDICT = ("detcheck/eval/1", "detcheck/bench/1", "detcheck/list/1", "detcheck/env/1", "detcheck/vectors/1")


class Document:
    """A JSON document of the program. Members are attributes (report.results[0].implementations[0].max_ulp.error) and items
    (report["results"]); print() prints the text that the program prints."""

    def __init__(self, members: Dict[str, Any], text: str = "", status: Optional[int] = 0) -> None:
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
        """The verdict: whether nothing failed. An error if the document judges nothing, such as a sweep without a policy."""
        found = self._verdict()
        if found is None:
            raise UsageError(self.JUDGES_NOTHING)
        return found and not self._status

    JUDGES_NOTHING = "this document has no verdict: gate(), verify() and compare() return one"

    def _verdict(self) -> Optional[bool]:
        """The document's own verdict, or else that of the program, which is not known of a file; None if there is neither."""
        for name in ("passed", "equal"):
            if isinstance(self._members.get(name), bool):
                return bool(self._members[name])
        if "mismatches" in self._members:
            return self._members["mismatches"] == 0
        return None if self._status is None or self._members.get("schema") in WITHOUT_VERDICT else self._status == 0

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
    """A list of inputs that prints as a table, in a notebook too, with decimals beside the codes."""

    HEADS = ("input", "got", "want", "error")

    def __init__(self, inputs: List[Document], formats: Tuple[str, str] = ("", "")) -> None:
        super().__init__(inputs)
        self._formats = {"input": formats[0], "got": formats[1], "want": formats[1]}

    def _cell(self, name: str, value: Any) -> str:
        if isinstance(value, dict) or name not in self._formats or not value:
            return str(place_of(value))
        return decimal(value, self._formats[name])

    def _cells(self) -> List[List[str]]:
        """The heads, then the inputs; several operands stand with commas between them."""
        return [[*self.HEADS], *([self._cell(name, one._members.get(name, "")) for name in self.HEADS] for one in self)]

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


def verdicts_of(entry: Dict[str, Any]) -> Iterator[bool]:
    """The verdicts on an implementation: one for each limit, promise and test of a report."""
    limits, promise = entry.get("limits", []), entry.get("promise")
    yield from (limit["kept"] for limit in limits if isinstance(limit.get("kept"), bool))
    if isinstance(promise, dict) and "violations" in promise:
        yield promise["violations"] <= (promise.get("max_violations") or 0)
    if "invariance" in entry and not limits:
        yield not any(one.get("changed") for one in entry["invariance"])
    if "b" in entry.get("explanation", {}):
        yield entry["explanation"].get("equal", not entry["explanation"].get("differ"))
    if any(entry.get("event_counts", {}).values()):  # crashes and the like
        yield False


class Report(Document):
    """The report of a sweep, a search or a test of invariance: detcheck-report(7)."""

    def entries(self) -> Iterator[Document]:
        """The implementations that were tested, over all results."""
        for result in self._members["results"]:
            for entry in result["implementations"]:
                if entry.get("provided", True):
                    yield Document({**{name: result[name] for name in ("operation", "format", "rounding", "parameters")}, **entry})

    def _first(self) -> Document:
        """The implementation that the others are beside: the first one that is tested."""
        for entry in self.entries():
            return entry
        reasons = [entry.get("reason", "not provided") for result in self._members["results"] for entry in result["implementations"]]
        raise Error(f"nothing was tested: {'; '.join(reasons)}")

    JUDGES_NOTHING = ("this report judges nothing, since no policy says what is allowed: give the sweep one, such as policy=\"opencl_3_0_full\", "
                      "or call detcheck.gate(report, max_ulp=1), or in a test detcheck.assert_max_ulp(f, \"exp\", max_ulp=1)")

    def _verdict(self) -> Optional[bool]:
        """By what a policy allows, and what was found; or else that no bit has changed with the conditions, or differs."""
        verdicts = [one for entry in self.entries() for one in verdicts_of(entry._members)]
        return False if self._status else all(verdicts) if verdicts else None

    @property
    def worst(self) -> Worst:
        """The inputs with the largest errors of the first implementation: input, got, want (bits) and error.

        If all outputs are correctly rounded, this is the input of the largest error alone."""
        first = self._first()
        largest = first._members.get("max_ulp")
        return Worst(first.worst or ([first.max_ulp] if largest and "input" in largest else []), (first.format, format_of_result(first._members)))

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


def document_of(text: Optional[str], done: Optional[Done]) -> Any:
    """The document of a run, or of a file, of whose run nothing is known."""
    if text is None:
        raise Error("the program wrote no document")
    members = json.loads(text)
    kind = Report if str(members.get("schema", "")).startswith("detcheck/report/") else Document
    if done is None:
        return kind(members, "", None)
    return kind(members, done.text if done.text.lstrip()[:1] != "{" else "", done.status)


def load(path: Any) -> Any:
    """Reads a document that the program or .save has written."""
    return document_of(Path(path).read_text(), None)
