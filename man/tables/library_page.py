"""What the scripts share that measure libraries: adapters to compile, what an implementation says of itself, and how errors and
inputs are spelled; for those that write lines into a page instead of rows into a data file (measured.py), the page."""
import functools
import glob
import json
import os
import re
import shutil
import struct
import subprocess

from measured import NOT_RECORDED, ROOT

NONE, UNKNOWN = "-", "?"


class Page:
    """A manual page, the part of which between two lines a command writes."""

    def __init__(self, name, command):
        self.path = ROOT / "man" / name
        self.start, self.end = f'.\\" {command} writes from here', '.\\" to here\n'

    def read(self):
        return self.path.read_text(encoding="ascii").split(self.start)[1].split(self.end)[0]

    def write(self, text):
        page = self.path.read_text(encoding="ascii")
        head, rest = page.split(self.start)[0], page.split(self.end, 1)[1]
        self.path.write_text(head + self.start + "\n" + text + self.end + rest, encoding="ascii")


def make_musl(folder):
    """The adapter for musl, as ./musl in the folder."""
    subprocess.run(["musl-gcc", "-O2", "-ffp-contract=off", "-D_GNU_SOURCE", "-static",
                    ROOT / "src/impl/adapters/c_adapter.c", "-o", "musl"], cwd=folder, check=True)


def rust_libm():
    """The commands that make the adapter for Rust's crate libm in their folder, as ./libm_worker, of the newest that Debian's
    package librust-libm-dev has installed; none where it is not."""
    found = sorted(glob.glob("/usr/share/cargo/registry/libm-*/src/lib.rs"))
    return [["rustc", "-O", "--edition=2018", "--cap-lints=allow", "--crate-type=rlib", "--crate-name=libm", found[-1]],
            ["rustc", "-O", "-D", "warnings", "--cfg", "libm", "--extern", "libm=liblibm.rlib",
             ROOT / "src/impl/adapters/rust_adapter.rs", "-o", "libm_worker"]] if found else []


@functools.lru_cache
def processor(program):
    platform = json.loads(subprocess.run([program, "env", "--json", "-"], stdout=subprocess.PIPE, check=True).stdout)["platform"]
    vectors = next((name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if flag in platform["features"]), None)
    return platform["arch"].replace("_", "-") + (f" with {vectors}" if vectors else "")


@functools.lru_cache
def package_of(file):
    """The Debian package that has a shared library, and its version; None where there is none."""
    owner = subprocess.run(["dpkg-query", "-S", f"*/{os.path.basename(file)}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    if owner.returncode:
        return None
    words = ["dpkg-query", "-W", "-f", "${Package} ${Version}", owner.stdout.split(": ")[0].split(", ")[0]]
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


def versions_of(program, detail):
    """What a run records as its versions: the implementation as it calls itself, without the name of one function, for a shared
    library the Debian package that has it, and the processor."""
    name = os.path.basename(detail.split(", ")[0])
    package = package_of(name) if ".so" in name and shutil.which("dpkg-query") else None
    known = package or (".so" not in name and re.search(r"\d", name))
    return ", ".join([*([package] if package else []), name if known else f"{name}, version {NOT_RECORDED}", processor(program)])


def shown(error):
    """Cut, not rounded: what was found is not less."""
    return f"{int(error * 1e4) / 1e4:.4f}" if error < 100 else f"{error:.1e}".replace("e+0", "e").replace("e+", "e")


def answer(program, name, implementation, format_, **options):
    """What an implementation says of itself for one input; None where there is none."""
    words = [program, "sweep", name, "--range", "0.5:0.5", "-f", format_, "--impl", implementation, "--json", "-"]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, **options)
    one = json.loads(done.stdout)["results"][0]["implementations"][0] if done.stdout else {"provided": False}
    return one if one["provided"] else None


def spelled(code):
    """The number of an input, or of each; a NaN by its bits."""
    codes = [code] if isinstance(code, str) else code
    values = [struct.unpack(">d" if len(one) == 18 else ">f", bytes.fromhex(one[2:]))[0] for one in codes]
    return ", ".join(one if value != value else re.sub(r"\.?0+p", "p", float.hex(value)) for one, value in zip(codes, values))
