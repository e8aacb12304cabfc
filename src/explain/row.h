/* What `detcheck explain` found out about one operation, and how that reads. */
#ifndef DETCHECK_EXPLAIN_ROW_H
#define DETCHECK_EXPLAIN_ROW_H

#include "explain/explain.h"
#include "explain/folded.h"
#include "report/fingerprints.h"
#include "report/libraries.h"

#include <cjson/cJSON.h>

struct explain_row {
    char operation[SECTION_TEXT], format[SECTION_TEXT], rounding[SECTION_TEXT];
    char parameters[SECTION_TEXT], inputs[SECTION_TEXT];
    char sides[2][SECTION_TEXT], details[2][SECTION_TEXT];
    bool equal, alone; /* there is no B: only whose bits A has is asked */
    struct binding_request computed;
    int result;
    bool ran;      /* both sides, over the inputs */
    char why[768]; /* why they did not, or what else is to be known */
    struct explain_outcome outcome;
    const struct folded *folded;      /* A is constants of a compiler, B the calls; or NULL */
    char totals[2][FINGERPRINT_TEXT]; /* of the outputs, as a sweep has them; or empty */
    /* The inputs: those of a domain that is there while the row is, or as a report has them, or, where
     * neither is there, in words. */
    const struct domain *domain;
    const cJSON *recorded_inputs;
    uint64_t count;
    struct library_names libraries[2];
    bool cut[2][SIDE_QUESTIONS]; /* by side: questions that calls which did not return have ended */
    bool interrupted[2];         /* while it was asked whose bits they are */
    char prints[2][LIBRARY_INPUTS][FINGERPRINT_TEXT]; /* that they were looked up by; or empty */
    /* Of files of fingerprints: what can be said of their blocks. */
    uint64_t blocks, blocks_differ, first_block, last_block;
};

/* What an explanation says, as a sentence without its full stop. */
enum { SENTENCE_TEXT = 512 };
const char *explain_sentence(const struct explain_row *row, const struct explanation *one,
                             char text[SENTENCE_TEXT]);

/* Differences of which a fingerprint tells: all but those of the bits of NaNs; 0 where blocks are counted. */
uint64_t explain_reported_differences(const struct explain_outcome *outcome);

/* Takes what happened in all questions. */
void explain_row_take_losses(struct explain_row *row, struct side_losses *const losses[2]);

/* Of the libraries that a side has the bits of, where the two differ: whether it may be none of them, since the other
 * side has their bits on the same inputs, or is one. */
enum exception { EXCEPTION_NONE, EXCEPTION_THIS_SIDE, EXCEPTION_ONE_OF_BOTH, EXCEPTION_DECIDED };
enum exception explain_exception(const struct explain_row *row, int side, uint64_t *differ);

/* The same of one library. It is EXCEPTION_DECIDED if the other side is this library, so that this side is not, and there are others. */
enum exception explain_library_exception(const struct explain_row *row, int side,
                                         const char *library);

/* The words that evaluate an input by both sides, safe for a shell; "" where there are none. */
enum { COMMAND_TEXT = 2048 };
const char *explain_command(const struct explain_row *row, const struct difference *difference,
                            char text[COMMAND_TEXT]);

#endif
