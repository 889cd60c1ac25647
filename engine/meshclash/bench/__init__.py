"""Same-run comparisons with exact references and with peers: `python -m meshclash.bench`. Nothing imports this."""
