/* Choosing among models: by samples, all of them in turn. */
#include "reveal/axes.h"
#include "reveal/models.h"

/* The next choice, the first axes changing last; false beyond the last one. */
static bool next_choice(const struct finding *finding, bool all, struct choice *choice) {
    for (int axis = AXES - 1; axis >= 0; axis--) {
        const bool is_searched =
            axis == AXIS_PRODUCTS && finding->aim.has_many && axis_is_parameter(finding, axis);
        if (!all && (axis == AXIS_ZERO || is_searched))
            continue;
        if (++choice->at[axis] < axis_rows(finding, (enum axis)axis))
            return true;
        choice->at[axis] = 0;
    }
    return false;
}

bool models_fit(const struct finding *finding, struct replay_samples *samples,
                const struct model *nodes, struct choice *choice, struct replay *replay,
                size_t *tried, struct error *error) {
    struct choice at = {{0}};
    struct replay found;
    bool any = false;
    do {
        struct model model;
        struct error why;
        bool good = model_make(finding, &at, &model, &why);
        if (good) {
            ++*tried;
            if (nodes)
                model_take_nodes(nodes, &model);
            good = replay_samples(samples, &model, any ? replay->different : 0, &found, error);
            if (good && (!any || found.different < replay->different)) {
                *choice = at;
                *replay = found;
                any = true;
            }
        } else {
            *error = why;
            good = true;
        }
        model_close(&model);
        if (!good)
            return false;
    } while (!(any && !replay->different) && next_choice(finding, nodes, &at));
    return any;
}
