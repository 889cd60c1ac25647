"""The examples in the docstrings of public functions and classes run and print what they say."""

import doctest
import inspect
import re
from pathlib import Path

import meshclash as mc
import pytest
from public_calls import packages

API = Path(__file__).resolve().parents[2] / "docs" / "api"
SUBJECTS = [package for package in packages() if ".compat" not in package.__name__]
ALIASES = {"MeshLike", "PoseLike"}  # types of arguments, explained by the functions that take them


def public_names(package):
    """Names of the package that are neither sub-packages nor private."""
    things = {name: getattr(package, name) for name in package.__all__ if not name.startswith("__")}
    return {name: thing for name, thing in things.items() if not inspect.ismodule(thing) and name not in ALIASES}


FUNCTIONS = {
    f"{package.__name__}.{name}": thing
    for package in SUBJECTS
    for name, thing in public_names(package).items()
    if not inspect.isclass(thing)
}
DOCUMENTED = {
    f"{package.__name__}.{name}": thing
    for package in SUBJECTS
    for name, thing in public_names(package).items()
    if ">>>" in (thing.__doc__ or "")
}


def test_every_public_function_has_an_example():
    assert [name for name in FUNCTIONS if name not in DOCUMENTED] == []


@pytest.mark.parametrize("name", DOCUMENTED)
def test_examples_print_what_they_say(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(DOCUMENTED[name].__doc__, {}, name, None, 0)
    messages = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False).run(test, out=messages.append)
    assert messages == []


@pytest.mark.parametrize("package", SUBJECTS, ids=lambda package: package.__name__)
def test_the_site_has_a_page_for_every_public_name(package):
    page = API / f"{package.__name__.rpartition('.')[2]}.md"
    listed = re.findall(r"^   (\w+)$", page.read_text("utf-8"), re.MULTILINE)
    names = public_names(package)
    assert set(listed) == set(names), f"{page.name} and the stub of the package list other names"
    assert len(listed) == len(set(listed))


def test_the_package_itself_is_among_the_subjects():
    assert mc in SUBJECTS
