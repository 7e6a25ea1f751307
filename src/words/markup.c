#include "words/markup.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct markup markup_of(const char *text, bool is_html)
{
    return (struct markup){.at = text, .is_plain = !is_html};
}

/* The place behind a comment, an attribute or a tag, or NULL. */

static const char *behind_comment(struct markup *markup)
{
    if (markup->no_comment_ends || strncmp(markup->at, "<!--", 4) != 0)
        return NULL;
    const char *end = strstr(markup->at + 4, "-->");
    markup->no_comment_ends = end == NULL;
    return end != NULL ? end + 3 : NULL;
}

static const char *behind_quotes(struct markup *markup, const char *quote)
{
    bool *is_missing = *quote == '"' ? &markup->no_double_quote : &markup->no_single_quote;
    if (*is_missing)
        return NULL;
    const char *end = strchr(quote + 1, *quote);
    *is_missing = end == NULL;
    return end != NULL ? end + 1 : NULL;
}

static const char *behind_tag(struct markup *markup)
{
    const char *at = markup->at + 1;
    at += *at == '/';
    if (!isalpha((unsigned char)*at) && *at != '!' && *at != '?')
        return NULL;
    while (at != NULL) {
        at += strcspn(at, "\"'<>");
        if (*at != '"' && *at != '\'')
            return *at == '>' ? at + 1 : NULL;
        at = behind_quotes(markup, at);
    }
    return NULL;
}

static bool is_character(unsigned long code)
{
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

/* "&#97;" and "&#x61;", of which browsers need no semicolon. What names no character is a blank. */
static int32_t read_number(struct markup *markup)
{
    const char *digits = markup->at + 2;
    bool is_hex = *digits == 'x' || *digits == 'X';
    digits += is_hex;
    size_t count = strspn(digits, is_hex ? "0123456789abcdefABCDEF" : "0123456789");
    unsigned long code = count > 0 ? strtoul(digits, NULL, is_hex ? 16 : 10) : 0;
    markup->at = digits + count;
    markup->at += *markup->at == ';';
    return is_character(code) ? (int32_t)code : ' ';
}

/* The references in whose place another character is read. */
static const struct reference {
    const char *name;
    int32_t code;
} references[] = {
    {"amp", '&'},
    {"lt", '<'},
    {"gt", '>'},
    {"quot", '"'},
    {"apos", '\''},
    {"nbsp", ' '},
    {"szlig", 0xdf},
    {"aelig", 0xe6},
    {"AElig", 0xc6},
    {"eth", 0xf0},
    {"ETH", 0xd0},
    {"thorn", 0xfe},
    {"THORN", 0xde},
    {"oelig", 0x153},
    {"OElig", 0x152},
    {"shy", MARKUP_GAP},
    {"zwj", MARKUP_GAP},
    {"zwnj", MARKUP_GAP},
    {"lrm", MARKUP_GAP},
    {"rlm", MARKUP_GAP},
    {"NoBreak", MARKUP_GAP},
    {"ZeroWidthSpace", MARKUP_GAP},
};

/* Behind a letter, as in "&eacute;". The letter is read without its accent. */
static const char *const accents[] = {"acute", "breve", "caron", "cedil", "circ",  "dot",   "grave",
                                      "macr",  "ogon",  "ring",  "slash", "strok", "tilde", "uml"};

static bool is_name(const char *text, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(text, name, length) == 0;
}

static bool is_accent(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof accents / sizeof *accents; i++)
        if (is_name(text, length, accents[i]))
            return true;
    return false;
}

/* Of a name of so many characters behind the ampersand; MARKUP_END if it is not known. */
static int32_t named(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof references / sizeof *references; i++)
        if (is_name(name, length, references[i].name))
            return references[i].code;
    return length > 1 && is_accent(name + 1, length - 1) ? (int32_t)*name : MARKUP_END;
}

static int32_t read_reference(struct markup *markup)
{
    enum { NAME_MOST = 20 };
    if (markup->at[1] == '#')
        return read_number(markup);
    const char *name = ++markup->at;
    size_t length = 0;
    while (length < NAME_MOST && isalpha((unsigned char)name[length]))
        length++;
    int32_t code = name[length] == ';' ? named(name, length) : MARKUP_END;
    if (code == MARKUP_END)
        return '&';
    markup->at = name + length + 1;
    return code;
}

static int32_t read_character(struct markup *markup)
{
    uint32_t code;
    bool controls;
    markup->at += text_next(markup->at, &code, &controls);
    return (int32_t)code;
}

int32_t markup_next(struct markup *markup)
{
    if (*markup->at == '\0')
        return MARKUP_END;
    if (markup->is_plain)
        return read_character(markup);
    if (*markup->at == '&')
        return read_reference(markup);
    const char *behind = NULL;
    if (*markup->at == '<' && (behind = behind_comment(markup)) == NULL)
        behind = behind_tag(markup);
    if (behind == NULL)
        return read_character(markup);
    markup->at = behind;
    return MARKUP_GAP;
}
