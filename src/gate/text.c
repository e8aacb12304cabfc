/* The gate on a terminal, as annotations, and as Markdown. */
#include "gate/output.h"

#include "base/foreign.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ANNOTATIONS = 10, MOST_ROWS = 50 };

static const char *colours[CHECK_STATUSES] = {[CHECK_PASSED] = "",
                                              [CHECK_BETTER] = "\033[32m",
                                              [CHECK_NOTICE] = "\033[33m",
                                              [CHECK_EXPECTED] = "\033[33m",
                                              [CHECK_FAILED] = "\033[1;31m"};

const char *gate_case_name(const struct gate_case *gate_case, const char *between, char text[256]) {
    const struct read_result *result = gate_case->result;
    char *options = gate_options(gate_case);
    const struct {
        const char *text;
        size_t most;
    } parts[] = {{result->operation, 60},
                 {result->format, 30},
                 {result->rounding, 20},
                 {gate_case->implementation->name, 80},
                 {options ? options : "", 50}};
    char *end = text;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!*parts[i].text)
            continue;
        if (i)
            end += sprintf(end, "%s", between);
        foreign_text(FOREIGN_PLAIN, parts[i].text, end, parts[i].most + 1);
        end += strlen(end);
    }
    free(options);
    return text;
}

/* `before` is the check above it, or NULL: what it has said of the case and how to see it is not said again. */
static void print_check(const struct gate *gate, const struct check *check,
                        const struct check *before, FILE *stream) {
    const bool same_case = before && before->case_index == check->case_index;
    char name[256];
    const struct gate_case *gate_case = &gate->cases[check->case_index];
    const struct text_figures figures = text_cut_figures(check->allowed, check->found);
    if (!same_case)
        fprintf(stream, "  %s\n", FOREIGN(gate_case_name(gate_case, "  ", name)));
    fprintf(stream, "    %-14s %s %s, found %s  (%s)\n", FOREIGN(check->name),
            strncmp(check->source, "baseline", 8) == 0 ? "was" : "allowed",
            FOREIGN(figures.allowed), FOREIGN(figures.found), FOREIGN(check->source));
    if (check->reason) {
        fputs("    expected       ", stream);
        foreign_print(stream, FOREIGN_TERMINAL, check->reason);
        fputc('\n', stream);
    }
    if (!(same_case && before->witness == check->witness))
        gate_print_witness(stream, gate_case, check->witness, "    ", 14, "\n");
    if (check->command &&
        !(same_case && before->command && strcmp(before->command, check->command) == 0))
        fprintf(stream, "    to see it      %s\n", FOREIGN(check->command));
}

/* Below the last failed check of a case: the command that explains the inputs of the checks above it. It runs all inputs of
 * the case. A check without an input, such as one of a fingerprint, is not explained, so the line says how many are. */
static void print_why(const struct gate *gate, const struct check *check, FILE *stream) {
    size_t failed = 0, explained = 0;
    for (size_t i = gate_first_check(gate, check->case_index); i != CHAIN_END;
         i = gate->checks[i].next) {
        const struct check *one = &gate->checks[i];
        if (one->status != CHECK_FAILED)
            continue;
        if (one > check)
            return;
        failed++;
        explained += one->witness != NULL;
    }
    char label[64] = "why";
    if (explained < failed)
        snprintf(label, sizeof label, "why, for %zu of %zu", explained, failed);
    else if (failed > 1)
        snprintf(label, sizeof label, "why, for all %zu", failed);
    char *why = explained ? gate_why(&gate->cases[check->case_index]) : NULL;
    if (why)
        fprintf(stream, "    %-14s %s\n", label, FOREIGN(why));
    free(why);
}

/* The verdict, and how many cases it is of. */
static void print_verdict(const struct gate *gate, FILE *stream, bool colour) {
    size_t unjudged = 0, cases = 0, missing = 0;
    for (size_t i = 0; i < gate->case_count; i++) {
        cases += gate->cases[i].implementation->provided;
        missing += !gate->cases[i].implementation->provided;
        unjudged +=
            gate->cases[i].implementation->provided && gate_case_status(gate, i) == CHECK_STATUSES;
    }
    fprintf(stream, "%s%s%s: %zu of %zu checks failed",
            colour && gate->counts[CHECK_FAILED] ? "\033[1;31m" : "",
            gate->counts[CHECK_FAILED] ? "FAILED" : "passed",
            colour && gate->counts[CHECK_FAILED] ? "\033[0m" : "", gate->counts[CHECK_FAILED],
            gate->check_count);
    if (gate->counts[CHECK_EXPECTED])
        fprintf(stream, ", %zu as expected", gate->counts[CHECK_EXPECTED]);
    if (gate->counts[CHECK_BETTER])
        fprintf(stream, ", %zu better than before", gate->counts[CHECK_BETTER]);
    fprintf(stream, "; %zu case%s", cases, cases == 1 ? "" : "s");
    if (unjudged)
        fprintf(stream, ", %zu of them without a limit", unjudged);
    if (missing)
        fprintf(stream, ", %zu more not provided", missing);
    fputc('\n', stream);
}

