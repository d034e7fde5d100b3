"""Pictures of one flow: what is in them (`series`), and how they are drawn (one file each)."""
