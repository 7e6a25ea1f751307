#include "api/picture.h"

#include <string.h>
#include <unistd.h>

#include "api/operation.h"
#include "base/log.h"
#include "http/cache.h"
#include "http/cookie.h"
#include "http/cors.h"
#include "media/publication.h"
#include "store/photo_file.h"

enum { PUBLIC_AGE = 86400 }; /* seconds, as in the configurations of the web servers */

/* What is asked for, and what there is to it. */
struct asked {
    const struct files *files;
    struct call *call;
    struct publication publication;
    struct picture_name name;
    struct picture_found found;
    struct files_entry file;
};

/* Who may see it ------------------------------------------------------------------------------- */

static enum status read_address(struct asked *asked)
{
    static const enum picture_owner owners[] = {[PUBLICATION_ALBUM] = PICTURE_OF_ALBUM,
                                                [PUBLICATION_POI] = PICTURE_OF_POI,
                                                [PUBLICATION_USER] = PICTURE_OF_USER};
    const char *path = asked->call->request->path_info;
    struct publication *publication = &asked->publication;
    /* A path may be whole for the parser, but that is another address here. */
    if (path == NULL || strncmp(path, "/photos", strlen("/photos")) == 0 ||
        !publication_parse(path, publication))
        return STATUS_PHOTO_NOT_FOUND;
    publication->name = arena_format(asked->call->service->arena, "%.*s", PUBLICATION_NAME_DIGITS,
                                     publication->name);
    asked->name = (struct picture_name){.owner = owners[publication->owner],
                                        .id = publication->id,
                                        .name = publication->name,
                                        .format = publication->format,
                                        .is_large = publication->part != PUBLICATION_SMALL};
    return STATUS_OK;
}

/* What is private is as what is not there. */
static enum status find(struct asked *asked)
{
    struct call *call = asked->call;
    struct session_cookies cookies;
    cookie_read(call->request->cookies, call->service->arena, &cookies);
    enum status status = access_begin(&call->access, ACCESS_READER, &cookies, call->batch);
    if (status != STATUS_OK)
        return status;
    access_add(&call->access, call->batch);
    const struct db_rows *rows =
        picture_find_add(call->batch, &asked->name, access_reader(&call->access));
    status = db_batch_run(call->batch);
    if (status != STATUS_OK)
        return status;
    return picture_read(rows, &asked->found) ? STATUS_OK : STATUS_PHOTO_NOT_FOUND;
}

static enum status find_file(struct asked *asked)
{
    if (asked->files == NULL)
        return STATUS_UNAVAILABLE;
    enum status status =
        files_head(asked->files, FILES_PICTURES, asked->found.digest, &asked->file);
    if (status != STATUS_NOT_FOUND)
        return status;
    log_error("photos%s: its file is not there", asked->call->request->path_info);
    return STATUS_PHOTO_NOT_FOUND;
}

/*
 * Where its session has been lost since, the lock was, too: then it may have become private, and
 * been withdrawn, before there was a link. So the transaction has to be there still.
 */
static void link_while_held(struct asked *asked, const unsigned char *digest)
{
    const struct publication *made = &asked->publication;
    struct db_batch *batch = asked->call->batch;
    if (publication_link(asked->files, made, digest) == STATUS_UNAVAILABLE)
        log_warning("photos%s: it is asked for each time", asked->call->request->path_info);
    picture_find_add(batch, &asked->name, NULL);
    if (db_batch_run_open(batch) != STATUS_OK &&
        publication_withdraw(asked->files, made->owner, made->id, made->name) != STATUS_OK)
        log_error("photos%s: it may be public still", asked->call->request->path_info);
}

/*
 * Has the web server find it the next time. Whoever makes it private or deletes it takes the link
 * away before that is committed: so no link is made but while nobody can. What does not work now
 * is tried when it is asked for again.
 */
static void publish(struct asked *asked)
{
    struct db_batch *batch = asked->call->batch;
    struct picture_found now;
    db_batch_reset(batch);
    const struct db_rows *held = picture_hold_public_add(batch, &asked->name);
    const struct db_rows *rows = picture_find_add(batch, &asked->name, NULL);
    if (db_batch_run_open(batch) == STATUS_OK && db_rows_count(held) > 0 &&
        picture_read(rows, &now))
        link_while_held(asked, now.digest);
    db_batch_reset(batch);
}

/* The answer ----------------------------------------------------------------------------------- */

