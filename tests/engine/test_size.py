"""How large the engine is: a later change raises the figure by a decision, not in passing."""

from layers import ENGINE, SOURCES

MOST_LINES = 58_500
OTHERS = {"lab", "detection", "review"}


def test_the_engine_stays_as_large_as_decided():
    sources = [path for path in SOURCES if path.relative_to(ENGINE).parts[0] not in OTHERS]
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in sources)
    assert 40_000 < lines <= MOST_LINES
