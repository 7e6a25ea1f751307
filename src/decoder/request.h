/*
 * A job as it comes by the channel, checked.
 */
#ifndef MAPDIARY_DECODER_REQUEST_H
#define MAPDIARY_DECODER_REQUEST_H

#include "decoder/render.h"

struct request {
    int reply; /* the socket for it */
    struct render_job job;
};

enum request_arrival {
    REQUEST_CAME,
    REQUEST_NONE, /* or one that makes no sense, which is logged */
    REQUEST_NO_MORE,
};

/** Receives the next, if there is one. The descriptors are the caller's then. */
enum request_arrival request_receive(int channel, struct request *request);

/** Closes them. */
void request_close(struct request *request);

#endif
