-- What an administrator writes for a community: who voted for what, who recommends what, and which thing of an import came
-- from which row of which source.

-- Votes --------------------------------------------------------------------------------------------------------------

ALTER TABLE vote ADD closed_at timestamptz;

-- One vote a user. vote_choice.votes is what the interface shows: these, and what was counted elsewhere before.
CREATE TABLE ballot (
    blog_id  bigint NOT NULL REFERENCES vote ON DELETE CASCADE,
    user_id  bigint NOT NULL REFERENCES user_account ON DELETE CASCADE,
    position smallint NOT NULL,
    cast_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (blog_id, user_id),
    FOREIGN KEY (blog_id, position) REFERENCES vote_choice ON DELETE CASCADE
);
CREATE INDEX ballot_user ON ballot (user_id);

-- Recommendations ----------------------------------------------------------------------------------------------------

-- Each adds one to the score of its piece; those of one user for one piece count once.
CREATE TABLE recommendation (
    user_id        bigint NOT NULL REFERENCES user_account ON DELETE CASCADE,
    album_id       bigint REFERENCES album ON DELETE CASCADE,
    poi_id         bigint REFERENCES poi ON DELETE CASCADE,
    blog_id        bigint REFERENCES blog ON DELETE CASCADE,
    recommended_at timestamptz NOT NULL DEFAULT now(),
    CHECK (num_nonnulls(album_id, poi_id, blog_id) = 1)
);
CREATE UNIQUE INDEX recommendation_album ON recommendation (album_id, user_id) WHERE album_id IS NOT NULL;
CREATE UNIQUE INDEX recommendation_poi ON recommendation (poi_id, user_id) WHERE poi_id IS NOT NULL;
CREATE UNIQUE INDEX recommendation_blog ON recommendation (blog_id, user_id) WHERE blog_id IS NOT NULL;
CREATE INDEX recommendation_user ON recommendation (user_id);

-- Imports ------------------------------------------------------------------------------------------------------------

-- Which row of which source a thing came from, so that the same file twice changes nothing. The identifier is the
-- source's own, or, where a row has none, a hash of the row. Each kind has its own table. No foreign keys: checking one
-- would lock, and so write, every new thing once more; what is gone is forgotten by the triggers below.
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

-- Arguments: the table of sources, and its key.
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
CREATE TRIGGER source_forgotten AFTER DELETE ON album_photo REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION forget_source('album_photo_source', 'photo_id');
CREATE TRIGGER source_forgotten AFTER DELETE ON poi_photo REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION forget_source('poi_photo_source', 'photo_id');
