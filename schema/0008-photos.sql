-- Photos that people upload: one table for those of albums and of points of interest, which are known by their files or,
-- as before, by an address; icons that are uploaded; and albums that are their owner's alone.

-- Addresses ----------------------------------------------------------------------------------------------------------

-- What an answer says of a photo or an icon: the address that it was given, or that of its file, below the one at which
-- the service is reached, which a session has as a setting. Plain SQL, so that a query has them inlined.
CREATE FUNCTION photo_address(album_id bigint, poi_id bigint, address text, name bytea, format smallint, part text)
RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN name IS NULL THEN address ELSE
        coalesce(current_setting('mapdiary.public_url', true), '') || '/photos/' || coalesce('a' || album_id, 'p' || poi_id)
        || '/' || encode(name, 'hex') || '/' || part || CASE format WHEN 0 THEN '.jpg' ELSE '.webp' END END
$$;

CREATE FUNCTION icon_address(user_id bigint, icon text, icon_name bytea, icon_format smallint)
RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN icon_name IS NULL THEN icon ELSE
        coalesce(current_setting('mapdiary.public_url', true), '') || '/photos/u' || user_id
        || '/' || encode(icon_name, 'hex') || '/icon' || CASE icon_format WHEN 0 THEN '.jpg' ELSE '.webp' END END
$$;

-- Photos -------------------------------------------------------------------------------------------------------------

-- Those of albums are the table from now on, and keep their identifiers.
ALTER TABLE album_photo RENAME TO photo;
ALTER TABLE photo RENAME thumbnail TO address;
ALTER TABLE photo RENAME CONSTRAINT album_photo_pkey TO photo_pkey;
ALTER TABLE photo RENAME CONSTRAINT album_photo_album_id_position_key TO photo_album_id_position_key;
ALTER TABLE photo RENAME CONSTRAINT album_photo_album_id_photo_id_key TO photo_album_id_photo_id_key;
ALTER TABLE photo RENAME CONSTRAINT album_photo_album_id_fkey TO photo_album_id_fkey;
ALTER TABLE photo RENAME CONSTRAINT album_photo_photo_id_check TO photo_photo_id_check;
ALTER TABLE photo RENAME CONSTRAINT album_photo_position_check TO photo_position_check;
ALTER TABLE photo RENAME CONSTRAINT album_photo_thumbnail_check TO photo_address_check;
ALTER SEQUENCE album_photo_photo_id_seq RENAME TO photo_photo_id_seq;

ALTER TABLE photo
    ALTER album_id DROP NOT NULL,
    ALTER address DROP NOT NULL,
    ADD poi_id bigint;

DROP TRIGGER photo_added ON photo;
DROP TRIGGER photo_changed ON photo;
DROP TRIGGER photo_removed ON photo;
DROP TRIGGER source_forgotten ON photo;

-- Those of points of interest are numbered anew, beyond all numbers that either had: so what named one by its old number
-- never means another.
SELECT setval('photo_photo_id_seq', greatest(
    (SELECT last_value FROM photo_photo_id_seq), (SELECT last_value FROM poi_photo_photo_id_seq),
    (SELECT max(photo_id) FROM photo WHERE photo_id < 1::bigint << 52),
    (SELECT max(photo_id) FROM poi_photo WHERE photo_id < 1::bigint << 52)))
    WHERE EXISTS (SELECT FROM poi_photo);
CREATE TEMPORARY TABLE renumbered ON COMMIT DROP AS
    SELECT photo_id AS old_id, nextval('photo_photo_id_seq') AS photo_id
        FROM (SELECT photo_id FROM poi_photo ORDER BY photo_id) AS old;
CREATE UNIQUE INDEX ON renumbered (old_id);
ANALYZE renumbered;
INSERT INTO photo (photo_id, poi_id, position, address, description)
    SELECT r.photo_id, p.poi_id, p.position, p.path, p.description
        FROM poi_photo p JOIN renumbered r ON r.old_id = p.photo_id ORDER BY r.photo_id;

-- By their old numbers imports know them still.
ALTER TABLE poi_photo_source DROP CONSTRAINT poi_photo_source_photo_id_key;
UPDATE poi_photo_source s SET photo_id = r.photo_id FROM renumbered r WHERE r.old_id = s.photo_id;
INSERT INTO poi_photo_source (source, identifier, photo_id)
    SELECT service.name, old_id, photo_id FROM renumbered, service ON CONFLICT DO NOTHING;
CREATE INDEX poi_photo_source_photo_id ON poi_photo_source (photo_id);
DROP TABLE poi_photo;

