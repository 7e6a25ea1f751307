#include "model/piece.h"

#include <stddef.h>

const char *const piece_visibilities[] = {"public", PIECE_PRIVATE, NULL};
