"""Text made safe for HTML, and the templates."""
