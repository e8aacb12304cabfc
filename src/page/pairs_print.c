/* The verdict on the pairs of a page, and a part for each: who the two are, how many outputs differ, where, and why. */
#include "page/cells.h"
#include "page/pairs.h"

#include "report/explanation_read.h"
#include "report/text.h"

#include <string.h>

enum { MOST_HEADLINES = 6, MOST_BINADES = 12 };

#define GROUPED(COUNT) text_grouped(COUNT, (char[32]){0})

static const char *const *names_of(const struct page_pair *pair, const char *names[2]) {
    names[0] = pair->names[0];
    names[1] = pair->names[1];
    return names;
}

/* The first cause, up to what only repeats it in other words, and how many follow. */
static void print_cause(const struct page *page, const struct page_pair *pair) {
    const struct read_explanation *one = &pair->explained->explanation;
    const cJSON *row, *first = NULL;
    const char *names[2];
    size_t causes = 0;
    char text[1024];
    cJSON_ArrayForEach(row, json_get(one->json, "explanations")) {
        causes += json_get(row, "cause") != NULL;
        first = !first && json_number(row, "cause") == 1 ? row : first;
    }
    if (!first) {
        fputs(": no simple cause was found", page->stream);
        return;
    }
    snprintf(text, sizeof text, "%s", json_text(first, "says"));
    char *more = strstr(text, ": it ");
    if (more)
        *more = '\0';
    fputs(": ", page->stream);
    pair_text(page, names_of(pair, names), text);
    if (causes > 1)
        fprintf(page->stream, ", and %zu more cause%s", causes - 1, causes == 2 ? "" : "s");
    if (one->unexplained)
        fprintf(page->stream, "; %s of %s differences have no simple cause",
                GROUPED(one->unexplained), GROUPED(one->differ));
}

/* "Of 262,145 inputs, 1 has other bits.", from the comparison, or else from the explanation. */
static void print_counts(const struct page *page, const struct page_pair *pair) {
    const struct read_compared *compared = pair->compared;
    const bool counted = compared && (compared->has_inputs || compared->has_blocks);
    const struct read_explanation *one = pair->explained ? &pair->explained->explanation : NULL;
    const uint64_t tested = counted ? compared->tested : one ? one->tested : 0;
    const uint64_t differ = counted ? compared->differ : one ? one->differ : 0;
    const bool blocks = counted ? compared->has_blocks : one && strcmp(one->unit, UNIT_BLOCK) == 0;
    if (!counted && (!one || strcmp(one->unit, "fingerprint") == 0)) {
        fputs(" The number of these inputs is not known.", page->stream);
        return;
    }
    fprintf(page->stream, " Of %s %s, %s ha%s other bits", GROUPED(tested),
            blocks ? "blocks of outputs" : "inputs", GROUPED(differ), differ == 1 ? "s" : "ve");
    if (counted && compared->of)
        fprintf(page->stream, "; there are %s inputs in all", GROUPED(compared->of));
    fputs(".", page->stream);
    if (counted && compared->unanswered)
        fprintf(page->stream, " %s inputs without an answer are not compared.",
                GROUPED(compared->unanswered));
}

static void print_sides(const struct page *page, const struct page_pair *pair) {
    page_text(page, pair->names[0]);
    fputs(" and ", page->stream);
    page_text(page, pair->names[1]);
}

static void print_parameters(const struct page *page, const struct page_pair *pair) {
    const char *options = pair->compared ? pair->compared->parameters : "";
    fputs(*options ? ", " : "", page->stream);
    page_text(page, options);
}

static void print_headline(const struct page *page, const struct page_pair *pair) {
    const bool differs = pair_differs(pair);
    fprintf(page->stream, "<p class=\"pair %s\">", differs ? "bad" : "good");
    page_text(page, pair_operation(pair));
    fputs(" in ", page->stream);
    page_text(page, pair_format(pair));
    print_parameters(page, pair);
    fputs(differs ? " differs between " : " has the same bits in ", page->stream);
    print_sides(page, pair);
    if (differs && pair->explained)
        print_cause(page, pair);
    fputs(".", page->stream);
    print_counts(page, pair);
    fputs("</p>\n", page->stream);
}

static void print_who(const struct page *page, const struct page_pair *pair) {
    fputs("<p>", page->stream);
    for (int side = 0; side < 2; side++) {
        const struct read_side *one = &pair->compared->sides[side];
        page_text(page, pair->names[side]);
        fputs(": ", page->stream);
        page_text(page, one->text);
        fputs(*one->variant ? ", " : "", page->stream);
        page_text(page, one->variant);
        fputs(*one->host ? ", on " : "", page->stream);
        page_text(page, one->host);
        fputs(side ? ".</p>\n" : ". ", page->stream);
    }
}

