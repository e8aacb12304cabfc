"""Blocks as bytes (detcheck-quantisers(7)), for numpy: packed.quantise(x, "q4_0", "llama-cpp"), packed.dequantise(data, "q4_0").

The program computes them: each call runs the program several times, on some thousand numbers at a time.
"""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import numpy as np

from ._commands import eval as evaluate

NUMBERS = 1 << 14  # of one run of the program, at least a block
# The numbers and the bytes of a block of each layout.
LAYOUTS: Dict[str, Tuple[int, int]] = {
    "q4_0": (32, 18), "q4_1": (32, 20), "q5_0": (32, 22), "q5_1": (32, 24), "q8_0": (32, 34), "q2_K": (256, 84), "q3_K": (256, 110),
    "q4_K": (256, 144), "q5_K": (256, 176), "q6_K": (256, 210), "q8_K": (256, 292), "iq4_nl": (32, 18), "nvfp4": (16, 9),
    "mxfp4": (32, 17), "mxfp6_e2m3": (32, 25), "mxfp6_e3m2": (32, 25), "mxfp8_e4m3": (32, 33), "mxfp8_e5m2": (32, 33),
    "mxint8": (32, 33), "int4": (32, 20), "int8": (32, 36), "uint4_zero": (32, 21), "int8_zero": (32, 37), "gptq": (1024, 532),
    "awq": (1024, 532), "fp8_1x128": (128, 132), "fp8_128x128": (16384, 16388), "nf4": (64, 36), "fp4": (64, 36)}


def size_of(layout: str) -> Tuple[int, int]:
    if layout not in LAYOUTS:
        raise ValueError(f"there is no layout '{layout}'; there are: {', '.join(LAYOUTS)}")
    return LAYOUTS[layout]


def computed(operation: str, implementation: str, parts: List[List[str]], count: int, layout: str, tensor_scale: float, **more: Any) -> List[int]:
    """The codes that an operation returns for numbers or bytes, the scale of the tensor, and the operands after it."""
    scale = f"0x{np.float32(tensor_scale).view(np.uint32):08x}"
    document = evaluate(operation, *parts[0], scale, *sum(parts[1:], []), layout=layout, shape=count, impl=implementation, **more)
    [result] = document["results"]
    return [int(one["implementations"][0]["got"], 16) for one in result["elements"]]


def words_of(array: Any) -> List[str]:
    return [f"{code:#x}" for code in array.reshape(-1).tolist()]


def numbers_of(x: Any, layout: str) -> Any:
    """The numbers of an array, block after block, as codes of fp32."""
    count, _ = size_of(layout)
    array = np.ascontiguousarray(x)
    if array.dtype not in (np.float32, np.float16):
        raise TypeError(f"blocks are made of float32 or float16, not {array.dtype}")
    if array.size % count:
        raise ValueError(f"{layout} takes {count} numbers a block, and {array.size:,} are not whole blocks")
    return array.astype(np.float32).view(np.uint32).reshape(-1, count)


def blocks_of(data: Any, layout: str) -> Any:
    """The bytes of an array, a line for each block."""
    _, size = size_of(layout)
    array = np.frombuffer(data, np.uint8) if isinstance(data, (bytes, bytearray, memoryview)) else np.ascontiguousarray(data)
    if array.dtype != np.uint8:
        raise TypeError(f"blocks are bytes (uint8), not {array.dtype}")
    if array.size % size:
        raise ValueError(f"a block of {layout} has {size} bytes, and {array.size:,} are not whole blocks")
    return array.reshape(-1, size)


def quantise(x: Any, layout: str, quantiser: str = "maximum", *, tensor_scale: float = 1.0) -> Any:
    """The blocks of an array of float32 or float16, in its order: bytes, with a line for each block."""
    numbers, (count, size) = numbers_of(x, layout), size_of(layout)
    made, step = np.empty((len(numbers), size), np.uint8), max(1, NUMBERS // count)
    for at in range(0, len(numbers), step):
        some = numbers[at:at + step]
        made[at:at + step] = np.array(computed("packed.quantise", "det", [words_of(some)], some.size, layout, tensor_scale,
                                               quantiser=quantiser)).reshape(-1, size)
    return made


def nearest(x: Any, data: Any, layout: str, *, tensor_scale: float = 1.0) -> Any:
    """Blocks with the scales of `data`, and with the nearest code for each number of x."""
    numbers, given, (count, size) = numbers_of(x, layout), blocks_of(data, layout), size_of(layout)
    if len(numbers) != len(given):
        raise ValueError(f"{len(numbers):,} blocks of numbers go with as many blocks of bytes, not {len(given):,}")
    made, step = np.empty((len(numbers), size), np.uint8), max(1, NUMBERS // count)
    for at in range(0, len(numbers), step):
        some = numbers[at:at + step]
        made[at:at + step] = np.array(computed("packed.nearest", "det", [words_of(some), words_of(given[at:at + step])], some.size, layout,
                                               tensor_scale)).reshape(-1, size)
    return made


def dequantise(data: Any, layout: str, *, tensor_scale: float = 1.0) -> Any:
    """The numbers of blocks, rounded once to float32: a line for each block."""
    given, (count, _) = blocks_of(data, layout), size_of(layout)
    made, step = np.empty((len(given), count), np.uint32), max(1, NUMBERS // count)
    for at in range(0, len(given), step):
        some = given[at:at + step]
        made[at:at + step] = np.array(computed("packed.dequantise", "cr", [words_of(some)], len(some) * count, layout,
                                               tensor_scale)).reshape(-1, count)
    return made.view(np.float32)
