/*
 * The decoder: a process apart that makes pictures fit to be published of whatever people send. It
 * has no network, no database and no files but those that it is handed. A worker asks it by a
 * channel that all of them share.
 */
#ifndef MAPDIARY_MEDIA_DECODER_H
#define MAPDIARY_MEDIA_DECODER_H

#include "base/log.h"
#include "base/status.h"
#include "media/picture.h"

/* Descriptors of files; the two that are written are empty before. */
struct decoder_job {
    enum picture_kind kind;
    int input;
    int large; /* or the icon */
    int small; /* -1 with an icon */
};

/**
 * Has the decoder do a job, and waits for that. STATUS_PHOTO_NOT_READABLE where the bytes are no
 * picture of a format that is taken (JPEG, PNG, WebP, GIF, HEIC, AVIF), not all of one, or kill
 * whoever decodes them; STATUS_PICTURE_TOO_LARGE where it has too many pixels, or takes more memory
 * or time than it may; STATUS_UNAVAILABLE, with the reason logged, where there is no decoder.
 */
enum status decoder_run(int channel, const struct decoder_job *job,
                        struct picture *picture) MUST_CHECK;

/**
 * For a process that is to be the decoder: executes the program that lies beside this one, or else
 * the one that is installed, with its end of the channel. It ends when nobody has the other end any
 * more. Where there is no such program, that is logged, and this returns.
 */
void decoder_become(int channel, enum log_level level);

/** For who starts decoders, where none comes up: by the decoder's end of the channel, tells all who
 * have asked that there is none. */
void decoder_refuse_all(int channel);

#endif
