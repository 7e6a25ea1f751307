-- Types that several tables have.
--
-- "mapdiaryctl migrate" applies the files of this folder in the order of their numbers, each in one transaction, as the owner
-- of the database and with the schema mapdiary as the search path. The rules of the interface are constraints here, too, so
-- that no other program can break them.

-- Requests are served as this role. Only a superuser can make it.
DO $$ BEGIN
    IF to_regrole('mapdiary_visitor') IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_object', MESSAGE = 'there is no role mapdiary_visitor: '
            'mapdiaryctl setup makes it, or the superuser: CREATE ROLE mapdiary_visitor; GRANT mapdiary_visitor TO mapdiary';
    END IF;
END $$;

-- Nobody but the owner can name the objects of this schema. Functions of the owner read and write them.
CREATE SCHEMA mapdiary_closed;
COMMENT ON SCHEMA mapdiary_closed IS 'Tables that only functions of the owner read.';

CREATE DOMAIN xml_text AS text
    CHECK (VALUE !~ '[\x01-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]');
COMMENT ON DOMAIN xml_text IS 'Text of the characters that XML 1.0 (fifth edition, section 2.2) allows.';
CREATE DOMAIN text_line AS xml_text
    CHECK (char_length(VALUE) BETWEEN 1 AND 255 AND VALUE !~ '[\r\n]');
COMMENT ON DOMAIN text_line IS 'A line of 1 to 255 characters, such as a title or a name.';
CREATE DOMAIN note AS xml_text
    CHECK (char_length(VALUE) <= 2000);
COMMENT ON DOMAIN note IS 'An address or a short text, which may be empty.';
CREATE DOMAIN body AS xml_text
    CHECK (char_length(VALUE) BETWEEN 1 AND 100000);

-- The type numeric keeps the digits that a client has sent, with zeros at the end.
CREATE DOMAIN latitude AS numeric CHECK (VALUE BETWEEN -90 AND 90);
CREATE DOMAIN longitude AS numeric CHECK (VALUE BETWEEN -180 AND 180);

CREATE TYPE weather AS ENUM
    ('晴空萬里', '狂風暴雨', '陰雨綿綿', '雨過天晴', '烏雲滿天', '大雪數日', '有彩虹');

CREATE TYPE visibility AS ENUM ('public', 'private');
CREATE TYPE hiding AS ENUM ('held', 'hidden');
COMMENT ON TYPE hiding IS 'Held: an operator has yet to look at it. Hidden: an operator has decided to hide it.';
