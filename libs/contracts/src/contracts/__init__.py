"""What the services and their clients say to each other: data only."""
