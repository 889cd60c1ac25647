"""The version of python-fcl whose interface this package has."""

__version__ = "0.7.0"
