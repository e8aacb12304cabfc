"""The platforms that detmath's fingerprints are compared on, beyond the machine itself: a row each, with what it needs.
reach.py --list prints them, reach.py --platforms runs some of them."""
import collections
import datetime
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
README = HERE.parent.parent / "src/detmath/README.md"
HEAD = "| platform | compiler | options | run by | fingerprints | date |"
ZIG = "zig"  # in place of which the environment variable ZIG may have "python3 -m ziglang", of PyPI's package ziglang

Platform = collections.namedtuple("Platform", "name compiler options runner needs")


def gcc(name, triple, runner, libc, options="-static -O1"):
    """Debian's cross compiler for that triple, with its C library."""
    needs = f"gcc-{triple.replace('_', '-')} libc6{'.1' if name == 'alpha' else ''}-dev-{libc}-cross"
    return Platform(name, f"{triple}-gcc", options, runner, needs + " qemu-user" * bool(runner))


def zig(name, target, runner, options="-O1"):
    return Platform(name, f"{ZIG} cc -target {target}", f"-static {options}", runner,
                    "zig" + " qemu-user" * bool(runner))


# Without it gcc takes C11 to want float in the precision of double or long double there, which the headers refuse.
FLOATS = "-static -O1 -fexcess-precision=fast"
PLATFORMS = [
    gcc("aarch64", "aarch64-linux-gnu", "qemu-aarch64", "arm64"),
    # A processor with arithmetic in fp16, for which gcc has __FLT_EVAL_METHOD__ 16 outside of strict C.
    gcc("aarch64-fp16", "aarch64-linux-gnu", "qemu-aarch64", "arm64", "-static -O3 -mcpu=neoverse-n1 -std=gnu11"),
    gcc("armhf", "arm-linux-gnueabihf", "qemu-arm", "armhf"),
    gcc("armhf-neon", "arm-linux-gnueabihf", "qemu-arm", "armhf", "-static -O3 -mfpu=neon-vfpv4 -ffp-contract=fast"),
    gcc("armhf-arm", "arm-linux-gnueabihf", "qemu-arm", "armhf", "-static -O2 -marm"),
    gcc("armel", "arm-linux-gnueabi", "qemu-arm", "armel"),
    gcc("riscv64", "riscv64-linux-gnu", "qemu-riscv64", "riscv64"),
    gcc("s390x", "s390x-linux-gnu", "qemu-s390x", "s390x", FLOATS),
    gcc("i686", "i686-linux-gnu", "", "i386", "-static -O1 -msse2 -mfpmath=sse"),
    gcc("x32", "x86_64-linux-gnux32", "", "x32", "-static -O2 -march=x86-64-v3"),
    gcc("ppc64le", "powerpc64le-linux-gnu", "qemu-ppc64le", "ppc64el", "-static -O2 -ffp-contract=fast"),
    gcc("ppc64", "powerpc64-linux-gnu", "qemu-ppc64", "ppc64"),
    gcc("ppc", "powerpc-linux-gnu", "qemu-ppc", "powerpc"),
    gcc("mips", "mips-linux-gnu", "qemu-mips", "mips"),
    gcc("mipsel", "mipsel-linux-gnu", "qemu-mipsel", "mipsel"),
    gcc("mips64", "mips64-linux-gnuabi64", "qemu-mips64", "mips64"),
    gcc("mips64el", "mips64el-linux-gnuabi64", "qemu-mips64el", "mips64el"),
    gcc("mips64r6el", "mipsisa64r6el-linux-gnuabi64", "qemu-mips64el -cpu I6400", "mips64r6el"),
    gcc("sparc64", "sparc64-linux-gnu", "qemu-sparc64", "sparc64"),
    gcc("hppa", "hppa-linux-gnu", "qemu-hppa -L /usr/hppa-linux-gnu", "hppa", "-O1"),  # static programs end in qemu 7.2
    gcc("m68k", "m68k-linux-gnu", "qemu-m68k -cpu m68040", "m68k", f"{FLOATS} -m68040"),
    gcc("alpha", "alpha-linux-gnu", "qemu-alpha -L /usr/alpha-linux-gnu", "alpha", "-O1 -mieee"),  # as hppa
    gcc("sh4", "sh4-linux-gnu", "qemu-sh4", "sh4", "-static -O1 -mieee"),
    zig("zig-aarch64-be", "aarch64_be-linux-musl", "qemu-aarch64_be"),
    zig("zig-armeb", "armeb-linux-musleabihf", "qemu-armeb"),
    zig("zig-riscv32", "riscv32-linux-musl", "qemu-riscv32"),
    zig("zig-riscv64-v", "riscv64-linux-musl", "qemu-riscv64 -cpu rv64,v=true", "-O2 -mcpu=generic_rv64+m+a+f+d+c+v"),
    zig("zig-x86_64-v3", "x86_64-linux-musl", "", "-O2 -mcpu=x86_64_v3"),
    Platform("loongarch64", "loongarch64-linux-gnu-gcc-14", "-static -O1", "qemu-loongarch64",
             "gcc-14-loongarch64-linux-gnu libc6-dev-loong64-cross qemu-user, of Debian 13"),
    Platform("windows-x86_64", "x86_64-w64-mingw32-gcc", "-static -O2 -march=x86-64-v3", "wine64", "gcc-mingw-w64-x86-64 wine64"),
]


