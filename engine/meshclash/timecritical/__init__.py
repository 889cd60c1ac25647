"""Time-critical detection with a stated probability (ADB-trees: Klein and Zachmann, VRST and VMV 2003)."""
