#include "ctl/probe.h"

#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/status.h"

enum { SECONDS = 5, ANSWER_MOST = 65536 };

static size_t take_answer(char *bytes, size_t size, size_t count, void *answer)
{
    struct buffer *taken = answer;
    if (taken->length + size * count > ANSWER_MOST)
        return 0;
    buffer_add(taken, bytes, size * count);
    return size * count;
}

/* Whose certificate it is does not matter for who answers on this machine. */
static CURLcode ask(const char *url, struct buffer *answer, char reason[static PROBE_REASON_SIZE])
{
    char words[CURL_ERROR_SIZE] = "";
    CURL *curl = curl_easy_init();
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, words);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)SECONDS);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_cleanup(curl);
    buffer_add(answer, "", 1);
    if (code != CURLE_OK)
        snprintf(reason, PROBE_REASON_SIZE, "%s",
                 *words != '\0' ? words : curl_easy_strerror(code));
    return code;
}

static enum probe_outcome judge(const char *answer, char reason[static PROBE_REASON_SIZE])
{
    if (strstr(answer, status_text(STATUS_UNKNOWN_FUNC)) != NULL)
        return PROBE_GOOD;
    bool is_unwell = strstr(answer, status_text(STATUS_UNAVAILABLE)) != NULL;
    snprintf(reason, PROBE_REASON_SIZE, "%s",
             is_unwell ? "the web server does not reach the service"
                       : "what answers there is not the map diary");
    return is_unwell ? PROBE_UNWELL : PROBE_OTHER;
}

/* An operation that nobody has is refused by the service itself, without the database. */
enum probe_outcome probe_web(const char *url, char reason[static PROBE_REASON_SIZE])
{
    struct buffer answer = {0};
    char asked[2048];
    snprintf(asked, sizeof asked, "%s?func=", url);
    CURLcode code = ask(asked, &answer, reason);
    enum probe_outcome outcome = code == CURLE_OK                ? judge(answer.data, reason)
                                 : code == CURLE_COULDNT_CONNECT ? PROBE_NOBODY
                                                                 : PROBE_SILENT;
    buffer_free(&answer);
    return outcome;
}
