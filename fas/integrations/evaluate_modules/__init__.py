"""What the loadable `evaluate` modules share, and where they live."""
