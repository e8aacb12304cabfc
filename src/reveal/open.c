/* Rows of axes, one by one. */
#include "reveal/open.h"

#include "reveal/axes.h"
#include "reveal/refine.h"

#include <stdio.h>
#include <string.h>

void open_add(void *context, const char *line) {
    struct revealed *revealed = context;
    if (revealed->open_count < REVEAL_OPEN)
        snprintf(revealed->open[revealed->open_count++], ORDER_TEXT, "%s", line);
}

/* Whether other rows than the chosen one are asked. A fixed point has no signs of zeros, nor terms below it. A zero that no
 * result shows is none. */
static bool is_asked(const struct finding *finding, const struct choice *chosen,
                     const struct model *model, enum axis axis) {
    return axis != AXIS_LAST && !(axis == AXIS_ZERO && !chosen->at[axis]) &&
           !(axis == AXIS_START && chosen->at[AXIS_PRODUCTS]) &&
           !(refine_provides(finding) && axis_is_parameter(finding, axis)) &&
           (model->order.nodes[0].kind != ORDER_FIXED_POINT || axis == AXIS_KIND);
}

/* Whether a model of another row is another one, and none of the samples differs by it. */
static bool fits(const struct finding *finding, struct replay_samples *samples,
                 const struct choice *other, enum axis axis, const struct model *revealed,
                 bool *is_open, struct error *error) {
    struct replay replay = {0};
    struct model model;
    bool good = true, asked = model_make(finding, other, &model, error);
    if (asked && refine_provides(finding) && axis != AXIS_BINS) /* which nodes say */
        model_take_nodes(revealed, &model);
    asked =
        asked && !model_is_same(&model, revealed) &&
        !(axis == AXIS_TWICE && order_tree_hash(&model.tree) == order_tree_hash(&revealed->tree));
    if (asked)
        good = replay_samples(samples, &model, 1, &replay, error);
    *is_open = good && asked && !replay.different;
    model_close(&model);
    return good;
}

/* Names that a line has no room for are counted. */
static void say_row(char text[ORDER_TEXT], const char *name, unsigned *unsaid) {
    enum { COUNT_ROOM = 16 }; /* " or 99 others" */
    const size_t length = strlen(text);
    if (*unsaid || length + strlen(" or ") + strlen(name) + COUNT_ROOM > ORDER_TEXT)
        ++*unsaid;
    else
        snprintf(text + length, ORDER_TEXT - length, " or %s", name);
}

static bool find_rows(const struct finding *finding, struct replay_samples *samples,
                      const struct choice *chosen, enum axis axis, struct revealed *revealed,
                      char text[ORDER_TEXT], struct error *error) {
    const unsigned rows = axis_rows(finding, axis);
    unsigned unsaid = 0;
    bool is_open;
    *text = 0;
    for (unsigned row = 0; row < rows; row++) {
        struct choice other = *chosen;
        other.at[axis] = row;
        if (row == chosen->at[axis])
            continue;
        if (!fits(finding, samples, &other, axis, &revealed->model, &is_open, error))
            return false;
        if (!is_open)
            continue;
        if (!*text)
            snprintf(text, ORDER_TEXT, "%s: %s", axis_name(axis),
                     axis_row_name(finding, axis, chosen->at[axis]));
        say_row(text, axis_row_name(finding, axis, row), &unsaid);
    }
    const size_t length = strlen(text);
    if (unsaid)
        snprintf(text + length, ORDER_TEXT - length, " or %u other%s", unsaid,
                 unsaid == 1 ? "" : "s");
    return true;
}

bool open_find(const struct finding *finding, struct replay_samples *samples,
               const struct choice *chosen, const struct rivals *rivals, struct revealed *revealed,
               struct error *error) {
    for (int axis = 0; axis < AXES; axis++) {
        char text[ORDER_TEXT];
        if (!is_asked(finding, chosen, &revealed->model, (enum axis)axis))
            continue;
        if (!find_rows(finding, samples, chosen, (enum axis)axis, revealed, text, error))
            return false;
        if (*text && revealed->open_count + 1 < REVEAL_OPEN)
            open_add(revealed, text);
    }
    if (refine_provides(finding))
        rivals_open(rivals, finding, &revealed->model, open_add, revealed);
    return true;
}
