"""The ZIP packages and the XML of workbooks."""
