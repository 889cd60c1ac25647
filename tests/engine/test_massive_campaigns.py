"""The long campaigns of killed builds and damaged files, for a moment."""

import itertools
import sys

import massive_damage
import massive_kills
import pytest

pytestmark = pytest.mark.needs_jit


def test_some_damages_of_progressive_meshes():
    assert massive_damage.main(["--damages", "8", "--triangles", "600", "--files", "progressive"]) == 0


@pytest.mark.slow
def test_damaged_files_are_refused_or_harmless(capsys, monkeypatch):
    assert massive_damage.main(["--damages", "30", "--triangles", "2000"]) == 0
    assert capsys.readouterr().out.count("'the same'") == len(massive_damage.FILES)
    numbers = itertools.count()
    monkeypatch.setitem(massive_damage.QUESTIONS, "contacts", lambda *_: str(next(numbers)).encode())
    assert massive_damage.main(["--damages", "3", "--triangles", "1000", "--ways", "bit"]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("way", ["bit", "cut"])
def test_many_damages_of_progressive_meshes(way):
    options = ["--damages", "300", "--triangles", "2000", "--files", "progressive", "--ways", way]
    assert massive_damage.main(options) == 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="builds are killed in forked processes")
def test_a_killed_build_of_levels_goes_on(capsys):
    assert massive_kills.main(["--moments", "3", "--triangles", "15000", "--levels"]) == 0
    assert "0 wrong" in capsys.readouterr().out
