#!/usr/bin/env python3
"""Reads the PTX that nvcc makes of every kernel, and computes fingerprints by it, on a machine without a GPU.

    ptx.py [--architectures 75,90] [--options '-ftz=true -fmad=false'] [--set full] [--last]     exit 77 without nvcc

For each architecture that this nvcc knows, and each of OPTIONS: no instruction is approximate; no product without a
rounding of its own (.rn) goes into a sum without one, which ptxas could contract; and C made of the PTX, an
instruction a line as PTX's manual has it, flushing where .ftz is written, gives the bits of fingerprints.txt. Kernels
that are the same to the letter are run once.
"""
import argparse
import collections
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import reach

HERE = pathlib.Path(__file__).resolve().parent
OPTIONS = ["-use_fast_math", "-ftz=true -fmad=false", "-fmad=true -ftz=false"]
FIRST = 75
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
LOGIC = {"and": "&", "or": "|", "xor": "^"}
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%", **LOGIC}
INSTRUCTION = re.compile(r"(?:@(!?)%(\w+)\s+)?([a-z][\w.]*)\s*(.*);$")
UNUSED_HALF = re.compile(r"\{ \.reg \.b32 tmp; (mov\.b64 \{)tmp(, [^}]*\}, %\w+;) \}")
MOVES = ("mov", "neg", "abs", "selp", "ld.param")


class Unknown(Exception):
    """An instruction that this file does not know."""


def width(kind):
    return 1 if kind == "pred" else int(kind[1:])


def value(operand, kind):
    """An operand in C: bits of that many, without sign."""
    if operand.startswith("%"):
        operand = {"%tid.x": "0u", "%ntid.x": "1u", "%ctaid.x": "thread"}.get(operand, operand.replace("%", ""))
        if "." in operand:
            raise Unknown(operand)
    elif re.match(r"0[fd][0-9A-Fa-f]+$", operand):
        operand = f"0x{operand[2:]}u"
    elif re.match(r"-?\d", operand):
        operand = f"{int(operand, 0) & (2 ** 64 - 1)}u"
    else:
        operand = f"(uintptr_t){operand}"
    return operand if kind == "pred" else f"(uint{width(kind)}_t){operand}"


def signed(operand, kind):
    """As `value`, with the sign that the type has."""
    return f"(int{kind[1:]}_t){value(operand, kind)}" if kind[0] == "s" else value(operand, kind)


def number(operand, kind, flush):
    bits = value(operand, kind)
    return f"ptx_float({f'ptx_flush({bits})' if flush else bits})" if kind == "f32" else f"ptx_double({bits})"


def bits(text, kind, flush):
    text = f"ptx_bits_{kind}({text})"
    return f"ptx_flush({text})" if flush else text


def floating(name, parts, kind, args):
    """An operation on floating-point numbers, in C."""
    flush = "ftz" in parts
    a, *more = [number(arg, kind, flush) for arg in args]
    suffix = "f" if kind == "f32" else ""
    if name == "neg":  # which keeps the bits of a NaN
        sign = "0x80000000u" if kind == "f32" else "0x8000000000000000u"
        inside = value(args[0], kind)
        return f"{f'ptx_flush({inside})' if flush else inside} ^ {sign}"
    known = {"fma": lambda: f"__builtin_fma{suffix}({a}, {', '.join(more)})", "rcp": lambda: f"1.0{suffix} / {a}",
             "sqrt": lambda: f"__builtin_sqrt{suffix}({a})", "abs": lambda: f"__builtin_fabs{suffix}({a})",
             "min": lambda: f"ptx_min_{kind}({a}, {more[0]})", "max": lambda: f"ptx_max_{kind}({a}, {more[0]})"}
    if {"rz", "rm", "rp", "sat", "NaN"} & set(parts) or not (name in known or name in ("add", "sub", "mul", "div")):
        raise Unknown(name)
    return bits(known[name]() if name in known else f"{a} {SIGNS[name]} {more[0]}", kind, flush)


