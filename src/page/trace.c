/* A page of two traces beside one another: the answer, the run as a line, and each operation that did not merely
 * follow, with its tensors, its histogram, what the oracle says and the command that shows it again. */
#include "base/foreign.h"
#include "gate/gate.h"
#include "page/trace_picture.h"
#include "report/text.h"
#include "trace/words.h"

#include <inttypes.h>
#include <stdlib.h>

#define GROUPED(COUNT) text_grouped(COUNT, (char[32]){0})

static void print_title(const struct page *page) {
    fputs("detcheck: two traces", page->stream);
}

static void print_paragraph(const struct page *page, const char *text) {
    if (!*text)
        return;
    fputs("<p>", page->stream);
    page_text(page, text);
    fputs("</p>\n", page->stream);
}

/* What it is and where, the line of the program behind it. */
static void print_place(const struct page *page, const struct trace_comparison *comparison,
                        const struct trace_row *row) {
    char text[TRACE_SENTENCE];
    page_text(page, trace_place_text(comparison, row, text));
    fputs(*row->source ? ", " : "", page->stream);
    page_text(page, row->source);
    fputs(". ", page->stream);
}

static void print_answer(const struct page *page, const struct trace_comparison *comparison) {
    const struct trace_row *first = trace_first(comparison);
    char text[TRACE_SENTENCE];
    if (!first) {
        fprintf(page->stream, "<p class=\"banner %s\">",
                trace_is_compared(comparison) ? "good" : "bad");
        page_text(page, trace_equal_text(comparison, text));
        fputs("</p>\n", page->stream);
        return;
    }
    fprintf(page->stream, "<p class=\"banner\"><strong>%s:</strong> ", trace_first_words(first));
    print_place(page, comparison, first);
    page_text(page, trace_difference_text(first, text));
    fputs(" ", page->stream);
    page_text(page, trace_judgement_text(first, text));
    fputs("</p>\n", page->stream);
    print_paragraph(page, trace_rest_text(comparison, text));
}

static void print_sides(const struct page *page, const struct trace_comparison *comparison) {
    const struct trace_side *const sides[] = {&comparison->here, &comparison->there};
    fputs(
        "<div class=\"w\"><table><caption>The two traces</caption><thead><tr><th>side<th>trace"
        "<th>recorded by<th class=\"n\">operations<th class=\"n\">left out<th>run</thead><tbody>\n",
        page->stream);
    for (int i = 0; i < 2; i++) {
        fprintf(page->stream, "<tr><td>%s<td>", i ? "there" : "here");
        page_text(page, sides[i]->path);
        fputs("<td>", page->stream);
        page_text(page, sides[i]->recorder);
        fprintf(page->stream, "<td class=\"n\">%s<td class=\"n\">%s<td>%s\n",
                GROUPED(sides[i]->operations), GROUPED(sides[i]->left_out),
                sides[i]->complete ? "to its end" : "did not come to its end");
    }
    for (unsigned i = 0; i < comparison->setting_count; i++) {
        const struct trace_setting *setting = &comparison->settings[i];
        fputs("<tr><td colspan=\"6\" class=\"r\">", page->stream);
        page_text(page, setting->name);
        fputs(": ", page->stream);
        page_text(page, trace_setting_text(setting->here, &comparison->here));
        fputs(" here, ", page->stream);
        page_text(page, trace_setting_text(setting->there, &comparison->there));
        fputs(" there\n", page->stream);
    }
    fputs("</tbody></table></div>\n", page->stream);
}

static void print_kinds(const struct page *page, const struct trace_comparison *comparison) {
    enum { OF_THOSE_THAT_PARTED = 3 }; /* columns from there on */
    fputs("<h2>By kind of operation</h2>\n<div class=\"w\"><table class=\"sort\"><thead><tr>"
          "<th>operation<th class=\"n\">calls<th class=\"n\">parted by themselves"
          "<th class=\"n\">followed<th class=\"n\">largest ulps<th class=\"n\">nearer to exact here"
          "<th class=\"n\">nearer there</thead><tbody>\n",
          page->stream);
    for (unsigned i = 0; i < comparison->kind_count; i++) {
        const struct trace_kind *kind = &comparison->kinds[i];
        const uint64_t numbers[] = {kind->calls,   kind->parted,      kind->followed,
                                    kind->largest, kind->nearer_here, kind->nearer_there};
        fputs("<tr><td>", page->stream);
        page_text(page, kind->name);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            fprintf(page->stream, "<td class=\"n\" data-s=\"%" PRIu64 "\">%s", numbers[k],
                    k < OF_THOSE_THAT_PARTED || kind->parted ? GROUPED(numbers[k]) : "-");
        fputs("\n", page->stream);
    }
    fputs("</tbody></table></div>\n", page->stream);
}

