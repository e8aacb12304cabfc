"""Every function that a module shares with the operation table, in every format it takes, within a wanted time."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from . import library_kernels, library_names
from ._callables import by_name as here
from ._commands import invariance, merge, sweep
from ._commands import list as list_command
from ._kernel_calls import OPERATIONS
from ._program import Error, shows_progress
from ._results import Document, Report, place_of

FORMATS = ("fp16", "bf16", "fp32", "fp64")
WIDTHS = {"fp16": 16, "bf16": 16, "fp32": 32, "fp64": 64}
SAMPLES, PAIRS = 1 << 20, 1 << 16
PLACES = ["position", "neighbours"]  # what a survey tests of invariance, on so many samples
PLACED = 256
CALLS = 8  # of a kernel, of each of its shapes
CALLS_OF = dict(OPERATIONS)
COMPILES = ("jax",)  # for each shape, which takes as long as some hundred calls: these are asked for one shape of each kernel
OVER = ": the time was over"
SHORT = ("changed", "flags")  # columns at the right, though they are narrow
PARTS, LEAST = 16, 15.0  # all of fp32: in so many parts, and not in fewer seconds


HEADS = {"operation": 12, "format": 6, "inputs": 8, "tested": 14, "wrong": 14, "max_ulp": 12, "worst": 18, "nan": 10, "snan": 10, "sign": 10,
         "changed": 8, "flags": 6}


def functions(names: Iterable[str]) -> str:
    count = len(set(names))
    return f"{count} function{'s' * (count != 1)}"


class Row(NamedTuple):
    """The row of a survey for one function in one format."""

    operation: str
    format: str
    name: str
    report: Report
    seconds: float
    changed: Optional[int] = None  # of PLACED inputs, those whose bits depend on the place in an array; None: not tested
    flags: Optional[int] = None  # missing and spurious ones of calls on special inputs; None: not told

    def lines(self) -> List[Dict[str, Any]]:
        """One for each result."""
        return [{"operation": row["operation"], "format": self.format, "function": self.name, "inputs": result["inputs"]["kind"],
                 "tested": row["tested"], "wrong": row["incorrectly_rounded"], "max_ulp": row.get("max_ulp"),
                 "worst": place_of(row.get("max_ulp_input", "")), "nan": row["nan_mismatches"] - row.get("signalling_mismatches", 0),
                 "snan": row.get("signalling_mismatches", 0), "sign": row["sign_mismatches"],
                 "changed": self.changed, "flags": self.flags, "seconds": round(self.seconds, 2)}
                for row, result in zip(self.report.rows(), self.report.to_dict()["results"])]


class Survey:
    """The rows of a survey, the report of all of them, and the functions that were left out, with reasons."""

    def __init__(self, module: str, rows: List[Row], left_out: List[str], seconds: float) -> None:
        self.module, self.rows, self.left_out, self.seconds = module, rows, left_out, seconds
        self._report: Optional[Report] = None

    @property
    def report(self) -> Report:
        self._report = self._report or merge(*(row.report for row in self.rows))
        return self._report

    def save(self, path: Any) -> None:
        """Writes the survey as JSON, or as an HTML page if the name ends in .html."""
        self.report.save(path)

    def lines(self) -> List[Dict[str, Any]]:
        return [line for row in self.rows for line in row.lines()]

    def to_pandas(self) -> Any:
        import pandas
        return pandas.DataFrame(self.lines())

    def _repr_html_(self) -> str:
        return self.report._repr_html_()

    def __str__(self) -> str:
        lines = self.lines()
        heads = widths_of(lines)
        return "\n".join([self.headline(), "", table_head(heads), *(table_line(line, heads) for line in lines), "", *self.notes()])

    def headline(self) -> str:
        """The verdict in one sentence: how many functions are right, the largest error, and which functions are wrong in which way. Functions
        that are wrong only for signalling NaNs count as right, and are named separately."""
        lines = [(row.operation, line) for row in self.rows for line in row.lines()]  # a function with two results has two
        names = {name for name, _ in lines}

        def of(member: str) -> List[str]:
            return sorted({name for name, line in lines if (line[member] or 0) > 0})

        wrong, largest = {*of("wrong"), *of("nan")}, max((line["max_ulp"] or 0 for _, line in lines), default=0)
        said = [f"{functions(names)} of {self.module}: {len(names) - len(wrong)} correctly rounded wherever tested",
                f"the largest error is {largest:.6g} ulp"]
        said += [f"{text} in {len(found)}: {', '.join(found[:6])}{' ...' if len(found) > 6 else ''}" for text, found in (
            ("wrong NaNs", of("nan")), ("other results for signalling NaNs alone", [one for one in of("snan") if one not in of("nan")]),
            ("wrong signs of zeros", of("sign")), ("bits that depend on the place in an array", of("changed")),
            ("wrong flags", of("flags"))) if found]
        return "; ".join(said) + "."

    def notes(self, heads: Iterable[str] = HEADS) -> List[str]:
        """The meaning of the columns, and the functions that were left out, with reasons."""
        about = {"snan": "nan: NaNs in place of numbers or the reverse, snan: the same where an operand is a signalling NaN",
                 "changed": f"changed: inputs of {PLACED} whose bits depend on their place",
                 "flags": "flags: missing and spurious ones of calls on special inputs"}
        made = ["; ".join([f"{functions({row.operation for row in self.rows})} of {self.module} in {self.seconds:.0f} s",
                           "largest errors in ulps", *(text for name, text in about.items() if name in heads)])]
        late = [one.removesuffix(OVER) for one in self.left_out if one.endswith(OVER)]
        made += [f"left out: {one}" for one in self.left_out if not one.endswith(OVER)]
        return made + [f"left out, as the time was over: {len(late)}, {', '.join(late)}"] * bool(late)


def widths_of(lines: Sequence[Dict[str, Any]]) -> Dict[str, int]:
    """The widths of the columns for these lines."""
    return {**HEADS, "operation": max([HEADS["operation"], *(len(line["operation"]) for line in lines)]),
            "worst": max([HEADS["worst"], *(len(str(line["worst"])) for line in lines)])}


def aligned(cells: Dict[str, str], heads: Dict[str, int]) -> str:
    return " ".join(f"{cells[name]:>{width}}" if width > 8 or name in SHORT else f"{cells[name]:<{width}}" for name, width in heads.items())


def table_head(heads: Dict[str, int]) -> str:
    return aligned({name: name for name in heads}, heads)


def table_line(line: Dict[str, Any], heads: Dict[str, int]) -> str:
    return aligned({**line, **{name: f"{line[name]:,}" for name in ("tested", "wrong", "nan", "snan", "sign")},
                    "max_ulp": "" if line["max_ulp"] is None else f"{line['max_ulp']:.6g}", "worst": str(line["worst"]),
                    **{name: "-" if line[name] is None else f"{line[name]:,}" for name in SHORT}}, heads)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C; `survey` has the rows until then."""

    def __init__(self, survey: Survey) -> None:
        super().__init__(f"{len(survey.rows)} rows until then are in .survey of this exception")
        self.survey = survey


