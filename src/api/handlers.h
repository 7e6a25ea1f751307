/*
 * What the operation table refers to: of each subject what the operations take, what they answer
 * with, and the handlers.
 */
#ifndef MAPDIARY_API_HANDLERS_H
#define MAPDIARY_API_HANDLERS_H

#include "api/finding.h"
#include "api/operation.h"
#include "api/paging.h"
#include "model/account.h"
#include "model/advertisement.h"
#include "model/album.h"
#include "model/blog.h"
#include "model/entry.h"
#include "model/poi.h"
#include "model/report.h"
#include "model/subject.h"

/* Of struct album_fields. */
extern const struct param_spec new_album_params[], album_params[], album_id_params[];
/* Of struct blog_fields. */
extern const struct param_spec new_blog_params[], blog_params[], blog_id_params[];

struct reading {
    int64_t id; /* of a POI or a user, or a category */
};
struct entry_reading {
    int64_t id; /* of a user, or a category */
    struct paging paging;
};
/* Of struct reading, and of struct entry_reading. */
extern const struct param_spec poi_id_params[], user_id_params[];
extern const struct param_spec album_list_params[], poi_list_params[];

struct new_photo {
    int64_t album_id, poi_id; /* one of them is 0 */
    const struct upload *file;
    const char *description;
    int64_t position;
};
/* Of struct new_photo, and of struct photo_fields. */
extern const struct param_spec new_photo_params[], photo_params[], photo_id_params[];

struct user_written {
    const char *name;
    const struct upload *icon;
};
/* Of struct user_written. */
extern const struct param_spec user_params[];
struct piece_fields {
    int64_t ids[SUBJECT_COUNT]; /* one of which is not 0: piece_named() */
};
/* Of struct piece_fields, and of whatever begins with one. */
extern const struct param_spec piece_names[], piece_params[];
/* Exactly one of albumID, POIID and blogID. */
/* clang-format off */
#define PIECE_PARAM {"piece", .one_of = piece_names}
/* clang-format on */

struct comment_fields {
    struct piece_fields piece;
    int64_t comment_id;
    const char *text;
    const char *deleted;
};
struct comment_reading {
    struct piece_fields piece;
    struct paging paging;
};
/* Of struct comment_reading, and of struct comment_fields. */
extern const struct param_spec comments_params[];
extern const struct param_spec new_comment_params[], delete_comment_params[], comment_id_params[],
    reply_params[];

/* Of struct place, and of struct reading. */
extern const struct param_spec advertisement_place_params[], advertisement_id_params[];
/* Of struct report. */
extern const struct param_spec report_params[];

struct vote_fields {
    int64_t blog_id;
    const char *description;
    const char *choices[VOTE_CHOICES_MOST]; /* NULL: it was not given */
    int64_t choice;
};
/* Of struct vote_fields. */
extern const struct param_spec new_vote_params[], cast_params[], vote_params[];

struct register_fields {
    const char *email;
    const char *password;
    const char *name;
    const char *invitation;
    const char *language;
};
struct token_fields {
    const char *token;
    const char *password;
};
struct email_fields {
    const char *email;
};
struct password_fields {
    const char *password;
    const char *new_password;
};
struct address_fields {
    const char *password;
    const char *email;
};
/* Of these structs in turn, the last two of struct address_fields. */
extern const struct param_spec register_params[], token_params[], email_params[];
extern const struct param_spec change_password_params[], change_email_params[], password_params[];

struct login_fields {
    const char *email;
    const char *password;
};
/* Of struct login_fields. */
extern const struct param_spec login_params[];

struct album_created {
    int64_t album_id;
};

struct comment_added {
    int64_t comment_id;
};

struct page_shown {
    const char *next; /* NULL: it is the last one */
};

struct score_shown {
    int64_t score;
};

struct site_shown {
    const char *name, *registration;
    const char *map, *satellite, *attribution;
    int64_t photo_size;
    struct field_list languages;
    const char *contact;
};

struct login_shown {
    int64_t id;
    const char *idrand;
};

/* Of struct album_created, album, poi, blog_posted, blog, login_shown, account, own_account,
 * photo_added and photo_shown; the lists are of nothing. */
extern const struct field new_album_shape[], album_shape[], album_list_shape[];
extern const struct field poi_shape[], poi_list_shape[];
extern const struct field new_blog_shape[], blog_shape[];
extern const struct field login_shape[];
extern const struct field account_shape[], own_account_shape[];
/* Of struct site_shown. */
extern const struct field site_shape[];
/* Of struct advertisement. */
extern const struct field shown_advertisement_shape[];
extern const struct field new_photo_shape[], one_photo_shape[];
/* Of struct piece_summary, comment_added, page_shown, score_shown and vote. */
extern const struct field piece_shape[];
extern const struct field new_comment_shape[], comments_shape[];
extern const struct field score_shape[];
extern const struct field voted_shape[];

handler_function handle_add_album, handle_update_album, handle_delete_album, handle_get_album,
    handle_get_user_album_list;
handler_function handle_report, handle_get_advertisement, handle_click_advertisement;
handler_function handle_get_poi, handle_get_category_poi_list;
handler_function handle_post_blog, handle_update_blog, handle_delete_blog, handle_get_blog;
handler_function handle_get_piece;
handler_function handle_get_comments, handle_add_comment, handle_delete_comment,
    handle_reply_comment;
handler_function handle_recommend, handle_take_back;
handler_function handle_add_vote, handle_cast_vote, handle_close_vote;
handler_function handle_get_site;
handler_function handle_login, handle_logout;
handler_function handle_add_photo, handle_update_photo, handle_delete_photo, handle_get_photo;
handler_function handle_update_user;
handler_function handle_register, handle_confirm_email, handle_request_password_reset,
    handle_reset_password, handle_change_password, handle_change_email, handle_delete_user;
handler_function handle_get_user, handle_get_me;

/** STATUS_REGISTRATION_CLOSED where nobody registers. */
enum status registration_gate(const struct config *config) MUST_CHECK;

#endif
