"""How pictures look: for each a function draw(data, figure, request), which draws what the picture's data say."""
