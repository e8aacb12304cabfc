"""What packages made of the numbers of `numbers` (library_quantisers.py has how they are called): hashes of the bytes of each layout.

llama-cpp is ggml-quants.c of llama-cpp-python 0.3.36, compiled by gcc 12 without options for the processor; llama-cpp-avx2 its
arch/x86/quants.c, with those for AVX2; torchao 0.18.0 under torch 2.15.0; modelopt nvidia-modelopt 0.47.0; bitsandbytes 0.50.2;
transformer-engine and four-over-six TransformerEngine's reference_nvfp4.py at d0067d0d, under torch 2.15.0.
"""

import struct


def numbers(special):
    """256 codes of fp32: ties in every other 64; with `special`, NaN, infinities, -0, the smallest and the largest number among them."""
    codes, state = [], 12345
    for i in range(256):
        state = (state * 1103515245 + 12345) % 2 ** 31
        codes.append(*struct.unpack("<I", struct.pack("<f", ((state >> 12) % 1025 - 512) / (64 if i // 64 % 2 else 7.0))))
    if special:
        codes[5::41] = 0x7fc00000, 0x7f800000, 0xff800000, 1, 0x80000000, 0xffc00000, 0x7f7fffff
    return codes


# By quantiser and layout, the first 16 digits of SHA-256 of the bytes of numbers(False) and numbers(True), one after the other.
MADE = {
    "transformer-engine": {"nvfp4": "86f9178285750236"}, "four-over-six": {"nvfp4": "5922f671ef5d291f"},
    "modelopt": {"nvfp4": "e075ef9d2708f76b", "mxfp4": "3a8dddb35b66a5b4", "mxfp8_e4m3": "96eaadf00f9cfb47"},
    "llama-cpp": {"q4_0": "d632b002ed59f78a", "q4_1": "7ce65281e20f1efe", "q5_0": "bb8e11481b2ae321",
                  "q5_1": "1d9c63e9493a3cc0", "q8_0": "2c2f011e09dbc5a8", "q2_K": "97ab816fd3e68f00",
                  "q3_K": "c552438cb9501238", "q4_K": "ac755cf2c45c4d10", "q5_K": "92473b11c2460784",
                  "q6_K": "ddacfc7a8fbf83b5", "q8_K": "eb8c5b91b5702188", "iq4_nl": "f62cae5f6745f0a9"},
    "llama-cpp-avx2": {"q8_0": "fbafa4c8688b263e"},
    "torchao": {"nvfp4": "b8477a6063c8b156", "mxfp4": "8f7de19667a950a5", "mxfp6_e2m3": "7bda782f9fe6b7dc",
                "mxfp6_e3m2": "1b7ae500cd03840e", "mxfp8_e4m3": "3f965bcb0945e808", "mxfp8_e5m2": "a416629c0d3a18b9",
                "int4": "59fb63b66a28cea2", "int8": "5e1b2a3cab2c6434", "uint4_zero": "25a3880dfd170fe3",
                "int8_zero": "9ace61bb9a5baa31"},
    "torchao-ceil": {"mxfp4": "22ca8a00c37eb08f", "mxfp6_e2m3": "f2a67633ed78f246", "mxfp6_e3m2": "627342f0b2311e74",
                     "mxfp8_e4m3": "77ebf037f12fbad3", "mxfp8_e5m2": "7f5f572b8d1ca597"},
    "torchao-even": {"mxfp4": "d3614c9d79582342", "mxfp6_e2m3": "6aa5075b3cd6bdc8", "mxfp6_e3m2": "27018da775989b91",
                     "mxfp8_e4m3": "16769d47acc95c1d", "mxfp8_e5m2": "31ad53d46df193b0"},
    "torchao-rceil": {"mxfp4": "bf0d5bc1f889bdbe", "mxfp6_e2m3": "beef2c7ceb4cc987", "mxfp6_e3m2": "039e901ce8fdce94",
                      "mxfp8_e4m3": "6e41761a43054266", "mxfp8_e5m2": "e08d18a69879ed27"},
    "bitsandbytes": {"nf4": "d693c9d81239dcb7", "fp4": "75742eb8d1cfcea4"}}
