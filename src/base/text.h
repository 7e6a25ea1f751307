/*
 * Text as the interface allows it: valid UTF-8 (RFC 3629) made of characters that XML 1.0 allows.
 */
#ifndef MAPDIARY_BASE_TEXT_H
#define MAPDIARY_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * True where the bytes are valid UTF-8 (no overlong form, no surrogate, nothing above U+10FFFF) and
 * every character is a Char of XML 1.0, fifth edition, section 2.2: no control but TAB, LF and CR,
 * no U+FFFE, no U+FFFF.
 */
bool text_is_valid(const char *bytes, size_t length);

/** Makes a line for people of any bytes, in place: a line feed becomes a blank, and each byte of a
 * control character (as text_next() has them), or of what is no valid text, a '?'. */
void text_make_printable(char *bytes, size_t length);

/** The length in bytes of the first character of a text that is not empty, with its code point; and
 * whether it controls a terminal or the direction of text instead of being shown. A byte of what is
 * no UTF-8 counts as such a one: U+FFFD. */
size_t text_next(const char *text, uint32_t *code, bool *controls);

/** The number of characters (code points) in valid UTF-8. */
size_t text_characters(const char *text);

/** True for valid text without a line break, of least to most characters. */
bool text_is_line(const char *text, int64_t least, int64_t most);

/**
 * True where at least one character is neither white space nor invisible: not White_Space
 * (PropList.txt), not Default_Ignorable_Code_Point (DerivedCoreProperties.txt), both of
 * Unicode 15.0, whose later versions have the same, and not U+2800, a pattern of Braille without
 * dots. Of valid UTF-8.
 */
bool text_can_be_seen(const char *text);

/** Of an email address, in bytes: RFC 5321, section 4.5.3.1.3, less the angle brackets. */
enum { TEXT_EMAIL_MOST = 254 };

/** True for what may be one email address: visible ASCII, an @ with something on either side;
 * quotes around the whole of what is before it. Whether it is one, a mail to it tells. */
bool text_is_email(const char *text);

/** True for a text that begins like the address of a page: with http:// or https://. */
bool text_is_http(const char *text);

/**
 * Reads a plain decimal integer: digits with an optional minus before them, nothing else, no
 * blanks, no plus. False where it is none or does not fit.
 */
bool text_to_integer(const char *text, int64_t *value);

enum { TEXT_INTEGER_SIZE = sizeof "-9223372036854775808" };
/** Writes a number in decimal, with a NUL, into room for TEXT_INTEGER_SIZE bytes; returns it. */
const char *text_from_integer(int64_t value, char *text);

/** True for plain decimal notation: digits, optionally a minus before them and a point and digits
 * after. */
bool text_is_decimal(const char *text);

/** Long enough for any place on earth, short enough for anything that is done with it. */
enum { TEXT_COORDINATE_BYTES_MOST = 32 };

/** True for a decimal of at most TEXT_COORDINATE_BYTES_MOST bytes, from least to most. */
bool text_is_coordinate(const char *text, int64_t least, int64_t most);

#endif
