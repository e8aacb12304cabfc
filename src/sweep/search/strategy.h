/* Where a search looks next, given what it has seen. */
#ifndef DETCHECK_SWEEP_SEARCH_STRATEGY_H
#define DETCHECK_SWEEP_SEARCH_STRATEGY_H

#include "sweep/checkpoint/serialise.h"
#include "sweep/search/probe.h"

enum { STRATEGY_MOST_PROBES = 256 };

struct strategy;

/* NULL without memory or where there is nothing to search. The request outlives it. */
struct strategy *strategy_open(const struct search_request *request, struct error *error);
void strategy_close(struct strategy *strategy);

/* The probes of the next round, at most STRATEGY_MOST_PROBES; returns how many, at least 1. */
size_t strategy_plan(struct strategy *strategy, struct probe *probes);

/* What the first of them saw: all, but in a round that the end of the search cut off. */
void strategy_learn(struct strategy *strategy, const struct probe_result *results, size_t count);

/* What a checkpoint has of it between two rounds, written or read. */
void strategy_pass(struct strategy *strategy, struct serialiser *serialiser);

#endif
