"""The plugin as a folder, in a Hermes whose Python has the package and in one whose Python has not."""

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

import afterglow.hermes
from hermes.fake_hermes import FakeContext, FakeProviderContext

SOURCE = Path(afterglow.hermes.__file__).with_name("folder")


@pytest.fixture
def plugin(tmp_path, config):
    folder = tmp_path / "hermes/plugins/afterglow"
    shutil.copytree(SOURCE, folder)
    (folder / "python").write_text(f"{sys.executable}\n")
    spec = importlib.util.spec_from_file_location(
        "hermes_plugins_afterglow", folder / "__init__.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.SECONDS = module.SLASH_SECONDS = 60.0  # a busy machine is no failure
    return module


@pytest.fixture
def without(monkeypatch):
    """As in a Python that does not have the package."""
    monkeypatch.setitem(sys.modules, "afterglow.hermes", None)


def registered(plugin):
    context = FakeContext()
    plugin.register(context)
    return context


def test_with_the_package_it_is_the_whole_plugin(plugin):
    assert set(registered(plugin).tools) == {
        "afterglow_recall",
        "afterglow_write",
        "memory_backend",
    }
    providers = FakeProviderContext()
    plugin.register(providers)
    assert providers.provider.name == "afterglow"


def test_hermes_takes_it_for_a_memory_provider_and_for_more_than_that():
    """Hermes looks for a word in the first 8 KB, and at the kind in the manifest."""
    assert "register_memory_provider" in (SOURCE / "__init__.py").read_text()[:8192]
    assert "kind: standalone\n" in (SOURCE / "plugin.yaml").read_text()


def test_without_the_package_the_other_python_gives_the_context_once(
    plugin, known, without
):
    context = registered(plugin)
    assert not context.tools
    said = {"session_id": "s1", "user_message": "mend the pier", "platform": "cli"}
    assert context.fire("pre_llm_call", is_first_turn=False, **said) is None
    assert (
        "pier 1 is built"
        in context.fire("pre_llm_call", is_first_turn=True, **said)["context"]
    )
    assert context.fire("pre_llm_call", is_first_turn=True, **said) is None


def test_without_the_package_the_commands_go_to_the_other_python(
    plugin, config, without, capfd
):
    context = registered(plugin)
    with pytest.raises(SystemExit) as end:
        context.command("warm", "show", "nothing")
    assert end.value.code == 4 and "no template 'nothing'" in capfd.readouterr().err
    with pytest.raises(SystemExit) as end:
        context.command("warm", "start", "nothing")
    assert (
        end.value.code == 6 and "pip install afterglow-agents" in capfd.readouterr().err
    )
    assert context.slashes["warm"]("list").startswith("No templates.")


def test_a_python_that_is_gone_disturbs_nothing(plugin, config, without, caplog):
    (Path(plugin.__file__).with_name("python")).write_text("/nowhere/python\n")
    context = registered(plugin)
    assert (
        context.fire(
            "pre_llm_call",
            session_id="s",
            user_message="x",
            is_first_turn=True,
            platform="cli",
        )
        is None
    )
    assert context.slashes["warm"]("") == "afterglow could not answer"
    assert "FileNotFoundError" in caplog.text


def test_a_folder_that_nobody_connected_says_so_when_it_is_loaded(plugin, without):
    Path(plugin.__file__).with_name("python").unlink()
    with pytest.raises(RuntimeError, match="afterglow connect hermes"):
        registered(plugin)
    plugin.register(FakeProviderContext())


def test_without_the_package_only_calls_that_may_have_failed_start_the_other_python(
    plugin, known, without, monkeypatch
):
    started = []
    monkeypatch.setattr(plugin, "_run", lambda *words: started.append(words) or "null")
    context = registered(plugin)

    def ended(result: object, command: str = "make ship") -> None:
        call = {"tool_name": "terminal", "args": {"command": command}, "result": result}
        assert context.fire("transform_tool_result", session_id="s", **call) is None

    ended('{"output": "fine", "exit_code": 0, "error": null}')
    ended(["a", "picture"])
    assert not started
    ended('{"output": "no pier", "exit_code": 2, "error": null}')
    ended('{"output": "no pier", "exit_code": 0, "error": null}', "make ship | tail")
    assert len(started) == 2