def is_kernel(operation: Document) -> bool:
    return operation["name"] in library_kernels.KERNELS


def shared_names(module: str) -> Dict[str, str]:
    """The operations on numbers that a module has, by the names that the program knows its functions by."""
    operations = list_command("operations").to_dict()["operations"]
    numbers = [one["name"] for one in operations if one["operands"] < 3 and not one["parameters"] and len(one["results"]) == 1]
    if module in library_names.NAMES:
        loaded = library_names.load_module(module)
        kernels = [one["name"] for one in operations if is_kernel(one)]
        return {name: module for name in numbers + kernels if library_names.function_of(loaded, module, name)}
    loaded, found = library_names.load_module(module), {}
    for name in numbers:
        known = [name] + [table[name].split(".")[-1] for table in library_names.NAMES.values() if name in table]
        for one in known:
            if callable(getattr(loaded, one, None)):
                found[name] = f"{module}:{one}"
                break
    return found


def samples_of(operation: Document, format_: str, module: str = "") -> Dict[str, Any]:
    if is_kernel(operation):
        without = {"epsilon": "none"} if operation["name"] == "l2_norm" else {}  # onnxruntime's has none
        call = {"timeout": 60, **CALLS_OF.get(operation["name"], {})} if module in COMPILES else {}
        return {"samples": CALLS, "distribution": "normal", **without, **call}
    if operation["operands"] == 1:
        return {} if WIDTHS[format_] <= 16 else {"samples": SAMPLES, "run_length": 4096 if format_ == "fp64" else None}
    return {"samples": PAIRS}


