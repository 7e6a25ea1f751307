#include "ctl/probe.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/status.h"

enum { SECONDS = 5, ANSWER_MOST = 65536 };

/* Runs the transfer and takes it down; the reason is libcurl's. */
static bool perform(CURL *curl, char *reason)
{
    char words[CURL_ERROR_SIZE] = "";
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, words);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)SECONDS);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    CURLcode code = curl_easy_perform(curl);
    curl_easy_cleanup(curl);
    if (code != CURLE_OK)
        snprintf(reason, PROBE_REASON_SIZE, "%s",
                 *words != '\0' ? words : curl_easy_strerror(code));
    return code == CURLE_OK;
}

bool probe_socket(const char *listen, char reason[static PROBE_REASON_SIZE])
{
    static const char unix_prefix[] = "unix:";
    CURL *curl = curl_easy_init();
    char url[PROBE_REASON_SIZE];
    bool is_unix = strncmp(listen, unix_prefix, sizeof unix_prefix - 1) == 0;
    snprintf(url, sizeof url, "http://%s/", is_unix ? "localhost" : listen);
    if (is_unix)
        curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, listen + sizeof unix_prefix - 1);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
    return perform(curl, reason);
}

static size_t take_answer(char *bytes, size_t size, size_t count, void *answer)
{
    struct buffer *taken = answer;
    if (taken->length + size * count > ANSWER_MOST)
        return 0;
    buffer_add(taken, bytes, size * count);
    return size * count;
}

/* An operation that nobody has is refused by the service itself, without the database. */
bool probe_service(const char *url, char reason[static PROBE_REASON_SIZE])
{
    struct buffer answer = {0};
    char asked[2048];
    CURL *curl = curl_easy_init();
    snprintf(asked, sizeof asked, "%s?func=", url);
    curl_easy_setopt(curl, CURLOPT_URL, asked);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
    bool good = perform(curl, reason);
    buffer_add(&answer, "", 1);
    if (good && strstr(answer.data, status_text(STATUS_UNKNOWN_FUNC)) == NULL) {
        snprintf(reason, PROBE_REASON_SIZE, "what answers there is not the map diary");
        good = false;
    }
    buffer_free(&answer);
    return good;
}
