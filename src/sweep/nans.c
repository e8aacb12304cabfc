/* By scans of whole arrays where the format has infinities, as most have. */
#include "sweep/nans.h"

#include "sweep/judge/scan.h"

uint64_t make_nans_canonical(const struct format *format, void *codes, size_t count) {
    size_t bytes = format_bytes(format);
    uint64_t signalling = 0;
    /* A quick look, to find that there is nothing to do. */
    if (!format->has_nan || !scan_finds_above(codes, bytes, format->sign_bit - 1,
                                              format_greatest(format), format->nan, count))
        return 0;
    if (format->has_infinity && format->width == 8 * bytes && bytes > 1) {
        /* The signalling ones lie between infinity and the least quiet one. */
        uint64_t quiet = format_greatest(format) | (uint64_t)1 << (format->precision - 2);
        size_t unused;
        signalling =
            scan_count_above(codes, bytes, format_greatest(format), format->nan, count, &unused) -
            scan_count_above(codes, bytes, quiet - 1, format->nan, count, &unused);
        scan_replace_above(codes, bytes, format_greatest(format), format->nan, count);
        return signalling;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t code = code_load(codes, bytes, i);
        signalling += format_is_signalling(format, code);
        if (format_is_nan(format, code))
            code_store(codes, bytes, i, format->nan);
    }
    return signalling;
}
