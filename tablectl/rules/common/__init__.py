"""What several rule systems share: wildcard kinds, payments, the form of declared hands, the passing of the deal."""
