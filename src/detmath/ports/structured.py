"""From functions of a module of WebAssembly to text of a language (languages_f64.py): what its stack holds becomes expressions,
and its blocks and loops those of the language, with labels.

Memory is a stack for arrays, below, and the tables. A function that may have an address of the stack takes the memory as an
operand; one that has none reads tables alone, and its callers need no memory for it. One that users call makes the memory itself."""
from collections import namedtuple

from llvm import fail

KINDS = {"i32": "u", "i64": "l", "f64": "f"}
NAMES = {"shr_u": "lshr", "shr_s": "ashr", **{f"{name}_{sign}": sign + name for name in ("lt", "le", "gt", "ge") for sign in "us"},
         "div_u": "udiv", "rem_u": "urem", "div_s": "sdiv"}
ORDERED = {"eq": "oeq", "ne": "une", "lt": "olt", "gt": "ogt", "le": "ole", "ge": "oge"}
TRUTHS = {"eq", "ne", *(sign + name for name in ("lt", "le", "gt", "ge") for sign in "us")}
# Kinds of the operand and of the result.
CONVERSIONS = {"i32.wrap_i64": "lu", "i64.extend_i32_u": "ul", "i64.extend_i32_s": "ul", "f64.reinterpret_i64": "lf",
               "i64.reinterpret_f64": "fl", "f64.convert_i64_s": "lf", "f64.convert_i64_u": "lf", "f64.convert_i32_s": "uf",
               "f64.convert_i32_u": "uf", "i64.trunc_f64_s": "fl", "i64.trunc_f64_u": "fl",
               "i32.trunc_f64_s": "fu", "i32.trunc_f64_u": "fu"}
UNARY = {"f64.neg", "f64.abs", "f64.sqrt"}
LONGEST = 80  # an expression of more characters gets a name

# texts: of a pair of words two, the high one first; locals: those that it reads; loads: whether it reads memory; known: the bits of
# a constant, or None.
Value = namedtuple("Value", "kind texts locals loads known", defaults=(frozenset(), False, None))


def functions_with_memory(module):
    """The numbers of those that take it: what has a part of the stack, and what those call with words, which may be addresses."""
    with_memory = {number for number, one in enumerate(module.functions) if any(step.name == "global.get" for step in one.body)}
    waiting = list(with_memory)
    while waiting:
        for step in module.functions[waiting.pop()].body:
            if step.name == "call" and step.what not in with_memory and "i32" in module.functions[step.what].operands:
                with_memory.add(step.what)
                waiting.append(step.what)
    return with_memory


def stack_of(module):
    """How many bytes of the stack functions take at most. A function takes what it subtracts, and that is one constant, or
    counted with others."""
    needs = {}

    def need(number):
        if number not in needs:
            body, calls = module.functions[number].body, [0]
            own = 0
            if any(one.name == "global.get" for one in body):
                own = sum(max(one.what, 0) for one, next_ in zip(body, body[1:]) if (one.name, next_.name) == ("i32.const", "i32.sub"))
                if not own:
                    fail(f"how {module.functions[number].name} takes a part of the stack is not known")
            calls += [need(one.what) for one in body if one.name == "call"]
            needs[number] = own + max(calls)
        return needs[number]

    return max(need(number) for number in module.exports.values()) + 15 & ~15


