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
CREATE TABLE album_source (
    source text NOT NULL, identifier text NOT NULL, album_id bigint NOT NULL UNIQUE, PRIMARY KEY (source, identifier)
);
CREATE TABLE poi_source (
    source text NOT NULL, identifier text NOT NULL, poi_id bigint NOT NULL UNIQUE, PRIMARY KEY (source, identifier)
);
CREATE TABLE blog_source (
    source text NOT NULL, identifier text NOT NULL, blog_id bigint NOT NULL UNIQUE, PRIMARY KEY (source, identifier)
);
CREATE TABLE comment_source (
    source text NOT NULL, identifier text NOT NULL, comment_id bigint NOT NULL UNIQUE, PRIMARY KEY (source, identifier)
);
CREATE TABLE album_photo_source (
    source text NOT NULL, identifier text NOT NULL, photo_id bigint NOT NULL UNIQUE, PRIMARY KEY (source, identifier)
);
CREATE TABLE poi_photo_source (
    source text NOT NULL, identifier text NOT NULL, photo_id bigint NOT NULL UNIQUE, PRIMARY KEY (source, identifier)
);
COMMENT ON TABLE user_source IS 'Which row of which source a user came from.';
COMMENT ON COLUMN user_source.identifier IS 'Of the source; a hash of the row if it has none.';
COMMENT ON TABLE album_source IS 'Which row of which source an album came from.';
COMMENT ON TABLE poi_source IS 'Which row of which source a point of interest came from.';
COMMENT ON TABLE blog_source IS 'Which row of which source a blog came from.';
COMMENT ON TABLE comment_source IS 'Which row of which source a comment came from.';
COMMENT ON TABLE album_photo_source IS 'Which row of which source a photo of an album came from.';
COMMENT ON TABLE poi_photo_source IS 'Which row of which source a photo of a point of interest came from.';

-- The arguments are the table of sources and its key.
CREATE FUNCTION forget_source() RETURNS trigger LANGUAGE plpgsql SET search_path = mapdiary AS $$
BEGIN
    EXECUTE format('DELETE FROM %I s USING gone WHERE s.%I = gone.%I', TG_ARGV[0], TG_ARGV[1], TG_ARGV[1]);
    RETURN NULL;
END $$;
CREATE TRIGGER source_forgotten AFTER DELETE ON user_account REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION forget_source('user_source', 'user_id');
CREATE TRIGGER source_forgotten AFTER DELETE ON album REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION forget_source('album_source', 'album_id');
CREATE TRIGGER source_forgotten AFTER DELETE ON poi REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION forget_source('poi_source', 'poi_id');
CREATE TRIGGER source_forgotten AFTER DELETE ON blog REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION forget_source('blog_source', 'blog_id');
CREATE TRIGGER source_forgotten AFTER DELETE ON comment REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION forget_source('comment_source', 'comment_id');
CREATE TRIGGER album_source_forgotten AFTER DELETE ON photo REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION forget_source('album_photo_source', 'photo_id');
CREATE TRIGGER poi_source_forgotten AFTER DELETE ON photo REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION forget_source('poi_photo_source', 'photo_id');
