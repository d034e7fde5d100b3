"""What a transport protocol needs by itself, in plain numbers."""
