-- The payloads of a place that are to be deleted now are found by an index alone.
CREATE INDEX unreferenced_object_due ON unreferenced_object (place, drop_at);
