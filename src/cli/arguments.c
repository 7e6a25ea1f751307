#include "cli/arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

static const struct parameter json = {
    .name = "json", .meaning = "print JSON: one document, its fields named as in the interface"};
static const struct parameter yes = {.name = "yes", .meaning = "do it without asking"};
static const struct parameter help = {.name = "help", .meaning = "print how the command is used"};

static size_t parameters_count(const struct parameter *parameters)
{
    size_t count = 0;
    while (parameters[count].name != NULL)
        count++;
    return count;
}

const struct parameter *const *arguments_common(const struct command *command)
{
    static const struct parameter *const sets[2][2][4] = {
        {{&help}, {&yes, &help}},
        {{&json, &help}, {&json, &yes, &help}},
    };
    return sets[command->shows != SHOWS_NOTHING][command->destroys != NULL];
}

/* What a reading knows. The number that getopt answers for an option is FIRST and its index. */
enum { FIRST = 256 };
struct reading {
    const struct command *command;
    struct arena *arena;
    struct arguments *arguments;
    struct option options[PARAMETERS_MOST + 4];
    size_t option_count;
    size_t own; /* how many parameters the command has itself */
};

static void add_option(struct reading *reading, const struct parameter *parameter, size_t index)
{
    if (parameter->operand)
        return;
    reading->options[reading->option_count++] = (struct option){
        .name = parameter->name,
        .has_arg = parameter->type.kind == VALUE_FLAG ? no_argument : required_argument,
        .val = FIRST + (int)index,
    };
}

static bool complain(const struct parameter *parameter, const char *reason)
{
    log_error("%s%s: %s", parameter->operand ? "" : "--", parameter->name, reason);
    return false;
}

/* One more text and number behind those that the parameter has. */
static void append(struct reading *reading, struct value *value, const char *text, int64_t number)
{
    struct arena *arena = reading->arena;
    const char **texts = arena_take_array(arena, value->count + 1, sizeof *texts);
    int64_t *numbers = arena_take_array(arena, value->count + 1, sizeof *numbers);
    if (value->count > 0) {
        memcpy(texts, value->texts, value->count * sizeof *texts);
        memcpy(numbers, value->numbers, value->count * sizeof *numbers);
    }
    texts[value->count] = text;
    numbers[value->count++] = number;
    value->texts = texts;
    value->numbers = numbers;
}

/* The line feed that ends the last line is not part of the text. NULL where it is none. */
static const char *read_standard_input(struct arena *arena)
{
    struct buffer input = {0};
    size_t got = 0;
    do {
        got = fread(buffer_room(&input, 65536), 1, 65536, stdin);
        input.length += got;
    } while (got > 0);
    bool has_nul = input.length > 0 && memchr(input.data, '\0', input.length) != NULL;
    if (input.length > 0 && input.data[input.length - 1] == '\n')
        input.length--;
    const char *text = has_nul ? NULL : arena_copy(arena, input.data, input.length);
    buffer_free(&input);
    return text;
}

static bool refuse(const struct parameter *parameter, const char *text)
{
    struct buffer reason = {0};
    complain(parameter, value_refusal(&parameter->type, text, &reason));
    buffer_free(&reason);
    return false;
}

static bool take(struct reading *reading, size_t index, const char *text)
{
    const struct parameter *parameter = &reading->command->parameters[index];
    struct value *value = &reading->arguments->values[index];
    struct typed_value got = {0};
    if (value->count > 0 && !parameter->many)
        return complain(parameter, "stands twice");
    const char *bytes = text;
    if (parameter->from_input && strcmp(text, "-") == 0)
        bytes = read_standard_input(reading->arena);
    if (bytes == NULL || value_read_bytes(&parameter->type, bytes, &got) != STATUS_OK)
        return refuse(parameter, text);
    value->text = got.text;
    value->number = got.number;
    value->subject = (enum subject)got.word;
    append(reading, value, got.text, got.number);
    return true;
}

static bool take_common(struct reading *reading, size_t index)
{
    const struct parameter *parameter = arguments_common(reading->command)[index];
    struct arguments *arguments = reading->arguments;
    arguments->json = arguments->json || parameter == &json;
    arguments->yes = arguments->yes || parameter == &yes;
    arguments->help = arguments->help || parameter == &help;
    return true;
}

static bool take_options(struct reading *reading, int argc, char **argv)
{
    int option;
    optind = 0; /* glibc's way to start anew, with other rules than those of main() */
    while ((option = getopt_long(argc, argv, ":h", reading->options, NULL)) != -1) {
        const char *word = argv[optind - 1];
        if (option == 'h') {
            reading->arguments->help = true;
        } else if (option == ':' || option == '?') {
            log_error("%s: %s", word, option == ':' ? "takes a value" : "no such option");
            return false;
        } else {
            size_t index = (size_t)(option - FIRST);
            bool taken = index < reading->own ? take(reading, index, optarg != NULL ? optarg : "")
                                              : take_common(reading, index - reading->own);
            if (!taken)
                return false;
        }
    }
    return true;
}

/* The operands in the order of the table. */
static bool take_operands(struct reading *reading, int count, char **words)
{
    const struct parameter *parameters = reading->command->parameters;
    size_t index = 0;
    for (int i = 0; i < count; i++) {
        while (index < reading->own &&
               (!parameters[index].operand ||
                (reading->arguments->values[index].count > 0 && !parameters[index].many)))
            index++;
        if (index == reading->own) {
            log_error("%s: one word too many", words[i]);
            return false;
        }
        if (!take(reading, index, words[i]))
            return false;
    }
    return true;
}

static bool has_all(const struct reading *reading)
{
    for (size_t i = 0; i < reading->own; i++) {
        const struct parameter *parameter = &reading->command->parameters[i];
        if (parameter->required && reading->arguments->values[i].count == 0)
            return complain(parameter, "missing");
    }
    return true;
}

enum status arguments_read(const struct command *command, struct arena *arena, int argc,
                           char **argv, struct arguments *arguments)
{
    struct reading reading = {.command = command, .arena = arena, .arguments = arguments};
    const struct parameter *const *common = arguments_common(command);
    reading.own = parameters_count(command->parameters);
    for (size_t i = 0; i < reading.own; i++)
        add_option(&reading, &command->parameters[i], i);
    for (size_t i = 0; common[i] != NULL; i++)
        add_option(&reading, common[i], reading.own + i);
    opterr = 0;
    *arguments = (struct arguments){0};
    if (!take_options(&reading, argc, argv))
        return STATUS_PARAMETER_INVALID;
    if (arguments->help)
        return STATUS_OK;
    return take_operands(&reading, argc - optind, argv + optind) && has_all(&reading)
               ? STATUS_OK
               : STATUS_PARAMETER_INVALID;
}
