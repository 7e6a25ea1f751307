/*
 * Pictures, as they are published.
 */
#ifndef MAPDIARY_MEDIA_PICTURE_H
#define MAPDIARY_MEDIA_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

/* What is made of a picture. */
enum picture_kind {
    PICTURE_PHOTO, /* one within PICTURE_LARGE, and one within PICTURE_SMALL; none is larger than
                    * what was sent */
    PICTURE_ICON,  /* a square of PICTURE_ICON_SIDE, cut from the middle */
};

/* Pixels. */
enum { PICTURE_LARGE = 2048, PICTURE_SMALL = 480, PICTURE_ICON_SIDE = 128 };

/* WebP where something is transparent. */
enum picture_format { PICTURE_JPEG, PICTURE_WEBP, PICTURE_FORMATS };
extern const char *const picture_media_types[PICTURE_FORMATS];

/* What the camera noted, checked: within its range, a day of the calendar. */
struct camera_note {
    bool has_place, has_time, has_offset;
    double lat, lng; /* degrees */
    char time[20];   /* "2026-11-22 08:15:12", by the camera's clock */
    int offset;      /* seconds east of Greenwich that the clock is set to */
};

/** Takes away what no camera can have meant. */
void camera_note_check(struct camera_note *note);

struct picture {
    enum picture_format format;
    int32_t width, height; /* of the larger one, in pixels */
    struct camera_note note;
};

#endif
