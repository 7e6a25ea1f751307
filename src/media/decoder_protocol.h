/*
 * What the service and the decoder say to each other: one message a job by the channel that all
 * share, with the descriptors that a job has, and one message back by the first of them. Neither
 * believes the other: what comes is checked.
 */
#ifndef MAPDIARY_MEDIA_DECODER_PROTOCOL_H
#define MAPDIARY_MEDIA_DECODER_PROTOCOL_H

#include <stdint.h>

/* Seconds. With those of a turn (serve/pending.h) it is less than web servers wait for an answer,
 * which is a minute. */
enum {
    DECODER_PATIENCE = 50,   /* that who asks waits, for a free process and for the picture */
    DECODER_WALL = 45,       /* that the largest picture may take */
    DECODER_CPU = 30,        /* of processor time in that */
    DECODER_WALL_LEAST = 30, /* that a picture of few pixels may take */
    DECODER_CPU_LEAST = 5,
};

enum { DECODER_PIXELS_MOST = 100000000 }; /* that a picture may have */

_Static_assert((int)DECODER_CPU < (int)DECODER_WALL && (int)DECODER_WALL < (int)DECODER_PATIENCE,
               "who asks hears why");

/* The descriptors of a request, in this order; an icon has no small one. */
enum {
    DECODER_REPLY, /* a socket of the channel's kind */
    DECODER_INPUT,
    DECODER_LARGE,
    DECODER_SMALL,
    DECODER_DESCRIPTORS
};

enum { DECODER_MAGIC = 0x6d617031 };

struct decoder_request {
    uint32_t magic;
    uint32_t kind; /* enum picture_kind */
};

enum decoder_outcome {
    DECODER_MADE,
    DECODER_UNREADABLE,
    DECODER_TOO_LARGE,
    DECODER_NOT_WRITTEN, /* what was made of it, such as on a full disk */
    DECODER_OUTCOMES
};

enum { DECODER_HAS_PLACE = 1, DECODER_HAS_TIME = 2, DECODER_HAS_OFFSET = 4 };

/* As struct picture, in types of which each bit has a meaning. */
struct decoder_reply {
    uint32_t outcome; /* enum decoder_outcome; the rest is of DECODER_MADE */
    uint32_t format;
    int32_t width, height;
    uint32_t has;
    int32_t offset;
    double lat, lng;
    char time[24];
};

#endif