def shifted(name, kind, args):
    function = "ptx_shl" if name == "shl" else "ptx_shr_signed" if kind[0] == "s" else "ptx_shr"
    return f"{function}({signed(args[0], kind)}, {value(args[1], 'u32')}, {width(kind)})"


def integral(name, parts, kind, args):
    """An operation on integers, or on predicates, in C."""
    if name in ("shl", "shr"):
        return shifted(name, kind, args)
    a, *more = [signed(arg, kind) for arg in args]
    if name in ("mul", "mad") and "wide" in parts:
        product = f"({'int64_t' if kind[0] == 's' else 'uint64_t'}){a} * {more[0]}"
        return f"{product} + {value(args[2], 'u64')}" if name == "mad" else product
    if name == "mul" and "hi" in parts:
        return f"((unsigned __int128){a} * {more[0]}) >> {width(kind)}" if kind[0] != "s" else unknown("mul.hi")
    if name in ("add", "sub", "mul", "mad", "neg"):  # that wrap
        a, *more = [value(arg, kind) for arg in args]
    if name == "mad":
        return f"{a} * {more[0]} + {more[1]}"
    if name in ("min", "max"):
        return f"{a} {'<' if name == 'min' else '>'} {more[0]} ? {a} : {more[0]}"
    if name in ("not", "neg"):
        return f"{'!' if kind == 'pred' else '~' if name == 'not' else '0u - '}{a}"
    if name == "abs":
        return f"{a} < 0 ? 0u - {value(args[0], kind)} : {value(args[0], kind)}"
    if name == "clz":
        return f"ptx_clz({a}, {width(kind)})"
    if name == "shf":
        low, high = value(args[0], "b64"), value(args[1], "b64")
        by = f"({more[1]} & 31)" if "wrap" in parts else unknown("shf")
        return f"({high} << 32 | {low}) {'<<' if 'l' in parts else '>>'} {by}{' >> 32' * ('l' in parts)}"
    if name == "bfi":
        return f"ptx_insert({a}, {more[0]}, {value(args[2], 'u32')}, {value(args[3], 'u32')}, {width(kind)})"
    if name not in SIGNS:
        raise Unknown(name)
    return f"{a} {SIGNS[name]} {more[0]}"


def unknown(what):
    raise Unknown(what)


def comparison(parts, kind, args):
    compare, flush = parts[0], "ftz" in parts
    if kind[0] != "f":
        text = f"{signed(args[0], kind)} {COMPARISONS[compare]} {signed(args[1], kind)}"
    else:
        a, b = (number(arg, kind, flush) for arg in args[:2])
        unordered = f"({a} != {a} || {b} != {b})"
        if compare in ("nan", "num"):
            text = f"{'!' if compare == 'num' else ''}{unordered}"
        elif compare in COMPARISONS:
            text = f"!{unordered} && {a} {COMPARISONS[compare]} {b}"
        else:
            text = f"{unordered} || {a} {COMPARISONS[compare[:-1]]} {b}"
    logic = [LOGIC[part] for part in parts if part in LOGIC]
    negated, third = ("!", args[2][1:]) if len(args) > 2 and args[2][0] == "!" else ("", args[-1])
    return f"({text}) {logic[0]} {negated}{value(third, 'pred')}" if logic else text


def converted(parts, target, source, arg):
    flush = "ftz" in parts
    if target[0] != "f" and source[0] != "f":
        return signed(arg, source)
    if source[0] != "f":
        return bits(f"({'float' if target == 'f32' else 'double'}){signed(arg, source)}", target, False)
    x = number(arg, source, flush)
    if target[0] != "f":
        if "rzi" not in parts:
            raise Unknown("cvt to an integer that is not rzi")
        return f"ptx_to_integer({x}, {width(target)}, {int(target[0] == 's')})"
    if target == source or not (target == "f64" or "rn" in parts):
        raise Unknown("cvt")
    return bits(f"({'float' if target == 'f32' else 'double'}){x}", target, flush and target == "f32")


