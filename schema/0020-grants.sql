-- The privileges of the roles. The service and mapdiaryctl connect as mapdiary, requests run as mapdiary_visitor.

ALTER DEFAULT PRIVILEGES IN SCHEMA mapdiary GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO mapdiary;
ALTER DEFAULT PRIVILEGES IN SCHEMA mapdiary GRANT USAGE ON SEQUENCES TO mapdiary;
GRANT USAGE ON SCHEMA mapdiary TO mapdiary;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA mapdiary TO mapdiary;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA mapdiary TO mapdiary;
REVOKE INSERT, UPDATE, DELETE ON migration, service FROM mapdiary;
REVOKE UPDATE, DELETE, TRUNCATE ON decision FROM mapdiary;

-- A function that runs as the owner (SECURITY DEFINER) believes the viewer that it is given. So it is for these two roles, and
-- for nobody else. A migration calls this procedure at its end if it adds such a function, a column of pieces or a partition.
CREATE PROCEDURE show_pieces() LANGUAGE plpgsql SET search_path = mapdiary SET client_min_messages = warning AS $$
DECLARE
    closed regclass;
    part regclass;
    believing regprocedure;
BEGIN
    CALL view_pieces();
    ALTER DEFAULT PRIVILEGES IN SCHEMA mapdiary GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO mapdiary_visitor;
    ALTER DEFAULT PRIVILEGES IN SCHEMA mapdiary GRANT USAGE ON SEQUENCES TO mapdiary_visitor;
    GRANT USAGE ON SCHEMA mapdiary TO mapdiary_visitor;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA mapdiary TO mapdiary_visitor;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA mapdiary TO mapdiary_visitor;
    GRANT SELECT ON mapdiary_closed.piece TO mapdiary, mapdiary_visitor;
    -- Imports note what they add.
    GRANT USAGE ON SCHEMA mapdiary_closed TO mapdiary;
    GRANT INSERT ON mapdiary_closed.arrival, mapdiary_closed.owner_change TO mapdiary;
    GRANT USAGE ON SEQUENCE mapdiary_closed.search_number TO mapdiary;
    REVOKE INSERT, UPDATE, DELETE ON migration, service FROM mapdiary_visitor;
    FOR closed IN SELECT relid FROM pg_partition_tree('piece')
                  UNION SELECT unnest('{own_album, own_blog, report, decision, first_week,
                                        advertisement, advertisement_day}'::regclass[]) LOOP
        EXECUTE format('REVOKE ALL ON %s FROM mapdiary_visitor', closed);
    END LOOP;
    FOR part IN SELECT relid FROM pg_partition_tree('comment') UNION SELECT 'comment'::regclass LOOP
        EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON %s FROM mapdiary_visitor', part);
    END LOOP;
    GRANT INSERT (kind, number, commenter_id, comment) ON comment TO mapdiary_visitor;
    REVOKE INSERT, UPDATE ON photo FROM mapdiary_visitor;
    GRANT INSERT (kind, number, position, description, name, original_sha256, original_bytes, large_sha256, small_sha256,
                  format, width, height, taken_at), UPDATE (position, description) ON photo TO mapdiary_visitor;
    REVOKE UPDATE, DELETE ON ballot, vote_choice FROM mapdiary_visitor;
    REVOKE UPDATE ON recommendation FROM mapdiary_visitor;
    GRANT SELECT (number, owner_id, version, visibility), INSERT, UPDATE, DELETE ON own_album TO mapdiary_visitor;
    GRANT SELECT (number, owner_id, post_date, public_day, reply_number, version, visibility), INSERT, UPDATE, DELETE ON own_blog TO mapdiary_visitor;
    FOR believing IN SELECT oid FROM pg_proc
                     WHERE pronamespace IN ('mapdiary'::regnamespace, 'mapdiary_closed'::regnamespace) AND prosecdef LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', believing);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO mapdiary, mapdiary_visitor', believing);
    END LOOP;
END $$;
COMMENT ON PROCEDURE show_pieces IS 'Gives requests what they may do, and nothing else. To be called again after changes.';
CALL show_pieces();
COMMENT ON TABLE migration IS 'Migrations that were applied.';
COMMENT ON COLUMN migration.checksum IS 'The SHA-256 of the file.';
