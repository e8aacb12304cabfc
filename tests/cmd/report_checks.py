"""What must hold of every report: its fields, their types, and the sums that must agree.

From detcheck-report(7). Used on complete reports and on interrupted ones.
"""

import math

NUMBER = (int, float)

DOCUMENT = {"schema": str, "run": dict, "tool": dict, "platform": dict, "complete": bool,
            "results": list}
RUN = {"date": str, "host": str, "seconds": NUMBER, "threads": int, "inputs_per_second": NUMBER}
TOOL = {"name": str, "version": str}
PLATFORM = {"os": str, "arch": str, "cpu": str, "libc": str, "compiler": str, "fma": bool,
            "ftz": bool, "daz": bool}
RESULT = {"operation": str, "format": str, "rounding": str, "parameters": dict, "inputs": dict,
          "oracle": dict, "implementations": list, "differences": list}
INPUTS = {"kind": str, "count": int}
ORACLE = {"fast": int, "exact": int, "rechecked": int}
IMPLEMENTATION = {"name": str, "detail": str, "provided": bool}
COUNTS = ("tested", "correctly_rounded", "incorrectly_rounded", "faithful", "over_1_ulp",
          "nan_mismatches", "nan_bits_differ", "sign_mismatches", "judged_in_ulps")
LISTS = ("histogram", "by_binade", "worst", "events")
OUTPUT = {"error": NUMBER, "got": str, "want": str}
KINDS = ("all", "range", "samples", "special", "file")
EVENTS = ("crash", "hang", "exit", "rounding-changed")


def check_fields(case, thing, fields, where):
    for name, kind in fields.items():
        case.assertIn(name, thing, where)
        value = thing[name]
        case.assertIsInstance(value, kind, f"{where}: {name}")
        if kind is not bool:  # which Python takes for a number
            case.assertNotIsInstance(value, bool, f"{where}: {name}")


def check_input(case, value, operands, where):
    words = value if isinstance(value, list) else [value]
    case.assertEqual(isinstance(value, list), operands > 1, where)
    case.assertEqual(len(words), operands, where)
    for word in words:
        case.assertRegex(word, r"^0x([0-9a-f]{2}|[0-9a-f]{4}|[0-9a-f]{8}|[0-9a-f]{16})$", where)


def rank(error, rounding):
    """By which outputs are called worse: the error cut to a multiple of 2^-22 ulp, or of 2^-20 where
    right results have such errors and just below 1."""
    right_below = 0.5 if rounding.startswith("nearest") else 1
    steps = 2 ** 20 if error < right_below or 1 - 2 ** -10 <= error < 1 else 2 ** 22
    return math.floor(error * steps) / steps


def order_of(row, rounding):
    words = row["input"] if isinstance(row["input"], list) else [row["input"]]
    return -rank(row["error"], rounding), [int(word, 16) for word in words]


def check_lists(case, one, operands, rounding, where):
    for row in one["worst"] + one["first_mismatches"]:
        check_input(case, row["input"], operands, where)
        case.assertNotEqual(row["got"], row["want"], where)
    for row in one["worst"]:
        check_fields(case, row, OUTPUT, where)
    case.assertEqual(one["worst"], sorted(one["worst"], key=lambda row: order_of(row, rounding)),
                     where)
    wrong_numbers = one["incorrectly_rounded"] - one["sign_mismatches"]
    case.assertEqual(len(one["worst"]), min(10, wrong_numbers), where)
    mismatches = one["nan_mismatches"] + one["sign_mismatches"]
    case.assertEqual(len(one["first_mismatches"]), min(10, mismatches), where)
    for kind in ("nan", "sign"):
        first = one.get(f"first_{kind}_mismatch")
        case.assertEqual(first is not None, one[f"{kind}_mismatches"] > 0, where)
    if mismatches:
        earliest = [one[name] for name in ("first_nan_mismatch", "first_sign_mismatch") if name in one]
        case.assertIn(one["first_mismatches"][0], earliest, where)
    for row in one["events"]:
        case.assertIn(row["kind"], EVENTS, where)
        check_input(case, row["input"], operands, where)


