/* One sentence for each implementation: what holds of it in all its operations, and what does not. The same name in
 * another report may be another library, so that outputs of other reports have a sentence of their own. */
#include "page/figure.h"

#include "report/explanation_read.h"
#include "report/invariance_read.h"
#include "report/text.h"

#include <inttypes.h>
#include <string.h>

/* What one name came to: series, and those of them of which something does not hold. */
struct standing {
    size_t judged, wrong, unfaithful, nans, zeros, unanswered, hollow, promised, broken, failed;
    size_t limited, unkept; /* limits of a policy of the sweep, or of invariance */
    size_t compared, changed, explained, differing;
    const struct series *largest; /* error */
    const struct read_implementation *last;
    const char *detail;
};

static bool is_of(const struct series *series, const struct series *first) {
    return series->one->provided && series->reports == first->reports &&
           series->colour == first->colour;
}

static void add_limits(struct standing *standing, const struct read_implementation *one) {
    const cJSON *limit;
    cJSON_ArrayForEach(limit, json_get(one->json, "limits")) {
        const cJSON *kept = json_get(limit, "kept");
        standing->limited += cJSON_IsTrue(kept) ? 1 : 0;
        standing->unkept += cJSON_IsFalse(kept) ? 1 : 0;
    }
}

static void add(struct standing *standing, const struct series *series) {
    const struct read_implementation *one = series->one;
    standing->detail = standing->detail ? standing->detail : one->detail;
    standing->unanswered += one->events || one->tally.unanswered;
    standing->hollow += one->tally.tested < one->tally.unanswered + one->tally.not_called;
    standing->failed += series->status == CHECK_FAILED;
    if (one->kind == READ_INVARIANCE) {
        standing->compared++;
        standing->changed += read_most_changed(one) > 0;
    }
    if (one->kind == READ_EXPLANATION && one->explanation.is_of_two) {
        standing->explained++;
        standing->differing += one->explanation.differ > 0;
        standing->last = one;
    }
    add_limits(standing, one);
    if (one->kind != READ_JUDGED || !one->tally.tested)
        return;
    standing->judged++;
    standing->last = one;
    standing->wrong += one->tally.incorrect || one->tally.nan_mismatches;
    standing->unfaithful += one->tally.faithful < one->tally.tested;
    standing->nans += one->tally.nan_mismatches > 0;
    standing->zeros += one->tally.sign_mismatches > 0;
    standing->promised += one->tally.tells & TELLS_PROMISE && one->held;
    standing->broken += one->tally.promise.violations > 0;
    if (one->max && (!standing->largest || one->max_ulp > standing->largest->one->max_ulp))
        standing->largest = series;
}

static struct standing standing_of(const struct page *page, const struct series *first) {
    struct standing standing = {0};
    for (size_t i = 0; i < page->figure_count; i++)
        for (size_t j = 0; j < page->figures[i].series_count; j++)
            if (is_of(&page->figures[i].series[j], first))
                add(&standing, &page->figures[i].series[j]);
    return standing;
}

/* "some outputs" of one operation, or "3 of 46 operations". */
static void print_share(const struct page *page, size_t count, size_t of) {
    if (of == 1)
        fputs("some outputs", page->stream);
    else
        fprintf(page->stream, "%zu of %zu results", count, of);
}

static void print_largest(const struct page *page, const struct standing *standing) {
    char text[32];
    const struct series *series = standing->largest;
    if (!series)
        return;
    fprintf(page->stream, "; the largest error is %s ulp",
            text_error(series->one->max_ulp, 6, text));
    if (standing->judged == 1)
        return;
    fputs(" (", page->stream);
    page_text(page, series->result->operation);
    fputs(", ", page->stream);
    page_text(page, series->result->format);
    fputs(")", page->stream);
}

static void print_judged(const struct page *page, const struct standing *standing) {
    const struct {
        size_t count;
        const char *text;
    } faults[] = {{standing->unfaithful, "not faithful in "},
                  {standing->nans, "NaNs are wrong in "},
                  {standing->zeros, "signs of zeros are wrong in "},
                  {standing->broken, "promises are broken in "}};
    char wrong[32], tested[32];
    if (!standing->wrong)
        fprintf(page->stream,
                standing->judged == 1 ? "every tested output is correctly rounded"
                                      : "every tested output of %zu results is "
                                        "correctly rounded",
                standing->judged);
    else if (standing->judged == 1)
        fprintf(page->stream, "%s of %s outputs are not correctly rounded",
                text_grouped(standing->last->tally.incorrect + standing->last->tally.nan_mismatches,
                             wrong),
                text_grouped(standing->last->tally.tested, tested));
    else
        fprintf(page->stream, "%zu of %zu results are correctly rounded throughout",
                standing->judged - standing->wrong, standing->judged);
    print_largest(page, standing);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].count) {
            fprintf(page->stream, "; <span class=\"bad\">%s", faults[i].text);
            print_share(page, faults[i].count, standing->judged);
            fputs("</span>", page->stream);
        }
    if (!standing->unfaithful && standing->wrong)
        fputs("; all are faithful", page->stream);
    if (standing->promised && !standing->broken)
        fputs("; what was promised is kept", page->stream);
}

