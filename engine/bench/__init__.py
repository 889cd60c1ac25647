"""Same-run comparisons with exact references and with peers, run from a checkout: CONTRIBUTING says how."""
