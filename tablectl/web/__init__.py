"""The live page: a FastAPI client of the link. The only part with a network, and the only one that imports FastAPI."""
