/* Whether the reports of a page agree: whether a case that several of them have gave the same bits in each.
 *
 * A case is an implementation of an operation in one format and rounding, for the same inputs. Fingerprints decide. */
#include "page/figure.h"

#include "base/foreign.h"
#include "report/text.h"

#include <string.h>

enum agreement {
    AGREE_ALONE,       /* a single report has it */
    AGREE_SAME,        /* the same bits in all reports that have it */
    AGREE_OTHER,       /* other bits in one of them */
    AGREE_INPUTS,      /* no two reports have the same inputs of it */
    AGREE_FINGERPRINT, /* a report has no fingerprint of it */
    AGREEMENTS
};

static const char *const words[AGREEMENTS] = {"-", "same bits", "other bits", "other inputs",
                                              "no fingerprint"};

static bool is_judged(const struct series *series) {
    return series->one->kind == READ_JUDGED && series->one->provided;
}

static bool same_inputs(const struct series *a, const struct series *b) {
    return strcmp(a->result->inputs.description, b->result->inputs.description) == 0 &&
           strcmp(a->result->inputs.seed, b->result->inputs.seed) == 0;
}

/* Whether the reports agree on the case of series `at`. Two fingerprints that differ decide, even if a third is missing. */
static enum agreement agree_on_case(const struct figure *figure, size_t at) {
    const struct series *first = &figure->series[at];
    const char *print = NULL;
    bool same = true, known = true;
    unsigned have = 0;
    for (size_t i = 0; i < figure->series_count; i++) {
        const struct series *series = &figure->series[i];
        if (series->colour != first->colour || !is_judged(series) || !same_inputs(series, first))
            continue;
        have |= series->reports;
        known = known && series->one->fingerprint;
        print = print ? print : series->one->fingerprint;
        same = same && (!series->one->fingerprint || strcmp(series->one->fingerprint, print) == 0);
    }
    return !(have & (have - 1)) ? AGREE_ALONE
           : !same              ? AGREE_OTHER
           : !known             ? AGREE_FINGERPRINT
                                : AGREE_SAME;
}

/* Whether series `at` is the first one of its implementation, and of its case if `of_case`. */
static bool is_first(const struct figure *figure, size_t at, bool of_case) {
    const struct series *series = &figure->series[at];
    if (!is_judged(series))
        return false;
    for (size_t i = 0; i < at; i++)
        if (figure->series[i].colour == series->colour && is_judged(&figure->series[i]) &&
            (!of_case || same_inputs(&figure->series[i], series)))
            return false;
    return true;
}

/* The worst of all cases of the implementation of series `at`. */
static enum agreement agree(const struct figure *figure, size_t at) {
    const size_t colour = figure->series[at].colour;
    enum agreement worst = AGREE_ALONE;
    unsigned reports = 0;
    for (size_t i = at; i < figure->series_count; i++) {
        if (figure->series[i].colour != colour || !is_judged(&figure->series[i]))
            continue;
        enum agreement one = agree_on_case(figure, i);
        reports |= figure->series[i].reports;
        if (worst != AGREE_OTHER && one > AGREE_ALONE)
            worst = one == AGREE_OTHER || one > worst ? one : worst;
    }
    return worst == AGREE_ALONE && reports & (reports - 1) ? AGREE_INPUTS : worst;
}

/* Its largest errors, one report after another. */
static void print_errors(const struct page *page, const struct figure *figure, size_t at) {
    char error[32];
    const char *before = ", ";
    for (size_t i = at; i < figure->series_count; i++) {
        const struct series *series = &figure->series[i];
        if (series->colour != figure->series[at].colour || !is_judged(series))
            continue;
        fprintf(page->stream, "%s%s", before,
                series->one->max ? text_error(series->one->max_ulp, 6, error) : "none");
        before = " &rarr; ";
    }
}

