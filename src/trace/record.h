/* The members of the document detcheck/trace-comparison/1: a row each. */
#ifndef DETCHECK_TRACE_RECORD_H
#define DETCHECK_TRACE_RECORD_H

#include "record/kinds.h"

extern const struct record trace_comparison_record, trace_judgement_record;

#endif
