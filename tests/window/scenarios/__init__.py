"""One module per scenario: a docstring that says what a user does, and `play(window)`."""
