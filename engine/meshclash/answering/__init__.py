"""The one door between questions and engines: who answers, in slices, and what makes the answer exact."""