bool gate_write_text(const struct gate *gate, FILE *stream, bool colour) {
    static const enum check_status order[] = {CHECK_FAILED, CHECK_EXPECTED, CHECK_NOTICE,
                                              CHECK_BETTER};
    print_verdict(gate, stream, colour);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        enum check_status status = order[i];
        if (!gate->counts[status])
            continue;
        fprintf(stream, "\n%s%s%s\n", colour ? colours[status] : "", check_status_names[status],
                colour ? "\033[0m" : "");
        const struct check *before = NULL;
        for (size_t j = 0; j < gate->check_count; j++)
            if (gate->checks[j].status == status) {
                print_check(gate, &gate->checks[j], before, stream);
                before = &gate->checks[j];
                if (status == CHECK_FAILED)
                    print_why(gate, before, stream);
            }
    }
    if (gate->notice_count)
        fputc('\n', stream);
    for (size_t i = 0; i < gate->notice_count; i++)
        fprintf(stream, "note: %s\n", FOREIGN(gate->notices[i]));
    return true;
}

bool gate_write_annotations(const struct gate *gate, FILE *stream) {
    size_t written = 0, failed = gate->counts[CHECK_FAILED];
    for (size_t i = 0; i < gate->check_count && written < MOST_ANNOTATIONS; i++) {
        const struct check *check = &gate->checks[i];
        if (check->status != CHECK_FAILED)
            continue;
        if (++written == MOST_ANNOTATIONS && failed > MOST_ANNOTATIONS) {
            fprintf(stream, "::error title=detcheck gate::%zu more checks failed\n",
                    failed - MOST_ANNOTATIONS + 1);
            break;
        }
        char name[256];
        fputs("::error title=", stream);
        foreign_print(stream, FOREIGN_CI_PROPERTY,
                      gate_case_name(&gate->cases[check->case_index], " ", name));
        fputs("::", stream);
        const struct text_figures figures = text_cut_figures(check->allowed, check->found);
        char text[512];
        snprintf(text, sizeof text, "%s: allowed %s, found %s (%s)", check->what, figures.allowed,
                 figures.found, check->source);
        foreign_print(stream, FOREIGN_CI_TEXT, foreign_trim(text));
        if (check->command) {
            fputs("%0A", stream);
            foreign_print(stream, FOREIGN_CI_TEXT, check->command);
        }
        fputc('\n', stream);
    }
    return true;
}

/* A cell of a table. A command, which is code, holds neither a backtick nor a bar. */
static void print_cell(FILE *stream, const char *text, bool code) {
    fputs(code ? " `" : " ", stream);
    foreign_print(stream, code ? FOREIGN_PLAIN : FOREIGN_MARKDOWN, text);
    fputs(code ? "` |" : " |", stream);
}

bool gate_write_markdown(const struct gate *gate, FILE *stream) {
    fprintf(stream, "### detcheck gate: %s\n\n", gate->counts[CHECK_FAILED] ? "failed" : "passed");
    fprintf(stream, "| checks | number |\n| --- | ---: |\n");
    for (int status = CHECK_STATUSES - 1; status >= 0; status--)
        fprintf(stream, "| %s | %zu |\n", check_status_names[status], gate->counts[status]);
    size_t rows = 0, worth = gate->check_count - gate->counts[CHECK_PASSED];
    for (int status = CHECK_STATUSES - 1; status > CHECK_PASSED; status--)
        for (size_t i = 0; i < gate->check_count; i++) {
            const struct check *check = &gate->checks[i];
            if ((int)check->status != status || rows == MOST_ROWS)
                continue;
            if (!rows++)
                fprintf(stream, "\n| | case | check | allowed | found | to see it |\n"
                                "| --- | --- | --- | ---: | ---: | --- |\n");
            const struct text_figures figures = text_cut_figures(check->allowed, check->found);
            char name[256];
            fputs("|", stream);
            print_cell(stream, check_status_names[status], false);
            print_cell(stream, gate_case_name(&gate->cases[check->case_index], " ", name), false);
            print_cell(stream, check->reason ? check->reason : check->what, false);
            print_cell(stream, figures.allowed, false);
            print_cell(stream, figures.found, false);
            print_cell(stream, check->command ? check->command : "-", true);
            fputc('\n', stream);
        }
    if (worth > rows)
        fprintf(stream, "\n%zu more are in the other outputs.\n", worth - rows);
    for (size_t i = 0; i < gate->notice_count; i++)
        fprintf(stream, "\n%s\n",
                foreign_text(FOREIGN_MARKDOWN, gate->notices[i], (char[FOREIGN_ROOM]){0},
                             FOREIGN_ROOM));
    fputc('\n', stream);
    return true;
}
