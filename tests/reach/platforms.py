"""The platforms and languages that detmath's fingerprints are compared in: a row each, with what it needs.
reach.py --list prints them, reach.py --platforms runs some of them and writes the table of detcheck-platforms(7)."""
import collections
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.append(str(ROOT / "man" / "tables"))
from measured import Data, placed, this_run

DATA = Data("platforms")
HERE_RUN = "the machine"  # by which a program runs that needs no runtime
ZIG = "zig"  # in place of which the environment variable ZIG may have "python3 -m ziglang", of PyPI's package ziglang

# `more` are further options of reach.py. A port is the argument of ports_test.py, and "" where there is none.
Platform = collections.namedtuple("Platform", "name compiler options runner needs more port", defaults=((), ""))


def gcc(name, triple, runner, libc, options="-static -O1", more=()):
    """Debian's cross compiler for that triple, with its C library."""
    needs = f"gcc-{triple.replace('_', '-')} libc6{'.1' if triple.startswith('alpha') else ''}-dev-{libc}-cross"
    return Platform(name, f"{triple}-gcc", options, runner, needs + " qemu-user" * bool(runner), more)


def zig(name, target, runner, options="-O1", more=()):
    return Platform(name, f"{ZIG} cc -target {target}", f"-static {options}", runner,
                    "zig" + " qemu-user" * bool(runner), more)


def port(name, compiler, runner, needs):
    """A language that ports.py writes, through detcheck."""
    return Platform(name, compiler, "", runner, f"clang {needs}", (), name)


# Without it gcc takes C11 to want float in the precision of double or long double there, which the headers refuse.
FLOATS = "-static -O1 -fexcess-precision=fast"
# As detmath.cmake compiles them.
ARRAYS = "-ffp-contract=off -DDETMATH_UNCONTRACTED -fno-math-errno -fno-trapping-math -DDETMATH_HARDWARE_ROUNDING"
SOURCE_ARRAYS = ("--source=arrays.c", "--without=cast,mx")
PLATFORMS = [
    gcc("aarch64", "aarch64-linux-gnu", "qemu-aarch64", "arm64"),
    # A processor with arithmetic in fp16, for which gcc has __FLT_EVAL_METHOD__ 16 outside of strict C.
    gcc("aarch64-fp16", "aarch64-linux-gnu", "qemu-aarch64", "arm64", "-static -O3 -mcpu=neoverse-n1 -std=gnu11"),
    # The library's array forms, by vectors of four, in place of the headers' functions of one number.
    gcc("aarch64-arrays", "aarch64-linux-gnu", "qemu-aarch64", "arm64", f"-static -O3 {ARRAYS}", SOURCE_ARRAYS),
    zig("zig-aarch64-arrays", "aarch64-linux-musl", "qemu-aarch64", f"-O3 {ARRAYS}", SOURCE_ARRAYS),
    gcc("armhf", "arm-linux-gnueabihf", "qemu-arm", "armhf"),
    gcc("armhf-neon", "arm-linux-gnueabihf", "qemu-arm", "armhf", "-static -O3 -mfpu=neon-vfpv4 -ffp-contract=fast"),
    gcc("armhf-arm", "arm-linux-gnueabihf", "qemu-arm", "armhf", "-static -O2 -marm"),
    # Without fp64: its sums are libgcc's, which rounds some of them wrongly.
    gcc("armel", "arm-linux-gnueabi", "qemu-arm", "armel", more=("--without=*_f64",)),
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
    gcc("alpha-plain", "alpha-linux-gnu", "qemu-alpha -L /usr/alpha-linux-gnu", "alpha", "-O1"),
    gcc("sh4", "sh4-linux-gnu", "qemu-sh4", "sh4", "-static -O1 -mieee"),
    zig("zig-aarch64-be", "aarch64_be-linux-musl", "qemu-aarch64_be"),
    zig("zig-armeb", "armeb-linux-musleabihf", "qemu-armeb"),
    zig("zig-riscv32", "riscv32-linux-musl", "qemu-riscv32"),
    zig("zig-riscv64-v", "riscv64-linux-musl", "qemu-riscv64 -cpu rv64,v=true", "-O2 -mcpu=generic_rv64+m+a+f+d+c+v"),
    zig("zig-x86_64-v3", "x86_64-linux-musl", "", "-O2 -mcpu=x86_64_v3"),
    Platform("loongarch64", "loongarch64-linux-gnu-gcc-14", "-static -O1", "qemu-loongarch64",
             "gcc-14-loongarch64-linux-gnu libc6-dev-loong64-cross qemu-user, of Debian 13"),
    Platform("windows-x86_64", "x86_64-w64-mingw32-gcc", "-static -O2 -march=x86-64-v3", "wine64", "gcc-mingw-w64-x86-64 wine64"),
    # Other languages that the headers are compiled as, on the machine itself.
    Platform("c", "gcc", "-O2 -march=native", "", "gcc"),
    Platform("c-clang", "clang", "-O2 -march=native", "", "clang"),
    Platform("c-musl", "musl-gcc", "-static -O2", "", "musl-tools"),
    Platform("c++", "g++", "-O2 -march=native", "", "g++", ("--language=c++",)),
    Platform("metal", "g++", f"-O1 -march=native -Wno-attributes -I{HERE.relative_to(ROOT)}/metal", "", "g++",
             ("--language=c++", "--source=metal.cpp", "--variants=det", "--without=cast,mx,*_f64")),
    Platform("opencl", "gcc", "-lOpenCL", "", "gcc pocl-opencl-icd ocl-icd-opencl-dev opencl-headers",
             ("--source=opencl.c", "--header=CL/cl.h")),
    Platform("cuda", "nvcc", "-std=c++17", "", "nvcc and a GPU", ("--language=other", "--source=cuda.cu")),
    # Ports of six functions, each of whose fingerprints over a million inputs detcheck compares (50,000 of shaders).
    port("javascript", "", "node", "nodejs"),
    port("webassembly", "clang --target=wasm32", "node", "lld nodejs"),
    port("wasmtime", "clang --target=wasm32", "wasmtime", "lld, and Python's package wasmtime"),
    port("java", "javac", "java", "default-jdk-headless"),
    port("go", "go build", "", "golang-go"),
    port("rust", "rustc -O", "", "rustc"),
    port("wgsl", "", "lavapipe", "mesa-vulkan-drivers, and Python's package wgpu"),
    port("glsl", "glslangValidator -V", "lavapipe", "glslang-tools mesa-vulkan-drivers, and Python's package wgpu"),
]


