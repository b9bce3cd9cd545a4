"""JSON in and out: the fields, what is taken, what is answered, and its OpenAPI description."""
