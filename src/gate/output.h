/* A judged gate in the forms that people and machines read. Each function writes one whole
 * document; that it arrived is for the caller to see (output_commit). They return false when memory
 * is out. */
#ifndef DETCHECK_GATE_OUTPUT_H
#define DETCHECK_GATE_OUTPUT_H

#include "gate/gate.h"

#include <stdbool.h>
#include <stdio.h>

/* For people: what failed and how to see it, what was expected, noticed and got better, and a line
 * that sums up. */
bool gate_write_text(const struct gate *gate, FILE *stream, bool colour);

/* schema "detcheck/gate/1": every check. */
bool gate_write_json(const struct gate *gate, FILE *stream);

/* JUnit: a suite for each report, a case for each operation, format, implementation and rounding.
 */
bool gate_write_junit(const struct gate *gate, FILE *stream);

/* SARIF 2.1.0: a result for each operation, implementation and limit that failed, with the formats
 * and roundings together, and a fingerprint that does not depend on the figures. */
bool gate_write_sarif(const struct gate *gate, FILE *stream);

/* GitHub's workflow commands, at most ten: the last one says how many more there are. */
bool gate_write_annotations(const struct gate *gate, FILE *stream);

/* Markdown, for the summary of a step. */
bool gate_write_markdown(const struct gate *gate, FILE *stream);

/* Today's figures as a policy. `old`, or NULL: a policy whose notes and exceptions are kept. */
bool gate_write_policy(const struct read_report *reports, size_t report_count,
                       const struct policy *old, FILE *stream, struct error *error);

/* "exp  fp32  nearest-even  libm", with the parameters that differ from the usual ones. Room for
 * 256 characters. Returns `text`. */
const char *gate_case_name(const struct gate_case *gate_case, const char *between, char text[256]);

#endif
