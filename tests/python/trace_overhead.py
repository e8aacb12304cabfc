"""The time that recording takes beside the model's: prints a line for each model, and is no test.

    PYTHONPATH=build/release/python taskset -c 1 python tests/python/trace_overhead.py [HIDDEN,TOKENS ...]

Models are Llama-like, two layers of the package transformers with seeded weights, in one thread; each is run forward without a
recording, once in a recording of its own, and five times in one recording. Ratios are of the least of several times of the
processor, which take turns. On a machine that does other work as well they come out higher: a recording has more to bring back into
the caches than the model has.
"""

import json
import os
import sys
import tempfile
import time

import torch
from transformers import LlamaConfig, LlamaForCausalLM

import detcheck

SIZES = ((512, 16), (512, 128), (512, 512), (1024, 128), (1024, 512), (2048, 128), (2048, 512))
PASSES = 5


def time_of(run):
    begin = time.process_time()
    run()
    return time.process_time() - begin


def measured(hidden, tokens, folder):
    torch.manual_seed(54)
    model = LlamaForCausalLM(LlamaConfig(vocab_size=512, hidden_size=hidden, intermediate_size=3 * hidden, num_hidden_layers=2,
                                         num_attention_heads=hidden // 64, num_key_value_heads=hidden // 128)).eval()
    words = torch.arange(tokens).reshape(1, -1) * 7 % 512
    path = os.path.join(folder, "here.trace")

    def run(passes=1):
        for _ in range(passes):
            model(words)

    def recorded(passes):
        with detcheck.trace(path, replace=True):
            run(passes)

    with torch.no_grad():
        run(2)
        recorded(1)
        times = [(time_of(run), time_of(lambda: recorded(1)), time_of(lambda: recorded(PASSES)) / PASSES) for _ in range(5 if hidden > 1024 else 9)]
    with open(os.path.join(path, "trace.json"), encoding="utf-8") as file:
        operations = len(json.load(file)["operations"]) // PASSES
    return operations, *map(min, zip(*times))


def main():
    torch.set_num_threads(1)
    sizes = [tuple(map(int, one.split(","))) for one in sys.argv[1:]] or SIZES
    print("hidden  tokens  operations  model ms  one pass  five passes  us per operation")
    for hidden, tokens in sizes:
        with tempfile.TemporaryDirectory() as folder:
            operations, plain, once, often = measured(hidden, tokens, folder)
        print(f"{hidden:6}  {tokens:6}  {operations:10}  {1e3 * plain:8.1f}  {once / plain:8.2f}  {often / plain:11.2f}  "
              f"{1e6 * (often - plain) / operations:16.1f}", flush=True)


if __name__ == "__main__":
    main()
