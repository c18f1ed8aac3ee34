"""What stands between foreign content and the user's files, terminal and secrets."""
