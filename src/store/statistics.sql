-- Figures for administrators.

-- All rows, and those of the last day, week and month, by the moment that is known: of albums and places, that of
-- the last change.
\set created 'count(*), count(*) FILTER (WHERE created_at > now() - interval ''1 day''), count(*) FILTER (WHERE created_at > now() - interval ''7 days''), count(*) FILTER (WHERE created_at > now() - interval ''30 days'')'
\set updated 'count(*), count(*) FILTER (WHERE updated_at > now() - interval ''1 day''), count(*) FILTER (WHERE updated_at > now() - interval ''7 days''), count(*) FILTER (WHERE updated_at > now() - interval ''30 days'')'

-- name: statistics_counts admin
SELECT kind, total, day, week, month
  FROM (SELECT 1, 'users', :created FROM user_account
        UNION ALL
        SELECT 2, 'sessions', :created FROM session
        UNION ALL
        SELECT 3, 'albums', :updated FROM album
        UNION ALL
        SELECT 4, 'places', :updated FROM poi
        UNION ALL
        SELECT 5, 'blogs', :created FROM blog
        UNION ALL
        SELECT 6, 'comments', :created FROM comment) AS counts (place, kind, total, day, week, month)
 ORDER BY place;

-- name: statistics_photos admin
SELECT kind, total, uploaded, bytes
  FROM (SELECT 1, 'albums', count(*), count(name), coalesce(sum(original_bytes), 0)::bigint FROM photo WHERE kind = 0
        UNION ALL
        SELECT 2, 'places', count(*), count(name), coalesce(sum(original_bytes), 0)::bigint FROM photo WHERE kind = 1)
       AS counts (place, kind, total, uploaded, bytes)
 ORDER BY place;

-- name: statistics_users(most) admin
SELECT u.user_id, u.name, count(*) AS acts
  FROM (SELECT owner_id AS user_id FROM blog WHERE created_at > now() - interval '30 days'
        UNION ALL
        SELECT commenter_id AS user_id FROM comment WHERE created_at > now() - interval '30 days'
        UNION ALL
        SELECT owner_id AS user_id FROM album WHERE updated_at > now() - interval '30 days') acts
  JOIN user_account u USING (user_id)
 GROUP BY u.user_id
 ORDER BY acts DESC, u.user_id
 LIMIT :most::bigint;

-- name: statistics_places(most) admin
SELECT p.number, p.title, count(*) AS comments, p.score
  FROM comment c
  JOIN piece p USING (kind, number)
 WHERE kind = 1
 GROUP BY p.kind, p.number
 ORDER BY comments DESC, p.number
 LIMIT :most::bigint;

-- reltuples is -1 where nobody has counted.
-- name: statistics_tables(most) admin
SELECT c.relname::text, nullif(c.reltuples, -1)::bigint, pg_table_size(c.oid), pg_indexes_size(c.oid)
  FROM pg_class c
 WHERE c.relnamespace = 'mapdiary'::regnamespace AND c.relkind = 'r'
 ORDER BY pg_total_relation_size(c.oid) DESC, c.relname
 LIMIT :most::bigint;

-- name: statistics_indexes(most) admin
SELECT indexrelname::text, relname::text, pg_relation_size(indexrelid) AS bytes, idx_scan
  FROM pg_stat_user_indexes
 WHERE schemaname = 'mapdiary'
 ORDER BY bytes DESC, indexrelname
 LIMIT :most::bigint;

-- The schema of the extension, as search_path takes it. The extension is of use where the server has loaded its
-- library when it started, and so knows its settings.
-- name: statistics_statements admin
SELECT quote_ident(n.nspname)
  FROM pg_extension e
  JOIN pg_namespace n ON n.oid = e.extnamespace
  JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = e.extname
 WHERE e.extname = 'pg_stat_statements' AND current_setting('pg_stat_statements.max', true) IS NOT NULL
   AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT');

-- table: statistics_slow_statements

-- name: statistics_slow(most) admin
SELECT calls, round(total_exec_time)::bigint, round(mean_exec_time::numeric, 3)::text, rows,
       left(regexp_replace(query, '\s+', ' ', 'g'), 200)
  FROM pg_stat_statements
 WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
   AND query <> '<insufficient privilege>'
 ORDER BY total_exec_time DESC
 LIMIT :most::bigint;