def check_errors(case, one, operands, rounding, where):
    """The histogram, the largest error and the profile by binade tell one story."""
    edges = [bucket["up_to_ulp"] for bucket in one["histogram"]]
    case.assertEqual(edges[:-1], sorted(set(edges[:-1])), where)
    case.assertIsNone(edges[-1], where)
    counts = [bucket["count"] for bucket in one["histogram"]]
    case.assertEqual(sum(counts), one["judged_in_ulps"], where)
    beyond_one = [count for edge, count in zip(edges, counts) if edge is None or edge > 1]
    case.assertEqual(sum(beyond_one), one["over_1_ulp"], where)
    exponents = [row["exponent"] for row in one["by_binade"]]
    case.assertEqual(exponents, sorted(set(exponents)), where)
    profile = sum(row["incorrect"] for row in one["by_binade"])
    case.assertLessEqual(profile, one["incorrectly_rounded"], where)
    largest = one["max_ulp"]
    if one["judged_in_ulps"] == 0:
        case.assertIsNone(largest, where)
        return
    check_fields(case, largest, OUTPUT, where)
    check_input(case, largest["input"], operands, where)
    case.assertLessEqual(rank(one["mean_ulp"], rounding), rank(largest["error"], rounding), where)
    for row in one["by_binade"]:
        case.assertLessEqual(row["max_ulp"], rank(largest["error"], rounding), where)
    for row in one["worst"]:
        case.assertLessEqual(rank(row["error"], rounding), rank(largest["error"], rounding), where)


def check_implementation(case, one, tested, operands, rounding, where):
    check_fields(case, one, IMPLEMENTATION, where)
    if not one["provided"]:
        case.assertIsInstance(one["reason"], str, where)
        case.assertNotIn("tested", one, where)
        return
    check_fields(case, one, dict.fromkeys(COUNTS, int), where)
    check_fields(case, one, dict.fromkeys(LISTS, list), where)
    case.assertIsInstance(one["mean_ulp"], NUMBER, where)
    case.assertEqual(one["tested"], tested, where)
    judged = one["correctly_rounded"] + one["incorrectly_rounded"] + one["nan_mismatches"]
    case.assertEqual(judged, tested, where)
    case.assertGreaterEqual(one["faithful"], one["correctly_rounded"], where)
    case.assertGreaterEqual(one["incorrectly_rounded"], one["sign_mismatches"], where)
    without_error = one["nan_mismatches"] + one["sign_mismatches"]
    case.assertLessEqual(one["judged_in_ulps"], tested - without_error, where)
    check_lists(case, one, operands, rounding, where)
    check_errors(case, one, operands, rounding, where)
    if rounding == "nearest-even" and one["worst"]:
        # A wrong number is at least half an ulp off, a right one at most.
        case.assertEqual(one["max_ulp"], one["worst"][0], where)
        case.assertGreaterEqual(one["worst"][-1]["error"], 0.5, where)
    case.assertEqual(len(one["events"]), min(16, sum(one["event_counts"].values())), where)


def check_result(case, result, complete=True, operands=1):
    where = "{operation} {format} {rounding}".format(**result)
    check_fields(case, result, RESULT, where)
    check_fields(case, result["inputs"], INPUTS, where)
    check_fields(case, result["oracle"], ORACLE, where)
    case.assertIn(result["inputs"]["kind"], KINDS, where)
    count = result["inputs"]["count"]
    tested = count if complete else result["inputs"]["covered"]
    case.assertTrue(tested == count if complete else tested < count, where)
    oracle = result["oracle"]
    if any(one["provided"] for one in result["implementations"]):
        case.assertEqual(oracle["fast"] + oracle["exact"], tested, where)
        case.assertLessEqual(oracle["rechecked"], tested, where)
    for one in result["implementations"]:
        name = f"{where} {one['name']}"
        check_implementation(case, one, tested, operands, result["rounding"], name)
        if one["provided"] and complete:
            case.assertRegex(one["fingerprint"], r"^xxh3-128:[0-9a-f]{32}$", name)
        elif one["provided"]:
            case.assertIsNone(one["fingerprint"], name)


def check_document(case, document):
    """The envelope. The results are checked one by one, with check_result."""
    check_fields(case, document, DOCUMENT, "the document")
    check_fields(case, document["run"], RUN, "run")
    check_fields(case, document["tool"], TOOL, "tool")
    check_fields(case, document["platform"], PLATFORM, "platform")
    case.assertEqual(document["schema"], "detcheck/report/1")
    case.assertRegex(document["run"]["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
