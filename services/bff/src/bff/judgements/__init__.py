"""What customers think of answers, as staff read it."""
