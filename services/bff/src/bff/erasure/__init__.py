"""What is forgotten, and what a customer may take along."""
