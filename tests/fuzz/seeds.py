"""Seeds for fuzzing, made of the vectors and policies of the repository: groups and rules one by one, cut short.

seeds.py REPOSITORY TARGET FOLDER writes them into the folder, and the words that stand in them into FOLDER.dict, as
libFuzzer takes it. Of other targets there are none: their corpus is all they begin with."""

import copy
import json
import os
import pathlib
import sys

MOST_BYTES, MOST_TESTS, MOST_SEEDS = 4096, 2, 2000


def documents(repository, schema):
    for path in sorted(repository.glob("vectors/**/*.json")) + sorted(repository.glob("src/**/*.json")):
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            continue
        if isinstance(document, dict) and document.get("schema") == schema:
            yield document


def vectors(repository):
    for document in documents(repository, "detcheck/vectors/1"):
        for group in document["testGroups"]:
            one = copy.deepcopy({**document, "testGroups": [group]})
            one["numberOfTests"] = 256
            if "tests" in group:
                tests = group["tests"][:MOST_TESTS]
                one.update(testGroups=[{**group, "tests": tests}], numberOfTests=len(tests))
            yield one, b""


def policies(repository):
    for document in documents(repository, "detcheck/policy/1"):
        for list_of_rules in ("rules", "exceptions"):
            for rule in document.get(list_of_rules, ()):
                yield {"schema": document["schema"], list_of_rules: [rule]}, b"\0"


def words_of(value):
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from words_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from words_of(inner)
    elif isinstance(value, str) and not value.startswith("0x") and len(value) < 40:
        yield value


def main(repository, target, folder):
    os.makedirs(folder, exist_ok=True)
    seeds, words = {}, set()
    for document, begins in {"vectors": vectors, "policies": policies}.get(target, lambda _: ())(pathlib.Path(repository)):
        text = begins + json.dumps(document, separators=(",", ":")).encode()
        words.update(words_of(document))
        if len(text) <= MOST_BYTES and len(seeds) < MOST_SEEDS:
            seeds[text] = None
    for number, text in enumerate(seeds):
        pathlib.Path(folder, f"seed-{number}").write_bytes(text)
    quoted = (json.dumps(word) for word in sorted(words) if word.isascii() and word.isprintable())
    text = "# Words of the seeds: libFuzzer takes no empty dictionary.\n" + "".join(word + "\n" for word in quoted)
    pathlib.Path(folder + ".dict").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
