-- The work of the indexer, and what administrators ask of it.

-- name: indexer_state admin
SELECT wrong, lost, waiting FROM finding_state();

-- name: indexer_recount writes admin
SELECT recount();

-- table: indexer_tasks

-- name: indexer_upkeep writes service
SELECT greatest(index_upkeep(), 0);

-- name: indexer_counts(most) writes service
SELECT greatest(index_counts(:most::integer), 0);

-- name: indexer_words(most) writes service
SELECT greatest(index_words(:most::integer), 0);

-- name: indexer_words_time writes service
SELECT set_config('statement_timeout', '60s', true);

-- name: indexer_postpone writes service
SELECT thing, minutes FROM postpone_words();

-- name: indexer_reports service
SELECT count(*), coalesce(extract(epoch FROM min(reported_at)), 0)::bigint FROM report WHERE state = 'open';
