"""Pages and files: the registry of formats chooses what is in them."""
