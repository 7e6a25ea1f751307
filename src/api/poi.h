/*
 * The operations on points of interest: their parameters, answers and handlers.
 */
#ifndef MAPDIARY_API_POI_H
#define MAPDIARY_API_POI_H

#include "api/operation.h"
#include "model/poi.h"

/* Of struct reading, and of struct entry_reading. */
extern const struct param_spec poi_id_params[], poi_list_params[];

/* Of struct poi, and of struct page_shown. */
extern const struct field poi_shape[], poi_list_shape[];

handler_function handle_get_poi, handle_get_category_poi_list;

#endif
