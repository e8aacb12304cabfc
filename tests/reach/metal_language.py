"""detmath.metal, with all that it includes, keeps to what Metal's language has and C++ has not, or the other way round:
a compiler of C++ would not notice. Needs a C++ compiler to put the headers together.

    metal_language.py COMPILER
"""

import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent / "src"
# Metal has no double, no long long and no assembler; the others are words of its own, no names for variables.
FORBIDDEN = r"double|long long|asm|__asm__|__builtin\w*|memcpy|goto|half|vertex|fragment|mesh|object|visible|sampler" \
            r"|threadgroup(?! (?:const )?float \*|\(0\))|quad|unsigned long|0x\w*[uU]?[lL][lL]"
POINTER = re.compile(r"(\w+ )?(?:const )?\b(?:float|int|uint|long|ulong|struct \w+) ?\*")
LOCAL_STATIC = re.compile(r"^\s+(?:static|constant)\b.*=", re.MULTILINE)


def complaints(text):
    for match in re.finditer(rf"\b(?:{FORBIDDEN})\b", text):
        yield f"Metal has no '{match[0]}' of this kind: {line_of(text, match)}"
    for match in POINTER.finditer(text):
        if (match[1] or "").strip() not in ("thread", "threadgroup", "device", "constant"):
            yield f"a pointer without an address space: {line_of(text, match)}"
    for match in LOCAL_STATIC.finditer(text):
        yield f"a constant inside a function: {line_of(text, match)}"


def line_of(text, match):
    start = text.rfind("\n", 0, match.start()) + 1
    return text[start:text.find("\n", match.end())].strip()


def main(compiler):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "metal_stdlib").touch()
        text = subprocess.run([compiler, "-x", "c++", "-E", "-P", "-D__METAL_VERSION__=310", f"-I{folder}",
                               str(SOURCE / "detmath" / "detmath.metal")], check=True, stdout=subprocess.PIPE,
                              text=True).stdout
    found = list(complaints(text))
    print("\n".join(found) or f"{len(text)} characters, {text.count('kernel void')} kernels")
    # What it is to find, it finds.
    planted = ["double x;", "f(float *x)", "    static const int t[1] = {0};", "uint half;", "uint threadgroup;"]
    missed = [line for line in planted if not list(complaints(line + "\n"))]
    print("\n".join(f"not found: {line}" for line in missed))
    return bool(found or missed or text.count("kernel void") < 35)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