void agreement_cell(const struct page *page, const struct figure *figure) {
    size_t implementations = 0, same = 0, alone = 0;
    for (size_t i = 0; i < figure->series_count; i++)
        if (is_first(figure, i, false)) {
            enum agreement one = agree(figure, i);
            implementations++;
            same += one == AGREE_SAME;
            alone += one == AGREE_ALONE;
        }
    fputs("<td class=\"r\" data-name=\"agreement\">", page->stream);
    if (same == implementations || alone == implementations) {
        fputs(words[alone ? AGREE_ALONE : AGREE_SAME], page->stream);
        return;
    }
    for (size_t i = 0; i < figure->series_count; i++) {
        const enum agreement one = is_first(figure, i, false) ? agree(figure, i) : AGREE_ALONE;
        if (one == AGREE_ALONE)
            continue;
        fputs("<span>", page->stream);
        page_text(page, figure->series[i].one->name);
        fprintf(page->stream, " %s", words[one]);
        if (one != AGREE_SAME)
            print_errors(page, figure, i);
        fputs("</span> ", page->stream);
    }
}

/* "A and B", "A, B and C". */
static void print_reports(const struct page *page) {
    for (size_t i = 0; i < page->report_count; i++)
        fprintf(page->stream, "%s%c",
                !i                           ? ""
                : i + 1 < page->report_count ? ", "
                                             : " and ",
                (char)('A' + i));
}

static void print_differing(const struct page *page) {
    enum { MOST = 6 };
    size_t found = 0;
    for (size_t i = 0; i < page->figure_count; i++)
        for (size_t j = 0; j < page->figures[i].series_count; j++) {
            const struct figure *figure = &page->figures[i];
            if (!is_first(figure, j, true) || agree_on_case(figure, j) != AGREE_OTHER ||
                found++ >= MOST)
                continue;
            fputs(found == 1 ? ": " : ", ", page->stream);
            page_text(page, figure->result->operation);
            fputs(" in ", page->stream);
            page_text(page, figure->result->format);
            fputs(" by ", page->stream);
            page_text(page, figure->series[j].one->name);
        }
    if (found > MOST)
        fprintf(page->stream, " and %zu more", found - MOST);
}

/* Reports do not say which inputs have other bits. Implementations of two names are no case of both, but can be compared. */
static void print_where(const struct page *page, bool shared) {
    fputs(shared
              ? "<p id=\"where\">The reports do not say at how many inputs. This command prints "
                "another one, which finds them, and the page takes its document (--json FILE) "
                "beside the "
                "reports: <code>detcheck compare "
              : "<p id=\"where\">To compare implementations of two names, add the document (--json "
                "FILE) "
                "of this command to the page: <code>detcheck compare ",
          page->stream);
    for (size_t i = 0; i < 2; i++) {
        char word[1024];
        page_text(page, foreign_text(FOREIGN_SHELL, page->reports[i].path, word, sizeof word));
        fputs(i ? "</code></p>\n" : " ", page->stream);
    }
}

void page_agreement(const struct page *page) {
    size_t counts[AGREEMENTS] = {0};
    for (size_t i = 0; i < page->figure_count; i++)
        for (size_t j = 0; j < page->figures[i].series_count; j++)
            if (is_first(&page->figures[i], j, true))
                counts[agree_on_case(&page->figures[i], j)]++;
    const size_t shared = counts[AGREE_SAME] + counts[AGREE_OTHER];
    const char *cases = shared == 1 ? "case" : "cases";
    const char *have = page->report_count > 2 ? "at least two of them have" : "both have";
    size_t all = 0;
    for (size_t i = 0; i < AGREEMENTS; i++)
        all += counts[i];
    if (page->report_count < 2 || !all)
        return;
    fprintf(page->stream, "<p id=\"agreement\"%s>",
            counts[AGREE_OTHER] ? " class=\"bad\""
            : shared            ? " class=\"good\""
                                : "");
    print_reports(page);
    if (!shared)
        fputs(": no case in common that fingerprints can compare", page->stream);
    else if (counts[AGREE_OTHER])
        fprintf(page->stream, ": other bits in %zu of %zu %s that %s", counts[AGREE_OTHER], shared,
                cases, have);
    else
        fprintf(page->stream, ": the same bits in %zu of %zu %s that %s", shared, shared, cases,
                have);
    print_differing(page);
    if (counts[AGREE_ALONE])
        fprintf(page->stream, "; %zu in one report only", counts[AGREE_ALONE]);
    if (counts[AGREE_FINGERPRINT])
        fprintf(page->stream, "; %zu without a fingerprint", counts[AGREE_FINGERPRINT]);
    fputs(".</p>\n", page->stream);
    if (counts[AGREE_OTHER])
        page_machines(page);
    if ((counts[AGREE_OTHER] || !shared) && page->report_count == 2 && !page->pair_count)
        print_where(page, shared > 0);
}
