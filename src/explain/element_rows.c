/* Counting what rows predict of elements, and choosing causes. */
#include "explain/element_rows.h"

#include <stdlib.h>

bool element_rows_open(struct element_rows *rows, const struct sum_results *results,
                       struct hypothesis row_at(size_t index), struct error *error) {
    *rows = (struct element_rows){.results = results, .row_at = row_at};
    while (row_at(rows->count).name)
        rows->count++;
    if (rows->count > ELEMENT_ROWS_MOST)
        return error_set(error, "a table of causes has %zu rows; at most %d are counted",
                         rows->count, ELEMENT_ROWS_MOST);
    for (int side = 0; side < 2; side++)
        rows->sets[side] = calloc(results->count + 1, sizeof *rows->sets[side]);
    return (rows->sets[0] && rows->sets[1]) || error_set(error, "out of memory for results");
}

void element_rows_close(struct element_rows *rows) {
    free(rows->sets[0]);
    free(rows->sets[1]);
}

void element_rows_count(struct element_rows *rows, int side, size_t row, size_t at, bool right) {
    rows->wrong[side][row] += !right;
    if (!right || !sum_results_differ(rows->results, at))
        return;
    rows->explains[side][row]++;
    rows->sets[side][at] |= (uint64_t)1 << row;
}

bool element_rows_are_hopeless(const struct element_rows *rows, size_t row) {
    bool hopeless = true;
    for (int side = 0; side < 2; side++)
        hopeless = hopeless && rows->wrong[side][row] > 1000 &&
                   rows->wrong[side][row] > rows->explains[side][row];
    return hopeless;
}

/* A row and the side that it speaks of. */
struct claim {
    int side;
    size_t row;
};

struct claims {
    uint64_t rows[2]; /* by side */
};

static struct claims with(struct claims claims, struct claim more) {
    claims.rows[more.side] |= (uint64_t)1 << more.row;
    return claims;
}

static uint64_t count_explained(const struct element_rows *rows, struct claims by) {
    uint64_t explained = 0;
    for (size_t at = 0; at < rows->results->count; at++)
        explained += (rows->sets[0][at] & by.rows[0]) || (rows->sets[1][at] & by.rows[1]);
    return explained;
}

static void add_row(const struct element_rows *rows, struct explain_outcome *outcome,
                    struct claim claim, uint64_t adds, int cause, int same_as) {
    const struct hypothesis hypothesis = rows->row_at(claim.row);
    const uint64_t explains = rows->explains[claim.side][claim.row],
                   wrong = rows->wrong[claim.side][claim.row];
    outcome->explanations[outcome->count++] = (struct explanation){
        .name = hypothesis.name,
        .says = hypothesis.says,
        .order = (int)claim.row,
        .side = claim.side,
        .tested = outcome->tested,
        .explains = explains,
        .wrong = wrong,
        .verdict = explains == outcome->differ && !wrong ? EXPLAINS_ALL : EXPLAINS_PART,
        .cause = cause,
        .same_as = same_as,
        .adds = adds};
}

/* The claim that explains most of what the chosen ones leave, and of two such the one that is wrong less often; false where
 * none is credible. */
static bool find_best(const struct element_rows *rows, struct claims chosen, uint64_t explained,
                      struct claim *best, uint64_t adds[2][ELEMENT_ROWS_MOST]) {
    uint64_t most = 0, least_wrong = 0;
    for (size_t i = 0; i < 2 * rows->count; i++) {
        const struct claim claim = {(int)(i % 2), i / 2};
        const uint64_t wrong = rows->wrong[claim.side][claim.row];
        uint64_t *own = &adds[claim.side][claim.row];
        *own = 0;
        if (!rows->explains[claim.side][claim.row] || (chosen.rows[claim.side] >> claim.row & 1))
            continue;
        *own = count_explained(rows, with(chosen, claim)) - explained;
        if (!explain_is_credible(*own, wrong) || *own < most ||
            (*own == most && wrong >= least_wrong))
            continue;
        most = *own;
        least_wrong = wrong;
        *best = claim;
    }
    return most > 0;
}

void element_rows_choose(const struct element_rows *rows, struct explain_outcome *outcome) {
    struct claims chosen = {{0, 0}};
    struct claim best = {0, 0};
    uint64_t explained = 0, adds[2][ELEMENT_ROWS_MOST];
    for (int cause = 1; find_best(rows, chosen, explained, &best, adds); cause++) {
        const uint64_t most = adds[best.side][best.row];
        const bool is_sure = !rows->wrong[best.side][best.row];
        add_row(rows, outcome, best, most, cause, 0);
        chosen = with(chosen, best);
        for (size_t i = 0; is_sure && i < 2 * rows->count; i++) {
            const struct claim other = {(int)(i % 2), i / 2};
            const bool is_same = !(chosen.rows[other.side] >> other.row & 1) &&
                                 adds[other.side][other.row] == most &&
                                 !rows->wrong[other.side][other.row];
            if (is_same && count_explained(rows, with(chosen, other)) == explained + most)
                add_row(rows, outcome, other, 0, 0, cause);
        }
        explained += most;
    }
    outcome->unexplained = outcome->differ - explained;
}
