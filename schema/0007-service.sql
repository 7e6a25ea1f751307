-- What this service is called as a source of imports. Its exports say so, and so are known again: here, where the
-- identifiers are its own, and wherever else they are imported.
CREATE TABLE service (
    is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one),
    name   text NOT NULL DEFAULT 'mapdiary-' || gen_random_uuid()
);
INSERT INTO service DEFAULT VALUES;
REVOKE INSERT, UPDATE, DELETE ON service FROM mapdiary;
