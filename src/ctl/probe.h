/*
 * Whether somebody answers: https://curl.se/libcurl/
 */
#ifndef MAPDIARY_CTL_PROBE_H
#define MAPDIARY_CTL_PROBE_H

#include <stdbool.h>

enum { PROBE_REASON_SIZE = 256 };

/** True where something accepts connections at an address as the key "listen" has it; else the
 * reason. */
bool probe_socket(const char *listen, char reason[static PROBE_REASON_SIZE]);

/** True where the service answers at this URL; else the reason. */
bool probe_service(const char *url, char reason[static PROBE_REASON_SIZE]);

#endif
