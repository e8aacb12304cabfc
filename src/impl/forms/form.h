/* The implementations "form:NAME", "form:NAME:SUMS" and "form:NAME:SUMS:FUNCTIONS". */
#ifndef DETCHECK_IMPL_FORMS_FORM_H
#define DETCHECK_IMPL_FORMS_FORM_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_form;

#endif
