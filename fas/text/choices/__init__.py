"""Multiple choice: a question with its options as one text, and the option that an answer chooses."""
