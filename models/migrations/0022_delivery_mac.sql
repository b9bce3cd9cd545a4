-- Deliveries hold a MAC of the event that they send: who alters it has nothing signed.
--
-- Those that are there get it when the keyring is loaded (`models/operations/authority.py`).
ALTER TABLE delivery ADD COLUMN event_mac BLOB;
