"""A second look at results that other tools logged: `fas audit`."""
