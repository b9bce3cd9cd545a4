-- Since when a webhook fails is sealed with its terms; those that fail are counted from now on.
ALTER TABLE webhook DROP COLUMN failing_since;
