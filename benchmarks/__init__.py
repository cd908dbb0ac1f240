"""Measurements of comraf beside its peers; each script prints one table."""
