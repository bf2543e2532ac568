"""A table without hardware: a physical world of tiles, motors and sensors, and the people who play at it."""
