"""Which packages a repository names itself."""

from __future__ import annotations

import pytest

from afterglow.harvest.manifests import is_manifest, packages_in


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("package.json", '1\t"name": "x",\n"jest": "^29.0",\n"@a/b": "workspace:*"', {"jest", "@a/b"}),
        ("requirements.txt", "requests==2.0\nFlask>=3\n", {"requests", "flask"}),
        ("Cargo.toml", 'serde = "1"\ntokio = { version = "1" }', {"serde", "tokio"}),
        ("go.mod", "require github.com/a/b v1.2.3", {"github.com/a/b"}),
        ("Gemfile", "gem 'rails'", {"rails"}),
        ("mise.toml", '     3→"cargo:cargo-deny" = "latest"', {"cargo-deny"}),
        ("Dockerfile", "FROM acme/base:1", {"acme/base"}),
    ],
)  # fmt: skip
def test_a_manifest_names_packages(path, text, names):
    assert names <= packages_in(path, text)


def test_manifests_of_somebody_elses_code_say_nothing():
    assert is_manifest("web/package.json")
    assert not is_manifest("node_modules/evil/package.json")
    assert not is_manifest("docs/packages.md")
