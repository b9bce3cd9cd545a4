"""Mails, also those of Outlook."""
