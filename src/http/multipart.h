/*
 * multipart/form-data (RFC 7578, RFC 2046 section 5.1) as it comes, piece by piece, read strictly:
 * nothing of it is kept but the headers of the part that is coming.
 *
 *     PREAMBLE --delimiter--> DELIMITED --CR LF--> LINE_START ... --empty line--> CONTENT
 *                                | ^                                                 |
 *                                | +--------------------delimiter--------------------+
 *                                +--"--"--> CLOSED --CR LF--> EPILOGUE
 *
 * A line that begins as the delimiter does is one, or the body is broken: whoever made it had to
 * choose another boundary.
 */
#ifndef MAPDIARY_HTTP_MULTIPART_H
#define MAPDIARY_HTTP_MULTIPART_H

#include <stddef.h>

#include "base/status.h"
#include "http/part.h"

enum {
    MULTIPART_BOUNDARY_MOST = 70,  /* characters: RFC 2046, section 5.1.1 */
    MULTIPART_HEADERS_MOST = 8192, /* bytes of the headers of a part */
};

/* Who takes the parts. What it answers but STATUS_OK ends the reading. */
struct multipart_taker {
    /* The part is good until its end, and its bytes come in between, however they are cut. */
    enum status (*begin)(void *context, const struct part *part);
    enum status (*add)(void *context, const char *bytes, size_t length);
    enum status (*end)(void *context);
};

enum multipart_state {
    MULTIPART_PREAMBLE,
    MULTIPART_DELIMITED, /* behind a delimiter */
    MULTIPART_PADDED,    /* and blanks */
    MULTIPART_DELIMITED_CR,
    MULTIPART_DASHED, /* behind a delimiter and one dash */
    MULTIPART_LINE_START,
    MULTIPART_LINE,
    MULTIPART_LINE_CR,
    MULTIPART_HEADERS_CR, /* of the empty line behind them */
    MULTIPART_CONTENT,
    MULTIPART_CLOSED, /* behind the last delimiter, and perhaps blanks */
    MULTIPART_CLOSED_CR,
    MULTIPART_EPILOGUE,
    MULTIPART_STATES
};

struct multipart {
    const struct multipart_taker *taker;
    void *context;
    enum multipart_state state;
    char delimiter[sizeof "\r\n--" + MULTIPART_BOUNDARY_MOST];
    size_t delimiter_length;
    size_t matched; /* how much of the delimiter is there */
    size_t held;    /* the last bytes of that, which are content if it is none after all */
    char headers[MULTIPART_HEADERS_MOST];
    size_t headers_length;
};

/** Begins with what follows the media type in Content-Type, from its ";". STATUS_MALFORMED_REQUEST
 * where there is no boundary of RFC 2046. */
enum status multipart_begin(struct multipart *multipart, const char *parameters,
                            const struct multipart_taker *taker, void *context) MUST_CHECK;

/** Takes the next bytes. STATUS_MALFORMED_REQUEST, or what the taker says; then it takes no more.
 */
enum status multipart_take(struct multipart *multipart, const char *bytes,
                           size_t length) MUST_CHECK;

/** All has come. STATUS_MALFORMED_REQUEST where the last delimiter has not. */
enum status multipart_end(const struct multipart *multipart) MUST_CHECK;

#endif
