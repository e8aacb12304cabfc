/* What reports say of their files, their machines and of detcheck: a table of all of it, and a sentence on what differs. */
#include "page/cells.h"

#include "report/text.h"

#include <string.h>

static const struct {
    const char *name;
    bool bears_on_bits;
} facts[] = {{"file", false},     {"date", false},           {"host", false},
             {"system", true},    {"architecture", true},    {"processor", true},
             {"C library", true}, {"variant of libm", true}, {"compiler", true},
             {"detcheck", true},  {"oracle", false},         {"complete", false}};
enum { FACTS = sizeof facts / sizeof *facts };

static void facts_of(const struct read_report *report, const char *values[FACTS]) {
    const struct platform_facts *platform = &report->platform;
    const char *const all[FACTS] = {
        report->path,        report->run.date,
        report->run.host,    platform->os,
        platform->arch,      platform->cpu,
        platform->libc,      platform->libm_variant,
        platform->compiler,  report->tool.version,
        report->tool.oracle, report->complete ? "yes" : "no: stopped before its end"};
    memcpy(values, all, sizeof all);
}

/* A row for each fact, so that many facts of few reports fit on a narrow screen. */
void table_reports(const struct page *page) {
    fputs("<div class=\"w\"><table class=\"facts\"><caption>Reports</caption><thead><tr><th "
          "scope=\"col\">report",
          page->stream);
    for (size_t i = 0; i < page->report_count; i++)
        fprintf(page->stream, "<th scope=\"col\">%c", (char)('A' + i));
    fputs("<tbody>\n", page->stream);
    for (size_t j = 0; j < FACTS; j++) {
        fprintf(page->stream, "<tr><th scope=\"row\">%s", facts[j].name);
        for (size_t i = 0; i < page->report_count; i++) {
            const char *values[FACTS];
            facts_of(&page->reports[i], values);
            cell_text(page, values[j]);
        }
        fputc('\n', page->stream);
    }
    fputs("</table></div>\n", page->stream);
}

static const char *value_of(const struct page *page, size_t report, size_t fact) {
    const char *values[FACTS];
    facts_of(&page->reports[report], values);
    return values[fact] ? values[fact] : "?";
}

static bool differs(const struct page *page, size_t fact) {
    for (size_t i = 1; i < page->report_count; i++)
        if (strcmp(value_of(page, 0, fact), value_of(page, i, fact)) != 0)
            return true;
    return false;
}

/* "The runs differ in what may change bits. C library: A glibc 2.36, B musl 1.2.3." */
void page_machines(const struct page *page) {
    size_t shown = 0;
    for (size_t j = 0; j < FACTS; j++) {
        if (!facts[j].bears_on_bits || !differs(page, j))
            continue;
        fprintf(page->stream, "%s%s: ",
                shown++ ? "; " : "<p id=\"machines\">The runs differ in what may change bits. ",
                facts[j].name);
        for (size_t i = 0; i < page->report_count; i++) {
            fprintf(page->stream, "%s%c ", i ? ", " : "", (char)('A' + i));
            page_text(page, value_of(page, i, j));
        }
    }
    fputs(shown ? ".</p>\n"
                : "<p id=\"machines\">The reports say the same of their machines.</p>\n",
          page->stream);
}
