-- Documents get a MAC over what the service acts on by itself: owner, type, size, place and end.
--
-- Those that are there get it when the keyring is loaded (`models/operations/authority.py`).
ALTER TABLE document ADD COLUMN authority_mac BLOB;
