/* Random arrays of several families: what an implementation makes of them, held against a model bit by bit. */
#ifndef DETCHECK_REVEAL_REPLAY_H
#define DETCHECK_REVEAL_REPLAY_H

#include "reveal/draw.h"
#include "reveal/sorting.h"

/* An order of one length, and what comes before it. */
struct model {
    struct order order;
    struct order_tree tree;
    struct sorting sorting;        /* of terms, before they are added */
    struct through_choice through; /* of a sum inside of an operation */
    bool extended;                 /* additions are x87's, whatever their nodes say */
};

/* Whether two compute the same: the same additions of the same terms, by the same nodes, in the same sequence. */
bool model_is_same(const struct model *a, const struct model *b);
enum { REPLAY_MORE = 400 }; /* calls that may be added to those that samples begin with */

/* A model made ready to compute what it makes of the operands that lie in the subject: lines times columns. */
struct replay_runner;
struct replay_runner *replay_runner_open(struct subject *subject, const struct model *model,
                                         struct error *error);
void replay_runner_close(struct replay_runner *runner);
bool replay_runner_run(struct replay_runner *runner, uint64_t *results, struct error *error);
/* Whether two results are the same code, or both a NaN. */
bool replay_is_same(const struct subject *subject, uint64_t a, uint64_t b);
/* The results of the subject's last call: lines times columns. */
void replay_take_results(const struct subject *subject, uint64_t *results);

/* Calls that were made, kept so that many models can be held against them. */
struct replay_samples {
    struct subject *subject;
    size_t calls, room;
    void **operands[2];
    uint64_t **results; /* of each call: lines times columns */
    struct replay_drawn {
        uint64_t seed, number; /* REPLAY_TOLD: drawn to tell models apart */
    } * drawn;
    size_t *
        sequence; /* in which models are held against them: those that differ of the last one come first, since one
                         that fits better has to give some of these */
    uint64_t
        work; /* terms that models have added so far; of those that are run node by node each counts as so many */
    uint64_t most_work; /* by which a search among models ends */
    bool is_cut;        /* one has */
};
enum { REPLAY_SLOW = 64 };
/* So many terms are added in a few seconds. */
#define REPLAY_MOST_WORK ((uint64_t)REPLAY_SLOW * 150000000)
#define REPLAY_TOLD      UINT64_MAX

bool replay_samples_open(struct replay_samples *samples, struct subject *subject, size_t calls,
                         uint64_t seed, struct error *error);
/* Makes one call more: number `call` of that seed. */
bool replay_samples_add(struct replay_samples *samples, uint64_t seed, uint64_t call,
                        struct error *error);
/* Makes a call again that other samples have; `same` says whether it returns the same. */
bool replay_samples_take(struct replay_samples *samples, const struct replay_samples *from,
                         size_t index, bool *same, struct error *error);
/* Makes a call of the operands that lie in the subject. */
bool replay_samples_tell(struct replay_samples *samples, struct error *error);
void replay_samples_close(struct replay_samples *samples);

/* What was compared. */
enum { REPLAY_KEPT = 16 };
struct replay {
    uint64_t calls, arrays, different;
    uint64_t unplanted; /* arrays beside these, whose sum by the model could not be planted */
    uint64_t by_family[REPLAY_FAMILIES];
    /* The first that differs. */
    uint64_t call, got, expected;
    size_t line, column;
    uint64_t elsewhere; /* that differ and are of another line or column than the first */
    /* Calls with such that replay_run has made by this seed: the first few. */
    uint64_t seed, differing[REPLAY_KEPT];
    unsigned kept;
    bool is_drawn; /* by replay_run */
};

/* Holds a model against what is kept; stops when `most` differ; 0: never. */
bool replay_samples(struct replay_samples *samples, const struct model *model, uint64_t most,
                    struct replay *replay, struct error *error);
/* The same for as many new arrays, or more, as `arrays` says, and for two calls of each family at least. */
bool replay_run(struct subject *subject, const struct model *model, uint64_t seed, uint64_t arrays,
                uint64_t most, struct replay *replay, struct error *error);

/* Whether calls that are made again return the same. If not, which call, with its results in `replay`. */
bool replay_repeats(struct subject *subject, uint64_t seed, size_t calls, bool *repeats,
                    struct replay *replay, struct error *error);
/* Whether results stay the same when terms are permuted. */
bool replay_permutes(struct subject *subject, uint64_t seed, size_t calls, bool *same,
                     struct error *error);

#endif
