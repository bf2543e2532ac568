"""RFID readers behind `ports.TileReader` and `ports.Lane`: a module a family, named in `registry`."""
