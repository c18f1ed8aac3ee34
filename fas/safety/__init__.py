"""Safety flags: missing dosage, contraindicated medication and their relatives."""
