/* Reading elements. */
#include "tensor/stream.h"

#include "base/byte_order.h"
#include "tensor/zip.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ_AHEAD = 1 << 16, GATHERED = 1 << 24 };

/* Bytes of an entry, from the one at `place`, which is not before the last that was read. What lies between is
 * thrown away: of an entry that is read from its first byte to its last, the checksum is known. */
static bool read_entry(struct tensor_stream *stream, char *bytes, size_t length, uint64_t place,
                       struct error *error) {
    char unused[4096];
    while (stream->at < place) {
        const uint64_t left = place - stream->at;
        const size_t part = left < sizeof unused ? (size_t)left : sizeof unused;
        if (!zip_read(stream->file, stream->label, unused, part, error))
            return false;
        stream->at += part;
    }
    if (!zip_read(stream->file, stream->label, bytes, length, error))
        return false;
    stream->at += length;
    stream->is_begun = stream->at < stream->tensor->start + stream->tensor->length;
    return stream->is_begun || zip_end(stream->file, stream->label, error);
}

/* Writes an entry to a file without a name, to be read in another order than it has; its checksum is known then. */
static bool unpack(struct tensor_stream *stream, struct error *error) {
    char part[1 << 14];
    stream->unpacked = tmpfile();
    if (!stream->unpacked)
        return error_set(error, "%s: cannot make a temporary file: %s", stream->label,
                         strerror(errno));
    while (stream->is_begun) {
        const uint64_t done =
            stream->at > stream->tensor->start ? stream->at - stream->tensor->start : 0;
        const uint64_t left = stream->tensor->length - done;
        const size_t length = left < sizeof part ? (size_t)left : sizeof part;
        if (!read_entry(stream, part, length, stream->tensor->start + done, error))
            return false;
        if (fwrite(part, 1, length, stream->unpacked) != length)
            return error_set(error, "%s: cannot write a temporary file: %s", stream->label,
                             strerror(errno));
    }
    return fflush(stream->unpacked) == 0 ||
           error_set(error, "%s: cannot write a temporary file: %s", stream->label,
                     strerror(errno));
}

/* Bytes of the tensor, from the one at `place`. */
static bool read_bytes(struct tensor_stream *stream, void *bytes, size_t length, uint64_t place,
                       struct error *error) {
    const struct tensor *tensor = stream->tensor;
    if (stream->is_begun)
        return read_entry(stream, bytes, length, tensor->start + place, error);
    if (stream->unpacked) {
        const struct tensor_file unpacked = {.path = stream->file->path,
                                             .descriptor = fileno(stream->unpacked)};
        return tensor_read_at(&unpacked, bytes, length, place, error);
    }
    return tensor_read_at(stream->file, bytes, length, tensor->start + place, error);
}

bool tensor_stream_open(struct tensor_stream *stream, const struct tensor_file *file,
                        const struct tensor *tensor, bool in_c_order, struct error *error) {
    *stream = (struct tensor_stream){.file = file, .tensor = tensor};
    stream->is_gathered = in_c_order && tensor->is_fortran;
    snprintf(stream->label, sizeof stream->label, "%.150s: %.100s", file->path, tensor->name);
    if (tensor->storage == TENSOR_ENTRY) {
        if (!zip_begin(file, stream->label, tensor->position, error))
            return false;
        stream->is_begun = true;
    }
    if (stream->is_gathered && stream->is_begun && !unpack(stream, error))
        return false;
    if (tensor->storage == TENSOR_VARINTS || stream->is_gathered)
        stream->buffer = malloc(stream->is_gathered ? 2 * (size_t)GATHERED : READ_AHEAD);
    return stream->buffer || (tensor->storage != TENSOR_VARINTS && !stream->is_gathered) ||
           error_set(error, "out of memory");
}

void tensor_stream_close(struct tensor_stream *stream) {
    if (stream->is_begun)
        zip_leave(stream->file);
    if (stream->unpacked)
        fclose(stream->unpacked);
    free(stream->buffer);
    *stream = (struct tensor_stream){0};
}

static bool read_varint(struct tensor_stream *stream, uint64_t *number, struct error *error) {
    *number = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (stream->used == stream->held) {
            uint64_t left = stream->tensor->length - stream->ahead;
            stream->held = left < READ_AHEAD ? (size_t)left : READ_AHEAD;
            stream->used = 0;
            if (!stream->held ||
                !read_bytes(stream, stream->buffer, stream->held, stream->ahead, error))
                break;
            stream->ahead += stream->held;
        }
        const unsigned char byte = (unsigned char)stream->buffer[stream->used++];
        *number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return error_set(error, "%s: its data has a number that is not a varint of protobuf",
                     stream->file->path);
}

