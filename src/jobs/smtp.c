#include "jobs/smtp.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "mail/server.h"

enum {
    CONNECT_MOST = 20, /* seconds */
    REPLY_MOST = 60,   /* that the server may take to answer a command */
    ALL_MOST = 180,
    TRY_MOST = 10, /* to connect and log in */
};

/* How far it came, by the last command. */
enum stage { STAGE_BEGUN, STAGE_RECIPIENT, STAGE_TEXT };

struct transfer {
    const struct buffer *message;
    size_t sent;
    enum stage stage;
    bool is_over; /* QUIT was said */
    void (*alive)(void);
    char *reply;
};

bool smtp_open(void)
{
    bool good = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    if (!good)
        log_error("libcurl cannot be initialized");
    return good;
}

void smtp_close(void)
{
    curl_global_cleanup();
}

static size_t give(char *room, size_t size, size_t count, void *context)
{
    struct transfer *transfer = context;
    size_t left = transfer->message->length - transfer->sent, most = size * count;
    size_t given = left < most ? left : most;
    memcpy(room, transfer->message->data + transfer->sent, given);
    transfer->sent += given;
    return given;
}

/* Nobody waits for what is said to QUIT: the transfer ends there. */
static int tell_alive(void *context, curl_off_t down_all, curl_off_t down, curl_off_t up_all,
                      curl_off_t up)
{
    const struct transfer *transfer = context;
    (void)down_all, (void)down, (void)up_all, (void)up;
    transfer->alive();
    return transfer->is_over;
}

/* What is sent as the name of a user or a password is no command. */
static void note_command(struct transfer *transfer, const char *line, size_t length)
{
    static const struct {
        const char *verb;
        enum stage stage;
    } verbs[] = {{"RCPT ", STAGE_RECIPIENT}, {"DATA", STAGE_TEXT}};
    transfer->is_over = transfer->is_over || strncmp(line, "QUIT", length < 4 ? length : 4) == 0;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (length >= strlen(verbs[i].verb) && verbs[i].stage > transfer->stage &&
            strncmp(line, verbs[i].verb, strlen(verbs[i].verb)) == 0)
            transfer->stage = verbs[i].stage;
}

/* What is said to QUIT is no answer to the mail. */
static void note_reply(struct transfer *transfer, const char *line, size_t length)
{
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        length--;
    if (transfer->is_over || length == 0)
        return;
    snprintf(transfer->reply, SMTP_REPLY_SIZE, "%.*s", (int)length, line);
    text_make_printable(transfer->reply, strlen(transfer->reply));
}

static int watch(CURL *curl, curl_infotype type, char *data, size_t size, void *context)
{
    (void)curl;
    if (type == CURLINFO_HEADER_OUT)
        note_command(context, data, size);
    if (type == CURLINFO_HEADER_IN)
        note_reply(context, data, size);
    return 0;
}

static long tls_of(const struct config *config)
{
    bool wants = config->mail_tls == MAIL_TLS_ALWAYS ||
                 (config->mail_tls == MAIL_TLS_AUTO && !server_is_local(config->mail_server));
    return wants ? CURLUSESSL_ALL : CURLUSESSL_NONE;
}

static void set_server(CURL *curl, const struct config *config, const struct smtp_account *account)
{
    curl_easy_setopt(curl, CURLOPT_URL, config->mail_server);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_USE_SSL, tls_of(config));
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_MOST);
    curl_easy_setopt(curl, CURLOPT_SERVER_RESPONSE_TIMEOUT, (long)REPLY_MOST);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)ALL_MOST);
    if (*config->mail_ca_file != '\0')
        curl_easy_setopt(curl, CURLOPT_CAINFO, config->mail_ca_file);
    if (account->user == NULL)
        return;
    curl_easy_setopt(curl, CURLOPT_USERNAME, account->user);
    curl_easy_setopt(curl, CURLOPT_PASSWORD, account->password);
}

/* A connection that is kept would be ended by curl_easy_cleanup(), which waits for the answer to
 * QUIT and tells nobody that it is alive. */
