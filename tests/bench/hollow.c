/*
 * The service as it is, but for what its handlers do: they run the statements of a read, look at
 * nothing that comes back, and answer with the bytes of a file. What the service takes beyond it
 * goes into reading rows and writing XML.
 *
 * MAPDIARY_HOLLOW_ANSWER is the file, with what stands after the status in the document, and
 * MAPDIARY_HOLLOW_STATEMENTS the names, with a blank between. Linked before the service's own
 * table of operations, this one takes its place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "find_statement.h"
#include "ops/operations.h"

enum { STATEMENTS_MOST = 8, ANSWER_MOST = 65536 };

struct input {
    int64_t id;
};

static const struct db_statement *statements[STATEMENTS_MOST];
static size_t statement_count;
static char answer[ANSWER_MOST];
static size_t answer_length;

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    if (value != NULL)
        return value;
    fprintf(stderr, "hollow: %s is not set\n", name);
    exit(EXIT_FAILURE);
}

static void find_statements(void)
{
    char *names = strdup(environment("MAPDIARY_HOLLOW_STATEMENTS"));
    for (char *at = names, *name; (name = strsep(&at, " ")) != NULL;) {
        const struct db_statement *statement = find_statement(name);
        if (statement == NULL || statement_count == STATEMENTS_MOST)
            abort();
        statements[statement_count++] = statement;
    }
    free(names);
}

static void read_answer(void)
{
    FILE *file = fopen(environment("MAPDIARY_HOLLOW_ANSWER"), "rb");
    if (file == NULL)
        abort();
    answer_length = fread(answer, 1, sizeof answer, file);
    if (answer_length == 0 || answer_length == sizeof answer)
        abort();
    fclose(file);
}

static enum status handle(struct call *call)
{
    const struct input *input = call->input;
    if (statement_count == 0) {
        find_statements();
        read_answer();
    }
    for (size_t i = 0; i < statement_count; i++)
        DB_ADD(call->batch, statements[i], db_integer(input->id));
    enum status status = db_batch_run(call->batch);
    if (status == STATUS_OK)
        buffer_add(call->answer, answer, answer_length);
    return status;
}

static const struct param_spec poi = {"POIID", PARAM_INTEGER, 0, PARAM_ID_RANGE};
static const struct param_spec blog = {"blogID", PARAM_INTEGER, 0, PARAM_ID_RANGE};
static const struct param_spec album = {"albumID", PARAM_INTEGER, 0, PARAM_ID_RANGE};

#define READ(func, access, param)                                                   \
    {                                                                               \
        func, NULL, OPERATION_READ, access, &param, 1, sizeof(struct input), handle \
    }

const struct operation operations[] = {
    READ("getPOI", ACCESS_ANYONE, poi),
    READ("getBlog", ACCESS_READER, blog),
    READ("getAlbum", ACCESS_ANYONE, album),
    {.func = NULL},
};