/* ONNX has narrow numbers, as codes, in fields of integers. */
static bool read_varints(struct tensor_stream *stream, void *codes, size_t count,
                         struct error *error) {
    const struct format *format = stream->tensor->type->format;
    const size_t bytes = format_bytes(format);
    const uint64_t mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
    uint64_t number;
    for (size_t i = 0; i < count; i++) {
        if (!read_varint(stream, &number, error))
            return false;
        const bool negative = number >> 63, is_signed = format->is_integer && format->sign_bit;
        const uint64_t beyond = (number & ~mask) | (number & (mask >> 1 ^ mask));
        const uint64_t extended = ~mask | (mask >> 1 ^ mask);
        if (bytes < 8 && (is_signed ? beyond != (negative ? extended : 0) : number > mask))
            return error_set(error, "%s: its data has the number %" PRId64 ", which is none of %s",
                             stream->file->path, (int64_t)number,
                             tensor_type_name(stream->tensor->type));
        code_store(codes, bytes, i, number & mask);
    }
    return true;
}

/* Elements that share a byte, the first in the low bits. */
static bool read_packed(struct tensor_stream *stream, uint8_t *codes, size_t count,
                        struct error *error) {
    const size_t share = stream->tensor->type->packed, bytes = (count + share - 1) / share;
    const unsigned width = 8 / (unsigned)share;
    uint8_t *packed = codes + (count - bytes);
    if (!read_bytes(stream, packed, bytes, stream->done / share, error))
        return false;
    for (size_t i = 0; i < count; i++)
        codes[i] =
            (uint8_t)((unsigned)packed[i / share] >> width * (i % share) & ((1u << width) - 1));
    return true;
}

/* Fills the buffer with elements in C's order, of a file in Fortran's: some rows (all elements of one first
 * index), or where a row does not fit, a part of one. Elements of neighbouring first indices lie together. */
static bool gather(struct tensor_stream *stream, struct error *error) {
    const struct tensor *tensor = stream->tensor;
    const size_t bytes = tensor->type->bytes;
    const uint64_t rows = tensor->extents[0], row = tensor->count / rows, most = GATHERED / bytes;
    const uint64_t first = stream->ahead / row, from = stream->ahead % row;
    uint64_t together = row <= most ? most / row : 1, columns = row <= most ? row : row - from;
    together = together < rows - first ? together : rows - first;
    columns = columns < most ? columns : most;
    char *run = stream->buffer + GATHERED;
    for (uint64_t j = 0; j < columns; j++) {
        uint64_t place = first, left = from + j, stride = tensor->count;
        for (int i = tensor->dimensions; i-- > 1; left /= tensor->extents[i]) {
            stride /= tensor->extents[i];
            place += stride * (left % tensor->extents[i]);
        }
        if (!read_bytes(stream, run, (size_t)together * bytes, place * bytes, error))
            return false;
        for (uint64_t i = 0; i < together; i++)
            memcpy(stream->buffer + (size_t)(i * columns + j) * bytes, run + (size_t)i * bytes,
                   bytes);
    }
    stream->held = (size_t)(together * columns) * bytes;
    stream->used = 0;
    stream->ahead += together * columns;
    return true;
}

static bool read_gathered(struct tensor_stream *stream, char *codes, size_t length,
                          struct error *error) {
    for (size_t done = 0; done < length;) {
        if (stream->used == stream->held && !gather(stream, error))
            return false;
        size_t more = stream->held - stream->used;
        more = more < length - done ? more : length - done;
        memcpy(codes + done, stream->buffer + stream->used, more);
        stream->used += more;
        done += more;
    }
    return true;
}

/* In formats of less than a byte, no other bits may be set. */
static bool check_width(const struct tensor_stream *stream, const uint8_t *codes, size_t count,
                        struct error *error) {
    const struct format *format = stream->tensor->type->format;
    for (size_t i = 0; format && format->width < 8 && i < count; i++)
        if (codes[i] >> format->width)
            return error_set(
                error, "%s: element %" PRIu64 " of '%s' is 0x%02x, which is none of %s",
                stream->file->path, stream->done + i, stream->tensor->name, codes[i], format->name);
    return true;
}

bool tensor_stream_read(struct tensor_stream *stream, void *codes, size_t count,
                        struct error *error) {
    const struct tensor *tensor = stream->tensor;
    const size_t bytes = tensor_component_bytes(tensor->type);
    bool good;
    if (!count)
        return true;
    if (tensor->storage == TENSOR_VARINTS)
        good = read_varints(stream, codes, count, error);
    else if (tensor->type->packed)
        good = read_packed(stream, codes, count, error);
    else if (stream->is_gathered)
        good = read_gathered(stream, codes, count * bytes, error);
    else
        good = read_bytes(stream, codes, count * bytes, stream->done * bytes, error);
    if (good && !tensor->is_swapped && tensor->storage != TENSOR_VARINTS)
        codes_little_endian(codes, bytes, count);
    if (good && tensor->is_swapped)
        codes_big_endian(codes, bytes, count);
    good = good && (bytes > 1 || check_width(stream, codes, count, error));
    stream->done += good ? count : 0;
    return good;
}
