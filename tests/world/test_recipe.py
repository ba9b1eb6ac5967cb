"""Recipes: what is read, what is refused and with which words."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from game.core.errors import UsageError
from game.core.paths import resource
from game.world.recipe import Recipe


def text() -> str:
    return resource("assets", "worlds", "alpine.toml").read_text(encoding="utf-8")


def load(tmp_path: Path, content: str) -> Recipe:
    path = tmp_path / "mine.toml"
    path.write_text(content, encoding="utf-8")
    return Recipe.load(path)


def test_alpine_loads_and_is_frozen() -> None:
    recipe = Recipe.load("alpine")
    assert recipe.name == "alpine"
    assert recipe.gullies.octaves == 9
    assert recipe == Recipe.load("alpine")
    with pytest.raises(dataclasses.FrozenInstanceError):
        recipe.name = "other"  # type: ignore[misc]


def test_every_shipped_recipe_loads() -> None:
    assert "alpine" in Recipe.names()
    for name in Recipe.names():
        assert Recipe.load(name).name == name


def test_a_file_equals_the_shipped_recipe(tmp_path: Path) -> None:
    assert load(tmp_path, text()) == Recipe.load("alpine")
    assert load(tmp_path, "\ufeff" + text()) == Recipe.load("alpine")


def test_extends_changes_only_what_it_names(tmp_path: Path) -> None:
    recipe = load(tmp_path, 'extends = "alpine"\nname = "mine"\n[ground]\namplitude_m = 5\n')
    alpine = Recipe.load("alpine")
    assert recipe.ground == dataclasses.replace(alpine.ground, amplitude_m=5.0)
    assert recipe == dataclasses.replace(alpine, name="mine", ground=recipe.ground)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("belt_level =", "belt_levle =", ["belt_levle", "belt_level"]),
        ("[gullies]", "[gulies]", ["gulies", "gullies"]),
        ("octaves = 9", "octaves = 9.5", ["octaves", "9.5", "whole number from 0 to 12"]),
        ("octaves = 9", "octaves = true", ["octaves", "True"]),
        ("relief_m = 1380.0", "relief_m = nan", ["relief_m", "nan", "0 to 8000 m"]),
        ("relief_m = 1380.0", "relief_m = 1e308", ["relief_m", "1e+308"]),
        ("relief_m = 1380.0", 'relief_m = "big"', ["relief_m", "'big'"]),
        ("relief_m = 1380.0", "", ["relief_m", "missing"]),
        ("low = -0.40", "low = 0.90", ["[ranges]", "low", "less than high"]),
        ("\nwavelength_m = 900.0", "\nwavelength_m = 20.0", ["[ground]", "shortest octave"]),
        ('name = "alpine"', "name = 3", ["name", "text in quotes"]),
        ('name = "alpine"', 'name = "alpine', ["not valid TOML"]),
        ('name = "alpine"', 'name = "alpine"\nextends = "nowhere"', ["extends", "nowhere", "alpine"]),
    ],
)
def test_refusals_name_key_value_and_what_is_accepted(
    tmp_path: Path, old: str, new: str, words: list[str]
) -> None:
    assert old in text()
    with pytest.raises(UsageError) as caught:
        load(tmp_path, text().replace(old, new, 1))
    message = str(caught.value)
    assert "\n" not in message or "TOML" in message
    for word in words:
        assert word in message, message


@pytest.mark.parametrize("name", ["alpin", "nope.toml", "", "alpine.json"])
def test_an_unknown_world_lists_what_there_is(name: str) -> None:
    with pytest.raises(UsageError, match="alpine") as caught:
        Recipe.load(name)
    assert repr(name) in str(caught.value)
