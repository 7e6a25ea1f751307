-- Reports of pieces, comments and photos.

\set thing 'thing_name(r.kind, r.number, r.comment_id, r.photo_id)'

-- The kind counts if there is a number.
-- name: report_insert(user_id, kind, number, comment_id, photo_id, reason) writes service
SELECT noted
  FROM add_report(:user_id, CASE WHEN :number::bigint IS NOT NULL THEN :kind::integer END, :number, :comment_id,
                  :photo_id, :reason) AS noted
 WHERE noted IS NOT NULL;

-- The title or text of the reported thing.
\set says '(SELECT coalesce(p.title, c.comment, f.description, '''') FROM (SELECT) one LEFT JOIN piece p ON p.kind = r.kind AND p.number = r.number LEFT JOIN comment c ON c.comment_id = r.comment_id LEFT JOIN photo f ON f.photo_id = r.photo_id)'

-- name: report_list(state, after, most, reporter_id) admin
SELECT r.report_id, r.state, :thing, r.reporter_id, r.reported_at, left(r.reason, 200), left(:says, 100)
  FROM report r
 WHERE (:state::report_state IS NULL OR r.state = :state)
   AND (:reporter_id::bigint IS NULL OR r.reporter_id = :reporter_id) AND r.report_id > :after::bigint
 ORDER BY r.report_id
 LIMIT :most::bigint;

-- name: report_show(report_id) admin
SELECT r.report_id, r.state, :thing, r.reporter_id, u.name, r.reported_at, r.reason, r.decided_at, left(:says, 2000)
  FROM report r
  LEFT JOIN user_account u ON u.user_id = r.reporter_id
 WHERE r.report_id = :report_id;

-- name: report_decisions(report_id) admin
SELECT d.decided_at, d.decided_by, d.action, d.report_id, d.reason, d.rule
  FROM report r
  JOIN decision d ON d.thing = :thing
 WHERE r.report_id = :report_id
 ORDER BY d.decision_id;

-- name: report_thing(report_id) writes admin
SELECT r.state = 'open', :thing FROM report r WHERE r.report_id = :report_id FOR UPDATE;

-- For a connection that waits for reports.
-- table: report_watching_statements

-- name: report_listen admin opening
LISTEN mapdiary_report;

-- name: report_newest admin
SELECT coalesce(max(report_id), 0) FROM report;

-- name: report_next(after) admin
SELECT r.report_id, r.state, :thing, r.reporter_id, r.reported_at, left(r.reason, 200), left(:says, 100)
  FROM report r
 WHERE r.report_id > :after
 ORDER BY r.report_id;
