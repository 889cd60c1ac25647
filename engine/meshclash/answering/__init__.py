"""The one door between questions and engines: which engine answers, in slices, and what makes the answer exact."""
