#include "api/held.h"

#include "store/piece.h"
#include "words/list.h"

bool held_back(struct call *call, const struct held_text *texts, size_t count)
{
    const struct word_list *list = call->service->held_words;
    const char *word = NULL;
    for (size_t i = 0; list != NULL && word == NULL && i < count; i++)
        if (texts[i].text != NULL) {
            struct letters letters =
                letters_read(call->service->arena, texts[i].text, texts[i].is_html);
            word = word_list_find(list, &letters);
        }
    if (word != NULL)
        piece_hold_back_add(call->batch, word);
    return word != NULL;
}
