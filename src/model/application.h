/*
 * Application keys.
 */
#ifndef MAPDIARY_MODEL_APPLICATION_H
#define MAPDIARY_MODEL_APPLICATION_H

/* Their identifiers, in bytes and as hexadecimal text. */
enum { KEY_ID_SIZE = 16, KEY_ID_DIGITS = 2 * KEY_ID_SIZE };

#endif
