/*
 * The decoder's main process: takes jobs by the channel, and has a process of its own do each. It
 * never looks at a picture itself.
 */
#ifndef MAPDIARY_DECODER_SERVE_H
#define MAPDIARY_DECODER_SERVE_H

#include <stdint.h>

#include "media/decoder_protocol.h"

enum { SERVE_LIMIT = 1000 * (int)DECODER_WALL }; /* milliseconds: as long as those who ask wait */

/** Serves until nobody has the other end of the channel any more. A picture that takes longer than
 * so many milliseconds is ended. Answers the exit status. */
int serve(int channel, int64_t limit);

#endif
