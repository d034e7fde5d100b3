"""Pictures of one flow: their content (`series`), and one module for each way to draw it."""
