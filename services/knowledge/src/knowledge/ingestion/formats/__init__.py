"""Read the files that owners keep, one module for each format, as text with the marks of Markdown."""
