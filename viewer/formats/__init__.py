"""The formats, in a folder for each family: the modules that parse them in the child process."""
