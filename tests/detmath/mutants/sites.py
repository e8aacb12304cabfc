"""The source of det in fp32 or fp64 with its mutants in it: one file of C, in which a number chooses the mutant.

Site and mutants are found in clang's syntax tree of the preprocessed headers:
  constant    a number, or a word of at least 5 digits, such as a limit: its last bit up, and down
  row         the same of an element of a table
  fma         split into a product and a sum; without its summand; without its product
  sum         of two numbers: without either; and with a product in it that is not rounded before
"""
import dataclasses
import json
import re
import subprocess

from library import DETMATH, F32

WORD = re.compile(r"0x[0-9a-f]{5,}u")
NUMBERS = {"f": re.compile(r"-?(?:0x[\d.a-f]+p[-+]?\d+|\d+\.\d+)(?=f)"),
           "": re.compile(r"-?(?<![\w.])(?:0x[\d.a-f]+p[-+]?\d+|\d+\.\d+)(?![\w.])")}
OPERATORS = ("+", "-")


@dataclasses.dataclass
class Mutant:
    number: int     # what `mutant` is in C
    function: str   # of C, or the table
    line: int       # of the function's text
    text: str       # what stands there
    change: str


def number_text(value, width):  # the neighbour of the largest number is infinity
    return value.hex() + width.literal if value - value == 0 else "__builtin_inf()"


def read_number(text):
    return float.fromhex(text) if "x" in text else float(text)


def neighbours(number, width):
    """A number, of its last bit up and down, as text of C."""
    bits = width.pack(number)
    return [number_text(width.unpack(bits + step), width) for step in (1, -1)]


def preprocess(folder, width):
    """The headers of det, as one text."""
    words = ["gcc", "-E", "-P", "-std=gnu11", "-march=native", *width.options, f"-I{folder}", f"{folder}/{width.header}"]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return re.sub(rf"\bstatic const {width.real} (?=\w+\[)", f"{width.real} ", text)


def parse(path):
    words = ["clang", "-fsyntax-only", "-Wno-everything", "-march=native", "-Xclang", "-ast-dump=json", path]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def begin(node):
    return node["range"]["begin"]["offset"]


def end(node):
    return node["range"]["end"]["offset"] + node["range"]["end"]["tokLen"]


def bare(node):
    """Without parentheses and conversions that change nothing."""
    while node["kind"] in ("ParenExpr", "ImplicitCastExpr"):
        node = node["inner"][0]
    return node


def called(node):
    """The name of the function that a call calls."""
    if node["kind"] != "CallExpr":
        return None
    return bare(node["inner"][0]).get("referencedDecl", {}).get("name")


