-- Decisions of operators about things that were reported or hidden.

-- name: decision_make(thing, action, decided_by, reason, rule, report_id) writes admin
SELECT d.occasion, d.user_id, d.language, d.piece,
       coalesce(left(regexp_replace(left(t.words, 400), '\s+', ' ', 'g'), 80), '')
  FROM decide(:thing, :action::decision_action, :decided_by, :reason, :rule, :report_id) d
 CROSS JOIN (SELECT split_part(:thing::text, ':', 1) AS class, split_part(:thing, ':', 2)::bigint AS id) n
  LEFT JOIN LATERAL (SELECT name AS words FROM user_account WHERE class = 'user' AND user_id = id
                     UNION ALL
                     SELECT comment FROM comment WHERE class = 'comment' AND comment_id = id
                     UNION ALL
                     SELECT coalesce(nullif(f.description, ''), p.title)
                       FROM photo f
                       JOIN piece p USING (kind, number)
                      WHERE class = 'photo' AND photo_id = id
                     UNION ALL
                     SELECT title FROM piece WHERE kind = kind_number(class) AND number = id) t ON true;

-- Rows as those of published_photo (photo_file.sql).
-- name: decision_published(thing) admin
SELECT t.kind::smallint, t.number, NULL::text
  FROM (SELECT kind_number(split_part(:thing::text, ':', 1)) AS kind, split_part(:thing, ':', 2)::bigint AS number) t
 WHERE EXISTS (SELECT FROM photo p WHERE p.name IS NOT NULL AND p.kind = t.kind AND p.number = t.number)
UNION ALL
SELECT kind, number, encode(name, 'hex')
  FROM photo
 WHERE :thing LIKE 'photo:%' AND name IS NOT NULL AND photo_id = split_part(:thing, ':', 2)::bigint;

-- The user is kept until the mail is written.
-- name: decision_mail(user_id, subject, body) writes admin
SELECT write_mail(user_id, email, :subject, :body, interval '30 days', false) IS NULL
  FROM (SELECT user_id, email FROM user_account WHERE user_id = :user_id FOR KEY SHARE) u;

-- name: decision_list(thing, after, most) admin
SELECT decision_id, decided_at, decided_by, action, thing, nullif(owner_id, 0), report_id, reason, rule
  FROM decision
 WHERE (:thing::text IS NULL OR thing = :thing) AND decision_id > :after::bigint
 ORDER BY decision_id
 LIMIT :most::bigint;
