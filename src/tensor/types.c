/* The rows of types. */
#include "tensor/types.h"

#include <string.h>

#define REAL(FORMAT)    .format = &formats[FORMAT_##FORMAT]
#define INTEGER(FORMAT) .format = &integer_formats[FORMAT_##FORMAT]

const struct tensor_type tensor_types[] = {
    {REAL(FP64), .numpy = "f8", .safetensors = "F64", .onnx = 11, .bytes = 8, .components = 1},
    {REAL(FP32), .numpy = "f4", .safetensors = "F32", .onnx = 1, .bytes = 4, .components = 1},
    {REAL(FP16), .numpy = "f2", .safetensors = "F16", .onnx = 10, .bytes = 2, .components = 1},
    {REAL(BF16), .safetensors = "BF16", .onnx = 16, .bytes = 2, .components = 1},
    {REAL(FP8_E4M3FN), .safetensors = "F8_E4M3", .onnx = 17, .bytes = 1, .components = 1},
    {REAL(FP8_E4M3FNUZ), .safetensors = "F8_E4M3FNUZ", .onnx = 18, .bytes = 1, .components = 1},
    {REAL(FP8_E5M2), .numpy = "f1", .safetensors = "F8_E5M2", .onnx = 19, .bytes = 1,
     .components = 1},
    {REAL(FP8_E5M2FNUZ), .safetensors = "F8_E5M2FNUZ", .onnx = 20, .bytes = 1, .components = 1},
    {REAL(FP8_E8M0FNU), .safetensors = "F8_E8M0", .onnx = 24, .bytes = 1, .components = 1},
    {REAL(FP8_E4M3B11FNUZ), .bytes = 1, .components = 1},
    {REAL(FP8_E3M4), .bytes = 1, .components = 1},
    {REAL(FP8_E4M3), .bytes = 1, .components = 1},
    {REAL(FP6_E2M3FN), .bytes = 1, .components = 1},
    {REAL(FP6_E3M2FN), .bytes = 1, .components = 1},
    {REAL(FP4_E2M1FN), .bytes = 1, .components = 1},
    {REAL(FP4_E2M1FN), .safetensors = "F4", .onnx = 23, .bytes = 1, .components = 1, .packed = 2},
    {INTEGER(INT8), .numpy = "i1", .safetensors = "I8", .onnx = 3, .bytes = 1, .components = 1},
    {INTEGER(INT16), .numpy = "i2", .safetensors = "I16", .onnx = 5, .bytes = 2, .components = 1},
    {INTEGER(INT32), .numpy = "i4", .safetensors = "I32", .onnx = 6, .bytes = 4, .components = 1},
    {INTEGER(INT64), .numpy = "i8", .safetensors = "I64", .onnx = 7, .bytes = 8, .components = 1},
    {INTEGER(UINT8), .numpy = "u1", .safetensors = "U8", .onnx = 2, .bytes = 1, .components = 1},
    {INTEGER(UINT16), .numpy = "u2", .safetensors = "U16", .onnx = 4, .bytes = 2, .components = 1},
    {INTEGER(UINT32), .numpy = "u4", .safetensors = "U32", .onnx = 12, .bytes = 4, .components = 1},
    {INTEGER(UINT64), .numpy = "u8", .safetensors = "U64", .onnx = 13, .bytes = 8, .components = 1},
    {INTEGER(INT4), .bytes = 1, .components = 1},
    {INTEGER(UINT4), .bytes = 1, .components = 1},
    {INTEGER(INT2), .bytes = 1, .components = 1},
    {INTEGER(UINT2), .bytes = 1, .components = 1},
    {INTEGER(INT4), .onnx = 22, .bytes = 1, .components = 1, .packed = 2},
    {INTEGER(UINT4), .onnx = 21, .bytes = 1, .components = 1, .packed = 2},
    {INTEGER(INT2), .onnx = 26, .bytes = 1, .components = 1, .packed = 4},
    {INTEGER(UINT2), .onnx = 25, .bytes = 1, .components = 1, .packed = 4},
    {"bool", INTEGER(UINT8), .numpy = "b1", .safetensors = "BOOL", .onnx = 9, .bytes = 1,
     .components = 1},
    {"complex64", REAL(FP32), .numpy = "c8", .safetensors = "C64", .onnx = 14, .bytes = 8,
     .components = 2},
    {"complex128", REAL(FP64), .numpy = "c16", .onnx = 15, .bytes = 16, .components = 2},
    /* How numpy saves formats that it does not know, bf16 among them. */
    {"1 byte", .numpy = "V1", .bytes = 1, .components = 1},
    {"2 bytes", .numpy = "V2", .bytes = 2, .components = 1},
    {"4 bytes", .numpy = "V4", .bytes = 4, .components = 1},
    {"8 bytes", .numpy = "V8", .bytes = 8, .components = 1},
};
const size_t tensor_type_count = sizeof tensor_types / sizeof *tensor_types;

const struct tensor_type *tensor_type_of_numpy(const char *name, size_t length) {
    for (size_t i = 0; i < tensor_type_count; i++) {
        const char *numpy = tensor_types[i].numpy;
        if (numpy && strlen(numpy) == length && memcmp(numpy, name, length) == 0)
            return &tensor_types[i];
    }
    return NULL;
}

const struct tensor_type *tensor_type_of_safetensors(const char *name) {
    for (size_t i = 0; i < tensor_type_count; i++)
        if (tensor_types[i].safetensors && strcmp(tensor_types[i].safetensors, name) == 0)
            return &tensor_types[i];
    return NULL;
}

const struct tensor_type *tensor_type_of_onnx(uint64_t number) {
    for (size_t i = 0; i < tensor_type_count; i++)
        if (number && tensor_types[i].onnx >= 0 && (uint64_t)tensor_types[i].onnx == number)
            return &tensor_types[i];
    return NULL;
}

const struct tensor_type *tensor_type_named(const char *name) {
    const struct tensor_type *found = NULL;
    for (size_t i = 0; i < tensor_type_count; i++)
        if (strcmp(tensor_type_name(&tensor_types[i]), name) == 0 &&
            (!found || tensor_types[i].safetensors))
            found = &tensor_types[i];
    return found;
}

const struct tensor_type *tensor_type_of_format(const struct format *format) {
    for (size_t i = 0; i < tensor_type_count; i++)
        if (tensor_types[i].format == format && !tensor_types[i].packed && !tensor_types[i].name)
            return &tensor_types[i];
    return NULL;
}

const char *tensor_type_name(const struct tensor_type *type) {
    return type->name ? type->name : type->format->name;
}

bool tensor_types_are_same(const struct tensor_type *a, const struct tensor_type *b) {
    return strcmp(tensor_type_name(a), tensor_type_name(b)) == 0;
}

size_t tensor_component_bytes(const struct tensor_type *type) {
    return type->format ? format_bytes(type->format) : type->bytes;
}
