"""What a verb does, without its options and without its words."""
