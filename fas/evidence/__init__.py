"""Evidence sources: given passages, a local index, PubMed over Entrez, snapshots."""
