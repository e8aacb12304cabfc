/* Reading .npy, numpy's format of one array (NEP 1): magic, version, the length of a header, a header that
 * is a dict of Python with descr, fortran_order and shape in that order, as numpy writes it, and the
 * elements. Whatever else there is, is an error: nothing is guessed. */
#include "npy.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_DIGITS = 767 }; /* of any double */

static const char magic[] = "\x93NUMPY";

struct type {
    const char *name; /* as descr has it */
    char kind;        /* f, i, u */
    int bytes;
};

static const struct type types[] = {{"<f2", 'f', 2}, {"<f4", 'f', 4}, {"<f8", 'f', 8},
                                    {"|i1", 'i', 1}, {"<i2", 'i', 2}, {"<i4", 'i', 4},
                                    {"<i8", 'i', 8}, {"|u1", 'u', 1}, {"<u2", 'u', 2},
                                    {"<u4", 'u', 4}, {"<u8", 'u', 8}};

bool npy_is(const char *bytes, size_t length) {
    return length >= sizeof magic - 1 && memcmp(bytes, magic, sizeof magic - 1) == 0;
}

/* Steps over that text and blanks behind it. */
static bool step(const char **at, const char *text) {
    size_t length = strlen(text);
    if (strncmp(*at, text, length) != 0)
        return false;
    *at += length;
    *at += strspn(*at, " ");
    return true;
}

static const struct type *read_type(const char **at, char name[16]) {
    size_t length = strcspn(*at, "'");
    snprintf(name, 16, "%.*s", length < 15 ? (int)length : 15, *at);
    for (char *letter = name; *letter; letter++)
        if (*letter < ' ' || *letter > '~')
            *letter = '?';
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && strncmp(*at, types[i].name, length) == 0) {
            *at += length;
            return &types[i];
        }
    return NULL;
}

/* Reads a shape such as "(2, 3)", "(4,)" or "()". Where it has more dimensions than an
 * array may have here, it reads only how many elements there are. */
static bool read_shape(const char **at, uint64_t *count, struct shape *shape) {
    bool is_empty = false; /* whatever the other extents are */
    *count = 1;
    shape->dimensions = 0;
    if (!step(at, "("))
        return false;
    while (**at >= '0' && **at <= '9') {
        uint64_t extent = 0;
        for (; **at >= '0' && **at <= '9'; ++*at) {
            extent = 10 * extent + (uint64_t)(**at - '0');
            if (extent > INT64_MAX / 10)
                return false;
        }
        *at += strspn(*at, " ");
        is_empty = is_empty || !extent;
        if (extent && *count > INT64_MAX / extent)
            return false;
        *count *= extent ? extent : 1;
        if (shape->dimensions < MOST_DIMENSIONS)
            shape->extents[shape->dimensions] = extent;
        shape->dimensions++;
        if (!step(at, ",") && **at != ')')
            return false;
    }
    *count = is_empty ? 0 : *count;
    return step(at, ")");
}

static uint64_t load(const char *bytes, int count) {
    uint64_t value = 0;
    for (int i = count; i-- > 0;)
        value = value << 8 | (unsigned char)bytes[i];
    return value;
}

static double half_of(uint64_t bits) {
    int exponent = (int)(bits >> 10 & 31);
    double significand = (double)(bits & 1023) + (exponent ? 1024 : 0);
    double y = exponent < 31        ? ldexp(significand, (exponent ? exponent : 1) - 25)
               : significand > 1024 ? (double)NAN
                                    : (double)INFINITY;
    return bits >> 15 ? -y : y;
}

static double number_of(uint64_t bits, int bytes) {
    uint32_t low = (uint32_t)bits;
    float single;
    double y;
    if (bytes == 2)
        return half_of(bits);
    memcpy(&single, &low, sizeof single);
    memcpy(&y, &bits, sizeof y);
    return bytes == 4 ? (double)single : y;
}

