"""What `cmake --install` and cpack make: installed, used by others through find_package and pkg-config,
run, and, for the package (label exhaustive), looked at by lintian, unpacked, and built twice.

Environment: DETCHECK, CMAKE, CC, BUILD (a build folder in which everything is built), SOURCE, and TEST_CASE, which of the classes below to run."""

import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

CMAKE, CC, BUILD, SOURCE = (os.environ[name] for name in ("CMAKE", "CC", "BUILD", "SOURCE"))


def run(*words, **options):
    done = subprocess.run(list(words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode:
        raise AssertionError(f"{words} ends with {done.returncode}: {done.stdout[-4000:]}")
    return done.stdout


def evaluated(program, implementation):
    """exp of the consumer's inputs by the program: bits without 0x."""
    document = json.loads(run(program, "eval", "exp", "-1", "0", "0.5", "1", "88",
                              "--impl", implementation, "--json", "-"))
    return [entry["implementations"][0]["got"][2:] for entry in document["results"]]


class Temporary(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="detcheck-test-")
        self.addCleanup(directory.cleanup)
        self.path = directory.name

    def check_consumer(self, program, printed):
        lines = [line.split() for line in printed.splitlines()]
        det, cr = evaluated(program, "det"), evaluated(program, "cr")
        self.assertEqual(lines, [[d, d, c, c] for d, c in zip(det, cr)])
        self.assertEqual(cr[3], "402df854")


class Installed(Temporary):
    def setUp(self):
        super().setUp()
        self.prefix = os.path.join(self.path, "usr")
        run(CMAKE, "--install", BUILD, "--prefix", self.prefix)

    def test_everything_that_a_user_wants_is_installed(self):
        for pattern in ("bin/detcheck", "include/detmath/all.h", "include/detmath/detmath.h",
                        "include/detmath/arrays.h", "lib*/**/libdetmath.a",
                        "include/detmath/units.h", "include/detmath/sums.h", "lib*/**/libdetmath_order.so",
                        "lib*/**/pkgconfig/detmath.pc", "lib*/**/cmake/detmath/detmathConfig.cmake",
                        "share/man/man1/detcheck.1", "share/man/man1/detcheck-gate.1",
                        "share/man/man3/detmath.3", "share/man/man7/detcheck-policy.7",
                        "share/bash-completion/completions/detcheck",
                        "share/zsh/vendor-completions/_detcheck",
                        "share/fish/vendor_completions.d/detcheck.fish",
                        "share/doc/detcheck/README.md", "share/doc/detcheck/ARCHITECTURE.md",
                        "share/doc/detcheck/SECURITY.md", "share/doc/detcheck/detmath.md",
                        "share/doc/detcheck/TRIED.md",
                        "share/doc/detcheck/copyright",
                        "share/detcheck/vectors/policy.schema.json", "share/detcheck/adapters/*"):
            with self.subTest(pattern=pattern):
                self.assertTrue(glob.glob(os.path.join(self.prefix, pattern), recursive=True))
        program = os.path.join(self.prefix, "bin", "detcheck")
        self.assertRegex(run(program, "--version"), r"^detcheck \d")

    def test_find_package_builds_a_consumer(self):
        folder = os.path.join(self.path, "build")
        run(CMAKE, "-S", os.path.join(SOURCE, "tests", "package", "consumer"), "-B", folder,
            f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={CC}")
        run(CMAKE, "--build", folder)
        self.check_consumer(os.path.join(self.prefix, "bin", "detcheck"),
                            run(os.path.join(folder, "consumer")))

    @unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
    def test_pkg_config_builds_a_consumer(self):
        found, = glob.glob(os.path.join(self.prefix, "lib*", "**", "pkgconfig"), recursive=True)
        flags = run("pkg-config", "--cflags", "--libs", "detmath",
                    env={**os.environ, "PKG_CONFIG_PATH": found}).split()
        program = os.path.join(self.path, "consumer")
        source = os.path.join(SOURCE, "tests", "package", "consumer", "consumer.c")
        run(CC, "-std=c11", "-ffp-contract=off", source, "-o", program, *flags)
        self.check_consumer(os.path.join(self.prefix, "bin", "detcheck"), run(program))


def build_package(source, folder):
    """Configures, builds and packs without a compiler cache; returns the package's path."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.endswith("COMPILER_LAUNCHER")}
    environment["SOURCE_DATE_EPOCH"] = "1700000000"
    run(CMAKE, "-S", source, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF",
        env=environment)
    run(CMAKE, "--build", folder, "--parallel", "2", env=environment)
    run(os.path.join(os.path.dirname(CMAKE), "cpack"), "-B", folder, cwd=folder, env=environment)
    package, = glob.glob(os.path.join(folder, "*.deb"))
    return package


def digest(path):
    with open(path, "rb") as stream:
        return hashlib.sha256(stream.read()).hexdigest()


@unittest.skipUnless(shutil.which("dpkg-deb"), "not a Debian system")
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="detcheck-test-")
        cls.addClassCleanup(directory.cleanup)
        cls.path = directory.name
        cls.package = build_package(SOURCE, os.path.join(cls.path, "one"))

    def test_two_builds_of_two_copies_of_the_sources_give_the_same_bytes(self):
        copy = os.path.join(self.path, "a copy elsewhere")
        shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("build", ".git"))
        self.assertEqual(digest(self.package), digest(build_package(copy, os.path.join(self.path, "the other"))))

    @unittest.skipUnless(shutil.which("lintian"), "lintian is not installed")
    def test_lintian_finds_no_error(self):
        done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error", self.package],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_it_unpacks_and_runs(self):
        root = os.path.join(self.path, "root")
        run("dpkg-deb", "-x", self.package, root)
        program = os.path.join(root, "usr", "bin", "detcheck")
        self.assertIn("65,536 inputs", run(program, "sweep", "exp", "-f", "fp16"))
        self.assertIn("libmpfr", run("dpkg-deb", "-f", self.package, "Depends"))
        vectors = os.path.join(root, "usr", "share", "detcheck", "vectors")
        run(sys.executable, os.path.join(vectors, "make.py"), "--check", vectors)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], os.environ["TEST_CASE"]])
