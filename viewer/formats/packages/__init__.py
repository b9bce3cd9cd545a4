"""Reads the ZIP packages and the XML of office documents and books."""
