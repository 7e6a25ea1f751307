#include "fcgi/responder.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"

/* Bytes of an answer that are framed before they are sent; and a stage that holds as many again,
 * with what libfcgi adds and had kept back. */
enum { PIECE = 32768, STAGE_SIZE = 131072 };

static bool fail_memory(void)
{
    log_error("memfd: %s", strerror(errno));
    return false;
}

static bool open_memory(struct responder *responder)
{
    if (responder->memory >= 0)
        return true;
    responder->memory = memfd_create("request", MFD_CLOEXEC);
    responder->memory_size = 0;
    return responder->memory >= 0 || fail_memory();
}

static void close_stage(struct responder *responder)
{
    if (responder->staged != NULL)
        munmap(responder->staged, STAGE_SIZE);
    responder->staged = NULL;
    if (responder->stage >= 0)
        close(responder->stage);
    responder->stage = -1;
}

static bool open_stage(struct responder *responder)
{
    if (responder->stage >= 0)
        return true;
    close_stage(responder);
    responder->stage = memfd_create("answer", MFD_CLOEXEC);
    if (responder->stage < 0 || ftruncate(responder->stage, STAGE_SIZE) != 0)
        return fail_memory();
    void *staged = mmap(NULL, STAGE_SIZE, PROT_READ, MAP_SHARED, responder->stage, 0);
    responder->staged = staged != MAP_FAILED ? staged : NULL;
    return responder->staged != NULL || fail_memory();
}

bool responder_open(struct responder *responder, const struct spool *spool)
{
    responder->memory = responder->stage = -1;
    responder->spool = spool;
    if (FCGX_Init() == 0 &&
        FCGX_InitRequest(&responder->fastcgi, -1, FCGI_FAIL_ACCEPT_ON_INTR) == 0)
        return open_memory(responder) && open_stage(responder);
    log_error("fastcgi: libfcgi does not start");
    return false;
}

/* Nothing of the request before may be behind this one. */
static bool fill_memory(struct responder *responder, const struct buffer *records)
{
    size_t before = responder->memory_size;
    responder->memory_size = records->length;
    if (pwrite(responder->memory, records->data, records->length, 0) == (ssize_t)records->length &&
        (records->length >= before || ftruncate(responder->memory, (off_t)records->length) == 0))
        return true;
    return fail_memory();
}

/* The file that has the records from its start; -1 where there is none. */
static int file_of(struct responder *responder, const struct input *input)
{
    if (!open_memory(responder) || !open_stage(responder) ||
        (!input->file.is_open && !fill_memory(responder, &input->records)))
        return -1;
    int file = input->file.is_open ? input->file.descriptor : responder->memory;
    return lseek(file, 0, SEEK_SET) == 0 ? file : -1;
}

/* libfcgi closes what it could not read. */
static bool fail(struct responder *responder, struct input *input)
{
    log_error("fastcgi: libfcgi does not take a request");
    if (input->file.is_open)
        input->file.descriptor = -1;
    else
        responder->memory = -1;
    return false;
}

/* Writes nothing, and closes nothing. */
void responder_give_back(struct responder *responder)
{
    responder->fastcgi.ipcFd = -1;
    FCGX_Free(&responder->fastcgi, 0);
}

/*
 * FCGX_Accept_r() reads a request from a descriptor, after an accept of its own that has no time
 * limit and ignores signals. So it gets the descriptor of a file with the records, through fields
 * that its header calls private; here alone. With keepConnection set libfcgi closes neither that
 * nor the stage, which takes the file's place for the answer. On an error it closes what it has,
 * all the same, and tries to accept on its listening socket, -1, which fails. It answers 0 for a
 * request that ends within its variables, too, and FCGX_GetError() alone tells.
 */
bool responder_begin(struct responder *responder, struct input *input, int connection)
{
    FCGX_Request *fastcgi = &responder->fastcgi;
    int file = file_of(responder, input);
    if (file < 0)
        return false;
    fastcgi->ipcFd = file;
    fastcgi->keepConnection = 1;
    if (FCGX_Accept_r(fastcgi) != 0)
        return fail(responder, input);
    fastcgi->keepConnection = 1;
    fastcgi->appStatus = 0;
    responder->output = (struct output){.connection = connection};
    responder->body_length = input->body_length;
    responder->body_is_cut = input_is_cut(input);
    if (FCGX_GetError(fastcgi->in) == 0)
        return true;
    responder_give_back(responder);
    log_error("fastcgi: libfcgi does not find a request's variables");
    return false;
}

