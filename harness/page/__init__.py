"""Recordings and reports as one HTML file that opens offline: the page around them, tables, plots and the viewer."""
