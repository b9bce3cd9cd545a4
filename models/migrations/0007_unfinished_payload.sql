-- Payloads of which pieces are stored, in transactions of their own, before the document's row.
CREATE TABLE unfinished_payload (document_id TEXT PRIMARY KEY);
