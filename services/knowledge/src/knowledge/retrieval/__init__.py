"""A question and a version give the best passages."""