def tried(operation: str, implementation: Any, format_: str, options: Dict[str, Any]) -> Tuple[Report, float]:
    begun = time.monotonic()
    report = sweep(operation, implementation, format=format_, progress=False, **options)
    return report, time.monotonic() - begun


def places(operation: str, name: str, format_: str) -> Optional[int]:
    """How many of PLACED inputs change bits with their place; None if this cannot be tested."""
    implementation: Any = here(name)
    try:
        report = invariance(operation, implementation, format=format_, samples=PLACED, property=PLACES, progress=False)
    except Error:
        return None
    found = [one.get("changed") for entry in report.entries() for one in entry.to_dict()["invariance"] if one.get("inputs")]
    return max((one for one in found if one is not None), default=None)


def faulty_flags(operation: str, name: str, format_: str) -> Optional[int]:
    """Missing and spurious flags of calls on special inputs, one number each; None where they are not told. That libraries
    of Python clear all flags before they compute is left out."""
    implementation: Any = here(name)
    try:
        report = sweep(operation, implementation, format=format_, special=True, flags=True, progress=False)
    except Error:
        return None
    for entry in report.entries():
        flags = entry.to_dict().get("flags", {})
        if flags.get("told"):
            return sum(one["count"] for one in flags["faults"] if one["fault"] != "cleared")
    return None


def survey(module: str, *, minutes: float = 10, formats: Iterable[str] = FORMATS, operations: Optional[Iterable[str]] = None,
           tell: Optional[Callable[[str], None]] = None, show: Callable[[Row], None] = lambda row: None) -> Survey:
    """Judges every function of a module: "numpy", "scipy", "jax", "torch", or any module with functions of these names.

    Formats of 16 bits are tried completely, and others are sampled first. The remaining time is used for all 2^32 inputs of fp32, the
    quickest functions first. At most a quarter of it is used for invariance, and the rest for fp32 again. A function that would not end
    in time stays sampled, or is not tested. `tell` gets a line about each step; `show` gets each row as soon as it is known, and again
    when all of fp32 was tried."""
    begun, end = time.monotonic(), time.monotonic() + 60 * minutes
    tell = tell or (lambda text: print(text, file=sys.stderr) if shows_progress() else None)
    table = {one["name"]: Document(one) for one in list_command("operations").to_dict()["operations"]}
    names = {name: text for name, text in shared_names(module).items() if operations is None or name in set(operations)}
    if not names:
        raise Error(f"{module} has no function for " + ("any operation of detcheck" if operations is None else "these operations"))
    found = Survey(module, [], [], 0.0)
    try:
        begin(found, formats, names, table, end, tell, show)
        if not found.rows:
            raise Error("; ".join(found.left_out))
        all_of_fp32 = Exhaustion(found.rows, table, tell, show)
        all_of_fp32.go_on(end - 15 * minutes)
        for at, row in enumerate(found.rows):
            if time.monotonic() < end:
                tell(f"{row.operation} in {row.format}, flags and invariance")
                found.rows[at] = row._replace(changed=places(row.operation, row.name, row.format),
                                              flags=faulty_flags(row.operation, row.name, row.format))
        all_of_fp32.go_on(end)
    except KeyboardInterrupt:
        found.seconds = time.monotonic() - begun
        raise Interrupted(found) from None
    found.seconds = time.monotonic() - begun
    return found


