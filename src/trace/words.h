/* A comparison in sentences, for whoever prints it: terminals, pages, gates. The texts hold names as the traces have
 * them; who prints them makes them safe for the place. */
#ifndef DETCHECK_TRACE_WORDS_H
#define DETCHECK_TRACE_WORDS_H

#include "trace/compare.h"

enum { TRACE_SENTENCE = 1536 };

/* "layers.7.mlp, aten.mm 1x4096, 4096x1024 bf16, at operation 812 of 3,406". */
const char *trace_place_text(const struct trace_comparison *comparison, const struct trace_row *row,
                             char text[TRACE_SENTENCE]);

/* "Inputs equal. 37 of 1,024 outputs differ, 1 ulp each." */
const char *trace_difference_text(const struct trace_row *row, char text[TRACE_SENTENCE]);

/* "Exact: here 12 wrong, there 25. Cause: here one sum over K, there two halves of 2,048."; empty where nobody judged. */
const char *trace_judgement_text(const struct trace_row *row, char text[TRACE_SENTENCE]);

/* "The trace there did not come to its end: later operations are not compared."; empty where both did. */
const char *trace_ends_text(const struct trace_comparison *comparison, char text[TRACE_SENTENCE]);

/* What a side has of a setting: its value, "not set", or, where the trace has no end, which says what was set, "not recorded". */
const char *trace_setting_text(const char *value, const struct trace_side *side);

/* Where nothing is first: "Equal: 20 pairs of operations have the same outputs; 3 more were not compared."; "Nothing was
 * compared.". */
const char *trace_equal_text(const struct trace_comparison *comparison, char text[TRACE_SENTENCE]);

/* "First to part": what `row`, which is the first, is the first of. */
const char *trace_first_words(const struct trace_row *row);

/* "41 later operations part by themselves, of 3 kinds; all other differences follow from these." */
const char *trace_rest_text(const struct trace_comparison *comparison, char text[TRACE_SENTENCE]);

/* "Of 3,406 pairs of operations 2,000 are equal, ..."; what has no partner. */
const char *trace_counts_text(const struct trace_comparison *comparison, char text[TRACE_SENTENCE]);

/* What to record so that the tensors of those that parted are there: "names=layers.7.mlp,layers.9.norm"; empty where
 * they are, or nothing parted. */
const char *trace_keep_text(const struct trace_comparison *comparison, char text[TRACE_SENTENCE]);

#endif
