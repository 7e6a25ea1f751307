#include "ctl/probe.h"

#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/status.h"

enum { SECONDS = 5, ANSWER_MOST = 4 << 20 };

struct answer {
    struct buffer body;
    long status;
    int64_t certificate_ends_at; /* 0 without TLS */
    bool is_image, is_apache;
};

static size_t take_body(char *bytes, size_t size, size_t count, void *body)
{
    struct buffer *taken = body;
    if (taken->length + size * count > ANSWER_MOST)
        return 0;
    buffer_add(taken, bytes, size * count);
    return size * count;
}

/* RFC 9110, section 10.2.4 */
static bool is_from_apache(CURL *curl)
{
    struct curl_header *server = NULL;
    return curl_easy_header(curl, "Server", 0, CURLH_HEADER, -1, &server) == CURLHE_OK &&
           strncmp(server->value, "Apache", strlen("Apache")) == 0;
}

/* As libcurl writes it, whichever TLS library it has: "2027-01-31 12:00:00 GMT" or "Jan 31 12:00:00
 * 2027 GMT". */
static int64_t read_moment(const char *text)
{
    struct tm parts = {0};
    const char *rest = strptime(text, "%Y-%m-%d %H:%M:%S", &parts);
    if (rest == NULL)
        rest = strptime(text, "%b %d %H:%M:%S %Y", &parts);
    return rest != NULL ? (int64_t)timegm(&parts) : 0;
}

/* Of the first certificate, which is the server's own. */
static int64_t end_of_certificate(CURL *curl)
{
    static const char field[] = "Expire date:";
    struct curl_certinfo *found = NULL;
    if (curl_easy_getinfo(curl, CURLINFO_CERTINFO, &found) != CURLE_OK || found == NULL ||
        found->num_of_certs == 0)
        return 0;
    for (const struct curl_slist *line = found->certinfo[0]; line != NULL; line = line->next)
        if (strncmp(line->data, field, strlen(field)) == 0)
            return read_moment(line->data + strlen(field));
    return 0;
}

/* Whose certificate it is does not matter for who answers. The range is the part that is asked for,
 * as "0-7"; NULL: all. */
static CURLcode ask(const char *url, const char *range, struct answer *answer,
                    char reason[static PROBE_REASON_SIZE])
{
    const char *type = NULL;
    char words[CURL_ERROR_SIZE] = "";
    CURL *curl = curl_easy_init();
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_RANGE, range);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer->body);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, words);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)SECONDS);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
    curl_easy_setopt(curl, CURLOPT_CERTINFO, 1L);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer->status);
    curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
    answer->is_image = type != NULL && strncmp(type, "image/", strlen("image/")) == 0;
    answer->is_apache = is_from_apache(curl);
    answer->certificate_ends_at = end_of_certificate(curl);
    curl_easy_cleanup(curl);
    buffer_add(&answer->body, "", 1);
    if (code != CURLE_OK)
        snprintf(reason, PROBE_REASON_SIZE, "%s",
                 *words != '\0' ? words : curl_easy_strerror(code));
    return code;
}

/* What the service itself says, beside what others may. */
static enum probe_outcome judge(const char *answer, enum status good,
                                char reason[static PROBE_REASON_SIZE])
{
    if (strstr(answer, status_text(good)) != NULL)
        return PROBE_GOOD;
    bool is_unwell = strstr(answer, status_text(STATUS_UNAVAILABLE)) != NULL;
    snprintf(reason, PROBE_REASON_SIZE, "%s",
             is_unwell ? "the web server does not reach the service"
                       : "what answers there is not the map diary");
    return is_unwell ? PROBE_UNWELL : PROBE_OTHER;
}

static enum probe_outcome without_answer(CURLcode code)
{
    return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ? PROBE_NOBODY
                                                                               : PROBE_SILENT;
}

/* An operation that nobody has is refused by the service itself, without the database. */
enum probe_outcome probe_web(const char *url, bool *is_apache,
                             char reason[static PROBE_REASON_SIZE])
{
    struct answer answer = {.status = 0};
    char asked[2048];
    snprintf(asked, sizeof asked, "%s?func=", url);
    CURLcode code = ask(asked, NULL, &answer, reason);
    enum probe_outcome outcome = code == CURLE_OK
                                     ? judge(answer.body.data, STATUS_UNKNOWN_FUNC, reason)
                                     : without_answer(code);
    *is_apache = answer.is_apache;
    buffer_free(&answer.body);
    return outcome;
}

static enum probe_outcome judge_photo(const struct answer *answer, bool is_there,
                                      char reason[static PROBE_REASON_SIZE])
{
    enum probe_outcome said = judge(answer->body.data, STATUS_PHOTO_NOT_FOUND, reason);
    if (is_there && answer->status == 200 && answer->is_image)
        return PROBE_GOOD;
    if (!is_there || said == PROBE_UNWELL)
        return said;
    snprintf(reason, PROBE_REASON_SIZE, "a photo is answered with %ld there%s", answer->status,
             said == PROBE_GOOD ? ", by another map diary or without its file" : "");
    return answer->status == 403 ? PROBE_FORBIDDEN : PROBE_OTHER;
}

bool probe_certificate(const char *url, int64_t *ends_at, bool *is_apache,
                       char reason[static PROBE_REASON_SIZE])
{
    struct answer answer = {.status = 0};
    CURLcode code = ask(url, NULL, &answer, reason);
    if (code == CURLE_OK && answer.certificate_ends_at == 0)
        snprintf(reason, PROBE_REASON_SIZE, "the certificate cannot be read");
    *ends_at = answer.certificate_ends_at;
    *is_apache = answer.is_apache;
    buffer_free(&answer.body);
    return code == CURLE_OK && *ends_at != 0;
}

enum probe_outcome probe_photo(const char *url, bool is_there,
                               char reason[static PROBE_REASON_SIZE])
{
    struct answer answer = {.status = 0};
    CURLcode code = ask(url, NULL, &answer, reason);
    enum probe_outcome outcome =
        code == CURLE_OK ? judge_photo(&answer, is_there, reason) : without_answer(code);
    buffer_free(&answer.body);
    return outcome;
}

/* Its first bytes: https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md */
#define TILES_MAGIC "PMTiles\3"

static enum probe_outcome judge_tiles(const struct answer *answer,
                                      char reason[static PROBE_REASON_SIZE])
{
    bool is_part = answer->status == 206;
    if (is_part && strcmp(answer->body.data, TILES_MAGIC) == 0)
        return PROBE_GOOD;
    if (is_part)
        snprintf(reason, PROBE_REASON_SIZE, "there is no PMTiles file, version 3");
    else
        snprintf(reason, PROBE_REASON_SIZE, "a part of it is answered with %ld there",
                 answer->status);
    return PROBE_OTHER;
}

/* A server that sends all of a large file has answered, although the body was cut. */
enum probe_outcome probe_tiles(const char *url, char reason[static PROBE_REASON_SIZE])
{
    struct answer answer = {.status = 0};
    CURLcode code = ask(url, "0-7", &answer, reason);
    bool is_answered = code == CURLE_OK || code == CURLE_WRITE_ERROR;
    enum probe_outcome outcome = is_answered ? judge_tiles(&answer, reason) : without_answer(code);
    buffer_free(&answer.body);
    return outcome;
}
