"""From contacts to what people ask: do two *objects* clash, touch, contain or double each other, and how deeply?"""
