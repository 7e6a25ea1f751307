-- The data of the site, kind by kind, as an import takes it; then all that there is of a user.

-- An operator's hidden piece is its owner's alone also where it is imported.
\set visibility_told 'CASE WHEN t.hidden IS NULL THEN visibility ELSE ''private'' END'

-- In the order of enum export_kind. "copy" makes a COPY of each as well.
-- name: export_pois admin copy
SELECT coalesce(x.identifier, t.number::text), coalesce(x.source, o.name), title, slot - 16, lat::text, lng::text,
       email, score
  FROM poi t
  JOIN user_account u ON u.user_id = owner_id AND t.hidden IS NULL
 CROSS JOIN service o
  LEFT JOIN piece_source x ON x.kind = t.kind AND x.number = t.number
 ORDER BY t.number;

-- name: export_albums admin copy
SELECT coalesce(x.identifier, t.number::text), coalesce(x.source, o.name), title, slot, lat::text, lng::text,
       email, score, :visibility_told
  FROM album t
  JOIN user_account u ON u.user_id = owner_id
 CROSS JOIN service o
  LEFT JOIN piece_source x ON x.kind = t.kind AND x.number = t.number
 ORDER BY t.number;

-- The source of the quoted blog is there where it is another one.
-- name: export_blogs admin copy
SELECT coalesce(x.identifier, t.number::text), coalesce(x.source, o.name), email, slot_name(slot), lat::text, lng::text,
       title, content, post_date, weather, coalesce(q.identifier, reply_number::text),
       CASE WHEN reply_number IS NOT NULL
            THEN nullif(coalesce(q.source, o.name), coalesce(x.source, o.name)) END,
       zoom_level, map_type, user_category, score, :visibility_told
  FROM blog t
  LEFT JOIN piece_source q ON q.kind = t.kind AND q.number = t.reply_number
  JOIN user_account u ON u.user_id = owner_id
 CROSS JOIN service o
  LEFT JOIN piece_source x ON x.kind = t.kind AND x.number = t.number
 ORDER BY t.number;

-- One user, a statement for each file, in the order of enum export_file.
-- table: export_file_statements

-- A moment as text, to the microsecond where it has any.
\set created 'to_char(created_at, ''YYYY-MM-DD"T"HH24:MI:SS'') || rtrim(to_char(created_at, ''.US''), ''.0'') || to_char(created_at, ''TZH:TZM'')'
\set expires 'to_char(expires_at, ''YYYY-MM-DD"T"HH24:MI:SS'') || rtrim(to_char(expires_at, ''.US''), ''.0'') || to_char(expires_at, ''TZH:TZM'')'
\set ended 'to_char(ended_at, ''YYYY-MM-DD"T"HH24:MI:SS'') || rtrim(to_char(ended_at, ''.US''), ''.0'') || to_char(ended_at, ''TZH:TZM'')'
\set reported 'to_char(reported_at, ''YYYY-MM-DD"T"HH24:MI:SS'') || rtrim(to_char(reported_at, ''.US''), ''.0'') || to_char(reported_at, ''TZH:TZM'')'
\set decided 'to_char(decided_at, ''YYYY-MM-DD"T"HH24:MI:SS'') || rtrim(to_char(decided_at, ''.US''), ''.0'') || to_char(decided_at, ''TZH:TZM'')'
\set updated 'to_char(updated_at, ''YYYY-MM-DD"T"HH24:MI:SS'') || rtrim(to_char(updated_at, ''.US''), ''.0'') || to_char(updated_at, ''TZH:TZM'')'
\set replied 'to_char(replied_at, ''YYYY-MM-DD"T"HH24:MI:SS'') || rtrim(to_char(replied_at, ''.US''), ''.0'') || to_char(replied_at, ''TZH:TZM'')'
\set c_created 'to_char(c.created_at, ''YYYY-MM-DD"T"HH24:MI:SS'') || rtrim(to_char(c.created_at, ''.US''), ''.0'') || to_char(c.created_at, ''TZH:TZM'')'
\set c_replied 'to_char(c.replied_at, ''YYYY-MM-DD"T"HH24:MI:SS'') || rtrim(to_char(c.replied_at, ''.US''), ''.0'') || to_char(c.replied_at, ''TZH:TZM'')'
\set cast_on 'to_char(cast_at, ''YYYY-MM-DD"T"HH24:MI:SS'') || rtrim(to_char(cast_at, ''.US''), ''.0'') || to_char(cast_at, ''TZH:TZM'')'
\set recommended 'to_char(recommended_at, ''YYYY-MM-DD"T"HH24:MI:SS'') || rtrim(to_char(recommended_at, ''.US''), ''.0'') || to_char(recommended_at, ''TZH:TZM'')'

