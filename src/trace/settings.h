/* Settings that a program changed while it was recorded: threads for one call, say. The environment of a trace has what
 * they were at the first operation; an operation has those that were others than at the one before of its thread. */
#ifndef DETCHECK_TRACE_SETTINGS_H
#define DETCHECK_TRACE_SETTINGS_H

#include "trace/trace.h"

/* Fills trace->settings, once all operations are there: of each setting that changed what it was and from which
 * operation on, as text. False with an error. */
bool trace_settings_read(struct trace *trace, struct error *error);

/* What a setting was in the run, "1 (2 from operation 12 on)"; "" where nobody recorded it. */
const char *trace_setting_words(const struct trace *trace, const char *name);

/* What a setting was at an operation: "2"; "" where nobody recorded it. */
const char *trace_setting_at(const struct trace *trace, const char *name, size_t at);

/* Whether a setting was the same in two runs, and changed at the same operations. */
bool trace_setting_equal(const struct trace *here, const struct trace *there, const char *name);

/* Whether all settings were the same at two operations of a trace. */
bool trace_same_settings(const struct trace *trace, size_t a, size_t b);

#endif
