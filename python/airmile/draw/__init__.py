"""Pictures of one flow: their content (`series`), and one module per way of drawing them."""
