/* Flags raised, flags cleared, errno, and the length or end of each line. */
#include "impl/remote/line_bytes.h"

#include "base/byte_order.h"
#include "impl/remote/protocol.h"
#include "oracle/flags.h"

#include <errno.h>
#include <string.h>

enum { LENGTH_BYTES = 8 };
/* Of the kinds of oracle/flags.h; the last stands for all others. */
static const int errnos[ERRNO_KINDS] = {0, EDOM, ERANGE, EINVAL};

struct line_wishes line_wishes_of(unsigned tells) {
    return (struct line_wishes){.flags = tells & PROTOCOL_FLAGS,
                                .errnos = tells & PROTOCOL_ERRNO,
                                .lengths = tells & PROTOCOL_LENGTHS};
}

size_t line_bytes_size(unsigned tells, uint64_t lines) {
    const struct line_wishes has = line_wishes_of(tells);
    return (size_t)lines *
           ((has.flags ? 2u : 0u) + (has.errnos ? 1u : 0u) + (has.lengths ? LENGTH_BYTES : 0u));
}

void line_bytes_put(unsigned tells, const struct line_effects *lines, uint64_t count,
                    uint8_t *bytes) {
    const struct line_wishes has = line_wishes_of(tells);
    if (has.flags) {
        memcpy(bytes, lines->raised, (size_t)count);
        memcpy(bytes + count, lines->cleared, (size_t)count);
        bytes += 2 * count;
    }
    for (uint64_t i = 0; has.errnos && i < count; i++)
        *bytes++ = (uint8_t)errno_kind_of(lines->errnos[i]);
    for (uint64_t i = 0; has.lengths && i < count; i++, bytes += LENGTH_BYTES)
        put_u64(bytes, lines->lengths[i]);
}

bool line_bytes_get(unsigned tells, const uint8_t *bytes, uint64_t count,
                    struct line_effects *lines) {
    const struct line_wishes has = line_wishes_of(tells);
    bool good = true;
    for (uint64_t i = 0; has.flags && i < 2 * count; i++)
        good = good && bytes[i] <= ALL_FLAGS;
    if (has.flags && good && lines && lines->raised) {
        memcpy(lines->raised, bytes, (size_t)count);
        memcpy(lines->cleared, bytes + count, (size_t)count);
    }
    bytes += has.flags ? 2 * count : 0;
    for (uint64_t i = 0; has.errnos && good && i < count; i++) {
        good = bytes[i] < ERRNO_KINDS;
        if (good && lines && lines->errnos)
            lines->errnos[i] = errnos[bytes[i]];
    }
    bytes += has.errnos ? count : 0;
    for (uint64_t i = 0; has.lengths && good && lines && lines->lengths && i < count; i++)
        lines->lengths[i] = get_u64(bytes + LENGTH_BYTES * i);
    return good;
}
