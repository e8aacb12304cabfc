/* Reading what a report says of why two implementations differ. */
#ifndef DETCHECK_REPORT_EXPLANATION_READ_H
#define DETCHECK_REPORT_EXPLANATION_READ_H

#include "base/json.h"
#include "report/read.h"

#define UNIT_BLOCK "block"

/* Reads "explanation" and "tested" of an implementation; what is wrong with it fails the reader. */
void explanation_read(struct json_reader *reader, const cJSON *json,
                      struct read_implementation *one);

/* Whether a hypothesis of that name was held against the differences. */
bool explanation_tried(const struct read_explanation *explanation, const char *name);

/* "4 of 5 blocks": how many of how many differ. */
enum { EXPLANATION_SHARE = 96 };
const char *explanation_share(const struct read_explanation *explanation,
                              char text[EXPLANATION_SHARE]);

/* Whether its differences are blocks of outputs: of one side digests alone were known. */
bool explanation_counts_blocks(const struct read_implementation *one);

#endif