/* As the web server sends public ones by itself. */
static void add_headers(const struct asked *asked)
{
    const struct call *call = asked->call;
    struct response *response = &call->service->response;
    response->content_type = picture_media_types[asked->publication.format];
    cors_admit(response, call->request, call->service->config, asked->found.is_public,
               call->service->arena);
    if (asked->found.is_public)
        response_cache_control(response, PUBLIC_AGE);
    else
        response_header(response, "Cache-Control", "private, no-store");
    response->policy = "Content-Security-Policy: default-src 'none'\r\n"
                       "Cross-Origin-Resource-Policy: cross-origin\r\n";
}

/* The header by which a web server sends a file itself; NULL where it has not said that it does. */
static const char *name_file(const struct asked *asked, const char **value)
{
    const struct call *call = asked->call;
    const char *means = call->request->sendfile;
    char path[FILES_PATH_SIZE];
    files_path(asked->found.digest, path);
    if (means != NULL && strcmp(means, "accel") == 0) {
        *value = arena_format(call->service->arena, "/.mapdiary-photos/%s", path);
        return "X-Accel-Redirect";
    }
    if (means != NULL && strcmp(means, "xsendfile") == 0) {
        *value = arena_format(call->service->arena, "%s/%s", call->service->config->photo_directory,
                              path);
        return "X-Sendfile";
    }
    return NULL;
}

/* nginx has a validator of its own instead, Apache keeps this one. */
static bool is_known(const struct asked *asked)
{
    const struct request *request = asked->call->request;
    char tag[2 * CRYPTO_DIGEST_SIZE + sizeof "\"\""] = "\"";
    crypto_to_hex(asked->found.digest, CRYPTO_DIGEST_SIZE, tag + 1);
    strcat(tag, "\"");
    response_header(&asked->call->service->response, "ETag", tag);
    return request->if_none_match != NULL && cache_matches(request->if_none_match, tag);
}

static enum status send_bytes(const struct asked *asked)
{
    int descriptor = files_get(asked->files, FILES_PICTURES, asked->found.digest);
    if (descriptor < 0)
        return STATUS_UNAVAILABLE;
    response_send_file(&asked->call->service->response, descriptor, asked->file.length);
    close(descriptor);
    return STATUS_OK;
}

static enum status send(const struct asked *asked)
{
    struct response *response = &asked->call->service->response;
    const char *value = NULL, *header = name_file(asked, &value);
    add_headers(asked);
    if (is_known(asked)) {
        response->http_status = 304;
        response->reason = "Not Modified";
    } else if (header != NULL)
        response_header(response, header, value);
    else
        return send_bytes(asked);
    response_send(response);
    return STATUS_OK;
}

/* Whatever has no status of HTTP is not there. */
static void refuse(const struct call *call, enum status status)
{
    const struct outcome *outcome = status_outcome(status);
    bool is_absent = outcome->http_status == 200;
    struct response *response = &call->service->response;
    response_restart(response);
    response->content_type = "text/plain; charset=utf-8";
    response->http_status = is_absent ? 404 : outcome->http_status;
    response->reason = is_absent ? "Not Found" : outcome->reason;
    buffer_add_format(&response->body, "%s\n", outcome->text);
    if (outcome->retry_after != 0)
        response_header_number(response, "Retry-After", outcome->retry_after);
    if (status == STATUS_METHOD_NOT_ALLOWED)
        response_header(response, "Allow", "GET, HEAD");
    cache_forbid(response);
    response_send(response);
}

static enum status answer(struct asked *asked)
{
    enum status status = read_address(asked);
    if (status == STATUS_OK)
        status = find(asked);
    if (status == STATUS_OK)
        status = find_file(asked);
    if (status == STATUS_OK && asked->found.is_public)
        publish(asked);
    return status != STATUS_OK ? status : send(asked);
}

/* The primary alone knows what is public now. */
enum status picture_answer(struct call *call, enum status status)
{
    struct asked asked = {.files = call->service->photos.files, .call = call};
    bool is_read = call->request->method == METHOD_GET || call->request->method == METHOD_HEAD;
    call->service->response.without_body = call->request->method == METHOD_HEAD;
    call->batch = db_batch_new(route_primary(call->service->route), call->service->arena);
    if (!is_read)
        status = STATUS_METHOD_NOT_ALLOWED;
    if (status == STATUS_OK)
        status = answer(&asked);
    if (status != STATUS_OK)
        refuse(call, status);
    return status;
}
