/* Reading a TensorProto of ONNX (onnx.proto), as its test data and torch.onnx have it: fields of protobuf,
 * of which dims, data_type, name and one field of data count. The data lies in the file as one piece. */
#include "tensor/open.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of fields, and the kinds of values of protobuf. */
enum { DIMS = 1, DATA_TYPE = 2, SEGMENT = 3, NAME = 8, RAW_DATA = 9, EXTERNAL = 13, LOCATION = 14 };
enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };
enum { MOST_NAME = 4096 };

/* Fields of data beside raw_data, which hold numbers: the bytes of each, 0 for varints. */
static const struct {
    uint64_t field;
    unsigned bytes;
} data_fields[] = {{4, 4}, {5, 0}, {7, 0}, {10, 8}, {11, 0}};

struct proto {
    struct tensor_file *file;
    struct error *error;
    uint64_t at, end;
    char name[MOST_NAME + 1];
    uint64_t extents[TENSOR_DIMENSIONS];
    int dimensions;
    uint64_t type;
    bool has_data;
    unsigned bytes; /* of a number of the data; 0: varints */
    bool is_raw;
    uint64_t start, length; /* of the data */
};

static bool bad(struct proto *proto, const char *says) {
    return error_set(proto->error, "%s, byte %" PRIu64 ": %s; a TensorProto would be right",
                     proto->file->path, proto->at, says);
}

static bool read_varint(struct proto *proto, uint64_t *number) {
    unsigned char bytes[10];
    uint64_t left = proto->end - proto->at;
    size_t most = left < sizeof bytes ? (size_t)left : sizeof bytes;
    if (!tensor_read_at(proto->file, bytes, most, proto->at, proto->error))
        return false;
    *number = 0;
    for (size_t i = 0; i < most; i++) {
        *number |= (uint64_t)(bytes[i] & 127) << (7 * i);
        if (bytes[i] < 128) {
            proto->at += i + 1;
            return true;
        }
    }
    return bad(proto, most < sizeof bytes ? "the file is cut off" : "no varint of protobuf");
}

static bool take_dimension(struct proto *proto, uint64_t extent) {
    if (proto->dimensions == TENSOR_DIMENSIONS)
        return bad(proto, "more than 64 dimensions");
    if (extent > INT64_MAX)
        return bad(proto, "a negative extent");
    proto->extents[proto->dimensions++] = extent;
    return true;
}

static bool take_bytes(struct proto *proto, uint64_t field, uint64_t length) {
    const uint64_t end = proto->at + length;
    uint64_t extent;
    if (field == EXTERNAL)
        return bad(proto, "data that lies in another file is not read");
    if (field == SEGMENT)
        return bad(proto, "a part of a tensor (segment) is not read");
    if (field == DIMS) {
        while (proto->at < end)
            if (!read_varint(proto, &extent) || !take_dimension(proto, extent))
                return false;
        return proto->at == end || bad(proto, "dims are cut off");
    }
    if (field == NAME) {
        if (length > MOST_NAME)
            return bad(proto, "a name of more than 4096 bytes");
        proto->name[length] = '\0';
        return tensor_read_at(proto->file, proto->name, (size_t)length, proto->at, proto->error) &&
               (strlen(proto->name) == length || bad(proto, "a name with a zero byte"));
    }
    for (size_t i = 0; i <= sizeof data_fields / sizeof *data_fields; i++) {
        const bool is_raw = i == sizeof data_fields / sizeof *data_fields;
        if (field != (is_raw ? (uint64_t)RAW_DATA : data_fields[i].field) || !length)
            continue;
        if (proto->has_data)
            return bad(proto, "data in two pieces is not read");
        proto->has_data = true;
        proto->is_raw = is_raw;
        proto->bytes = is_raw ? 0 : data_fields[i].bytes;
        proto->start = proto->at;
        proto->length = length;
    }
    return true;
}

static bool is_data(uint64_t field) {
    for (size_t i = 0; i < sizeof data_fields / sizeof *data_fields; i++)
        if (field == data_fields[i].field)
            return true;
    return false;
}

static bool read_field(struct proto *proto) {
    uint64_t tag, value;
    if (!read_varint(proto, &tag))
        return false;
    const uint64_t field = tag >> 3;
    const unsigned wire = (unsigned)(tag & 7);
    const uint64_t fixed = wire == WIRE_64 ? 8 : 4;
    switch (wire) {
    case WIRE_VARINT:
        if (!read_varint(proto, &value))
            return false;
        if (is_data(field))
            return bad(proto, "data that is not packed is not read");
        if (field == DATA_TYPE)
            proto->type = value;
        if (field == LOCATION && value)
            return bad(proto, "data that lies in another file is not read");
        return field != DIMS || take_dimension(proto, value);
    case WIRE_64:
    case WIRE_32:
        if (proto->end - proto->at < fixed)
            return bad(proto, "the file is cut off");
        proto->at += fixed;
        return !is_data(field) || bad(proto, "data that is not packed is not read");
    case WIRE_BYTES:
        if (!read_varint(proto, &value))
            return false;
        if (value > proto->end - proto->at)
            return bad(proto, "the file is cut off");
        const uint64_t next = proto->at + value;
        if (!take_bytes(proto, field, value))
            return false;
        proto->at = next;
        return true;
    default:
        return bad(proto, "no field of protobuf");
    }
}

/* The varints of the data, of which there must be as many as the tensor has components. */
static bool count_varints(struct proto *proto, uint64_t *count) {
    unsigned char bytes[4096];
    *count = 0;
    for (uint64_t done = 0; done < proto->length;) {
        uint64_t left = proto->length - done;
        size_t part = left < sizeof bytes ? (size_t)left : sizeof bytes;
        if (!tensor_read_at(proto->file, bytes, part, proto->start + done, proto->error))
            return false;
        for (size_t i = 0; i < part; i++)
            *count += bytes[i] < 128;
        done += part;
    }
    return true;
}

bool tensor_read_onnx(struct tensor_file *file, struct error *error) {
    struct proto proto = {.file = file, .error = error, .end = file->size};
    while (proto.at < proto.end)
        if (!read_field(&proto))
            return false;
    const struct tensor_type *type = tensor_type_of_onnx(proto.type);
    if (!type)
        return error_set(error,
                         "%s: a TensorProto of data_type %" PRIu64
                         " is not read; only floats, integers, bool and complex numbers are",
                         file->path, proto.type);
    struct tensor *tensor = tensor_add(file, proto.name, proto.extents, proto.dimensions, error);
    uint64_t bytes = proto.length;
    if (!tensor)
        return false;
    if (proto.has_data && !proto.is_raw && !proto.bytes) {
        const bool has_floats = !type->format->is_integer && tensor_component_bytes(type) >= 4;
        if (type->packed || has_floats || type->components > 1)
            return error_set(error, "%s: elements of type %s cannot be in a field of integers",
                             file->path, tensor_type_name(type));
        if (!count_varints(&proto, &bytes))
            return false;
        bytes *= type->bytes;
        tensor->storage = TENSOR_VARINTS;
    } else if (proto.has_data && !proto.is_raw &&
               (proto.bytes != tensor_component_bytes(type) || type->format->is_integer)) {
        return error_set(error, "%s: its data is floats of %u bytes, which are not %s", file->path,
                         proto.bytes, tensor_type_name(type));
    }
    tensor->start = proto.start;
    if (!tensor_settle(file, tensor, type, bytes, error))
        return false;
    if (tensor->storage == TENSOR_VARINTS)
        tensor->length = proto.length;
    return true;
}