class Sites:
    """Collects mutants and the edits of the text that put them in."""

    def __init__(self, text, tree, width):
        self.text, self.tree, self.width = text, tree, width
        self.number = NUMBERS[width.literal]
        self.product = f"detmath_product{width.suffix}"
        self.mutants, self.edits = [], []
        self.tables = {}     # name: number of elements
        self.rows = {}       # mutant's number: (table, element, (bits, changed bits))
        self.calls = {}      # function: the functions and tables that it names
        self.products = {}   # id of a variable: the operands' texts of the product that it is
        self.bodies = {}     # function: its text
        self.where = None
        for node in tree["inner"]:
            if node["kind"] == "VarDecl" and re.fullmatch(rf"{width.real}\[\d+\]", node["type"]["qualType"]):
                self.table(node)
            elif node["kind"] == "FunctionDecl" and any(child["kind"] == "CompoundStmt" for child in node.get("inner", [])):
                self.where = node
                self.calls[node["name"]] = set()
                self.bodies[node["name"]] = text[begin(node):end(node)]
                self.visit(node)

    def add(self, node, change):
        number = len(self.mutants)
        line = self.text.count("\n", begin(self.where), begin(node)) + 1
        text = " ".join(self.text[begin(node):end(node)].split())
        self.mutants.append(Mutant(number, self.where["name"], line, text, change))
        return number

    def insert(self, node, before, after):
        """Deeper nodes are edited later, and stand nearer to the text."""
        order = len(self.edits)
        self.edits += [(begin(node), 1, order, before), (end(node), 0, -order, after)]

    def table(self, node):
        self.where = node
        numbers = [read_number(x) for x in self.number.findall(self.text[begin(node):end(node)])]
        self.tables[node["name"]] = len(numbers)
        if node["type"]["qualType"] != f"{self.width.real}[{len(numbers)}]":
            raise SystemExit(f"{node['name']}: {len(numbers)} numbers were read of {node['type']['qualType']}")
        for i, number in enumerate(numbers):
            bits = self.width.pack(number)
            for step, change in ((1, "up"), (-1, "down")):
                if number:
                    at = self.add(node, change)
                    self.mutants[at].text = f"[{i}] {number_text(number, self.width)}"
                    self.rows[at] = (node["name"], i, (bits, bits + step))

    def visit(self, node):
        kind, method = node.get("kind"), None
        if kind == "VarDecl" and node.get("inner") and called(bare(node["inner"][-1])) == self.product:
            self.products[node["id"]] = self.operands(bare(node["inner"][-1]))
        if kind == "DeclRefExpr":
            self.calls[self.where["name"]].add(node["referencedDecl"].get("name"))
        if kind == "FloatingLiteral" and node["type"]["qualType"] == self.width.real:
            self.constant(node)
        elif kind == "IntegerLiteral" and WORD.fullmatch(self.text[begin(node):end(node)]):
            self.constant(node)
        elif called(node) == f"detmath_fma{self.width.suffix}" if kind == "CallExpr" else False:
            number = self.add(node, "split")
            self.add(node, "without its summand")
            self.add(node, "without its product")
            callee = bare(node["inner"][0])
            self.edits += [(begin(callee), 2, len(self.edits), (end(callee), f"mutant_fma")),
                           (self.text.index("(", end(callee)) + 1, 1, len(self.edits), f"{number}, ")]
        elif kind == "BinaryOperator" and node["opcode"] in OPERATORS and node["type"]["qualType"] == self.width.real:
            self.sum(node)
        elif kind == "CompoundAssignOperator" and node["opcode"][0] in OPERATORS and node["type"]["qualType"] == self.width.real:
            self.sum(node)
        for child in node.get("inner", []):
            self.visit(child)

    def operands(self, call):
        return [self.text[begin(x):end(x)] for x in call["inner"][1:]]

    def product_of(self, node):
        """The texts of a and b, where the node is a product a b."""
        node = bare(node)
        if called(node) == self.product:
            return self.operands(node)
        return self.products.get(node.get("referencedDecl", {}).get("id")) if node["kind"] == "DeclRefExpr" else None

    def constant(self, node):
        text = self.text[begin(node):end(node)]
        if text.endswith("u"):
            digits = len(text) - 3
            mask = (1 << (64 if digits > 8 else 32)) - 1
            changed = [f"0x{(int(text[:-1], 16) + step) & mask:0{digits}x}u" for step in (1, -1)]
        else:
            value = read_number(text.removesuffix(self.width.literal))
            if value == 0:
                return
            changed = neighbours(value, self.width)
        number = self.add(node, "up")
        self.add(node, "down")
        self.insert(node, f"(mutant == {number} ? {changed[0]} : mutant == {number + 1} ? {changed[1]} : ", ")")

    def sum(self, node):
        left, right = node["inner"]
        minus = "-" if node["opcode"][0] == "-" else ""
        assigns = node["kind"] == "CompoundAssignOperator"
        number = self.add(node, "without its first")
        self.add(node, "without its second")
        contracted = []
        for place, operand in enumerate((left, right)):
            product = self.product_of(operand)
            if product:
                other = self.text[begin(right):end(right)] if place == 0 else self.text[begin(left):end(left)]
                a, b = product
                fma = (f"FUSED({a}, {b}, {minus}({other}))" if place == 0
                       else f"FUSED({minus}({a}), {b}, {other})")
                contracted.append((self.add(node, "contracted"), fma))
        between = self.text[end(left):begin(right)]
        if between.strip() != node["opcode"]:
            raise SystemExit(f"no operator alone between operands: {self.text[begin(node):end(node)]}")
        name = "mutant_difference" if minus else "mutant_sum"
        head = "".join(f"mutant == {at} ? {fma} : " for at, fma in contracted)
        first = self.text[begin(left):end(left)]
        if assigns:
            self.edits += [(end(left), 2, len(self.edits), (begin(right), f" = ({head}{name}({number}, {first}, "))]
            self.edits += [(end(right), 0, -len(self.edits), "))")]
        else:
            order = len(self.edits)
            self.edits += [(begin(node), 1, order, f"({head}{name}({number}, "), (end(node), 0, -order, "))"),
                           (end(left), 2, order, (begin(right), ", "))]

    def limits(self, reached):
        """Codes near the words and numbers of these functions, of both signs."""
        codes = set()
        for name in reached & set(self.bodies):
            sign = 1 << (self.width.bits - 1)
            found = [int(x[:-1], 16) for x in WORD.findall(self.bodies[name])]
            found += [self.width.pack(read_number(x)) for x in self.number.findall(self.bodies[name])]
            codes |= {(code + step) % sign for code in found for step in range(-8, 9)}
        return codes | {code | 1 << (self.width.bits - 1) for code in codes}

    def source(self):
        """The text with the edits; each of kind 2 takes the place of what stands up to an offset."""
        parts, at = [], 0
        for offset, kind, _, edit in sorted(self.edits, key=lambda edit: edit[:3]):
            parts.append(self.text[at:offset])
            at = max(at, offset)
            if kind == 2:
                at, edit = edit
            parts.append(edit)
        return "".join(parts + [self.text[at:]])

    def reached(self, name):
        """The functions and tables that det's function uses."""
        reached, ahead = set(), [name]
        while ahead:
            one = ahead.pop()
            if one not in reached:
                reached.add(one)
                ahead += self.calls.get(one, ())
        return reached


def make(folder, width=F32):
    """The sites of all functions; their source is in folder/source.c then."""
    text = preprocess(DETMATH, width)
    plain = folder / "plain.c"
    plain.write_text(text)
    all_sites = Sites(text, parse(plain), width)
    (folder / "source.c").write_text(all_sites.source())
    return all_sites
