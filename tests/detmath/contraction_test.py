"""One's own arithmetic between det's functions, as detcheck-porting(7) warns of it: by contraction a * c - b * s has other
bits, and what the page has in its place has none. Words: the folder of the sources, the compiler."""

import array
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE, COMPILER = pathlib.Path(sys.argv[1]), sys.argv[2]
PAGE = (SOURCE / "man/detcheck-porting.7").read_text(encoding="ascii")
MAIN = """#include <detmath/families.h>
#include <stdint.h>
#include <stdio.h>
int main(void) {
    uint32_t seed = 1;
    for (int i = 0; i < 1000000; i++) {
        float drawn[3], s, c, y;
        for (int k = 0; k < 3; k++) {
            seed = seed * 1664525u + 1013904223u;
            drawn[k] = (float)(int32_t)seed * 0x1p-30f;
        }
        float a = drawn[0], b = drawn[1], x = drawn[2];
        LINES
        fwrite(&y, 4, 1, stdout);
    }
}
"""


def outputs(folder, lines, contract):
    program = os.path.join(folder, "program")
    words = [COMPILER, "-std=gnu11", "-O2", "-mfma", f"-ffp-contract={contract}", "-I", str(SOURCE / "src"), "-x", "c", "-", "-o", program]
    subprocess.run(words, input=MAIN.replace("LINES", lines), text=True, check=True)
    codes = array.array("I")
    codes.frombytes(subprocess.run([program], stdout=subprocess.PIPE, check=True).stdout)
    return codes


def main():
    if subprocess.run([COMPILER, "-mfma", "-E", "-"], input="", text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                      check=False).returncode or "fma" not in open("/proc/cpuinfo", encoding="ascii").read():
        print("SKIPPED: there is no x86-64 with FMA here")
        return 77
    calls, wrong, right = (re.search(pattern, PAGE, re.MULTILINE)[0].split("/*")[0] for pattern in
                           (r"^c = detmath_cosf.*", r"^y = a \* c.*", r"^y = detmath_fmaf.*"))
    claimed = int(re.search(r"1,000,000 random a, b and x\.\nThe bits of the line marked wrong change for ([\d,]+) of these", PAGE)[1].replace(",", ""))
    failed = 0
    with tempfile.TemporaryDirectory(prefix="detcheck-test-") as folder:
        for line, wanted in ((wrong, claimed), (right, 0)):
            off, fast = (outputs(folder, calls + line, contract) for contract in ("off", "fast"))
            differ = sum(a != b for a, b in zip(off, fast))
            print(f"{line.strip()} {differ:,} of {len(off):,} have other bits by contraction")
            # Which product a compiler fuses is its own choice, so the count may be another's by a little.
            failed |= abs(differ - wanted) > wanted // 20 or len(off) != 1000000
    return failed


if __name__ == "__main__":
    sys.exit(main())
