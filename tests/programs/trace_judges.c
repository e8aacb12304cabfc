/* What is found of operation NUMBER of two traces, line by line: NAME VALUE. */
#include "trace/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
    struct trace traces[2] = {{0}};
    struct trace_finding finding;
    struct error error;
    if (count < 4)
        return 2;
    for (int i = 0; i < 2; i++)
        if (!trace_open(&traces[i], words[i + 1], &error)) {
            fprintf(stderr, "%s\n", error.text);
            return 2;
        }
    const size_t number = (size_t)atoi(words[3]);
    const struct trace_question question = {
        .traces = {&traces[0], &traces[1]},
        .operations = {&traces[0].operations[number], &traces[1].operations[number]},
        .seconds = 10};
    if (!trace_find(&question, &finding, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 2;
    }
    printf("operation %s\nwhy %s\noutputs %" PRIu64 "\ndiffer %" PRIu64 "\njudged %" PRIu64 "\n",
           finding.operation ? finding.operation : "", finding.why, finding.outputs, finding.differ,
           finding.judged);
    printf("wrong %" PRIu64 " %" PRIu64 "\nnearer %" PRIu64 " %" PRIu64 "\nlargest %.17g %.17g\n",
           finding.wrong[0], finding.wrong[1], finding.nearer[0], finding.nearer[1],
           finding.largest[0], finding.largest[1]);
    printf("cause %s\nsays %s\nhere %s\nthere %s\nlooked %" PRIu64 "\n",
           trace_cause_names[finding.cause], finding.says, finding.sides[0], finding.sides[1],
           finding.looked);
    for (int i = 0; i < 2; i++)
        trace_close(&traces[i]);
    return 0;
}
