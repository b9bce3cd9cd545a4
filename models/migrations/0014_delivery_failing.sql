-- The webhooks that fail are found among the deliveries that are tried again.
CREATE INDEX delivery_failing ON delivery (webhook_id) WHERE due_at IS NOT NULL AND attempts > 0;
