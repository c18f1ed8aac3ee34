"""Files that we write beside files of the user."""
