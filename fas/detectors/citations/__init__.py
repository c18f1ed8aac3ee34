"""The citations an answer makes: found, looked up, and held against the claims they stand with."""