const char *responder_variable(const struct responder *responder, const char *name)
{
    return FCGX_GetParam(name, responder->fastcgi.envp);
}

/* The first pair of that name, from this one on; the NULL at their end where there is none. */
static char **pair_of(char **pair, const char *name)
{
    size_t length = strlen(name);
    while (*pair != NULL && (strncmp(*pair, name, length) != 0 || (*pair)[length] != '='))
        pair++;
    return pair;
}

bool responder_has_again(const struct responder *responder, const char *name)
{
    char **first = pair_of(responder->fastcgi.envp, name);
    return *first != NULL && *pair_of(first + 1, name) != NULL;
}

const char *responder_joined(const struct responder *responder, const char *name,
                             const char *between, struct arena *arena)
{
    char **first = pair_of(responder->fastcgi.envp, name);
    size_t start = strlen(name) + 1, length = 0;
    if (*first == NULL || *pair_of(first + 1, name) == NULL)
        return *first != NULL ? *first + start : NULL;
    for (char **pair = first; *pair != NULL; pair = pair_of(pair + 1, name))
        length += strlen(*pair + start) + strlen(between);
    char *joined = arena_take(arena, length + 1), *out = stpcpy(joined, *first + start);
    for (char **pair = first; *(pair = pair_of(pair + 1, name)) != NULL;)
        out = stpcpy(stpcpy(out, between), *pair + start);
    return joined;
}

size_t responder_read(struct responder *responder, char *to, size_t length)
{
    size_t most = length < INT_MAX ? length : INT_MAX;
    int got = FCGX_GetStr(to, (int)most, responder->fastcgi.in);
    return got > 0 ? (size_t)got : 0;
}

/* Nothing of the answer before may be in front of this one. */
static bool rewind_stage(struct responder *responder)
{
    responder->written = 0;
    return lseek(responder->stage, 0, SEEK_SET) == 0;
}

bool responder_turn(struct responder *responder)
{
    FCGX_Request *fastcgi = &responder->fastcgi;
    char dropped[4096];
    while (responder_read(responder, dropped, sizeof dropped) > 0)
        continue;
    fastcgi->ipcFd = responder->stage;
    responder->is_broken = !rewind_stage(responder);
    if (FCGX_GetError(fastcgi->in) == 0)
        return true;
    log_error("fastcgi: libfcgi does not find the end of a request");
    return false;
}

static bool send_staged(struct responder *responder)
{
    off_t length = lseek(responder->stage, 0, SEEK_CUR);
    if (responder->is_broken || length < 0 || length > STAGE_SIZE ||
        output_add(&responder->output, responder->spool, responder->staged, (size_t)length) !=
            STATUS_OK)
        responder->is_broken = true;
    return !responder->is_broken;
}

bool responder_write(struct responder *responder, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length && !responder->is_broken;) {
        int part = length - at > PIECE ? PIECE : (int)(length - at);
        if (FCGX_PutStr(bytes + at, part, responder->fastcgi.out) != part)
            responder->is_broken = true;
        at += (size_t)part;
        responder->written += (size_t)part;
        if (responder->written >= PIECE && send_staged(responder) && !rewind_stage(responder))
            responder->is_broken = true;
    }
    return !responder->is_broken;
}

void responder_break(struct responder *responder)
{
    responder->is_broken = true;
}

/* A request that was read to its end has nothing more to come that could reset the connection under
 * the answer, so a plain close(2) does. */
bool responder_end(struct responder *responder)
{
    struct output *output = &responder->output;
    FCGX_Finish_r(&responder->fastcgi);
    if (responder->fastcgi.ipcFd < 0)
        responder->stage = -1;
    responder->fastcgi.ipcFd = -1;
    if (responder->stage < 0 || !send_staged(responder))
        output_break(output, responder->spool);
    if (output_left(output) > 0)
        return false;
    output_close(output, responder->spool);
    return true;
}

void responder_close(struct responder *responder)
{
    FCGX_Free(&responder->fastcgi, 1);
    close_stage(responder);
    if (responder->memory >= 0)
        close(responder->memory);
    responder->memory = -1;
}
