-- Imports and exports: the name of this service as a source, and the row of a source that a thing came from.

CREATE TABLE service (
    is_one   boolean PRIMARY KEY DEFAULT true CHECK (is_one),
    name     text NOT NULL DEFAULT 'mapdiary-' || gen_random_uuid(),
    site_id  uuid NOT NULL DEFAULT gen_random_uuid(),
    page_key text NOT NULL DEFAULT gen_random_uuid() || ':' || gen_random_uuid()
);
INSERT INTO service DEFAULT VALUES;
COMMENT ON TABLE service IS 'One row: the names of this service.';
COMMENT ON COLUMN service.name IS 'As a source of imports; exports have it.';
COMMENT ON COLUMN service.site_id IS 'Identifies feeds and their entries.';
COMMENT ON COLUMN service.page_key IS 'Signs the positions from which clients ask for the next page of a list.';

-- A file that is imported twice changes nothing the second time. There are no foreign keys, because each would lock, and so
-- write, every new thing once more; triggers delete the rows of deleted things.
CREATE TABLE user_source (
    source text NOT NULL, identifier text NOT NULL, user_id bigint NOT NULL UNIQUE, PRIMARY KEY (source, identifier)
);
CREATE TABLE piece_source (
    kind smallint NOT NULL, source text NOT NULL, identifier text NOT NULL, number bigint NOT NULL,
    PRIMARY KEY (kind, source, identifier), UNIQUE (kind, number)
);
CREATE TABLE comment_source (
    source text NOT NULL, identifier text NOT NULL, comment_id bigint NOT NULL UNIQUE, PRIMARY KEY (source, identifier)
);
CREATE TABLE photo_source (
    kind smallint NOT NULL, source text NOT NULL, identifier text NOT NULL, photo_id bigint NOT NULL UNIQUE,
    PRIMARY KEY (kind, source, identifier)
);
COMMENT ON TABLE user_source IS 'Which row of which source a user came from.';
COMMENT ON COLUMN user_source.identifier IS 'Of the source; a hash of the row if it has none.';
COMMENT ON TABLE piece_source IS 'Which row of which source a piece came from.';
COMMENT ON TABLE comment_source IS 'Which row of which source a comment came from.';
COMMENT ON TABLE photo_source IS 'Which row of which source a photo came from.';
COMMENT ON COLUMN photo_source.kind IS 'Of the piece: a source counts the photos of each kind apart.';

-- The arguments are the table of sources and the columns by which it names a thing. A piece goes by the table that a statement
-- names, and triggers of statements are those of this table alone.
CREATE FUNCTION forget_source() RETURNS trigger LANGUAGE plpgsql SET search_path = mapdiary AS $$
BEGIN
    EXECUTE format('DELETE FROM %1$I WHERE (%2$s) IN (SELECT %2$s FROM gone)', TG_ARGV[0], TG_ARGV[1]);
    RETURN NULL;
END $$;
DO $$
DECLARE
    thing record;
BEGIN
    FOR thing IN SELECT * FROM (VALUES ('user_account', 'user_source', 'user_id'), ('piece', 'piece_source', 'kind, number'),
            ('album', 'piece_source', 'kind, number'), ('poi', 'piece_source', 'kind, number'),
            ('blog', 'piece_source', 'kind, number'), ('comment', 'comment_source', 'comment_id'),
            ('photo', 'photo_source', 'photo_id')) AS things (name, source, key) LOOP
        EXECUTE format('CREATE TRIGGER source_forgotten AFTER DELETE ON %I REFERENCING OLD TABLE AS gone
                            FOR EACH STATEMENT EXECUTE FUNCTION forget_source(%L, %L)', thing.name, thing.source, thing.key);
    END LOOP;
END $$;
