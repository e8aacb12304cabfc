"""A fresh Debian in a folder, as an image of a container has it: made by debootstrap, entered by chroot."""

import atexit
import functools
import os
import shutil
import subprocess
import tempfile

SUITE = "bookworm"
# What Debian's slim images leave out.
SLIM = ("usr/share/doc", "usr/share/man", "usr/share/info", "usr/share/locale", "usr/share/groff", "usr/share/lintian",
        "var/cache/apt", "var/lib/apt/lists", "var/log")


def why_not():
    """Why there can be no root here; empty where there can."""
    if os.geteuid() != 0:
        return "a root of Debian is made by root only"
    return "" if shutil.which("debootstrap") else "debootstrap is not installed"


@functools.lru_cache(maxsize=None)
def base():
    """The root that all others are copies of."""
    folder = tempfile.mkdtemp(prefix="detcheck-root-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    subprocess.run(["debootstrap", "--variant=minbase", SUITE, folder, "http://deb.debian.org/debian"],
                   stdout=subprocess.DEVNULL, check=True)
    for path in SLIM:
        shutil.rmtree(os.path.join(folder, path), ignore_errors=True)
        os.makedirs(os.path.join(folder, path))
    with open(os.path.join(folder, "etc/dpkg/dpkg.cfg.d/slim"), "w", encoding="ascii") as stream:
        stream.writelines(f"path-exclude /{path}/*\n" for path in SLIM if path.startswith("usr/"))
    shutil.copy("/etc/resolv.conf", os.path.join(folder, "etc/resolv.conf"))
    return folder


class CleanRoot:
    """One root; paths of its methods are those inside, without the folder that it lies in."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="detcheck-root-")
        subprocess.run(["cp", "-a", "--reflink=auto", base() + "/.", self.path], check=True)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def inside(self, path):
        return self.path + path

    def folder(self, path):
        os.makedirs(self.inside(path), exist_ok=True)
        return self.inside(path)

    def read(self, path):
        with open(self.inside(path), encoding="utf-8") as stream:
            return stream.read()

    def copy_sources(self, source, path):
        """The files that git tracks, as a fetch of the repository brings them."""
        listed = subprocess.run(["git", "-C", source, "ls-files", "-z"], stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(["tar", "-C", source, "--null", "-T", "-", "-cf", os.path.join(self.path, "sources.tar")],
                       input=listed, check=True)
        subprocess.run(["tar", "-C", self.folder(path), "-xf", self.inside("/sources.tar")], check=True)
        os.remove(self.inside("/sources.tar"))

    def call(self, words, environment, folder):
        """Runs a command with a clean environment, with /proc and /dev; returns its status."""
        clean = {"HOME": "/root", "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", **environment}
        script = ('mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && folder=$2 && '
                  'root=$1 && shift 2 && exec chroot "$root" sh -c \'cd "$0" && exec "$@"\' "$folder" "$@"')
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "sh", "-c", script, "sh", self.path, folder, *words],
                              env=clean, check=False)
        return done.returncode

    def run(self, words, environment=None, folder="/"):
        status = self.call(words, environment or {}, folder)
        if status:
            raise AssertionError(f"{words} ends with {status}")