void pairs_headline(const struct page *page) {
    size_t shown = 0, equal = 0, left = 0;
    for (size_t i = 0; i < page->pair_count; i++) {
        const struct page_pair *pair = &page->pairs[i];
        if (!pair_differs(pair) && page->pair_count > 1)
            equal++;
        else if (shown++ < MOST_HEADLINES)
            print_headline(page, pair);
        else
            left++;
    }
    if (left)
        fprintf(page->stream, "<p class=\"pair\">%zu more differ.</p>\n", left);
    if (equal)
        fprintf(page->stream, "<p class=\"pair good\">%zu %scomparison%s no difference.</p>\n",
                equal, equal < page->pair_count ? "other " : "", equal == 1 ? " found" : "s found");
    if (!page->report_count && strcmp(page->pairs[0].names[0], "A") == 0 && page->pairs[0].compared)
        print_who(page, &page->pairs[0]);
}

/* The first differences, in order of the inputs. */
static void print_first(const struct page *page, const struct page_pair *pair) {
    const struct read_compared *compared = pair->compared;
    const char *const headings[] = {"input", pair->names[0], pair->names[1], NULL};
    const struct format *out = comparison_result_format(compared);
    struct error unused;
    const struct format *in = format_find(compared->format, &unused);
    const cJSON *row;
    if (!cJSON_GetArraySize(compared->first))
        return;
    fputs("<div class=\"w\"><table><caption>The first differences</caption><thead><tr>",
          page->stream);
    cell_headings(page, headings);
    fputs("<tbody>\n", page->stream);
    cJSON_ArrayForEach(row, compared->first) {
        fputs("<tr>", page->stream);
        cell_input(page, in, json_get(row, "in"));
        cell_input(page, out, json_get(row, "a"));
        cell_input(page, out, json_get(row, "b"));
        fputs("\n", page->stream);
    }
    fputs("</table></div>\n", page->stream);
}

/* "By binade of the first operand: 2^5 1 of 262,145." */
static void print_binades(const struct page *page, const struct read_compared *compared) {
    const cJSON *one;
    size_t shown = 0;
    cJSON_ArrayForEach(one, compared->by_binade) {
        const double differ = json_number(one, "differ"), tested = json_number(one, "tested");
        if (!(differ > 0 && differ <= tested && tested <= 0x1p53) || ++shown > MOST_BINADES)
            continue;
        fprintf(page->stream, "%s2^%.0f: %s of %s",
                shown == 1 ? "<p>By binade of the first operand: " : "; ",
                json_number(one, "exponent"), GROUPED((uint64_t)differ), GROUPED((uint64_t)tested));
    }
    if (shown > MOST_BINADES)
        fprintf(page->stream, "; and in %zu more", shown - MOST_BINADES);
    fputs(shown ? ".</p>\n" : "", page->stream);
}

static void print_compared(const struct page *page, const struct page_pair *pair) {
    const struct read_compared *compared = pair->compared;
    if (page->report_count || strcmp(pair->names[0], "A") != 0)
        print_who(page, pair);
    fputs("<p>", page->stream);
    print_counts(page, pair);
    if (compared->nans)
        fprintf(page->stream, " NaNs with other bits, which count as equal: %s.",
                GROUPED(compared->nans));
    if (*compared->unknown) {
        fputs(" The inputs are not known: ", page->stream);
        page_text(page, compared->unknown);
        fputs(".", page->stream);
    }
    fputs("</p>\n", page->stream);
    if (compared->has_inputs) {
        print_first(page, pair);
        print_binades(page, compared);
    }
    if (*compared->next) {
        fputs("<p>To see more: <code>", page->stream);
        page_text(page, compared->next);
        fputs("</code></p>\n", page->stream);
    }
}

static void print_pair(const struct page *page, const struct page_pair *pair, size_t number) {
    const char *names[2];
    fprintf(page->stream, "<section id=\"p%zu\">\n<h3>", number);
    page_text(page, pair_operation(pair));
    fputs(" <small>", page->stream);
    page_text(page, pair_format(pair));
    print_parameters(page, pair);
    fputs("; ", page->stream);
    print_sides(page, pair);
    fputs("</small></h3>\n", page->stream);
    if (pair->compared)
        print_compared(page, pair);
    if (pair->explained)
        print_explanation(page, &pair->explained->explanation, names_of(pair, names));
    fputs("</section>\n", page->stream);
}

void pairs_print(const struct page *page) {
    size_t number = 0;
    for (size_t i = 0; i < page->pair_count; i++)
        if (!page->pairs[i].is_figure) {
            if (!number)
                fputs("<h2 id=\"comparisons\">Comparisons</h2>\n", page->stream);
            print_pair(page, &page->pairs[i], ++number);
        }
}
