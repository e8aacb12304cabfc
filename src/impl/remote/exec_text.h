/* `exec-text:COMMAND`: a process that reads a line of text for each input and writes a line for each, detcheck-exec-text(7). So
 * awk, a shell or node can answer without a word of the binary protocol.
 *
 * detcheck speaks that protocol with a process of its own, which turns requests into lines, and answers into codes: the
 * search for the input that crashed, hung or ended the command is that of exec:. */
#ifndef DETCHECK_IMPL_REMOTE_EXEC_TEXT_H
#define DETCHECK_IMPL_REMOTE_EXEC_TEXT_H

#include "impl/implementation.h"

/* The first word of the command line of the process between, which the program's main hands to text_worker. */
#define TEXT_WORKER "text-worker"

/* Serves detcheck on its stdin and stdout by the command that /bin/sh runs, and ends as that ends: by the same signal or with the
 * same status. words: the program, TEXT_WORKER, the command. Returns the status of the process. */
int text_worker(int count, char **words);

#endif