static void set_transfer(CURL *curl, struct transfer *transfer)
{
    curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, tell_alive);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, transfer);
    curl_easy_setopt(curl, CURLOPT_VERBOSE, 1L);
    curl_easy_setopt(curl, CURLOPT_DEBUGFUNCTION, watch);
    curl_easy_setopt(curl, CURLOPT_DEBUGDATA, transfer);
}

/* It wants a name, or another one (RFC 4954, section 6). */
static bool wants_login(long code)
{
    return code == 530 || code == 534 || code == 535 || code == 538;
}

/* Of the policy of the server, not of this recipient: it relays for others (RFC 3463, X.7). */
static bool is_policy(const struct transfer *transfer)
{
    const char *detail = strpbrk(transfer->reply, " -");
    return transfer->stage == STAGE_RECIPIENT && detail != NULL &&
           strncmp(detail + 1, "5.7.", 4) == 0;
}

/* Before the recipient is named, nothing is said about this mail. */
static enum smtp_outcome judge(CURLcode result, long code, const struct transfer *transfer)
{
    if (result == CURLE_OK)
        return SMTP_SENT;
    if (transfer->stage == STAGE_BEGUN || wants_login(code))
        return SMTP_AWAY;
    bool is_refused = result != CURLE_OPERATION_TIMEDOUT && code / 100 == 5;
    return is_refused && !is_policy(transfer) ? SMTP_NEVER : SMTP_LATER;
}

static enum smtp_outcome perform(CURL *curl, struct transfer *transfer)
{
    char fault[CURL_ERROR_SIZE] = "";
    long code = 0;
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, fault);
    CURLcode result = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, NULL);
    enum smtp_outcome outcome = judge(result, code, transfer);
    size_t used = strlen(transfer->reply);
    if (outcome == SMTP_AWAY || (outcome == SMTP_LATER && code / 100 != 4))
        snprintf(transfer->reply + used, SMTP_REPLY_SIZE - used, "%s%s", used > 0 ? " / " : "",
                 *fault != '\0' ? fault : curl_easy_strerror(result));
    return outcome;
}

enum smtp_outcome smtp_send(const struct config *config, const struct smtp_account *account,
                            const char *to, const struct buffer *message, void (*alive)(void),
                            char reply[static SMTP_REPLY_SIZE])
{
    struct transfer transfer = {.message = message, .alive = alive, .reply = reply};
    CURL *curl = curl_easy_init();
    struct curl_slist *recipients = curl_slist_append(NULL, to);
    enum smtp_outcome outcome = SMTP_AWAY;
    snprintf(reply, SMTP_REPLY_SIZE, "%s", curl != NULL && recipients != NULL ? "" : "no memory");
    if (curl != NULL && recipients != NULL) {
        set_server(curl, config, account);
        set_transfer(curl, &transfer);
        curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(curl, CURLOPT_READFUNCTION, give);
        curl_easy_setopt(curl, CURLOPT_READDATA, &transfer);
        curl_easy_setopt(curl, CURLOPT_MAIL_FROM, config->mail_from);
        curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, recipients);
        outcome = perform(curl, &transfer);
    }
    curl_slist_free_all(recipients);
    curl_easy_cleanup(curl);
    return outcome;
}

enum smtp_outcome smtp_try(const struct config *config, const struct smtp_account *account,
                           void (*alive)(void), char reply[static SMTP_REPLY_SIZE])
{
    struct transfer transfer = {.alive = alive, .reply = reply};
    CURL *curl = curl_easy_init();
    enum smtp_outcome outcome = SMTP_AWAY;
    snprintf(reply, SMTP_REPLY_SIZE, "%s", curl != NULL ? "" : "no memory");
    if (curl != NULL) {
        set_server(curl, config, account);
        set_transfer(curl, &transfer);
        curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)TRY_MOST);
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, "NOOP");
        outcome = perform(curl, &transfer);
    }
    curl_easy_cleanup(curl);
    return outcome;
}
