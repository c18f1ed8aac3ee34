"""The drug vocabulary from RxNorm's releases and from RxNav; used when rule tables are built."""