class Structured:
    """One function. `called` collects the numbers of those that it calls."""

    def __init__(self, language, module, number, with_memory, name_of):
        self.language, self.module, self.function = language, module, module.functions[number]
        self.with_memory, self.memory, self.name_of = with_memory, number in with_memory, name_of
        self.output, self.stack, self.blocks, self.count, self.called, self.live = [], [], [], 0, set(), True
        self.read = set()

    def emit(self, text):
        self.output.append(self.language.indent * (1 + len(self.blocks)) + text)

    def op(self, name, *operands):
        return self.language.write(name, *operands)

    # Values.

    def new(self, kind, texts):
        """A name for what these texts are."""
        self.count += 1
        names = self.language.names(f"v{self.count}", kind)
        for name, text in zip(names, texts):
            self.emit(self.language.let(name, kind, text))
        return names

    def named(self, value):
        return value._replace(texts=self.new(value.kind, value.texts), locals=frozenset(), loads=False)

    def atom(self, value):
        """With texts that may stand there more than once."""
        return value if value.known is not None or all(text.isidentifier() for text in value.texts) else self.named(value)

    def push(self, kind, texts, *operands, loads=False):
        texts = (texts,) if isinstance(texts, str) else tuple(texts)
        value = Value(kind, texts, frozenset().union(*(one.locals for one in operands)), loads or any(one.loads for one in operands))
        self.stack.append(self.named(value) if sum(map(len, texts)) > LONGEST else value)

    def constant(self, kind, bits):
        return Value(kind, self.language.constant(kind, bits), known=bits)

    def pop(self):
        """A number or a word."""
        value = self.stack.pop()
        return value._replace(kind="u", texts=(self.op("word", value.texts[0]),)) if value.kind == "b" else value

    def truth(self):
        value = self.stack.pop()
        return value if value.kind == "b" else value._replace(kind="b", texts=(self.op("ne", *value.texts, self.language.word(0)),))

    def settle(self, when):
        """Names the values on the stack that will not be the same any more."""
        self.stack = [self.named(one) if one.known is None and when(one) else one for one in self.stack]

    # Instructions.

    def arithmetic(self, type_, name):
        kind = KINDS[type_]
        if name == "eqz":
            if type_ == "i32" and self.stack[-1].kind == "b":
                x = self.stack.pop()
                return self.push("b", self.op("not", *x.texts), x)
            self.stack.append(self.constant(kind, 0))
            name = "eq"
        b, a = self.pop(), self.pop()
        if kind == "f":
            if name in ORDERED:
                return self.push("b", self.op(ORDERED[name], *a.texts, *b.texts), a, b)
            return self.push("f", self.op("f" + name, *a.texts, *b.texts), a, b)
        name = NAMES.get(name, name)
        result = "b" if name in TRUTHS else kind
        if kind == "u":
            return self.push(result, self.op(name, *a.texts, *b.texts), a, b)
        if self.language.pairs:
            a, b = self.atom(a), self.atom(b)
        return self.push(result, self.language.long(self, name, a, b), a, b)

    def select(self):
        condition, b, a = self.truth(), self.pop(), self.pop()
        if self.language.pairs and a.kind == "l":
            condition = self.atom(condition)
        self.push(a.kind, [self.language.select(a.kind, *condition.texts, x, y) for x, y in zip(a.texts, b.texts)], condition, a, b)

    def call(self, number):
        callee = self.module.functions[number]
        operands = [self.pop() for _ in callee.operands][::-1]
        if callee.name == "fma":
            return self.push("f", self.op("fused", *(one.texts[0] for one in operands)), *operands)
        self.called.add(number)
        takes = number in self.with_memory and number not in self.module.exports.values()
        if takes:
            self.settle(lambda one: one.loads)
            operands = [self.named(one) if one.loads else one for one in operands]
        given = [text for one in operands for text in one.texts]
        text = self.language.call(self.name_of(number), self.language.memory(self.memory) * takes + given)
        if callee.result:
            kind = KINDS[callee.result]
            self.stack.append(Value(kind, tuple(self.language.called(self, kind, text))))
        else:
            self.emit(text + self.language.end)
        return None

    def address(self, distance):
        at = self.pop()
        if distance and at.known is not None:
            return self.constant("u", at.known + distance)
        return at._replace(texts=(self.op("add", *at.texts, self.language.word(distance)),)) if distance else at

    def load(self, name, distance):
        at = self.address(distance)
        type_, what = name.split(".")
        at = self.atom(at) if self.language.pairs and type_ == "i64" else at
        self.push(KINDS[type_], self.language.load(KINDS[type_], what == "load32_u", at.texts[0], self.memory), at, loads=True)

    def store(self, name, distance):
        value, at = self.pop(), self.address(distance)
        self.settle(lambda one: one.loads)
        value, at = (self.named(one) if one.loads else one for one in (value, at))
        at = self.atom(at) if self.language.pairs else at
        for line in self.language.store(value.kind, name.endswith("32"), at.texts[0], *value.texts):
            self.emit(line)

    def set_local(self, number):
        value = self.pop()
        self.settle(lambda one: number in one.locals)
        names = self.local(number)
        if len(names) == 2 and number in value.locals:
            value = self.named(value)
        for name, text in zip(names, value.texts):
            if name != text:
                self.emit(self.language.assign(name, text))

    def local(self, number):
        self.read.add(number)
        return self.language.names(f"x{number}", KINDS[self.function.locals[number]])

    def get_local(self, number):
        self.stack.append(Value(KINDS[self.function.locals[number]], self.local(number), frozenset({number})))

    # Branches.

    def branch(self, depth):
        """The line that goes to the end of a block, or to the beginning of a loop."""
        if depth == len(self.blocks):
            return self.returned()
        block = self.blocks[-1 - depth]
        block["used"] = True
        return self.language.leave(block["name"], block["kind"] == "loop")

    def returned(self):
        return self.language.result(*self.stack[-1].texts) if self.function.result else self.language.nothing

    def open(self, kind, result):
        if result:
            fail("a block with a result is not known")
        self.settle(lambda one: True)
        self.count += 1
        self.emit("")
        self.blocks.append({"kind": kind, "name": f"to{self.count}", "used": False, "line": len(self.output) - 1,
                            "height": len(self.stack)})

    def close(self):
        block = self.blocks[-1]
        loop = block["kind"] == "loop"
        if loop and self.live:
            self.emit(self.language.break_from(block["name"]))
            block["used"] = True
        self.blocks.pop()
        self.emit("}" + self.language.block_end)
        label = block["name"] if block["used"] else None
        self.output[block["line"]] = self.language.indent * (1 + len(self.blocks)) + self.language.block(label, loop)
        self.live = self.live or (block["used"] and not loop)
        del self.stack[block["height"]:]

    def jump(self, step):
        if step.name == "br_if":
            condition = self.truth()
            self.emit(self.language.when(condition.texts[0]) + " " + self.branch(step.what) + " }")
            return
        if step.name == "br_table":
            at = self.atom(self.pop())
            for number, depth in enumerate(step.what[:-1]):
                self.emit(self.language.when(self.op("eq", *at.texts, self.language.word(number))) + " " + self.branch(depth) + " }")
            self.emit(self.branch(step.what[-1]))
        elif step.name == "unreachable":
            self.emit(self.language.never)
        else:
            self.emit(self.returned() if step.name == "return" else self.branch(step.what))
        self.live = False

    def other(self, step):
        name, what = step
        if name in CONVERSIONS:
            x = self.pop()
            x = self.atom(x) if self.language.pairs else x
            return self.push(CONVERSIONS[name][1], self.language.convert(self, name.replace(".", "_"), *x.texts), x)
        if name in UNARY:
            x = self.pop()
            return self.push("f", self.op("f" + name[4:], *x.texts), x)
        if name == "global.get":
            return self.stack.append(self.named(Value("u", (self.op("top"),))))
        if name == "global.set":
            return self.emit(self.language.assign(self.op("top"), self.pop().texts[0]))
        if name == "drop":
            for line in self.language.drop(self.stack.pop().texts[0]):
                self.emit(line)
            return None
        if name == "select":
            return self.select()
        if ".load" in name:
            return self.load(name, what)
        if ".store" in name:
            return self.store(name, what)
        return self.arithmetic(*name.split("."))

    def step(self, step):
        name, what = step
        if name in ("block", "loop"):
            self.open(name, what)
        elif name == "end":
            self.close()
        elif name in ("br", "br_if", "br_table", "return", "unreachable"):
            self.jump(step)
        elif name.endswith(".const"):
            self.stack.append(self.constant(KINDS[name[:3]], what))
        elif name == "local.get":
            self.get_local(what)
        elif name in ("local.set", "local.tee"):
            self.set_local(what)
            if name == "local.tee":
                self.get_local(what)
        elif name == "call":
            self.call(what)
        else:
            self.other(step)

    def body(self):
        """The lines of what can be reached."""
        below = 0  # blocks of what cannot
        for step in self.function.body:
            if self.live or (step.name == "end" and not below):
                self.step(step)
            else:
                below += (step.name in ("block", "loop")) - (step.name == "end")
        if self.live and self.function.result:
            self.emit(self.returned())
        return self.output

    def lines(self, name, public):
        language, function = self.language, self.function
        body = self.body()
        operands = [(text, KINDS[type_]) for number, type_ in enumerate(function.operands)
                    for text in language.names(f"x{number}", KINDS[type_])]
        variables = [(text, KINDS[function.locals[number]]) for number in sorted(self.read) if number >= len(function.operands)
                     for text in language.names(f"x{number}", KINDS[function.locals[number]])]
        variables = [language.indent + line for line in language.variables(variables)]
        result = KINDS[function.result] if function.result else None
        return "\n".join([language.head(name, result, operands, public, self.memory), *variables, *body, "}", ""])