/* Exactly, in decimal, which any format rounds once. */
static void print_element(FILE *stream, const struct type *type, const char *bytes) {
    uint64_t bits = load(bytes, type->bytes);
    unsigned unused = 64 - 8 * (unsigned)type->bytes;
    if (type->kind == 'u') {
        fprintf(stream, "%" PRIu64 "\n", bits);
    } else if (type->kind == 'i') {
        uint64_t sign = UINT64_C(1) << (63 - unused),
                 magnitude = bits & sign ? 2 * sign - bits : bits;
        fprintf(stream, "%s%" PRIu64 "\n", bits & sign ? "-" : "", magnitude);
    } else {
        double y = number_of(bits, type->bytes);
        if (y != y)
            fputs("nan\n", stream);
        else
            fprintf(stream, "%.*g\n", EXACT_DIGITS, y);
    }
}

/* What the header says; false with an error. */
static bool read_header(const char *header, const char *path, uint64_t bytes_left,
                        const struct type **type, uint64_t *count, struct shape *shape,
                        struct error *error) {
    const char *at = header;
    char name[16] = "";
    bool fortran = false, good = step(&at, "{") && step(&at, "'descr':") && step(&at, "'");
    *type = good ? read_type(&at, name) : NULL;
    if (good && !*type)
        return error_set(
            error, "%.200s: .npy of '%s' is not read; little-endian f2, f4, f8 and integers are",
            path, name);
    good = good && step(&at, "'") && step(&at, ",") && step(&at, "'fortran_order':");
    fortran = good && step(&at, "True");
    good = good && (fortran || step(&at, "False")) && step(&at, ",") && step(&at, "'shape':") &&
           read_shape(&at, count, shape);
    step(&at, ",");
    if (!good || !step(&at, "}") || strcmp(at, "\n") != 0)
        return error_set(error, "%.200s: its .npy header is none that numpy writes", path);
    if (shape->dimensions > MOST_DIMENSIONS)
        return error_set(error,
                         "%.200s: an array of %d dimensions is not read; of %d at most it is", path,
                         shape->dimensions, MOST_DIMENSIONS);
    if (fortran && shape->dimensions > 1)
        return error_set(error, "%.200s is in Fortran's order; save numpy.ascontiguousarray of it",
                         path);
    if (*count != bytes_left / (uint64_t)(*type)->bytes || bytes_left % (uint64_t)(*type)->bytes)
        return error_set(error,
                         "%.200s: its .npy header says %" PRIu64 " elements, and %" PRIu64
                         " bytes follow",
                         path, *count, bytes_left);
    return true;
}

char *npy_text(const char *bytes, size_t length, const char *path, struct shape *shape,
               struct error *error) {
    int major = length > 7 ? bytes[6] : 0, field = major == 1 ? 2 : 4;
    size_t start = 8 + (size_t)field;
    uint64_t size = length >= start ? load(bytes + 8, field) : 0;
    if (major < 1 || major > 3 || bytes[7] != 0 || length < start || size > length - start) {
        error_set(error, "%.200s: .npy of another version, or cut off", path);
        return NULL;
    }
    const char *elements = bytes + start + size;
    char *header = strndup(bytes + start, (size_t)size), *text = NULL;
    const struct type *type;
    uint64_t count = 0;
    size_t unused;
    bool good = header
                    ? read_header(header, path, length - start - size, &type, &count, shape, error)
                    : error_set(error, "out of memory");
    free(header);
    FILE *stream = good ? memory_stream(&text, &unused) : NULL;
    if (good && !stream)
        error_set(error, "out of memory");
    if (!stream)
        return NULL;
    for (uint64_t i = 0; i < count; i++)
        print_element(stream, type, elements + i * (uint64_t)type->bytes);
    if (fclose(stream) == 0)
        return text;
    free(text);
    error_set(error, "out of memory");
    return NULL;
}
