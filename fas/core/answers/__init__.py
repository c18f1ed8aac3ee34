"""Reading answers: files and objects, field by field, without guessing."""