/* Whether it has the bits of what it was held against. */
static void print_explained(const struct page *page, const struct standing *standing) {
    const struct read_explanation *one = &standing->last->explanation;
    const cJSON *name = json_get(json_get(one->json, "a"), "name");
    char differ[EXPLANATION_SHARE], unexplained[32];
    if (standing->explained > 1) {
        fprintf(page->stream, "%zu of %zu results have all bits of what they were held against",
                standing->explained - standing->differing, standing->explained);
        return;
    }
    if (one->differ && explanation_counts_blocks(standing->last))
        fprintf(page->stream, "%s of outputs have other bits than those of ",
                explanation_share(one, differ));
    else if (one->differ)
        fprintf(page->stream, "%s outputs have other bits than those of ",
                text_grouped(one->differ, differ));
    else
        fputs("all outputs have the bits of ", page->stream);
    page_text(page, cJSON_IsString(name) ? name->valuestring : "the other one");
    if (one->differ)
        fprintf(page->stream, ", %s of them without a simple cause",
                text_grouped(one->unexplained, unexplained));
}

/* Limits that the gate found broken, and those that the report says are. */
static void print_limits(const struct page *page, const struct standing *standing) {
    if (standing->failed)
        fprintf(page->stream,
                "; <span class=\"bad\">the policy's limits are not kept in %zu</span>",
                standing->failed);
    if (standing->unkept)
        fprintf(page->stream,
                "; <span class=\"bad\">%zu of the limits of its policy are broken</span>",
                standing->unkept);
    else if (standing->limited)
        fputs("; the limits of its policy are kept", page->stream);
}

static void print_statement(const struct page *page, const struct series *first) {
    struct standing standing = standing_of(page, first);
    char letters[64];
    if (!standing.judged && !standing.compared && !standing.explained)
        return;
    fprintf(page->stream, "<li><b class=\"c%zu\">", first->colour % 8);
    page_text(page, first->one->name);
    fputs("</b>", page->stream);
    if (page->report_count > 1)
        fprintf(page->stream, " in %s", series_letters(page, first, letters));
    if (standing.detail && *standing.detail) {
        fputs(" <small>", page->stream);
        page_text(page, standing.detail);
        fputs("</small>", page->stream);
    }
    fputs(": ", page->stream);
    if (standing.judged)
        print_judged(page, &standing);
    if (standing.judged && standing.compared)
        fputs("; ", page->stream);
    if (standing.explained && !standing.judged && !standing.compared)
        print_explained(page, &standing);
    if (standing.compared && !standing.changed)
        fputs("the same inputs gave the same bits in all conditions", page->stream);
    if (standing.changed) {
        fputs("<span class=\"bad\">bits change with the conditions in ", page->stream);
        print_share(page, standing.changed, standing.compared);
        fputs("</span>", page->stream);
    }
    if (standing.unanswered) {
        fputs("; <span class=\"bad\">calls crashed, hung or were not answered in ", page->stream);
        print_share(page, standing.unanswered, standing.judged + standing.compared);
        fputs("</span>", page->stream);
    }
    if (standing.hollow) {
        fputs("; <span class=\"bad\">fewer than half of the inputs were judged", page->stream);
        if (standing.judged > 1)
            fprintf(page->stream, " in %zu of %zu results", standing.hollow, standing.judged);
        fputs("</span>", page->stream);
    }
    print_limits(page, &standing);
    fputs(".</li>\n", page->stream);
}

/* Whether no series before it is of the same implementation and reports. */
static bool is_first(const struct page *page, const struct series *series) {
    for (size_t i = 0; i < page->figure_count; i++)
        for (size_t j = 0; j < page->figures[i].series_count; j++) {
            const struct series *other = &page->figures[i].series[j];
            if (other == series)
                return true;
            if (is_of(other, series))
                return false;
        }
    return true;
}

void page_statements(const struct page *page) {
    fputs("<ul id=\"statements\">\n", page->stream);
    for (size_t i = 0; i < page->figure_count; i++)
        for (size_t j = 0; j < page->figures[i].series_count; j++) {
            const struct series *series = &page->figures[i].series[j];
            if (series->one->provided && is_first(page, series))
                print_statement(page, series);
        }
    fputs("</ul>\n", page->stream);
}