def begin(found: Survey, formats: Iterable[str], names: Dict[str, str], table: Dict[str, Any], end: float,
          tell: Callable[[str], None], show: Callable[[Row], None]) -> None:
    """Every function in every format: all inputs where they are few, else samples."""
    for format_ in formats:
        for operation, name in names.items():
            if time.monotonic() > end:
                found.left_out.append(f"{operation} in {format_}{OVER}")
                continue
            tell(f"{operation} in {format_}")
            try:  # in this process: where inputs are few, processes that import the library anew take most of the time
                report, seconds = tried(operation, here(name), format_, samples_of(table[operation], format_, found.module))
            except Error as error:
                found.left_out.append(f"{operation} in {format_}: {error}")
                continue
            found.rows.append(Row(operation, format_, name, report, seconds))
            show(found.rows[-1])


def whole(operation: str, name: str, end: float) -> Tuple[Optional[Report], float]:
    """All of fp32 in parts, as long as it can end in time; else nothing, and the seconds that it would take."""
    begun, seconds, parts = time.monotonic(), 0.0, []
    for part in range(1, PARTS + 1):
        parts.append(tried(operation, name, "fp32", {"all": True, "shard": (part, PARTS)})[0])
        seconds = (time.monotonic() - begun) * PARTS / part
        if begun + seconds > end:
            return None, seconds
    return merge(*parts), seconds


class Exhaustion:
    """All of fp32, as far as the time goes: the functions of one number, the quickest first."""

    def __init__(self, rows: List[Row], table: Dict[str, Any], tell: Callable[[str], None], show: Callable[[Row], None]) -> None:
        self.rows, self.tell, self.show = rows, tell, show
        found = [(row.seconds, at) for at, row in enumerate(rows) if row.format == "fp32" and table[row.operation]["operands"] == 1 and not is_kernel(table[row.operation])]
        self.waiting = {at: LEAST for _, at in sorted(found)}  # the seconds that each is likely to take

    def go_on(self, end: float) -> None:
        """Until then; a function that is not likely to end in time is not begun."""
        for at in [*self.waiting]:
            row = self.rows[at]
            if time.monotonic() + self.waiting[at] > end:
                continue
            self.tell(f"{row.operation} in fp32, all inputs")
            try:
                report, self.waiting[at] = whole(row.operation, row.name, end)
            except Error:
                del self.waiting[at]
                continue
            if report:
                self.rows[at] = row._replace(report=report, seconds=self.waiting.pop(at))
                self.show(self.rows[at])


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="detcheck survey", description="Puts every function that a module of Python shares with the "
                                     "operation table on trial: errors, wrong results, NaNs, invariance.")
    parser.add_argument("module", help="numpy, scipy, jax, torch, or any module with functions of these names")
    parser.add_argument("--minutes", type=float, default=10, help="the wanted time (10)")
    parser.add_argument("-f", "--format", default=",".join(FORMATS), help="formats, separated by commas (%(default)s)")
    parser.add_argument("--operations", help="only these, separated by commas")
    parser.add_argument("-j", "--json", metavar="FILE", help="write the report there")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the page there")
    given = parser.parse_args(words)
    wide = {**HEADS, "operation": 24}
    heads = {name: width for name, width in wide.items() if name not in SHORT}  # these two are tested last
    shown: List[Row] = []

    def show(row: Row) -> None:
        """A line as soon as it is known; all of fp32 stands below the samples of it."""
        if not shown:
            print(table_head(heads), flush=True)
        shown.append(row)
        for line in row.lines():
            print(table_line(line, heads), flush=True)

    try:
        status = 0
        try:
            found = survey(given.module, minutes=given.minutes, formats=given.format.split(","),
                           operations=given.operations.split(",") if given.operations else None, show=show)
        except Interrupted as interrupted:
            found, status = interrupted.survey, 130
        for path in filter(None, (given.json, given.output) if found.rows else ()):
            found.save(path)
        late = [line for line in found.lines() if line["changed"] or line["flags"]]
        if late:
            print("", table_head(wide), *(table_line(line, wide) for line in late), sep="\n")
        print("", found.headline(), "", *found.notes(wide if late else heads), sep="\n")
        if status:
            print("detcheck: interrupted; the results above are incomplete", file=sys.stderr)
        return status
    except (Error, ImportError, OSError) as error:
        print(f"detcheck: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
