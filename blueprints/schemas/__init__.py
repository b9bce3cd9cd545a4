"""JSON in and out: the fields, requests, responses, and their OpenAPI description."""
