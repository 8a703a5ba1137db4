"""Read and seal the answer log in Postgres."""
