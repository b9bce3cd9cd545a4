"""Tests of the viewer, with samples of every format and hostile documents."""
