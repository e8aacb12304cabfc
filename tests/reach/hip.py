"""The headers are HIP for AMD's processors: clang compiles every function. No setting for contraction changes a bit:
each kernel has as many fused and other sums and products with contraction as without, but for sums of x + x, which
clang takes for 2x, a product without rounding. (Their order and registers are the compiler's to choose.) `all` is det and
cr. Nothing is run.

    hip.py det|all [PROCESSOR...]    exit 77 without a clang that knows amdgcn
"""

import collections
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
COMMAND = ["clang", "-x", "hip", "-std=c++17", "-nogpulib", "-nogpuinc", "--cuda-device-only", "-O2", "-S", "-o", "-",
           "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", f"-I{HERE.parent.parent / 'src'}", f"-I{HERE}"]


def assembly(processor, *flags):
    done = subprocess.run([*COMMAND, f"--offload-arch={processor}", *flags, str(HERE / "hip.hip")], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{processor} {' '.join(flags)}: {done.stderr[:2000]}")
    return [line for line in done.stdout.splitlines() if not line.lstrip().startswith((".ident", ".file"))]


def arithmetic(lines):
    """{(kernel, operation): how many}; differences count as sums, and so do fused ones with 2x."""
    counts, kernel = collections.Counter(), ""
    for line in lines:
        words = line.split()
        if len(words) > 1 and words[0] == ".globl":
            kernel = words[1]
        found = re.match(r"\s+v_(?:pk_)?(fma|fmac|fmaak|fmamk|mad|mac|mul|add|sub|subrev)_(f32|f16|f64)", line)
        if found:
            name = re.sub("^(fma|mad|mac).*", "fma", found.group(1)).replace("subrev", "add").replace("sub", "add")
            counts[kernel, "add" if name == "fma" and " 2.0," in line else name] += 1
    return counts


def other_code(fast, off):
    """What there is more of in the one or the other."""
    fast, off = arithmetic(fast), arithmetic(off)
    return [f"{kernel}: {name} {fast[kernel, name]} times with contraction, {off[kernel, name]} without"
            for kernel, name in sorted(fast.keys() | off.keys()) if fast[kernel, name] != off[kernel, name]]


def main(which, *processors):
    if not shutil.which("clang") or "amdgcn" not in subprocess.run(
            ["clang", "-print-targets"], stdout=subprocess.PIPE, text=True, check=False).stdout:
        print("skipped: there is no clang that knows amdgcn: apt-get install clang")
        return 77
    part = ["-DDETMATH_NO_DOUBLE"] if which == "det" else []
    for processor in processors:
        fast = assembly(processor, *part, "-ffp-contract=fast")
        off = assembly(processor, *part, "-ffp-contract=off")
        kernels = sum(line.lstrip().startswith(".amdhsa_kernel") for line in fast)
        fused = sum("v_fma" in line for line in fast)
        other = other_code(fast, off)
        print(f"{processor}: {kernels} kernels, {fused} lines with fma, {len(other)} other")
        print("\n".join(other[:20]))
        if other or kernels < 35 or not fused:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
