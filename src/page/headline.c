/* The verdict in one sentence, before everything else: of how many results something does not hold, and which. */
#include "page/figure.h"

#include "report/invariance_read.h"

#include <string.h>

/* What a page is about, from the strongest claim to the weakest: the first that any result makes is the headline. */
enum claim { CLAIM_LIMIT, CLAIM_PROMISE, CLAIM_EQUAL, CLAIM_INVARIANT, CLAIM_FAITHFUL, CLAIMS };

/* Behind "the result" and "all 3 results": of one, of several. */
static const struct {
    const char *kept[2], *broken[2];
} claims[CLAIMS] = {
    [CLAIM_LIMIT] = {{"keeps its limits", "keep their limits"},
                     {"breaks its limits", "break their limits"}},
    [CLAIM_PROMISE] = {{"keeps what was promised", "keep what was promised"},
                       {"breaks what was promised", "break what was promised"}},
    [CLAIM_EQUAL] = {{"has the bits that it is compared with",
                      "have the bits that they are compared with"},
                     {"has other bits than it is compared with",
                      "have other bits than they are compared with"}},
    [CLAIM_INVARIANT] = {{"has the same bits in all conditions",
                          "have the same bits in all conditions"},
                         {"changes its bits with the conditions",
                          "change their bits with the conditions"}},
    [CLAIM_FAITHFUL] = {{"is faithful", "are faithful"}, {"is not faithful", "are not faithful"}},
};
static const char *const rounded[2] = {"is correctly rounded", "are correctly rounded"};

static bool is_unfaithful(const struct read_implementation *one) {
    return one->tally.faithful < one->tally.tested || one->events || one->tally.unanswered;
}

/* Whether a series makes the claim, and whether it breaks it. */
static bool makes(const struct series *series, enum claim claim, bool *broken) {
    const struct read_implementation *one = series->one;
    *broken = false;
    if (!one->provided)
        return false;
    switch (claim) {
    case CLAIM_LIMIT:
        *broken = series->status == CHECK_FAILED;
        return series->status != CHECK_STATUSES;
    case CLAIM_PROMISE:
        *broken = one->tally.promise.violations > 0;
        return one->kind == READ_JUDGED && one->tally.tells & TELLS_PROMISE && one->held;
    case CLAIM_EQUAL:
        *broken = one->explanation.differ > 0;
        return one->kind == READ_EXPLANATION && one->explanation.is_of_two;
    case CLAIM_INVARIANT:
        *broken = read_most_changed(one) > 0;
        return one->kind == READ_INVARIANCE;
    case CLAIM_FAITHFUL:
        *broken = is_unfaithful(one);
        return one->kind == READ_JUDGED && one->tally.tested > 0;
    default:
        return false;
    }
}

static bool is_broken(const struct figure *figure, enum claim claim) {
    bool broken;
    for (size_t i = 0; i < figure->series_count; i++)
        if (makes(&figure->series[i], claim, &broken) && broken)
            return true;
    return false;
}

static void print_format(const struct page *page, const char *format, const char *end) {
    fputs(" in ", page->stream);
    page_text(page, format);
    fputs(end, page->stream);
}

/* Up to six names, a format behind each run of those that share it: "exp, sin in fp16; tanh in bf16". */
static void print_broken(const struct page *page, enum claim claim, size_t figures) {
    enum { MOST = 6 };
    const char *format = NULL;
    size_t shown = 0;
    for (size_t i = 0; i < page->figure_count && shown < MOST; i++) {
        const struct read_result *result = page->figures[i].result;
        if (!is_broken(&page->figures[i], claim))
            continue;
        bool same = format && strcmp(format, result->format) == 0;
        if (format && !same)
            print_format(page, format, "; ");
        fputs(!format ? ": " : same ? ", " : "", page->stream);
        page_text(page, result->operation);
        format = result->format;
        shown++;
    }
    if (format)
        print_format(page, format, "");
    if (figures > shown)
        fprintf(page->stream, " and %zu more", figures - shown);
}

struct claimed {
    size_t made, broken, figures, incorrect;
};

static struct claimed count_claims(const struct page *page, enum claim claim) {
    struct claimed found = {0};
    for (size_t i = 0; i < page->figure_count; i++) {
        found.figures += is_broken(&page->figures[i], claim);
        for (size_t j = 0; j < page->figures[i].series_count; j++) {
            bool broken;
            const struct series *series = &page->figures[i].series[j];
            const struct tally *tally = &series->one->tally;
            if (!makes(series, claim, &broken))
                continue;
            found.made++;
            found.broken += broken;
            found.incorrect += tally->incorrect || tally->nan_mismatches;
        }
    }
    return found;
}

void page_headline(const struct page *page) {
    struct claimed found = {0};
    enum claim claim = 0;
    while (claim < CLAIMS && !(found = count_claims(page, claim)).made)
        claim++;
    if (claim == CLAIMS)
        return;
    const bool several = found.made > 1, is_rounded = claim == CLAIM_FAITHFUL && !found.incorrect;
    const char *says = found.broken ? claims[claim].broken[found.broken > 1]
                       : is_rounded ? rounded[several]
                                    : claims[claim].kept[several];
    fprintf(page->stream, "<p id=\"headline\" class=\"%s\">", found.broken ? "bad" : "good");
    if (!several)
        fprintf(page->stream, "The result %s", says);
    else if (found.broken)
        fprintf(page->stream, "%zu of %zu results %s", found.broken, found.made, says);
    else
        fprintf(page->stream, "All %zu results %s", found.made, says);
    if (found.broken)
        print_broken(page, claim, found.figures);
    else if (claim == CLAIM_FAITHFUL && found.incorrect && several)
        fprintf(page->stream, "; %zu of them not correctly rounded throughout", found.incorrect);
    else if (claim == CLAIM_FAITHFUL && found.incorrect)
        fputs(", and not correctly rounded throughout", page->stream);
    fputs(".</p>\n", page->stream);
}
