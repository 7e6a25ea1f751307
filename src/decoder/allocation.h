/*
 * Memory that the picture's process does not get. Each library says it in its own words, or in
 * none; so the allocator itself does: malloc(3) and its like are this program's own, which ask the
 * C library's.
 */
#ifndef MAPDIARY_DECODER_ALLOCATION_H
#define MAPDIARY_DECODER_ALLOCATION_H

/** From here on, who asks for memory that there is not ends the process with this status. */
void allocation_end_with(int status);

#endif