-- name: export_account(user_id) admin
SELECT user_id, email, name, :icon, disabled, blocked, :created, language
  FROM user_account u
 WHERE user_id = :user_id;

-- name: export_sessions(user_id) admin
SELECT :created, :expires FROM session WHERE user_id = :user_id AND expires_at > now() ORDER BY created_at;

-- name: export_mails(user_id) admin
SELECT recipient, state::text, :created, :ended, reply FROM mail WHERE user_id = :user_id ORDER BY mail_id;

-- name: export_reports(user_id) admin
SELECT thing_name(kind, number, comment_id, photo_id), reason, state::text, :reported
  FROM report
 WHERE reporter_id = :user_id
 ORDER BY report_id;

-- name: export_decisions(user_id) admin
SELECT thing, action::text, reason, rule, :decided FROM decision WHERE owner_id = :user_id ORDER BY decision_id;

-- name: export_own_albums(user_id) admin
SELECT number, title, slot, lat::text, lng::text, score, cover_photo_id, :updated, visibility
  FROM album
 WHERE owner_id = :user_id
 ORDER BY number;

-- name: export_album_photos(user_id) admin
SELECT photo_id, p.number, position, :large, description
  FROM photo p
  JOIN piece t USING (kind, number)
 WHERE kind = 0 AND owner_id = :user_id
 ORDER BY number, position;

-- name: export_own_pois(user_id) admin
SELECT number, title, slot - 16, lat::text, lng::text, score, :updated
  FROM poi
 WHERE owner_id = :user_id
 ORDER BY number;

-- name: export_poi_photos(user_id) admin
SELECT photo_id, p.number, position, :large, description
  FROM photo p
  JOIN piece t USING (kind, number)
 WHERE kind = 1 AND owner_id = :user_id
 ORDER BY number, position;

-- name: export_own_blogs(user_id) admin
SELECT b.number, slot_name(slot), lat::text, lng::text, title, content, post_date, weather, reply_number,
       zoom_level, map_type, user_category, score, :created, visibility, v.description,
       (SELECT string_agg(c.votes || ' ' || c.description, E'\n' ORDER BY position)
          FROM vote_choice c
         WHERE c.blog_id = b.number)
  FROM blog b
  LEFT JOIN vote v ON v.blog_id = b.number
 WHERE owner_id = :user_id
 ORDER BY b.number;

-- name: export_comments(user_id) admin
SELECT comment_id, :piece_ids, comment, :created, reply, :replied
  FROM comment c
 WHERE commenter_id = :user_id
 ORDER BY comment_id;

-- name: export_received_comments(user_id) admin
SELECT c.comment_id, :piece_ids, u.name, c.comment, :c_created, c.reply, :c_replied
  FROM comment c
  JOIN user_account u ON u.user_id = c.commenter_id
  JOIN piece p USING (kind, number)
 WHERE c.commenter_id <> :user_id AND p.owner_id = :user_id
 ORDER BY c.comment_id;

-- name: export_ballots(user_id) admin
SELECT b.blog_id, c.description, :cast_on
  FROM ballot b
  JOIN vote_choice c USING (blog_id, position)
 WHERE user_id = :user_id
 ORDER BY cast_at;

-- name: export_recommendations(user_id) admin
SELECT :piece_ids, :recommended
  FROM recommendation c
 WHERE user_id = :user_id
 ORDER BY recommended_at;

-- name: export_rewards(user_id) admin
SELECT blog_id, amount, credited_on FROM ledger WHERE user_id = :user_id ORDER BY entry_id;

-- name: export_originals(user_id) admin
SELECT photo_id, encode(original_sha256, 'hex')
  FROM photo p
  JOIN piece t USING (kind, number)
 WHERE p.name IS NOT NULL AND t.owner_id = :user_id
 ORDER BY photo_id;
