"""The long campaigns of killed builds and damaged files, for a moment."""

import itertools
import sys

import massive_damage
import massive_kills
import pytest

pytestmark = [pytest.mark.needs_jit, pytest.mark.slow]


def test_damaged_files_are_refused_or_harmless(capsys, monkeypatch):
    assert massive_damage.main(["--damages", "30", "--triangles", "2000"]) == 0
    assert "'the same'" in capsys.readouterr().out
    numbers = itertools.count()
    monkeypatch.setattr(massive_damage, "contacts", lambda *_: str(next(numbers)).encode())
    assert massive_damage.main(["--damages", "3", "--triangles", "1000"]) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="builds are killed in forked processes")
def test_a_killed_build_of_levels_goes_on(capsys):
    assert massive_kills.main(["--moments", "3", "--triangles", "15000", "--levels"]) == 0
    assert "0 wrong" in capsys.readouterr().out
