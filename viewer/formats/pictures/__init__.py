"""Pictures, audio and video."""
