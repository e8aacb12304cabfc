"""Sweeps with a policy, of a library that is off by as much as a test says (tests/programs/promised_library.c)."""

import json
import os

from harness import Case, parse

# All of them say the same; each takes its time.
ORACLES = os.environ.get("ORACLES", "auto").split(",")
PLACES = 1 if len(ORACLES) == 1 else 3
PROMISED = "lib:" + os.environ["PROMISED_LIBRARY"]
NORMAL = "0x40000000:0x40000fff"  # 2 and 4,095 numbers above it
ABOVE = "0x3f400000:0x3f400fff"  # 0.75
INTEGERS = "0x4b000000:0x4b000fff"  # 2^23, where numbers are whole and errors of rint whole ulps
SUBNORMAL = "0x00000001:0x00000fff"


class PolicyCase(Case):
    def policy(self, promise, **members):
        rule = {"operation": "*", "promise": promise, **members}
        return self.file("policy.json", json.dumps({"schema": "detcheck/policy/1", "rules": [rule]}))

    def sweep(self, operation, inputs, path, *words, code=0, bits=32, oracles=None, **settings):
        """The member "promise" of the library's results: the same of all oracles."""
        symbol = f"{PROMISED}:promised_{operation}{'f' if bits == 32 else ''}"
        found = []
        for oracle in oracles or ORACLES:
            env = {name.upper(): str(value) for name, value in settings.items()}
            done = self.run_program("sweep", operation, "-f", f"fp{bits}", "--range", inputs, "--impl", symbol,
                                    "--policy", path, "--oracle", oracle, "--json", "-", *words, env=env)
            self.assertEqual(done.returncode, code, (done.stdout + done.stderr).decode()[-1000:])
            found.append(parse(done.stdout.decode())["results"][0]["implementations"][0]["promise"])
        for one in found:
            self.assertEqual(found[0], one)
        return found[0]

    def counts(self, promise):
        return tuple(promise[name] for name in ("kept", "accepted", "left_out", "violations"))

    def formula(self, operation, formula, **promises):
        rules = [{"operation": operation, "promise": {"inherited": formula}}]
        rules += [{"operation": name, "promise": promise} for name, promise in promises.items()]
        return self.file("policy.json", json.dumps({"schema": "detcheck/policy/1", "rules": rules}))
