"""What every service needs to run, without one business word."""