WORKERS = {"lavapipe": "Mesa"}  # what a worker calls its runtime, where that is not the runner's name
VERSION = r"\d+(?:\.\d+)+|\d+-(?:win32|posix)\b"  # the latter of mingw's compilers


def words(row):
    return " ".join(word for word in (row.compiler, row.options) if word) or "none"


def show():
    for row in PLATFORMS:
        print(f"{row.name:19} {words(row)}{f', by {row.runner}' if row.runner else ''}; needs {row.needs}")


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
    if row.port:
        command = [sys.executable, str(ROOT / "tests/detmath/ports/ports_test.py"), row.port]
        paths = [str(ROOT / "tests/cmd"), str(ROOT / "tests/impl")]
        more = {"DETCHECK": os.environ.get("DETCHECK", str(ROOT / "build/test/detcheck")), "PYTHONPATH": os.pathsep.join(paths)}
    else:
        compiler = re.sub(rf"^{ZIG}\b", os.environ.get("ZIG", ZIG), row.compiler)
        command = [sys.executable, str(HERE / "reach.py"), "--cc", compiler, "--runner", row.runner, "--package", row.needs,
                   "--set", which, *row.more, "--", *row.options.split()]
        more = {}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT,
                          env={**os.environ, **more})
    return done.stdout, done.returncode


def with_version(command):
    """The command, behind whose first word stands the version that it tells of itself."""
    first, *rest = command.split(" ", 1)
    program = shlex.split(os.environ.get("ZIG", ZIG)) if first == ZIG else [first]
    for asked in ("--version", "version") if shutil.which(program[0]) else ():  # the latter for go and zig
        done = subprocess.run([*program, asked], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        found = re.search(rf"(?<![\w.-])(?:go|v)?({VERSION})", done.stdout)
        if found and not done.returncode:
            return " ".join([first, found[1], *rest])
    return command


def runtime_of(row, text):
    """What ran the row, with its version; a runtime that is a package of Python's tells it through its worker."""
    told = re.search(rf"^worker: .*\b{WORKERS.get(row.runner, row.runner)} ({VERSION})", text, re.MULTILINE)
    return f"{row.runner} {told[1]}" if row.runner and told else with_version(row.runner) or HERE_RUN


def put_row(row, text):
    """Writes a row of the manual's table: what was compared where, and by which compiler."""
    found = re.findall(r"(\d+) fingerprints equal, (\d+) not", text)[-1]
    equal = f"{found[0]} of {int(found[0]) + int(found[1])}"
    runtime, compiler = runtime_of(row, text), with_version(row.compiler)
    versions = ", ".join(one for one in (compiler, runtime) if one and one != HERE_RUN) or HERE_RUN
    run_ = {**this_run(versions), "command": "tests/reach/reach.py --platforms PLATFORM --table"}
    DATA.put("platforms", [(row.name, runtime, equal, words(row._replace(compiler=compiler)))], run_, placed({"platform": [one.name for one in PLATFORMS]}))


def check_table():
    """Exit status 1 if a row of the page is not one of PLATFORMS, as its compiler, options and runner are now, or was not
    equal throughout; or if there are less than 24 rows of platforms or 6 of other languages than C and C++."""
    known, table, wrong = {row.name: row for row in PLATFORMS}, {one["platform"]: one for one in DATA.rows("platforms")}, []
    for name, one in table.items():
        row, (equal, all_) = known.get(name), one["equal"].split(" of ")
        # A version stands behind the first word.
        as_told = [re.sub(rf" (?:{VERSION})", "", one[column], count=1) for column in ("run_by", "compiler_and_options")]
        if not row or as_told != [row.runner or HERE_RUN, words(row)] or equal != all_:
            wrong.append(name)
    if wrong:
        print("rows of detcheck-platforms(7) to be run again:", *wrong)
    languages = {"metal", "opencl", *(row.name for row in PLATFORMS if row.port)} & table.keys()
    print(f"{len(table)} rows, {len(languages)} of them of other languages than C and C++")
    return bool(wrong or len(table) - len(languages) < 24 or len(languages) < 6)


def main(names, which, table, jobs):
    """Runs the rows, a line each, and writes the table after each; exit status 1 if one differs, 77 if none could be had."""
    states = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(run, row, which): row for row in chosen(names)}
        for done in concurrent.futures.as_completed(running):
            row, (text, state) = running[done], done.result()
            states.append(state)
            last = re.findall(r".* fingerprints equal,.*", text)[-1:] or text.strip().split("\n")[-1:]
            print(f"{row.name:19} {last[0]}", flush=True)
            if state not in (0, 77):
                print(text)
            if table and "fingerprints equal" in text:
                put_row(row, text)
    return 1 if any(state not in (0, 77) for state in states) else 0 if 0 in states else 77
