-- The session of the person that began a session of a space, which ends with it. Of those that go
-- on nobody knows what began them: their members enter the space again.
DELETE FROM session WHERE acting_user_id IS NOT NULL;
ALTER TABLE session ADD COLUMN begun_by_id TEXT REFERENCES session (id) ON DELETE CASCADE;
CREATE INDEX session_begun_by ON session (begun_by_id) WHERE begun_by_id IS NOT NULL;
