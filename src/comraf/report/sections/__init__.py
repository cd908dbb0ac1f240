"""The sections of a report, one a file; each answers nothing where it has nothing to show."""
