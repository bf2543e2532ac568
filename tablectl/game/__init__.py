"""The hand and the match: events, the state they fold to, the `transitions` machine, the record, views by role."""
