"""The local installation: embedded servers, all services, one terminal."""
