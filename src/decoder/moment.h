/*
 * Times and offsets from Greenwich as cameras and programs write them in Exif.
 */
#ifndef MAPDIARY_DECODER_MOMENT_H
#define MAPDIARY_DECODER_MOMENT_H

#include "media/picture.h"

/** Reads "2026:11:22 08:15:12", the date with "-" or "/" as well, the time behind a "T" as well,
 * and with fractions of a second, which are left out, and the offset behind it. False, and the note
 * stays as it is, where it is none. */
bool moment_read(const char *text, struct camera_note *note);

/** Reads "+08:00" or "-5:00". False, and the note stays as it is, where it is none. */
bool moment_read_offset(const char *text, struct camera_note *note);

#endif
