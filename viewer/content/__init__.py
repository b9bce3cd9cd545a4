"""What a document is: its media type and its characters."""
