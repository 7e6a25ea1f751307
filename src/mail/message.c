#include "mail/message.h"

#include <sodium.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

enum {
    LINE_MOST = 998, /* RFC 5322, section 2.1.1 */
    PLAIN_MOST = 60, /* bytes of a subject that fits into a line */
    WORD_BYTES = 45, /* of a text, in an encoded word of 75 characters: RFC 2047, section 2 */
    BASE64_LINE = 57 /* bytes, in a line of 76 characters: RFC 2045, section 6.8 */
};

static void add_base64(struct buffer *out, const char *bytes, size_t length)
{
    enum { ROOM = sodium_base64_ENCODED_LEN(BASE64_LINE, sodium_base64_VARIANT_ORIGINAL) };
    char encoded[ROOM];
    sodium_bin2base64(encoded, sizeof encoded, (const unsigned char *)bytes, length,
                      sodium_base64_VARIANT_ORIGINAL);
    buffer_add_text(out, encoded);
}

/* Texts of a header ------------------------------------------------------------------------- */

static bool is_plain(const char *text)
{
    size_t length = strlen(text);
    for (const char *byte = text; *byte != '\0'; byte++)
        if (*byte < ' ' || *byte > '~')
            return false;
    return length > 0 && length <= PLAIN_MOST && *text != ' ' && text[length - 1] != ' ' &&
           strstr(text, "=?") == NULL;
}

/* The bytes of the characters that go into one encoded word. */
static size_t word_length(const char *text)
{
    size_t length = 0, next = 0;
    uint32_t code;
    bool controls;
    while (text[length] != '\0') {
        next = text_next(text + length, &code, &controls);
        if (length + next > WORD_BYTES)
            break;
        length += next;
    }
    return length;
}

/* A line each, which begins with a blank and goes on behind the name of the header. */
static void add_encoded_words(struct buffer *out, const char *text)
{
    while (*text != '\0') {
        size_t length = word_length(text);
        buffer_add_text(out, " =?UTF-8?B?");
        add_base64(out, text, length);
        buffer_add_text(out, "?=\r\n");
        text += length;
    }
}

static void add_subject(struct buffer *out, const char *text)
{
    if (is_plain(text)) {
        buffer_add_format(out, "Subject: %s\r\n", text);
        return;
    }
    buffer_add_text(out, "Subject:");
    add_encoded_words(out, text);
}

/* A quoted string: RFC 5322, section 3.2.4. */
static void add_quoted(struct buffer *out, const char *text)
{
    buffer_add_text(out, " \"");
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            buffer_add_text(out, "\\");
        buffer_add(out, text, 1);
    }
    buffer_add_text(out, "\"\r\n");
}

/* The name is a phrase: RFC 2047, section 5 (3). */
static void add_sender(struct buffer *out, const char *name, const char *address)
{
    buffer_add_text(out, "From:");
    if (*name == '\0') {
        buffer_add_format(out, " %s\r\n", address);
        return;
    }
    if (is_plain(name))
        add_quoted(out, name);
    else
        add_encoded_words(out, name);
    buffer_add_format(out, " <%s>\r\n", address);
}

/* The text --------------------------------------------------------------------------------- */

/* ASCII in lines that are not too long goes as it is. */
static bool is_seven_bit(const char *text)
{
    size_t line = 0;
    for (; *text != '\0'; text++) {
        line = *text == '\n' ? 0 : line + 1;
        if (line > LINE_MOST || ((*text < ' ' || *text > '~') && *text != '\n' && *text != '\t'))
            return false;
    }
    return true;
}

static void add_with_line_ends(struct buffer *out, const char *text)
{
    for (; *text != '\0'; text++)
        buffer_add(out, *text == '\n' ? "\r\n" : text, *text == '\n' ? 2 : 1);
}

static void add_in_base64(struct buffer *out, const char *text)
{
    struct buffer bytes = {0};
    add_with_line_ends(&bytes, text);
    for (size_t at = 0; at < bytes.length; at += BASE64_LINE) {
        size_t left = bytes.length - at;
        add_base64(out, bytes.data + at, left < BASE64_LINE ? left : BASE64_LINE);
        buffer_add_text(out, "\r\n");
    }
    buffer_free(&bytes);
}

static void add_body(struct buffer *out, const char *text)
{
    bool is_ascii = is_seven_bit(text);
    buffer_add_format(out,
                      "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=UTF-8\r\n"
                      "Content-Transfer-Encoding: %s\r\n\r\n",
                      is_ascii ? "7bit" : "base64");
    if (is_ascii)
        add_with_line_ends(out, text);
    else
        add_in_base64(out, text);
}

/* The whole -------------------------------------------------------------------------------- */

/* In English, whatever the locale: RFC 5322, section 3.3. */
static void add_date(struct buffer *out, int64_t seconds)
{
    static const char days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t moment = (time_t)seconds;
    struct tm parts;
    gmtime_r(&moment, &parts);
    buffer_add_format(out, "Date: %s, %d %s %d %02d:%02d:%02d +0000\r\n", days[parts.tm_wday],
                      parts.tm_mday, months[parts.tm_mon], parts.tm_year + 1900, parts.tm_hour,
                      parts.tm_min, parts.tm_sec);
}

/* No answering machine answers it: RFC 3834, section 5. */
bool message_write(const struct message *message, struct buffer *out)
{
    if (!text_is_email(message->from) || !text_is_email(message->to))
        return false;
    add_date(out, message->date);
    add_sender(out, message->from_name, message->from);
    buffer_add_format(out, "To: %s\r\nMessage-ID: <%s%s>\r\n", message->to, message->id,
                      strchr(message->from, '@'));
    add_subject(out, message->text.subject);
    buffer_add_text(out, "Auto-Submitted: auto-generated\r\n");
    add_body(out, message->text.body);
    return true;
}
