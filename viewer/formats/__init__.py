"""How each format is shown: a folder for each family, with what parses it in the child process."""
