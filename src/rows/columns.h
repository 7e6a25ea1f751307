/*
 * The columns of the kinds of things that can be imported.
 */
#ifndef MAPDIARY_ROWS_COLUMNS_H
#define MAPDIARY_ROWS_COLUMNS_H

#include "cli/command.h"

/* Each in the order of the staging table; ended by PARAMETERS_END. */
extern const struct parameter import_user_columns[];
extern const struct parameter import_poi_columns[];
extern const struct parameter import_album_columns[];
extern const struct parameter import_blog_columns[];
extern const struct parameter import_photo_columns[];
extern const struct parameter import_comment_columns[];

#endif
