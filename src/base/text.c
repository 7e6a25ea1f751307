#include "base/text.h"

#include <string.h>

/* RFC 3629, section 4: by the first byte, how many follow, and the smallest code point that needs
 * them. */
struct lead {
    unsigned char mask, bits;
    int following;
    uint32_t least;
};

static const struct lead leads[] = {
    {0x80, 0x00, 0, 0x00},
    {0xe0, 0xc0, 1, 0x80},
    {0xf0, 0xe0, 2, 0x800},
    {0xf8, 0xf0, 3, 0x10000},
};

/* The length of the character at the start of the bytes, with its code point; 0 where it is not
 * UTF-8. */
static size_t decode(const unsigned char *bytes, size_t length, uint32_t *code)
{
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) {
        const struct lead *lead = &leads[i];
        if ((bytes[0] & lead->mask) != lead->bits)
            continue;
        if (length <= (size_t)lead->following)
            return 0;
        uint32_t point = bytes[0] & (unsigned char)~lead->mask;
        for (int k = 1; k <= lead->following; k++) {
            if ((bytes[k] & 0xc0) != 0x80)
                return 0;
            point = point << 6 | (bytes[k] & 0x3f);
        }
        *code = point;
        return point >= lead->least ? (size_t)lead->following + 1 : 0;
    }
    return 0;
}

static bool is_xml_character(uint32_t code)
{
    if (code < 0x20)
        return code == '\t' || code == '\n' || code == '\r';
    return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) ||
           (code >= 0x10000 && code <= 0x10ffff);
}

bool text_is_valid(const char *bytes, size_t length)
{
    const unsigned char *at = (const unsigned char *)bytes;
    while (length > 0) {
        uint32_t code = 0;
        size_t used = decode(at, length, &code);
        if (used == 0 || !is_xml_character(code))
            return false;
        at += used;
        length -= used;
    }
    return true;
}

/* What a terminal obeys instead of showing it: controls, those of ISO 6429 beyond ASCII among them,
 * and those by which the Unicode Bidirectional Algorithm (UAX #9, section 2) turns text around. */
static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
           code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

size_t text_next(const char *text, uint32_t *code, bool *controls)
{
    enum { LONGEST = 4, REPLACEMENT = 0xfffd };
    size_t used = decode((const unsigned char *)text, strnlen(text, LONGEST), code);
    if (used == 0)
        *code = REPLACEMENT;
    *controls = used == 0 || is_control(*code);
    return used > 0 ? used : 1;
}

void text_make_printable(char *bytes, size_t length)
{
    while (length > 0) {
        uint32_t code = 0;
        size_t used = decode((unsigned char *)bytes, length, &code);
        if (used == 0 || is_control(code) || !is_xml_character(code)) {
            *bytes = *bytes == '\n' ? ' ' : '?';
            used = 1;
        }
        bytes += used;
        length -= used;
    }
}

size_t text_characters(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

bool text_is_line(const char *text, int64_t least, int64_t most)
{
    size_t length = strlen(text);
    if (strcspn(text, "\r\n") != length || !text_is_valid(text, length))
        return false;
    int64_t characters = (int64_t)text_characters(text);
    return characters >= least && characters <= most;
}

/* What text_can_be_seen() names, in ascending order, with neighbours as one. */
static const struct {
    uint32_t first, last;
} unseen[] = {
    {0x09, 0x0d},     {0x20, 0x20},       {0x85, 0x85},       {0xa0, 0xa0},       {0xad, 0xad},
    {0x34f, 0x34f},   {0x61c, 0x61c},     {0x115f, 0x1160},   {0x1680, 0x1680},   {0x17b4, 0x17b5},
    {0x180b, 0x180f}, {0x2000, 0x200f},   {0x2028, 0x202f},   {0x205f, 0x206f},   {0x2800, 0x2800},
    {0x3000, 0x3000}, {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
    {0xfff0, 0xfff8}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

static bool is_unseen(uint32_t code)
{
    size_t i = 0;
    while (i < sizeof unseen / sizeof *unseen && unseen[i].last < code)
        i++;
    return i < sizeof unseen / sizeof *unseen && unseen[i].first <= code;
}

bool text_can_be_seen(const char *text)
{
    bool is_seen = false;
    while (*text != '\0' && !is_seen) {
        uint32_t code = 0;
        bool controls;
        text += text_next(text, &code, &controls);
        is_seen = !is_unseen(code);
    }
    return is_seen;
}

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

bool text_to_integer(const char *text, int64_t *value)
{
    bool negative = *text == '-';
    text += negative;
    if (*text == '\0' || text[digits(text)] != '\0')
        return false;
    int64_t result = 0;
    for (; *text != '\0'; text++) {
        int digit = *text - '0';
        if (__builtin_mul_overflow(result, 10, &result) ||
            __builtin_add_overflow(result, negative ? -digit : digit, &result))
            return false;
    }
    *value = result;
    return true;
}

/* As snprintf(3) does, at a tenth of its price: a dozen numbers are in every answer. */
const char *text_from_integer(int64_t value, char *text)
{
    char digits[TEXT_INTEGER_SIZE];
    char *end = digits + sizeof digits, *at = end;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    *--at = '\0';
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0)
        *--at = '-';
    return memcpy(text, at, (size_t)(end - at));
}

/* Quotes are those around all that is before the @. */
static bool is_well_quoted(const char *text, const char *at)
{
    const char *quote = strchr(text, '"');
    if (quote == NULL)
        return true;
    const char *end = strchr(quote + 1, '"');
    return quote == text && end != NULL && end > text + 1 && end + 1 == at &&
           strchr(at, '"') == NULL;
}

/* None of what makes several addresses of one, a comment, or a route (RFC 5322, section 3.4). */
bool text_is_email(const char *text)
{
    const char *at = strchr(text, '@');
    size_t length = strlen(text);
    if (at == NULL || at == text || at[1] == '\0' || length > TEXT_EMAIL_MOST)
        return false;
    for (const char *byte = text; *byte != '\0'; byte++)
        if (*byte <= ' ' || *byte > '~' || strchr(",;:<>()[]\\", *byte) != NULL)
            return false;
    return strchr(at + 1, '@') == NULL && is_well_quoted(text, at);
}

bool text_is_http(const char *text)
{
    return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0;
}

bool text_is_decimal(const char *text)
{
    text += *text == '-';
    size_t whole = digits(text);
    text += whole;
    if (whole == 0 || *text == '\0')
        return whole != 0;
    return *text == '.' && digits(text + 1) > 0 && text[1 + digits(text + 1)] == '\0';
}

/* Only digits decide, as a double would round: at a bound itself no other fraction than zeros is
 * left. */
bool text_is_coordinate(const char *text, int64_t least, int64_t most)
{
    int64_t whole = 0;
    char number[TEXT_COORDINATE_BYTES_MOST + 1];
    if (strlen(text) > TEXT_COORDINATE_BYTES_MOST || !text_is_decimal(text))
        return false;
    size_t length = strcspn(text, ".");
    memcpy(number, text, length);
    number[length] = '\0';
    if (!text_to_integer(number, &whole) || whole < least || whole > most)
        return false;
    bool at_bound = whole == least || whole == most;
    return !at_bound || text[length + strspn(text + length, ".0")] == '\0';
}
