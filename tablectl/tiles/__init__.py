"""Tiles, notation, tile sets, the geometry of the wall, the tag register. Knows nothing else."""
