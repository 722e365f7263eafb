"""Weights inside packages are read as numbers; a model that is not installed is none."""

import json
from pathlib import Path

import pytest

from afterglow.errors import UnreadableSource
from afterglow.memory.meaning import MODELS, minilm, weights

numpy = pytest.importorskip("numpy")
WIDTH, INNER, PARTS = 24, 32, 8  # 12 heads of two numbers
PLAIN = ("one", "two", "three")


def write_tensors(path: Path, tensors: dict) -> None:
    """As the format has it: the length of a description, the description, the numbers."""
    described, content = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        stored = tensor.astype("<f4").tobytes()
        described[name] = {
            "dtype": "F32",
            "shape": list(tensor.shape),
            "data_offsets": [len(content), len(content) + len(stored)],
        }
        content += stored
    head = json.dumps(described).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + content)


def small_weights() -> dict:
    """Of a model of the same build and no sense."""
    draw = numpy.random.default_rng(7).normal
    shapes = {
        "embeddings.word_embeddings.weight": (PARTS, WIDTH),
        "embeddings.position_embeddings.weight": (16, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
    }
    for layer in range(minilm.LAYERS):
        name = f"encoder.layer.{layer}."
        squares = ["attention.self.query", "attention.self.key", "attention.self.value"]
        for square in [*squares, "attention.output.dense"]:
            shapes[f"{name}{square}.weight"] = (WIDTH, WIDTH)
            shapes[f"{name}{square}.bias"] = (WIDTH,)
        shapes[f"{name}intermediate.dense.weight"] = (INNER, WIDTH)
        shapes[f"{name}intermediate.dense.bias"] = (INNER,)
        shapes[f"{name}output.dense.weight"] = (WIDTH, INNER)
        shapes[f"{name}output.dense.bias"] = (WIDTH,)
        for norm in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes[f"{name}{norm}.weight"] = (WIDTH,)
            shapes[f"{name}{norm}.bias"] = (WIDTH,)
    return {name: draw(size=shape) for name, shape in shapes.items()}


def test_tensors_come_back_as_they_were_written(tmp_path):
    written = small_weights()
    write_tensors(tmp_path / "model.safetensors", written)
    read = weights.read_tensors(tmp_path / "model.safetensors")
    assert read.keys() == written.keys()
    assert all(numpy.allclose(read[name], written[name]) for name in written)


@pytest.mark.parametrize(
    "content", [b"", b"no weights at all", b"\x02" + 7 * b"\0" + b"[]"]
)
def test_a_file_without_weights_is_refused_by_its_name(tmp_path, content):
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(UnreadableSource, match=r"model\.safetensors"):
        weights.read_tensors(tmp_path / "model.safetensors")


def test_a_package_that_is_not_installed_or_lacks_the_files_has_no_folder():
    assert weights.first_folder([("no_such_package", "model")], ["a"]) is None
    assert weights.first_folder([("json", "")], ["no_such_file"]) is None
    folder = weights.first_folder(
        [("no_such_package", ""), ("json", "")], ["decoder.py"]
    )
    assert folder is not None and folder.name == "json"


def test_every_row_of_the_table_opens_a_model_or_none():
    for name in MODELS.names():
        model = MODELS.load(name).open_model()
        assert model is None or (model.weight > 0 and model.at_once > 0 and model.name)


def test_a_sentence_becomes_one_vector_of_length_one_in_which_order_counts(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    write_tensors(tmp_path / minilm.WEIGHTS, small_weights())
    vocabulary = {word: number for number, word in enumerate(["?", *PLAIN])}
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordLevel(vocabulary, unk_token="?")
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / minilm.TOKENIZER))
    model = minilm.MiniLM(tmp_path)
    rows = model.vectors(["one two three", "three two one", "one two three"])
    assert rows.shape == (3, WIDTH)
    assert numpy.allclose(numpy.linalg.norm(rows, axis=1), 1.0)
    assert numpy.allclose(rows[0], rows[2]) and not numpy.allclose(rows[0], rows[1])
