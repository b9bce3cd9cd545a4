"""Where untrusted bytes are parsed: a short-lived process with hard limits and no rights.

`process` is the parent's side; everything else runs in the child.
"""
