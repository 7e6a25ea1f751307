-- The work of the keeper, and what administrators ask of it.

-- name: keeper_state admin
SELECT wrong, lost, waiting FROM finding_state();

-- name: keeper_recount writes admin
SELECT recount();

-- table: keeper_tasks

-- name: keeper_house writes service
SELECT greatest(keep_house(), 0);

-- name: keeper_counts(most) writes service
SELECT greatest(keep_counts(:most::integer), 0);

-- name: keeper_words(most) writes service
SELECT greatest(keep_words(:most::integer), 0);

-- name: keeper_words_time writes service
SELECT set_config('statement_timeout', '60s', true);

-- name: keeper_postpone writes service
SELECT thing, minutes FROM postpone_words();

-- name: keeper_reports service
SELECT count(*), coalesce(extract(epoch FROM min(reported_at)), 0)::bigint FROM report WHERE state = 'open';
