/*
 * The operations on advertisements: their parameters, answers and handlers.
 */
#ifndef MAPDIARY_API_ADVERTISEMENT_H
#define MAPDIARY_API_ADVERTISEMENT_H

#include "api/operation.h"
#include "model/advertisement.h"

/* Of struct place, and of struct reading. */
extern const struct param_spec advertisement_place_params[], advertisement_id_params[];

/* Of struct advertisement. */
extern const struct field shown_advertisement_shape[];

handler_function handle_get_advertisement, handle_click_advertisement;

#endif
