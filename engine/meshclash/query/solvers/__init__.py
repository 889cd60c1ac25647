"""One solver a file, named by the question and the kinds of its sides; ``table.py`` says when it is asked."""
