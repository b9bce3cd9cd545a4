-- Who has added a member, and when the member first entered the space. Those that are there were in
-- it at once: nobody is named as who has added them, so they wait for nothing.
ALTER TABLE member ADD COLUMN inviter_id TEXT;
ALTER TABLE member ADD COLUMN accepted_at INTEGER;