def split(text):
    """Operands, of which one may be in brackets or braces."""
    return [part.strip() for part in re.findall(r"(?:\[[^]]*\]|\{[^}]*\}|[^,\[{])+", text)]


def address(text, parameters):
    inside = text.strip("[]")
    base, _, offset = inside.partition("+")
    if base in parameters:
        return parameters.index(base)
    return f"(uintptr_t)({value(base, 'u64')} + {int(offset or 0)})"


def memory(name, parts, kind, args, parameters):
    """A load or a store: statements in C."""
    if "v2" in parts or "v4" in parts:
        registers = args[name == "st"].strip("{}").split(",")
        place, step = args[name == "ld"].strip("[]"), width(kind) // 8
        base, _, offset = place.partition("+")
        each = [f"[{base}+{int(offset or 0) + i * step}]" for i in range(len(registers))]
        return " ".join(memory(name, [], kind, [r.strip(), e] if name == "ld" else [e, r.strip()], parameters)
                        for r, e in zip(registers, each))
    where = address(args[name == "ld"], parameters)
    if isinstance(where, int):
        return f"{value(args[0], 'pred')} = {('a', 'b', 'x', 'y', 'format', 'n')[where]};"
    held = f"uint{width(kind)}_t"
    if name == "st":
        return f"{{ {held} held = {value(args[1], kind)}; memcpy((void *){where}, &held, sizeof held); }}"
    return f"{{ {held} held; memcpy(&held, (const void *){where}, sizeof held); {value(args[0], 'pred')} = held; }}"


def statement(opcode, args, parameters):
    """One instruction in C."""
    name, *parts = opcode.split(".")
    if name == "call":
        return called(args)
    if name in ("ret", "bra"):
        return "return;" if name == "ret" else f"goto {args[0].replace('$', '')};"
    kind = parts[-1]
    if name in ("ld", "st"):
        return memory(name, parts, kind, args, parameters)
    if name == "mov" and "{" in "".join(args):
        half = width(kind) // 2
        if args[0][0] == "{":
            targets = [each.strip() for each in args[0].strip("{}").split(",")]
            return " ".join(f"{value(each, 'pred')} = (uint{half}_t)({value(args[1], kind)} >> {i * half});"
                            for i, each in enumerate(targets) if each != "_")
        low, high = (value(each.strip(), f"b{half}") for each in args[1].strip("{}").split(","))
        return f"{value(args[0], 'pred')} = {low} | (uint{width(kind)}_t){high} << {half};"
    target, args = value(args[0], "pred"), args[1:]
    if name in ("mov", "cvta"):
        text = value(args[0], kind)
    elif name == "selp":
        text = f"{value(args[2], 'pred')} ? {value(args[0], kind)} : {value(args[1], kind)}"
    elif name == "setp":
        text = comparison(parts, kind, args)
    elif name == "cvt":
        text = converted(parts, parts[-2], kind, args[0])
    else:
        text = (floating if kind[0] == "f" else integral)(name, parts, kind, args)
    return f"{target} = {text};"


Function = collections.namedtuple("Function", "kernel name result parameters lines")


def functions(text):
    """All kernels, and the functions that these call. `result` is the name of what such a function returns, or "": a call has
    an array of bytes for it, and one for each operand."""
    for found in re.finditer(r"\.(entry|func)\s+(?:\(([^)]*)\)\s*)?(\w+)\(([^)]*)\)[^;{]*?\n\{\n(.*?)\n\}\n", text, re.S):
        kind, result, name, parameters, body = found.groups()
        body = re.sub(r"\bcall\.uni[^;]*;", lambda call: " ".join(call[0].split()), body)
        lines = (re.sub("//.*", "", UNUSED_HALF.sub(r"\1_\2", line)).strip() for line in body.split("\n"))
        yield Function(kind == "entry", name, "".join(re.findall(r"(\w+)(?:\[\d+\])?\s*$", result or "")),
                       re.findall(r"(\w+)(?:\[\d+\])?\s*(?:,|$)", parameters.strip(), re.M), [line for line in lines if line])


