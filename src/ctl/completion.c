#include <stdio.h>
#include <string.h>

#include "cli/arguments.h"
#include "ctl/groups.h"

/*
 * The shell's part is short: it asks us for the words. What we answer comes from the same tables as
 * everything else.
 */
static const char script[] =
    "# bash completion of mapdiaryctl: source <(mapdiaryctl completion)\n"
    "_mapdiaryctl() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]}\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$(\"${COMP_WORDS[0]}\" completion --words -- \\\n"
    "        \"${COMP_WORDS[@]:1:COMP_CWORD-1}\" 2>/dev/null)\" -- \"$current\")\n"
    "    [ ${#COMPREPLY[@]} -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
    "}\n"
    "complete -o filenames -F _mapdiaryctl mapdiaryctl\n";

enum { WORDS, BEFORE };

static const struct parameter parameters[] = {
    [WORDS] = {.name = "words",
               .type = {.kind = VALUE_FLAG},
               .meaning = "print the words that may come after those given, instead of the script"},
    [BEFORE] = {.name = "WORD",
                .type = {VALUE_TEXT, RANGE(0, INT64_MAX)},
                .operand = true,
                .many = true,
                .meaning = "the words on the line so far"},
    PARAMETERS_END,
};

/* The value of an option: its words where it has some; else the shell offers files. */
static bool print_value_words(const struct command *command, const char *last)
{
    for (const struct parameter *parameter = command->parameters; parameter->name != NULL;
         parameter++) {
        if (parameter->operand || parameter->type.kind == VALUE_FLAG ||
            strncmp(last, "--", 2) != 0 || strcmp(last + 2, parameter->name) != 0)
            continue;
        for (size_t i = 0; parameter->type.kind == VALUE_CHOICE && parameter->type.words[i] != NULL;
             i++)
            puts(parameter->type.words[i]);
        return true;
    }
    return false;
}

/* Of a subject, what stands before its identifier. */
static void print_operand_words(const struct value_type *type)
{
    for (size_t i = 0; type->words != NULL && type->words[i] != NULL; i++)
        printf("%s%s\n", type->words[i], type->kind == VALUE_SUBJECT ? ":" : "");
}

static void print_options(const struct command *command)
{
    for (const struct parameter *parameter = command->parameters; parameter->name != NULL;
         parameter++)
        if (parameter->operand)
            print_operand_words(&parameter->type);
        else
            printf("--%s\n", parameter->name);
    for (const struct parameter *const *common = arguments_common(command); *common != NULL;
         common++)
        printf("--%s\n", (*common)->name);
}

static void print_for_group(const struct command_group *group, size_t count,
                            const char *const *words)
{
    const struct command *command = group->commands;
    if (command->name != NULL && count == 0) {
        for (; command->run != NULL; command++)
            puts(command->name);
        return;
    }
    while (command->name != NULL && strcmp(command->name, words[0]) != 0)
        command++;
    if (command->run != NULL && (count == 0 || !print_value_words(command, words[count - 1])))
        print_options(command);
}

/* mapdiaryctl's own -c and its file come before the group. */
static void print_words(const struct command_group *group, size_t count, const char *const *words)
{
    while (count >= 2 && strcmp(words[0], "-c") == 0) {
        words += 2;
        count -= 2;
    }
    for (; count == 0 && group->name != NULL; group++)
        puts(group->name);
    while (count > 0 && group->name != NULL && strcmp(group->name, words[0]) != 0)
        group++;
    if (count > 0 && group->name != NULL)
        print_for_group(group, count - 1, words + 1);
}

static int completion(struct invocation *run)
{
    if (run->values[WORDS].text == NULL)
        fputs(script, stdout);
    else
        print_words(run->program->groups, run->values[BEFORE].count, run->values[BEFORE].texts);
    return EXIT_DONE;
}

const struct command completion_commands[] = {
    {.summary = "print what bash needs to complete the words of mapdiaryctl",
     .details =
         "For one shell: source <(mapdiaryctl completion). If the package bash-completion is "
         "there, bash finds the installed completion of mapdiaryctl by itself.",
     .parameters = parameters,
     .needs_no_config = true,
     .run = completion},
    COMMANDS_END,
};