static void print_stretches(const struct page *page, const struct trace_comparison *comparison) {
    fputs("<h2>Along the run</h2>\n<div class=\"w\"><table><thead><tr><th>operations"
          "<th class=\"n\">pairs that differ<th class=\"n\">of<th class=\"n\">elements that differ"
          "<th class=\"n\">of<th class=\"n\">half within, ulps<th class=\"n\">largest ulps"
          "</thead><tbody>\n",
          page->stream);
    for (unsigned i = 0; i < comparison->stretch_count; i++) {
        const struct trace_stretch *stretch = &comparison->stretches[i];
        const uint64_t numbers[] = {stretch->differ,   stretch->compared, stretch->elements_differ,
                                    stretch->elements, stretch->middle,   stretch->largest};
        fprintf(page->stream, "<tr><td>%s to %s", GROUPED(stretch->first), GROUPED(stretch->last));
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            fprintf(page->stream, "<td class=\"n\">%s", GROUPED(numbers[k]));
        fputs("\n", page->stream);
    }
    fputs("</tbody></table></div>\n", page->stream);
}

static void print_code(const struct page *page, const char *command) {
    fputs("<p><code>", page->stream);
    page_text(page, command);
    fputs("</code></p>\n", page->stream);
}

/* What shows it again, and what each trace has of it. The document may be from anybody. */
static void print_commands(const struct page *page, const struct trace_comparison *comparison,
                           const struct trace_row *row) {
    const char *known = row->judgement ? gate_command_text(row->judgement->command) : NULL;
    const struct trace_side *const sides[] = {&comparison->here, &comparison->there};
    const uint64_t numbers[] = {row->here, row->there},
                   counts[] = {row->here_count, row->there_count};
    for (int i = 0; i < 2; i++) {
        char path[2 * FOREIGN_ROOM], command[2 * FOREIGN_ROOM + 64];
        foreign_text(FOREIGN_SHELL, sides[i]->path, path, sizeof path);
        snprintf(command, sizeof command, "detcheck trace show %s %" PRIu64, path, numbers[i]);
        if (counts[i])
            print_code(page, command);
    }
    if (known)
        print_code(page, known);
}

static void print_operation(const struct page *page, const struct trace_comparison *comparison,
                            const struct trace_row *row, unsigned place) {
    char text[TRACE_SENTENCE];
    fprintf(page->stream, "<section id=\"o%u\"><h3>", place);
    page_text(page, *row->path ? row->path : row->name);
    fprintf(page->stream, " <small>%s</small></h3>\n", trace_verdict_names[row->verdict]);
    fputs("<p>", page->stream);
    print_place(page, comparison, row);
    page_text(page, trace_difference_text(row, text));
    fputs("</p>\n", page->stream);
    print_paragraph(page, trace_judgement_text(row, text));
    if (row->ulps_count)
        trace_histogram(page, row);
    print_commands(page, comparison, row);
    fputs("<p><a href=\"#run\">Back to the run</a></p>\n</section>\n", page->stream);
}

/* Which operations have a section, where not all that it could be have one. */
static void print_shown(const struct page *page, const struct trace_comparison *comparison) {
    uint64_t all = 0, shown = 0;
    for (unsigned i = 0; i < comparison->row_count; i++) {
        all += trace_has_place(&comparison->rows[i], 0);
        shown += trace_has_place(&comparison->rows[i], (unsigned)shown);
    }
    if (shown < all)
        fprintf(page->stream,
                "<p>These are the first %s of %s that parted, had other inputs or have no partner; "
                "<code>detcheck trace compare --json</code> writes all.</p>\n",
                GROUPED(shown), GROUPED(all));
}

bool page_is_of_trace(const char *text) {
    return trace_comparison_is(text);
}

void page_write_trace(const struct trace_comparison *comparison, FILE *stream) {
    const struct page page = {.stream = stream};
    char text[TRACE_SENTENCE];
    unsigned place = 0;
    page_head(&page, print_title);
    fputs("<main>\n<h1>Two traces</h1>\n", stream);
    print_answer(&page, comparison);
    print_paragraph(&page, trace_counts_text(comparison, text));
    fputs("<h2 id=\"run\">The run</h2>\n", stream);
    trace_picture(&page, comparison);
    print_sides(&page, comparison);
    print_kinds(&page, comparison);
    print_stretches(&page, comparison);
    fputs("<h2>Operations</h2>\n", stream);
    print_shown(&page, comparison);
    for (unsigned i = 0; i < comparison->row_count; i++)
        if (trace_has_place(&comparison->rows[i], place)) {
            print_operation(&page, comparison, &comparison->rows[i], place);
            place++;
        }
    fputs(
        "<footer><p>A dot is an operation; of those that have no section here each column has the "
        "one that is farthest apart, and a dot on the line has no tensors. detcheck-trace(1) "
        "defines every "
        "word.</p></footer>\n</main>\n",
        stream);
    page_script(&page);
    fputs("</html>\n", stream);
}