-- What is known of one that was uploaded.
ALTER TABLE photo
    ADD name            bytea CHECK (octet_length(name) = 16),            -- random, of its address
    ADD original_sha256 bytea CHECK (octet_length(original_sha256) = 32), -- of its files: what was sent,
    ADD original_bytes  bigint CHECK (original_bytes > 0),
    ADD large_sha256    bytea CHECK (octet_length(large_sha256) = 32),    -- and what is published of it
    ADD small_sha256    bytea CHECK (octet_length(small_sha256) = 32),
    ADD format          smallint CHECK (format BETWEEN 0 AND 1),          -- of these: 0 JPEG, 1 WebP
    ADD width           integer CHECK (width > 0),                        -- of the large one, in pixels
    ADD height          integer CHECK (height > 0),
    ADD taken_at        timestamptz,                                      -- as the camera noted
    ADD FOREIGN KEY (poi_id) REFERENCES poi ON DELETE CASCADE,
    ADD UNIQUE (poi_id, position) DEFERRABLE,
    ADD CHECK (num_nonnulls(album_id, poi_id) = 1),
    ADD CHECK (num_nonnulls(address, name) = 1),
    ADD CHECK (num_nonnulls(name, original_sha256, original_bytes, large_sha256, small_sha256, format, width, height)
               IN (0, 8)),
    ADD CHECK (taken_at IS NULL OR name IS NOT NULL),
    ADD CHECK (poi_id IS NULL OR address ~ '^https?://');
CREATE UNIQUE INDEX photo_name ON photo (name) WHERE name IS NOT NULL;
CREATE INDEX photo_original ON photo (original_sha256) WHERE original_sha256 IS NOT NULL;
CREATE INDEX photo_large ON photo (large_sha256) WHERE large_sha256 IS NOT NULL;
CREATE INDEX photo_small ON photo (small_sha256) WHERE small_sha256 IS NOT NULL;

-- An album or a point of interest has changed when one of its photos has.
DROP FUNCTION touch_poi;
DROP FUNCTION touch_album;
CREATE FUNCTION touch_piece() RETURNS trigger LANGUAGE plpgsql SET search_path = mapdiary AS $$
BEGIN
    UPDATE album SET updated_at = now() WHERE album_id IN (SELECT album_id FROM changed);
    UPDATE poi SET updated_at = now() WHERE poi_id IN (SELECT poi_id FROM changed);
    RETURN NULL;
END $$;
CREATE TRIGGER photo_added AFTER INSERT ON photo
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION touch_piece();
CREATE TRIGGER photo_changed AFTER UPDATE ON photo
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION touch_piece();
CREATE TRIGGER photo_removed AFTER DELETE ON photo
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION touch_piece();
CREATE TRIGGER album_source_forgotten AFTER DELETE ON photo REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION forget_source('album_photo_source', 'photo_id');
CREATE TRIGGER poi_source_forgotten AFTER DELETE ON photo REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION forget_source('poi_photo_source', 'photo_id');

-- For workers that have not been reloaded yet.
CREATE VIEW album_photo AS
    SELECT photo_id, album_id, position, address AS thumbnail, description FROM photo WHERE album_id IS NOT NULL;
CREATE VIEW poi_photo AS
    SELECT photo_id, poi_id, position, address AS path, description FROM photo WHERE poi_id IS NOT NULL;

-- Files that no row names, and since when that is so: what removes them leaves them a while.
CREATE TABLE photo_unnamed (
    sha256 bytea PRIMARY KEY CHECK (octet_length(sha256) = 32),
    since  timestamptz NOT NULL DEFAULT now()
);

-- Icons --------------------------------------------------------------------------------------------------------------

-- An uploaded one takes the place of the address.
ALTER TABLE user_account
    ADD icon_name   bytea CHECK (octet_length(icon_name) = 16),
    ADD icon_sha256 bytea CHECK (octet_length(icon_sha256) = 32),
    ADD icon_format smallint CHECK (icon_format BETWEEN 0 AND 1),
    ADD CHECK (num_nonnulls(icon_name, icon_sha256, icon_format) IN (0, 3)),
    ADD CHECK (icon = '' OR icon_name IS NULL);
CREATE UNIQUE INDEX user_account_icon_name ON user_account (icon_name) WHERE icon_name IS NOT NULL;
CREATE INDEX user_account_icon ON user_account (icon_sha256) WHERE icon_sha256 IS NOT NULL;

-- Visibility ---------------------------------------------------------------------------------------------------------

CREATE TYPE visibility AS ENUM ('public', 'private');
ALTER TABLE album ADD visibility visibility NOT NULL DEFAULT 'public';
