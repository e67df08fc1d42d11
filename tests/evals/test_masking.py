"""Errors of services and servers are logged and stored: what they quote of credentials is taken out first."""

import json

import pytest

from quantum_circuit_env.agents.masking import WITHHELD, masked, masked_by_looks
from quantum_circuit_env.agents.provider import ProviderError
from quantum_circuit_env.agents.transcript import one_line
from support.fake_provider import FakeProvider
from support.units import LLM, played

KEY = 'kéy/of"the\\tests+plus'
PLAIN = "plain-key-of-the-tests"
OTHERS = [
    "hf_abcdefghijklmnopqrstuvwx",
    "sk-proj-0123456789abcdefXYZ",
    "Bearer eyJhbGciOi.JIUzI1NiJ9.x-y_z",
    "Authorization: Bearer eyJhbGciOi.JIUzI1NiJ9.x-y_z",
    '"Authorization": "Basic dXNlcjpwYXNz"',
    '{\\"api_key\\": \\"something-of-mine\\"}',
    "https://user:password@llm.example/v1",
    "token=something-of-mine",
]
SECRETS = ("hf_abc", "sk-proj", "eyJ", "JIUz", "dXNl", "something", "password@", "mine")


def told(body: str, *, status: int = 400, key: str = PLAIN) -> str:
    """What a provider says of an answer, which is what an episode's record says, too."""
    with pytest.raises(ProviderError) as caught:
        FakeProvider([(status, body)], key=key).reply([])
    episode = played(LLM, provider=FakeProvider([(status, body)], key=key))
    assert episode.error == one_line(f"model: {caught.value}")
    return str(caught.value)


@pytest.mark.parametrize("text", OTHERS)
@pytest.mark.parametrize("status", [200, 400, 401, 500])
@pytest.mark.parametrize("before", [0, 250, 270, 279, 285, 290])
def test_what_looks_like_a_credential_is_taken_out_wherever_the_text_is_cut(
    text: str, status: int, before: int
) -> None:
    said = told(f"{'x ' * (before // 2)}{text} and more {'y' * 400}", status=status)
    assert len(said) <= 300
    assert not any(secret in said for secret in SECRETS)


def body_of(text: str, *, ascii_only: bool = True) -> str:
    return json.dumps({"error": {"message": text}}, ensure_ascii=ascii_only)


@pytest.mark.parametrize(
    "body",
    [
        f"wrong key {KEY}!",
        f"wrong key {json.dumps(KEY)}!",
        f"wrong key {json.dumps(KEY, ensure_ascii=False)}!",
        json.dumps({"key": KEY}).replace("/", "\\/") + "!",
        body_of(f"wrong key {KEY}!"),
        body_of(f"wrong key {json.dumps(KEY)}!"),
        json.dumps({"error": {"detail": [f"wrong key {KEY}!"]}}),
        "http://llm.example/v1/k%C3%A9y%2Fof%22the%5Ctests%2Bplus/x",
    ],
)
def test_a_key_is_taken_out_however_it_is_spelt(body: str) -> None:
    said = told(body, key=KEY)
    assert WITHHELD in said
    assert not any(part in said for part in ("tests", "plus", "of", "%C3"))


@pytest.mark.parametrize("before", range(250, 305, 3))
def test_no_part_of_a_key_is_left_where_a_text_is_cut(before: int) -> None:
    for body in ("x" * before + PLAIN, body_of("x" * before + PLAIN), json.dumps(["x" * before + PLAIN])):
        assert "pl" not in told(body)


def test_texts_without_credentials_stay() -> None:
    text = "HTTP 400: max_tokens is too large: 4096; the model's limit is 2048 tokens (see https://llm.example/x)"
    assert masked_by_looks(text) == masked(text, ["", PLAIN]) == one_line(text) == text
