-- Accounts that people make themselves, the tokens of mails, invitations, and the outbox that mapdiary-mail(8) sends.

CREATE TABLE invitation (
    token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL CHECK (expires_at > created_at)
);
CREATE INDEX invitation_expiry ON invitation (expires_at);
COMMENT ON TABLE invitation IS 'Invitations to register. Each is good for one account.';

CREATE TYPE token_purpose AS ENUM ('registration', 'address', 'password');
CREATE TABLE account_token (
    token_hash    bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    purpose       token_purpose NOT NULL,
    user_id       bigint REFERENCES user_account ON DELETE CASCADE,
    email         text_line,
    name          text_line,
    password_hash text,
    language      text,
    invitation    bytea REFERENCES invitation ON DELETE CASCADE,
    expires_at    timestamptz NOT NULL
);
CREATE INDEX account_token_user ON account_token (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX account_token_registration ON account_token (lower(email COLLATE "C")) WHERE purpose = 'registration';
CREATE INDEX account_token_invitation ON account_token (invitation) WHERE invitation IS NOT NULL;
CREATE INDEX account_token_expiry ON account_token (expires_at);
COMMENT ON TABLE account_token IS 'Tokens that were mailed. Each is good once.';
COMMENT ON COLUMN account_token.user_id IS 'NULL of a registration, which is no account yet.';
COMMENT ON COLUMN account_token.email IS 'Of a registration, or the new address of a user.';
COMMENT ON COLUMN account_token.name IS 'Of a registration, as are the password and the language.';

-- Mails --------------------------------------------------------------------------------------------------------------

CREATE TYPE mail_state AS ENUM ('waiting', 'sent', 'failed');
CREATE TABLE mail (
    mail_id     bigint GENERATED ALWAYS AS IDENTITY (MAXVALUE 9007199254740991) PRIMARY KEY,
    message_id  uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id     bigint REFERENCES user_account ON DELETE CASCADE,
    recipient   text_line NOT NULL,
    subject     text_line,
    body        body,
    state       mail_state NOT NULL DEFAULT 'waiting',
    attempts    integer NOT NULL DEFAULT 0,
    created_at  timestamptz NOT NULL DEFAULT now(),
    next_at     timestamptz NOT NULL DEFAULT now(),
    taken_until timestamptz,
    ended_at    timestamptz,
    expires_at  timestamptz NOT NULL,
    reply       note,
    CHECK (num_nonnulls(subject, body) <> 1),
    CHECK ((state = 'waiting') = (ended_at IS NULL)),
    CHECK (state <> 'waiting' OR body IS NOT NULL)
);
CREATE INDEX mail_waiting ON mail (next_at) WHERE state = 'waiting';
CREATE INDEX mail_text ON mail (expires_at) WHERE body IS NOT NULL;
CREATE INDEX mail_age ON mail (created_at);
CREATE INDEX mail_user ON mail (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX mail_nobodys ON mail (lower(recipient COLLATE "C")) WHERE user_id IS NULL;
COMMENT ON TABLE mail IS 'The outbox.';
COMMENT ON COLUMN mail.message_id IS 'The Message-ID of all attempts.';
COMMENT ON COLUMN mail.user_id IS 'NULL if the address has no account.';
COMMENT ON COLUMN mail.body IS 'NULL, as the subject, once the mail is sent, because it may hold a token.';
COMMENT ON COLUMN mail.next_at IS 'When a mail that waits is tried next.';
COMMENT ON COLUMN mail.taken_until IS 'A sender has taken the mail until then.';
COMMENT ON COLUMN mail.ended_at IS 'When the mail was sent or given up.';
COMMENT ON COLUMN mail.expires_at IS 'The mail is not sent afterwards.';
COMMENT ON COLUMN mail.reply IS 'The last words of the mail server.';

CREATE FUNCTION wake_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NOTIFY mapdiary_mail;
    RETURN NULL;
END $$;
CREATE TRIGGER mail_wakes AFTER INSERT ON mail FOR EACH STATEMENT EXECUTE FUNCTION wake_mail();

-- A mail that is withheld is written and deleted, so that the time does not tell whether an address has an account. Each call
-- deletes more than it adds, of mails of 30 days and of tokens; mapdiary-mail deletes such mails, too, if it runs.
CREATE FUNCTION write_mail(who bigint, recipient text, subject text, body text, lifetime interval, is_withheld boolean)
RETURNS void LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    id bigint;
BEGIN
    INSERT INTO mail (user_id, recipient, subject, body, expires_at)
        VALUES (who, recipient, subject, body, now() + lifetime) RETURNING mail_id INTO id;
    IF is_withheld THEN
        DELETE FROM mail WHERE mail_id = id;
    END IF;
    DELETE FROM mail WHERE mail_id IN (
        SELECT mail_id FROM mail WHERE created_at < now() - interval '30 days'
            ORDER BY created_at LIMIT 4 FOR UPDATE SKIP LOCKED);
    DELETE FROM account_token WHERE token_hash IN (
        SELECT token_hash FROM account_token WHERE expires_at < now() ORDER BY expires_at LIMIT 4 FOR UPDATE SKIP LOCKED);
    DELETE FROM invitation WHERE token_hash IN (
        SELECT token_hash FROM invitation WHERE expires_at < now() - interval '2 days'
            ORDER BY expires_at LIMIT 4 FOR UPDATE SKIP LOCKED);
END $$;
COMMENT ON FUNCTION write_mail IS 'Writes a mail to the outbox.';

-- Registering and changing ------------------------------------------------------------------------------------------

CREATE FUNCTION refuse_token() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'MD007', MESSAGE = 'the token is unknown, used up or expired';
END $$;

-- If the address has an account, its owner gets the mail, and there is no token.
CREATE FUNCTION register_account(token bytea, new_email text, new_name text, hash text, new_language text, invited bytea,
                                 subject text, body text)
RETURNS void LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    there user_account;
BEGIN
    SELECT * INTO there FROM user_account WHERE lower(email COLLATE "C") = lower(new_email COLLATE "C");
    PERFORM FROM invitation WHERE token_hash = invited FOR KEY SHARE;
    IF invited IS NOT NULL AND NOT FOUND THEN
        PERFORM refuse_token();
    END IF;
    INSERT INTO account_token (token_hash, purpose, email, name, password_hash, language, invitation, expires_at)
        VALUES (token, 'registration', new_email, new_name, hash, new_language, invited, now() + interval '1 day');
    IF there.user_id IS NOT NULL THEN
        DELETE FROM account_token WHERE token_hash = token;
    END IF;
    PERFORM write_mail(there.user_id, new_email, subject, body, interval '1 day', coalesce(there.disabled, false));
END $$;
COMMENT ON FUNCTION register_account IS 'Notes a registration until its address is proven, or refuses with MD007 the invitation.';

CREATE FUNCTION request_password(token bytea, whose text, subject text, body text)
RETURNS void LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    there user_account;
BEGIN
    SELECT * INTO there FROM user_account WHERE lower(email COLLATE "C") = lower(whose COLLATE "C");
    INSERT INTO account_token (token_hash, purpose, user_id, expires_at)
        VALUES (token, 'password', there.user_id, now() + interval '1 hour');
    IF coalesce(there.disabled OR there.blocked, true) THEN
        DELETE FROM account_token WHERE token_hash = token;
    END IF;
    PERFORM write_mail(there.user_id, coalesce(there.email, whose), subject, body, interval '1 hour',
                       coalesce(there.disabled OR there.blocked, true));
END $$;
COMMENT ON FUNCTION request_password IS 'Mails a token to set a new password.';

-- If the new address has an account, its owner gets the first mail, and there is no token. The old address gets the second
-- mail.
CREATE FUNCTION request_address(token bytea, who bigint, verified text, new_email text, subject text, body text,
                                notice_subject text, notice text)
RETURNS boolean LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    asker user_account;
    there user_account;
BEGIN
    SELECT * INTO asker FROM user_account WHERE user_id = who AND password_hash = verified FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT * INTO there FROM user_account WHERE lower(email COLLATE "C") = lower(new_email COLLATE "C") AND user_id <> who;
    INSERT INTO account_token (token_hash, purpose, user_id, email, expires_at)
        VALUES (token, 'address', who, new_email, now() + interval '1 day');
    IF there.user_id IS NOT NULL THEN
        DELETE FROM account_token WHERE token_hash = token;
    END IF;
    PERFORM write_mail(coalesce(there.user_id, who), new_email, subject, body, interval '1 day',
                       coalesce(there.disabled, false));
    PERFORM write_mail(who, asker.email, notice_subject, notice, interval '1 day', false);
    RETURN true;
END $$;
COMMENT ON FUNCTION request_address IS
    'Mails a token to confirm a new address; false if the account no longer has the password that was verified.';

-- Locks all that a token may use up in one order: the account, then the invitation, then the tokens that end with it. So two
-- transactions never wait for each other in turn.
CREATE FUNCTION lock_token(token bytea) RETURNS void LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    used account_token;
BEGIN
    SELECT * INTO used FROM account_token WHERE token_hash = token;
    PERFORM FROM user_account WHERE user_id = used.user_id FOR NO KEY UPDATE;
    PERFORM FROM invitation WHERE token_hash = used.invitation FOR UPDATE;
    PERFORM FROM account_token
        WHERE user_id = used.user_id OR invitation = used.invitation
            OR (purpose = 'registration' AND lower(email COLLATE "C") = lower(used.email COLLATE "C"))
        ORDER BY token_hash FOR UPDATE;
END $$;

-- Other registrations of the address are deleted, and mails to the address go with the account from then on.
CREATE FUNCTION confirm_email(token bytea) RETURNS bigint LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    used account_token;
    who bigint;
BEGIN
    PERFORM lock_token(token);
    DELETE FROM account_token
        WHERE token_hash = token AND purpose IN ('registration', 'address') AND expires_at > clock_timestamp()
        RETURNING * INTO used;
    IF used.invitation IS NOT NULL THEN
        DELETE FROM invitation WHERE token_hash = used.invitation;
        IF NOT FOUND THEN
            used := NULL;
        END IF;
    END IF;
    IF used.purpose = 'registration' THEN
        INSERT INTO user_account (email, name, password_hash, language)
            VALUES (used.email, used.name, used.password_hash, used.language) ON CONFLICT DO NOTHING
            RETURNING user_id INTO who;
    ELSIF used.purpose = 'address' AND NOT EXISTS (
            SELECT FROM user_account WHERE lower(email COLLATE "C") = lower(used.email COLLATE "C") AND user_id <> used.user_id) THEN
        UPDATE user_account SET email = used.email WHERE user_id = used.user_id AND NOT disabled AND NOT blocked
            RETURNING user_id INTO who;
    END IF;
    IF who IS NULL THEN
        PERFORM refuse_token();
    END IF;
    DELETE FROM account_token
        WHERE user_id = who OR (purpose = 'registration' AND lower(email COLLATE "C") = lower(used.email COLLATE "C"));
    UPDATE mail SET user_id = who WHERE user_id IS NULL AND lower(recipient COLLATE "C") = lower(used.email COLLATE "C");
    RETURN who;
EXCEPTION
    WHEN unique_violation THEN -- somebody else has confirmed the address at the same moment
        PERFORM refuse_token();
END $$;
COMMENT ON FUNCTION confirm_email IS
    'The owner of an address has proven it: makes the account, or changes its address. Answers the user, or refuses with MD007.';

-- The account is locked before its sessions: no session begins with the old password from then on.
CREATE FUNCTION reset_password(token bytea, hash text) RETURNS bigint LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    who bigint;
BEGIN
    PERFORM lock_token(token);
    DELETE FROM account_token WHERE token_hash = token AND purpose = 'password' AND expires_at > clock_timestamp()
        RETURNING user_id INTO who;
    UPDATE user_account SET password_hash = hash WHERE user_id = who AND NOT disabled AND NOT blocked;
    IF NOT FOUND THEN
        PERFORM refuse_token();
    END IF;
    DELETE FROM session WHERE user_id = who;
    DELETE FROM account_token WHERE user_id = who;
    RETURN who;
END $$;
COMMENT ON FUNCTION reset_password IS 'Sets a password by a token, and ends all sessions. Answers the user, or refuses with MD007.';

CREATE FUNCTION change_password(who bigint, verified text, hash text, session_kept bytea)
RETURNS boolean LANGUAGE plpgsql SET search_path = mapdiary AS $$
BEGIN
    UPDATE user_account SET password_hash = hash WHERE user_id = who AND password_hash = verified;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM session WHERE user_id = who AND token_hash <> session_kept;
    DELETE FROM account_token WHERE user_id = who;
    RETURN true;
END $$;
COMMENT ON FUNCTION change_password IS
    'Sets a password, and ends all other sessions; false if the account no longer has the password that was verified.';

CREATE PROCEDURE show_outbox() LANGUAGE plpgsql SET search_path = mapdiary AS $$
BEGIN
    IF to_regrole('mapdiary_mail') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA mapdiary TO mapdiary_mail;
        GRANT SELECT, UPDATE, DELETE ON mail TO mapdiary_mail;
    END IF;
END $$;
COMMENT ON PROCEDURE show_outbox IS 'Gives the role of mapdiary-mail the outbox. To be called again if that role is made later.';
CALL show_outbox();
