"""Colours that people distinguish with any colour vision (Okabe and Ito 2008; wine: Tol 2021)."""

from __future__ import annotations

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, RED, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
WINE = "#882255"
WHITE, LIGHT, GREY, DARK = "#FFFFFF", "#E6E6E6", "#BBBBBB", "#666666"
