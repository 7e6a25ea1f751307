/*
 * Whether somebody answers: the service itself over FastCGI, and a web server over HTTP, by libcurl
 * (https://curl.se/libcurl/).
 */
#ifndef MAPDIARY_CTL_PROBE_H
#define MAPDIARY_CTL_PROBE_H

#include <stdbool.h>
#include <stdint.h>

enum { PROBE_REASON_SIZE = 256 };

enum probe_outcome {
    PROBE_GOOD,
    PROBE_UNWELL,    /* the service answers that it cannot serve */
    PROBE_NOBODY,    /* nobody listens there */
    PROBE_FORBIDDEN, /* this user may not ask */
    PROBE_SILENT,    /* somebody does, and does not answer, or not all */
    PROBE_OTHER,     /* what answers is not the map diary */
};

/** Asks the service how it is (/healthz), at an address as the key "listen" has it. The reason says
 * what is not good; with PROBE_GOOD, what the service lacks beside its database, or nothing. */
enum probe_outcome probe_service(const char *listen, char reason[static PROBE_REASON_SIZE]);

/** Asks the service by way of a web server, at this URL of the endpoint. PROBE_UNWELL: the web
 * server does not reach the service. is_apache tells if Apache has answered. */
enum probe_outcome probe_web(const char *url, bool *is_apache,
                             char reason[static PROBE_REASON_SIZE]);

/** When the certificate of the web server at this URL ends, in seconds since the epoch. False, with
 * the reason, if nobody answers by TLS. */
bool probe_certificate(const char *url, int64_t *ends_at, bool *is_apache,
                       char reason[static PROBE_REASON_SIZE]);

/**
 * Asks for a photo at its address, of one that is there or of one that is not, which the service
 * says. PROBE_FORBIDDEN: the web server may not read it.
 */
enum probe_outcome probe_photo(const char *url, bool is_there,
                               char reason[static PROBE_REASON_SIZE]);

/** Asks a web server for the beginning of a file of map tiles (PMTiles, version 3). */
enum probe_outcome probe_tiles(const char *url, char reason[static PROBE_REASON_SIZE]);

#endif
