"""HTML and bytes: the pages that show a document, its content, its links."""