def kernels(text):
    return [function for function in functions(text) if function.kernel]


def head(function):
    """The first line of one in C."""
    if function.kernel:
        operands = [f"uint64_t {name}" for name in "abxy"] + [f"uint32_t {name}" for name in ("format", "n", "thread")]
        return f"static void ptx_{function.name}({', '.join(operands)})"
    operands = [name for name in (function.result, *function.parameters) if name]
    return f"static void {function.name}({', '.join(f'unsigned char *{name}' for name in operands) or 'void'})"


def called(args):
    """A call: the result, if there is one, the function's name and its operands."""
    names = [name.strip("() ") for name in args]
    if args[0][0] == "(":
        names[:2] = names[1::-1]
    return f"{names[0]}({', '.join(name for name in names[1:] if name)});"


def declaration(line):
    """Registers, a local array, or an operand of a call, in C."""
    register = re.match(r"\.reg \.(\w+)\s+%?(\w+)(?:<(\d+)>)?;", line)
    array = re.match(r"\.(?:local|param) \.align (\d+) \.b8\s+(\w+)\[(\d+)\];", line)
    operand = re.match(r"\.param \.(\w+)\s+(\w+);", line)
    if array:
        return f"_Alignas({array[1]}) unsigned char {array[2]}[{array[3]}];"
    if operand:
        return f"unsigned char {operand[2]}[{width(operand[1]) // 8}];"
    if not register:
        raise Unknown(line)
    kind, name, count = register.groups()
    names = [f"{name}{i}" for i in range(int(count))] if count else [name]
    return f"{'int' if kind == 'pred' else f'uint{width(kind)}_t'} {', '.join(f'{each} = 0' for each in names)};"


def in_c(text):
    """The whole of a file of PTX in C, with a table of its kernels."""
    lines = ["/* Made by ptx.py of PTX. */"]
    for align, name, size, inside in re.findall(r"\.global \.align (\d+) \.b8 (\w+)\[(\d+)\] = \{([^}]*)\};", text):
        lines.append(f"static _Alignas({align}) const unsigned char {name}[{size}] = {{{inside}}};")
    known = list(functions(text))
    lines += [f"{head(function)};" for function in known]
    for function in known:
        lines.append(f"{head(function)} {{")
        parameters = function.parameters if function.kernel else []  # of other functions, arrays by those names
        for line in function.lines:
            label, found = re.match(r"\$(\w+):$", line), INSTRUCTION.match(line)
            if label:
                lines.append(f"{label[1]}:;")
            elif found and found[3] != "pragma":
                condition = f"if ({found[1]}{found[2]}) " if found[2] else ""
                lines.append(f"    {condition}{{ {statement(found[3], split(found[4]), parameters)} }}")
            elif line in ("{", "}"):  # around registers of their own
                lines.append(f"    {line}")
            elif line.startswith((".reg", ".local", ".param")):
                lines.append(f"    {declaration(line)}")
            elif not line.startswith(".pragma"):
                raise Unknown(line)
        lines.append("}")
    table = "".join(f'{{"{function.name}", ptx_{function.name}}}, ' for function in known if function.kernel)
    lines.append(f"static const struct ptx_entry ptx_entries[] = {{{table}{{0, 0}}}};")
    return "\n".join(lines) + "\n"


