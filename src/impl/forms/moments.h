/* The mean and the variance of a line, by one of the ways of adding. */
#ifndef DETCHECK_IMPL_FORMS_MOMENTS_H
#define DETCHECK_IMPL_FORMS_MOMENTS_H

#include "impl/forms/forms.h"

struct moments {
    double count, mean;
    double squares; /* of the deviations: at the end their mean, the variance */
};

/* False: no memory. */
bool form_moments(const struct format *format, const double *numbers, size_t length,
                  const struct form_sums *sums, struct moments *moments);

#endif
