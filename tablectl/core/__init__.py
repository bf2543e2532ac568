"""What puts the parts together into one table: backends, what answers the link, records, resuming, the workshop."""
