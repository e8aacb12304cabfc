/* From two traces to the rows of a comparison. */
#include "trace/compare.h"

#include "base/json.h"
#include "base/json_tree.h"
#include "trace/describe.h"
#include "trace/measure.h"
#include "trace/names.h"
#include "trace/pairing.h"
#include "trace/record.h"
#include "trace/summary.h"
#include "trace/verdict.h"

#include <limits.h>
#include <stdlib.h>

static struct trace_side side_of(const struct trace *trace) {
    uint64_t left_out = 0;
    for (const cJSON *item = trace->left_out ? trace->left_out->child : NULL; item;
         item = item->next)
        left_out += (uint64_t)json_number(item, "count");
    return (struct trace_side){trace->path,  trace->recorder, trace->program,
                               trace->count, left_out,        trace->complete};
}

/* Whether the tensors that a row is measured and judged by are intact: outputs where they differ, and the inputs of what
 * parted. */
static bool is_intact(const struct verdict_judge *judge, const struct trace_match *match,
                      const struct trace_row *row, struct error *error) {
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < match->count[side]; i++) {
            const struct trace_operation *one =
                &judge->sides[side]->operations[match->members[side][i]];
            const bool is_last = match->pair_count || i + 1 == match->count[side];
            if ((row->verdict == TRACE_PARTED &&
                 !trace_tensors_intact(judge->sides[side], one->inputs, one->input_count, error)) ||
                (is_last &&
                 !trace_tensors_intact(judge->sides[side], one->outputs, one->output_count, error)))
                return false;
        }
    return true;
}

static bool make_rows(const struct verdict_judge *judge, const struct trace_pairing *pairing,
                      const struct trace_means *means, struct trace_comparison *comparison,
                      struct error *error) {
    if (pairing->count > UINT_MAX)
        return error_set(error, "more than 2^32 operations");
    comparison->rows = calloc(pairing->count + 1, sizeof *comparison->rows);
    if (!comparison->rows)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < pairing->count; i++) {
        const struct trace_match *match = &pairing->matches[i];
        struct trace_row *row = &comparison->rows[comparison->row_count++];
        if (means->stop && *means->stop)
            return error_set(error, "interrupted");
        const struct trace_tensor *other[2];
        measure_describe(judge, match, row);
        row->verdict = verdict_of(judge, match, other);
        if (row->verdict == TRACE_PARTED)
            describe_swapped(judge, match, row->swapped);
        if (other[0])
            measure_describe_input(judge, other, row);
        row->has_no_values =
            row->verdict == TRACE_NOT_COMPARED && verdict_has_no_values(judge, match);
        if (row->verdict >= TRACE_PARTED && row->verdict <= TRACE_UNCLEAR &&
            (!is_intact(judge, match, row, error) ||
             !measure_outputs(judge, match, means->stop, row, error)))
            return false;
        if (row->verdict == TRACE_PARTED && means->judge &&
            verdict_first_pair(judge, match, row->judged) &&
            !means->judge(means->context, judge->sides[0], judge->sides[1], row, error))
            return false;
    }
    return true;
}

bool trace_compare(const struct trace *here, const struct trace *there,
                   const struct trace_means *means, struct trace_comparison *comparison,
                   struct error *error) {
    struct trace_pairing pairing;
    struct verdict_judge judge;
    *comparison =
        (struct trace_comparison){.here = side_of(here), .there = side_of(there), .all = true};
    if (!trace_pair(here, there, &pairing, error))
        return false;
    bool good = verdict_open(&judge, here, there, &pairing) || error_set(error, "out of memory");
    good = good && make_rows(&judge, &pairing, means, comparison, error) &&
           summary_make(comparison, error) && summary_settings(here, there, comparison, error);
    verdict_close(&judge);
    comparison->numbers = pairing.numbers; /* which rows have */
    pairing.numbers = NULL;
    trace_pairing_free(&pairing);
    return good;
}

static void free_judgement(struct trace_judgement *judgement) {
    if (!judgement)
        return;
    free(judgement->says);
    free(judgement->cause_here);
    free(judgement->cause_there);
    free(judgement->not_judged);
    free(judgement->command);
    free(judgement);
}

void trace_comparison_free(struct trace_comparison *comparison) {
    if (comparison->document) {
        record_free(&trace_comparison_record, comparison);
        json_tree_free(comparison->document);
        *comparison = (struct trace_comparison){.row_count = 0};
        return;
    }
    for (unsigned i = 0; i < comparison->row_count; i++) {
        free(comparison->rows[i].ulps);
        free_judgement(comparison->rows[i].judgement);
    }
    free(comparison->numbers);
    free(comparison->rows);
    free(comparison->kinds);
    free(comparison->stretches);
    free(comparison->settings);
    *comparison = (struct trace_comparison){.row_count = 0};
}

/* Whether an operation does more than move elements. */
static bool computes(const struct trace_comparison *comparison, const struct trace_row *row) {
    const struct trace_side *side = row->here_count ? &comparison->here : &comparison->there;
    const struct trace trace = {.recorder = side->recorder};
    const struct trace_operation operation = {.name = row->name};
    const struct trace_name *name = trace_name_find(&trace, &operation);
    return !name || name->how != TRACE_EXACT;
}

const struct trace_row *trace_first(const struct trace_comparison *comparison) {
    /* The nearest to a cause first. */
    static const struct {
        unsigned first, last;
        bool computes;
    } kinds[] = {{TRACE_PARTED, TRACE_PARTED, false},
                 {TRACE_OTHER_INPUTS, TRACE_OTHER_INPUTS, false},
                 {TRACE_HERE_ALONE, TRACE_THERE_ALONE, true},
                 {TRACE_HERE_ALONE, TRACE_THERE_ALONE, false},
                 {TRACE_FOLLOWED, TRACE_UNCLEAR, false}};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (unsigned i = 0; i < comparison->row_count; i++)
            if (comparison->rows[i].verdict >= kinds[kind].first &&
                comparison->rows[i].verdict <= kinds[kind].last &&
                (!kinds[kind].computes || computes(comparison, &comparison->rows[i])))
                return &comparison->rows[i];
    return NULL;
}

bool trace_is_compared(const struct trace_comparison *comparison) {
    uint64_t compared = 0;
    for (int verdict = TRACE_EQUAL; verdict <= TRACE_UNCLEAR; verdict++)
        compared += comparison->counts[verdict];
    return compared > 0;
}

bool trace_is_equal(const struct trace_comparison *comparison) {
    uint64_t other = 0;
    for (int verdict = TRACE_PARTED; verdict < TRACE_VERDICTS; verdict++)
        other += verdict == TRACE_NOT_COMPARED ? 0 : comparison->counts[verdict];
    return !other && trace_is_compared(comparison);
}