def faults(text):
    """Lines that name what a later stage may change, or what is only nearly right."""
    found = []
    for function in functions(text):
        parsed = [(match[3], split(match[4]), match[0]) for match in map(INSTRUCTION.match, function.lines) if match]
        loose = lambda opcode: re.search(r"\.f(16|32|64)$", opcode) and not re.search(r"\.r[nzmp]\b", opcode)
        products = {args[0] for opcode, args, _ in parsed if opcode.startswith("mul.") and loose(opcode)}
        before = -1
        while len(products) != before:  # through copies, choices and changes of sign
            before = len(products)
            products |= {args[0] for opcode, args, _ in parsed if opcode.startswith(MOVES) and products & set(args[1:])}
        found += [f"{function.name}: {line}" for opcode, args, line in parsed
                  if opcode.split(".")[0] in ("add", "sub") and loose(opcode) and products & set(args[1:])]
        found += [f"{function.name}: {line}" for opcode, _, line in parsed if re.search(r"\.(approx|full|sat)\b", opcode)]
    return found


def compiled(architecture, options, last):
    command = ["nvcc", "-std=c++17", *["-DREACH_LAST"] * last, f"-arch=compute_{architecture}", "-ptx", "-o", "-", *options.split(),
               f"-I{HERE.parent.parent / 'src'}", f"-I{HERE}", str(HERE / "ptx.cu")]
    with tempfile.TemporaryDirectory() as folder:
        command[command.index("-")] = f"{folder}/ptx"
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(command)}:\n{done.stderr}")
        return pathlib.Path(folder, "ptx").read_text(encoding="utf-8")


def fingerprints_equal(text, which, last):
    """Whether C made of that PTX gives the fingerprints of the set; of the last phases, those of cr."""
    wish = argparse.Namespace(set=which, functions="", variants="", without="")
    if last:
        wish.functions = ",".join(kernel.name[3:] for kernel in kernels(text))
        wish.variants = "cr"
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "kernels.inc"), pathlib.Path(folder, "ptx")
        source.write_text(in_c(text), encoding="utf-8")
        subprocess.run(["gcc", "-std=gnu11", "-O1", *reach.native(["gcc"]), "-ffp-contract=off", "-w", f'-DREACH_PTX="{source}"',
                        f"-I{HERE.parent.parent / 'src'}", f"-I{HERE}", "-o", str(program), str(HERE / "ptx.c"), "-lm"], check=True)
        return reach.compare(wish, reach.parse(reach.run_once([str(program), which]))) == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--architectures", default="", help="numbers, by commas; all from 75 on if none")
    parser.add_argument("--options", action="append", help="of nvcc; may be repeated")
    parser.add_argument("--set", default="quick", choices=["quick", "full", "all"])
    parser.add_argument("--last", action="store_true", help="the last phases of fp64's functions, in place of the functions")
    args = parser.parse_args()
    os.environ["PATH"] += ":/usr/local/cuda/bin"
    if not shutil.which("nvcc"):
        reach.skip("there is no nvcc")
    listed = subprocess.run(["nvcc", "--list-gpu-arch"], stdout=subprocess.PIPE, text=True, check=True).stdout
    known = sorted({int(each) for each in re.findall(r"compute_(\d+)\b", listed)})
    chosen = [int(each) for each in args.architectures.split(",") if each] or [each for each in known if each >= FIRST]
    if not set(chosen) <= set(known):
        sys.exit(f"ptx.py: this nvcc knows {known} only")
    outcome, good = {}, True
    for options in args.options or OPTIONS:
        for architecture in chosen:
            text = compiled(architecture, options, args.last)
            wrong = faults(text)
            kernel_text = re.sub(r"^(//|\.version|\.target).*\n", "", text, flags=re.M)
            key = hashlib.sha256(kernel_text.encode()).hexdigest()
            print(f"sm_{architecture} {options}: {len(kernels(text))} kernels, {len(wrong)} instructions that may change", flush=True)
            if key in outcome:
                print(f"as {outcome[key][0]}, to the letter")
            else:
                outcome[key] = (f"sm_{architecture} {options}", fingerprints_equal(text, args.set, args.last))
            good = good and not wrong and outcome[key][1]
            print("".join(f"    {line}\n" for line in wrong[:20]), end="", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
