"""Many objects in their poses, and what every pair of them does: the one object an application needs."""
