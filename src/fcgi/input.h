/*
 * The input of a request: its FastCGI records (FastCGI Specification 1.0), read off the connection
 * as they come, held against the specification, and kept for libfcgi, which alone makes values of
 * them. libfcgi 2.4 has no bound on what it reads, waits for ever for who stalls, ends the process
 * over lengths that lie, and writes beyond an array when a management record asks it to; so it gets
 * no request but a whole one that was checked here.
 */
#ifndef MAPDIARY_FCGI_INPUT_H
#define MAPDIARY_FCGI_INPUT_H

#include "base/buffer.h"
#include "fcgi/pairs.h"
#include "fcgi/spool.h"

enum {
    INPUT_VARIABLES_MOST = 131072, /* bytes; nginx sends up to some 33,000 as it is shipped */
    INPUT_MEMORY_MOST = 65536,     /* bytes of records; what is more is spooled */
};

struct input_options {
    const struct spool *spool;
    size_t body_most; /* bytes that are kept: of a longer body nothing is, as soon as it says so */
};

/* All zeros is an input that nothing was read into. */
struct input {
    struct buffer records;  /* that were checked, without their padding */
    struct spool_file file; /* those before them, where they are too many for memory */
    size_t received;        /* bytes that came, whatever they were */
    size_t body_length;     /* of all that was sent, what was dropped included */
    size_t body_most;       /* as the options said when it began */

    unsigned int phase, request_id;
    size_t variables_length;
    struct pairs pairs;
    unsigned char header[8]; /* of the record that is coming */
    unsigned int header_length, content_length, content_left, padding_left;
};

/**
 * Reads once from a socket, and checks what came; it does not wait where nothing has. A request is
 * read to its end, whatever its size: a web server that is not done with sending would see a reset
 * instead of an answer. Any status but STATUS_OK means that no request will come, and that the
 * connection must be closed; the reason is logged. STATUS_UNAVAILABLE: the connection ended, or
 * nothing more can be spooled. STATUS_MALFORMED_REQUEST: it is no request to a responder, was
 * aborted, or has a management record in it. STATUS_REQUEST_TOO_LARGE: its variables are.
 */
enum status input_read(struct input *input, int connection,
                       const struct input_options *options) MUST_CHECK;

/** True where nothing of a request was read. */
bool input_is_empty(const struct input *input);

/** True where all of a request was read. */
bool input_is_whole(const struct input *input);

/** True where the body has more bytes than are kept, or says so in CONTENT_LENGTH. */
bool input_is_cut(const struct input *input);

/** Makes the input ready for another process of this program: its records are in the file if there
 * is one, else in memory, INPUT_MEMORY_MOST bytes at most. False, with the reason logged, where the
 * system will not. */
bool input_settle(struct input *input, const struct spool *spool);

/** Takes over a settled input whose pointers and descriptors are another process's: its records are
 * copied, and its file, where it has one, is this descriptor. */
void input_adopt(struct input *input, const struct spool *spool, int descriptor,
                 const char *records);

/** Empties it for the next request; it keeps a little of its memory. */
void input_reset(struct input *input, const struct spool *spool);
/** Leaves it all zeros. */
void input_free(struct input *input, const struct spool *spool);

#endif
