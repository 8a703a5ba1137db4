"""A run as one page of plots that stands alone: it loads nothing, runs nothing, and every foreign text in it is inert."""
