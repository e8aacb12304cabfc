/* Manual pages, made when the program is built, from templates in man/ and the rows of the
 * program's own tables. */
#ifndef DETCHECK_CMD_MANUAL_H
#define DETCHECK_CMD_MANUAL_H

#include "command.h"

/* The first word of a call that makes a page: detcheck --manual-page TEMPLATE PAGE. The build's; no
 * command for users. */
#define MANUAL_PAGE "--manual-page"

/* Writes the page of a template. What begins with @ in the template is replaced:
 *
 *   @synopsis COMMAND       the command's options, for the synopsis
 *   @commands               an item of a list for each command
 *   @options COMMAND        an item for each option of the command
 *   @parameters [GROUP]     an item for each parameter that only operations of the group take, or
 *                           for each that is of no such group
 *   @operations [GROUP]     an item for each operation of the group, or for each on numbers
 *
 * After the last three stand paragraphs of their own, and then @end: `@about NAME`, and lines that
 * the item of that name goes on with. A name that no item has is an error, so that the pages cannot
 * tell of what is no more. The table of commands ends with NULL. Returns the exit code. */
int manual_page(int count, char **words, const struct command *const *commands);

#endif
