"""Operators: they ask the core or an adapter and report to the user."""

from . import detect, export, maintenance, pairs

CLASSES = (*detect.CLASSES, *pairs.CLASSES, *export.CLASSES, *maintenance.CLASSES)
