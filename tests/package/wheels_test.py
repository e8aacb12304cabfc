"""The wheels that wheel.py makes: installed by pip in bare roots of Debian that have Python alone, of each architecture, and used there.

Environment: SOURCE. The slow method compiles the program for each architecture, which takes minutes.
"""

import glob
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "src", "package"))
sys.dont_write_bytecode = True
import wheel  # noqa: E402

MOST_BYTES = 20_000_000
# What a bare image with Python has, and pip as a file that Python runs.
PYTHON = ("python3", "python3-pip-whl", "dash", "coreutils", "libstdc++6", "base-files", "netbase")
# How a program for aarch64 begins, and which bits of that count.
ELF_AARCH64 = (r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00",
               r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff")
# In a name space of its own, where the kernel runs programs of another processor by qemu for these processes alone.
ENTER = """
set -e
if [ "$2" ]; then
    mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
    [ -e /proc/sys/fs/binfmt_misc/detcheck ] || printf '%s' "$2" >/proc/sys/fs/binfmt_misc/register
fi
mount --rbind /proc "$1/proc"
mount --rbind /dev "$1/dev"
root=$1
shift 2
exec chroot "$root" "$@"
"""
USE = """
import platform, detcheck, numpy
report = detcheck.sweep("exp", numpy.exp, detcheck.cr.exp, format="fp16")
first, second = report.entries()
assert first.tested == 65536 and second.incorrectly_rounded == 0, report
assert detcheck.cr.tanh(numpy.float32([0.5]))[0] == float.fromhex("0x1.d9353ep-2"), detcheck.cr.tanh(numpy.float32([0.5]))[0]
from detcheck import _functions, _trace_tensors
_functions.order_library(), _trace_tensors._library()
print("used on", platform.machine())
"""


def why_not(architecture):
    """Why there can be no root of an architecture here; empty where there can."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return "a root is entered by root only, by unshare"
    if architecture != platform.machine() and not shutil.which("qemu-aarch64-static"):
        return "qemu-aarch64-static (qemu-user-static) is not installed"
    return ""


class Wheels(unittest.TestCase):
    def test_libraries_are_those_that_a_build_needs(self):
        with open(os.path.join(SOURCE, ".ci", "packages"), encoding="utf-8") as stream:
            lines = [line.split("#")[0].split("|")[0].strip() for line in stream]
        self.assertEqual({line for line in lines if line.endswith("-dev")}, {name for name in wheel.LIBRARIES if name.endswith("-dev")})

    def test_an_unknown_architecture_is_refused(self):
        done = subprocess.run([sys.executable, wheel.__file__, "riscv64"], stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("riscv64 is no architecture of wheels; these are: x86_64, aarch64", done.stderr)

    def enter(self, root, architecture, *words):
        other = architecture != platform.machine()
        registration = ":".join(("", "detcheck", "M", "", *ELF_AARCH64, shutil.which("qemu-aarch64-static"), "F")) if other else ""
        environment = {"PATH": "/packages/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/tmp", "PYTHONPATH": "/packages"}
        return subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c", ENTER, "sh", root,
                               registration, *words], env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout

    def try_in_root(self, path, architecture, folder):
        root = wheel.fetch_root(folder, architecture, PYTHON)
        for name in ("dev", "proc", "tmp", "packages", "wheels"):
            (root / name).mkdir(exist_ok=True)
        shutil.copy(path, root / "wheels")
        kinds = [word for year in ("_2_28", "_2_27", "_2_17", "2014") for word in ("--platform", f"manylinux{year}_{architecture}")]
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--only-binary=:all:", "--no-deps", "--python-version", "3.11",
                        *kinds, "-d", root / "wheels", "numpy"], check=True)
        pip = sorted((root / "usr/share/python-wheels").glob("pip-*.whl"))[0].relative_to(root)
        self.enter(root, architecture, "python3", f"/{pip}/pip", "install", "-q", "--no-index", "--find-links", "/wheels", "--target",
                   "/packages", "detcheck")
        self.assertEqual(self.enter(root, architecture, "sh", "-c", "command -v gcc cc ld || echo none"), "none\n")
        self.assertEqual(self.enter(root, architecture, "python3", "-c", USE), f"used on {architecture}\n")
        self.assertIn("65,536", self.enter(root, architecture, "detcheck", "sweep", "exp", "-f", "fp16", "--impl", "det,cr,libm"))

    def slow_wheels_are_used_where_there_is_nothing_but_python(self):
        folder = tempfile.mkdtemp(prefix="detcheck-test-")
        self.addCleanup(shutil.rmtree, folder)
        into = os.environ.get("WHEELS") or os.path.join(folder, "wheels")  # where they have been made
        if into.startswith(folder):
            subprocess.run([sys.executable, wheel.__file__, "--into", into], check=True)
        for architecture in wheel.ARCHITECTURES:
            with self.subTest(architecture=architecture):
                path, = glob.glob(os.path.join(into, f"detcheck-*-py3-none-manylinux*_{architecture}.whl"))
                print(f"{os.path.basename(path)} has {os.path.getsize(path):,} bytes", flush=True)
                self.assertLess(os.path.getsize(path), MOST_BYTES)
                if why_not(architecture):
                    self.skipTest(why_not(architecture))
                with tempfile.TemporaryDirectory(prefix="detcheck-root-") as name:
                    self.try_in_root(path, architecture, pathlib.Path(name))


if __name__ == "__main__":
    unittest.main()