def show():
    for row in PLATFORMS:
        print(f"{row.name:19} {row.compiler} {row.options}{f', by {row.runner}' if row.runner else ''}; needs {row.needs}")


def chosen(names):
    """The rows of these names, by commas; all of them for "all"."""
    known = {row.name: row for row in PLATFORMS}
    if names == "all":
        return PLATFORMS
    for name in names.split(","):
        if name not in known:
            print(f"reach.py: there is no platform {name}; --list has them", file=sys.stderr)
            sys.exit(2)
    return [known[name] for name in names.split(",")]


def run(row, which):
    """What the comparison of one row printed, and its exit status."""
    compiler = re.sub(rf"^{ZIG}\b", os.environ.get("ZIG", ZIG), row.compiler)
    done = subprocess.run([sys.executable, str(HERE / "reach.py"), "--cc", compiler, "--runner", row.runner, "--package", row.needs,
                           "--set", which, "--", *row.options.split()], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout, done.returncode


def table_row(row, text):
    found = re.search(r"(\d+) fingerprints equal, (\d+) not", text)
    equal = f"{found[1]} of {int(found[1]) + int(found[2])} equal"
    return (f"| {row.name} | {row.compiler} | `{row.options}` | {row.runner or 'the machine'} | {equal} "
            f"| {datetime.date.today().isoformat()} |")


def write_table(rows):
    """Puts lines {platform: line} into the table of README.md, in the order of PLATFORMS; others stay."""
    lines = README.read_text(encoding="utf-8").split("\n")
    start = lines.index(HEAD) + 2
    end = next(i for i in range(start, len(lines)) if not lines[i].startswith("|"))
    kept = {line.split("|")[1].strip(): line for line in lines[start:end]}
    kept.update(rows)
    lines[start:end] = [kept[row.name] for row in PLATFORMS if row.name in kept]
    README.write_text("\n".join(lines), encoding="utf-8")


def main(names, which, table):
    """Runs the rows, a line each; exit status 1 if one differs, 77 if none could be had."""
    lines, states = {}, []
    for row in chosen(names):
        text, state = run(row, which)
        states.append(state)
        last = text.strip().split("\n")[-1]
        print(f"{row.name:19} {last}", flush=True)
        if state not in (0, 77):
            print(text)
        if "fingerprints equal" in text:
            lines[row.name] = table_row(row, text)
    if table and lines:
        write_table(lines)
    return 1 if any(state not in (0, 77) for state in states) else 0 if 0 in states else 77
