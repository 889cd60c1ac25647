"""The detection as a user asks for it: options, sets, rules, tests, rows and reports. Imports no Numba."""
