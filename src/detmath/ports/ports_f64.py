"""Writes det's and cr's functions in fp64 in other languages, for ports.py: clang compiles the kernels to WebAssembly, and these
steps are written down in each language as they are (structured.py). A fused sum is the language's own, or javascript_f64.py has one;
the module of WebAssembly that is a port itself has the one of the headers."""
import pathlib
import re
import tempfile

from go_f64 import Go
from javascript_f64 import JavaScript, JavaScriptModule
from languages_f64 import Java, Rust
from structured import Structured, functions_with_memory, stack_of
from webassembly import Module

HERE = pathlib.Path(__file__).resolve().parent
# No operation that a language may lack, no number of 128 bits, and less inlined than clang does, which costs no time here.
OPTIONS = """--target=wasm32 -mcpu=mvp -ffreestanding -fno-builtin -nostdlib -O2 -ffp-contract=off -fno-vectorize -fno-slp-vectorize
    -fno-unroll-loops -mllvm -inline-threshold=100 -mllvm -inlinehint-threshold=100 -U__SIZEOF_INT128__ -Wl,--no-entry
    -Wl,--stack-first""".split()
# The kernels take the processor for one with a fused sum, which is then a function that the module imports.
FUSED = "-D__FMA__ -Wl,--allow-undefined".split()
PAIRS = re.findall(r"^DETMATH_PAIR_F64\((\w+), (\w+), (\w+)\)", (HERE.parent / "functions_f64.inc").read_text(encoding="ascii"),
                   re.MULTILINE)
LANGUAGES = [JavaScript(), JavaScriptModule(), Java(), Rust(), Go()]
ABOUT = """det's and cr's functions of detmath in fp64: the same bits on every machine.
Written by detmath's ports.py from the kernels; do not edit. detcheck-ports(7) says what proves it.
Copyright and license are those of detcheck.""".splitlines()


def write_port(language, module):
    public = {number: name for name, number in module.exports.items()}
    with_memory, texts, waiting = functions_with_memory(module), {}, list(public)

    def name_of(number):
        if number in public:
            return language.function_name(public[number])
        name = module.functions[number].name.removeprefix("detmath_")
        return language.helper_name(name + "_itself" * (name in module.exports))  # a function that others call, too

    while waiting:
        number = waiting.pop()
        if number not in texts:
            one = Structured(language, module, number, with_memory, name_of)
            texts[number] = one.lines(name_of(number), number in public)
            waiting += one.called
    parts = [texts[number] for number in sorted(texts)]
    names = [name_of(number) for number in public]
    for name, *of in PAIRS:
        for before in ("", "cr_"):
            names.append(language.function_name(before + name))
            parts.append(language.sincos(*(language.function_name(before + one) for one in (name, *of))))
    return language.file(ABOUT, parts, names, module.first, module.words)


def write(compile_by, folder, wasm):
    """`compile_by` runs clang with these words; `wasm`: the module that is a port, too."""
    with tempfile.TemporaryDirectory(prefix="detcheck-ports-") as place:
        path, stack = pathlib.Path(place, "kernels.wasm"), 1 << 16
        for _ in range(2):  # the second time with no more stack than functions take
            compile_by([*OPTIONS, *FUSED, f"-Wl,-z,stack-size={stack}", HERE / "kernels_f64.c", "-o", path])
            module = Module(path.read_bytes())
            stack = stack_of(module)
    for language in LANGUAGES:
        path = folder / language.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(write_port(language, module), encoding="ascii")
    if wasm:
        compile_by([*OPTIONS, "-DPORT_EXPORTS_PAIRS", "-Wl,--strip-all", HERE / "kernels_f64.c", "-o", folder / "detmath_f64.wasm"])
