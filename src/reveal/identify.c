/* Cases that are replayed are drawn and dropped by batches. */
#include "reveal/identify.h"

enum { BATCH = 1000 };

static bool replay(struct identified *found, struct called_cases *called, uint64_t replayed,
                   uint64_t seed, const volatile sig_atomic_t *stop, struct error *error) {
    bool good = true;
    for (uint64_t done = 0, batch = 1; good && done < replayed; done += BATCH, batch++) {
        const uint64_t left = replayed - done;
        struct unit_cases more;
        good = called_cases_draw(called, (size_t)(left < BATCH ? left : BATCH),
                                 seed + (batch << 32), &more, error) &&
               fit_narrow(&found->fit, &more, error) && (!*stop || error_set(error, "interrupted"));
        unit_cases_close(&more);
    }
    return good;
}

bool identify(struct identified *found, struct called_cases *called, uint64_t replayed,
              uint64_t seed, const volatile sig_atomic_t *stop, struct error *error) {
    *found = (struct identified){0};
    return called_cases_draw(called, IDENTIFY_CHOOSING, seed, &found->cases, error) &&
           fit_cases(&found->fit, &found->cases, stop, error) &&
           replay(found, called, replayed, seed, stop, error) &&
           decide(&found->decision, &found->fit, seed, error);
}

bool identify_any(const struct identified *found) {
    bool any = found->fit.point_count > 0;
    for (size_t i = 0; i < found->fit.row_count; i++)
        any |= fit_row_fits(&found->fit.rows[i]);
    return any;
}

void identify_close(struct identified *found) {
    decision_close(&found->decision);
    fit_close(&found->fit);
    unit_cases_close(&found->cases);
}
