/* JUnit's XML, as the readers of CI systems take it. */
#include "gate/output.h"

#include "base/foreign.h"

#include <stdlib.h>
#include <string.h>

static void print_escaped(FILE *stream, const char *text) {
    foreign_print(stream, FOREIGN_MARKUP, text);
}

static void print_attribute(FILE *stream, const char *name, const char *text) {
    fprintf(stream, " %s=\"", name);
    print_escaped(stream, text);
    fputc('"', stream);
}

static void print_check(FILE *stream, const struct gate *gate, const struct check *check,
                        const char *element) {
    const struct text_figures figures = text_cut_figures(check->allowed, check->found);
    char message[512];
    snprintf(message, sizeof message, "%s: allowed %s, found %s", check->what, figures.allowed,
             figures.found);
    fprintf(stream, "      <%s", element);
    print_attribute(stream, "message", foreign_trim(message));
    if (strcmp(element, "failure") == 0)
        print_attribute(stream, "type", check->name);
    fputs(">", stream);
    print_escaped(stream, check->source);
    if (check->reason) {
        fputs("\n", stream);
        print_escaped(stream, check->reason);
    }
    /* Numbers, which need no escapes. */
    gate_print_witness(stream, &gate->cases[check->case_index], check->witness, "\n", 0, "");
    if (check->command) {
        fputs("\n", stream);
        print_escaped(stream, check->command);
    }
    fprintf(stream, "</%s>\n", element);
}

/* A case may have one <skipped> at most, and none beside a <failure>. */
static void print_case(const struct gate *gate, size_t at, FILE *stream) {
    const struct gate_case *gate_case = &gate->cases[at];
    enum check_status status = gate_case_status(gate, at);
    char name[256];
    fputs("    <testcase", stream);
    print_attribute(stream, "classname", gate_case->result->operation);
    print_attribute(stream, "name", gate_case_name(gate_case, " ", name));
    fputs(">\n", stream);
    if (!gate_case->implementation->provided && status == CHECK_STATUSES) {
        fputs("      <skipped", stream);
        print_attribute(stream, "message", gate_case->implementation->reason);
        fputs("/>\n", stream);
    } else if (status == CHECK_STATUSES)
        fputs("      <skipped message=\"no limit is about it\"/>\n", stream);
    bool skipped = false;
    for (size_t i = gate_first_check(gate, at); i != CHAIN_END; i = gate->checks[i].next) {
        const struct check *check = &gate->checks[i];
        if (check->status == CHECK_FAILED)
            print_check(stream, gate, check, "failure");
        else if (check->status == CHECK_EXPECTED && status == CHECK_EXPECTED && !skipped) {
            print_check(stream, gate, check, "skipped");
            skipped = true;
        }
    }
    fputs("    </testcase>\n", stream);
}

static void print_suite(const struct gate *gate, const struct read_report *report, FILE *stream) {
    size_t tests = 0, failures = 0, skipped = 0;
    for (size_t i = 0; i < gate->case_count; i++) {
        if (gate->cases[i].report != report)
            continue;
        enum check_status status = gate_case_status(gate, i);
        tests++;
        failures += status == CHECK_FAILED;
        skipped += status == CHECK_STATUSES || status == CHECK_EXPECTED;
    }
    fputs("  <testsuite", stream);
    print_attribute(stream, "name", report->path);
    fprintf(stream, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\"", tests, failures,
            skipped);
    print_attribute(stream, "timestamp", report->run.date);
    print_attribute(stream, "hostname", report->run.host);
    fputs(">\n", stream);
    for (size_t i = 0; i < gate->case_count; i++)
        if (gate->cases[i].report == report)
            print_case(gate, i, stream);
    fputs("  </testsuite>\n", stream);
}

bool gate_write_junit(const struct gate *gate, FILE *stream) {
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"detcheck gate\">\n",
          stream);
    for (size_t i = 0; i < gate->case_count; i++)
        if (i == 0 || gate->cases[i].report != gate->cases[i - 1].report)
            print_suite(gate, gate->cases[i].report, stream);
    fputs("</testsuites>\n", stream);
    return true;
}
