"""Files of tensors, written byte by byte: .npy, .npz, .safetensors and ONNX's TensorProto, without the libraries that usually do.

A tensor is (name, type, shape, codes): the type is a row of TYPES, the codes are whole numbers in C's order, two for
each complex number.
"""

import io
import itertools
import json
import math
import struct
import zipfile

# numpy's descr, safetensors' dtype, ONNX's data_type, the format of a component, its bytes and how many there are
TYPES = {
    "fp64": ("f8", "F64", 11, "fp64", 8, 1), "fp32": ("f4", "F32", 1, "fp32", 4, 1), "fp16": ("f2", "F16", 10, "fp16", 2, 1),
    "bf16": ("V2", "BF16", 16, "bf16", 2, 1), "fp8_e4m3fn": ("V1", "F8_E4M3", 17, "fp8_e4m3fn", 1, 1),
    "fp8_e5m2": ("f1", "F8_E5M2", 19, "fp8_e5m2", 1, 1), "fp8_e4m3fnuz": ("V1", None, 18, "fp8_e4m3fnuz", 1, 1),
    "fp8_e5m2fnuz": ("V1", None, 20, "fp8_e5m2fnuz", 1, 1),
    "int8": ("i1", "I8", 3, "int8", 1, 1), "int16": ("i2", "I16", 5, "int16", 2, 1), "int32": ("i4", "I32", 6, "int32", 4, 1),
    "int64": ("i8", "I64", 7, "int64", 8, 1), "uint8": ("u1", "U8", 2, "uint8", 1, 1), "uint16": ("u2", "U16", 4, "uint16", 2, 1),
    "uint32": ("u4", "U32", 12, "uint32", 4, 1), "uint64": ("u8", "U64", 13, "uint64", 8, 1),
    "bool": ("b1", "BOOL", 9, "uint8", 1, 1), "complex64": ("c8", "C64", 14, "fp32", 4, 2), "complex128": ("c16", None, 15, "fp64", 8, 2),
}


def pack(codes, size, big=False):
    return b"".join(code.to_bytes(size, "big" if big else "little") for code in codes)


def in_fortran_order(shape, codes, components):
    groups = [codes[i:i + components] for i in range(0, len(codes), components)]
    strides = [math.prod(shape[i + 1:]) for i in range(len(shape))]
    places = (sum(i * stride for i, stride in zip(reversed(index), strides))
              for index in itertools.product(*(range(extent) for extent in reversed(shape))))
    return [code for place in places for code in groups[place]]


def npy(tensor, fortran=False, big=False, version=1):
    _, kind, shape, codes = tensor
    descr, _, _, _, size, components = TYPES[kind]
    if fortran:
        codes = in_fortran_order(shape, codes, components)
    mark = "|" if size == 1 else ">" if big else "<"
    extents = "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
    header = f"{{'descr': '{mark}{descr}', 'fortran_order': {fortran}, 'shape': {extents}, }}"
    header += " " * (-(11 + len(header) + (version > 1) * 2) % 64) + "\n"
    return (b"\x93NUMPY" + bytes((version, 0)) + struct.pack("<H" if version == 1 else "<I", len(header)) + header.encode()
            + pack(codes, size, big))


def npz(tensors, compressed=False, **more):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED) as archive:
        for tensor in tensors:
            archive.writestr(tensor[0] + ".npy", npy(tensor, **more))
    return file.getvalue()


def safetensors(tensors):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, kind, shape, codes in tensors:
        more = pack(codes, TYPES[kind][4])
        header[name] = {"dtype": TYPES[kind][1], "shape": list(shape), "data_offsets": [len(data), len(data) + len(more)]}
        data += more
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def varint(number):
    number &= 2 ** 64 - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes((number,))


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def signed(code, size):
    return code - (1 << 8 * size) if code >> (8 * size - 1) else code


def onnx(tensor, raw=True):
    """By raw_data, or by the field that the type has."""
    name, kind, shape, codes = tensor
    _, _, number, form, size, _ = TYPES[kind]
    if raw:
        data = field(9, pack(codes, size))
    elif form in ("fp32", "fp64"):
        data = field(4 if form == "fp32" else 10, pack(codes, size))
    elif kind in ("uint32", "uint64"):
        data = field(11, b"".join(map(varint, codes)))
    else:
        of_signed = [signed(code, size) if kind.startswith("int") else code for code in codes]
        data = field(7 if kind == "int64" else 5, b"".join(map(varint, of_signed)))
    return b"".join(field(1, extent) for extent in shape) + field(2, number) + field(8, name.encode()) + (data if codes else b"")
