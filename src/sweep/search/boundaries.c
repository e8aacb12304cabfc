/* Hard cases of a line: exact results next to where rounding changes, without a look at most others.
 */
#include "sweep/search/look.h"

#include "sweep/search/near.h"

/* A band of any width holds the nearest ones of a long line; none is wider than that. */
#define WIDEST 0.25

bool look_for_boundaries(struct look *look, struct error *error) {
    struct prober *prober = look->prober;
    enum rounding rounding = prober->worker.judge.rounding;
    bool nearest = rounding == ROUND_NEAREST_EVEN || rounding == ROUND_NEAREST_AWAY;
    uint64_t length = 2 * look->line.half + 1;
    for (int i = 0; i < look->computed->operation->results; i++) {
        const struct line_result *result = &look->line.results[i];
        double least = line_near_least(result, 0, 0), width = least < WIDEST ? least : WIDEST;
        double low = (nearest ? 0.5 : 0) - width / 2;
        size_t most = look_allowed(look, look->probe->inputs);
        look->count = 0;
        for (uint64_t at = 0; at < length && look->count < most;) {
            uint64_t piece = length - at;
            double first = (double)((int64_t)at - (int64_t)look->line.half);
            size_t found = line_near(result, first, 0, &piece, low, width,
                                     prober->offsets + look->count, most - look->count);
            if (!found) /* an input counts for every piece, so that a search ends */
                prober->offsets[look->count] = first;
            look->count += found ? found : 1;
            at += piece;
        }
        if (!look_try(look, error))
            return false;
    }
    return true;
}
