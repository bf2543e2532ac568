"""The commands: each asks the parts and prints what they say. Heavy imports stand inside the functions, so that
``tablectl --help`` stays quick."""
