"""Requests of all kinds that the OpenAPI document allows or forbids: no error of the server's own."""

from collections.abc import Mapping
from typing import Final

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import APIOperation, Case, GenerationMode
from schemathesis.checks import negative_data_rejection, positive_data_acceptance

EXCUSED: Final[Mapping[schemathesis.CheckFunction, str]] = {
    positive_data_acceptance: "a reset's arguments are told in words, since which go together is no schema's",
    negative_data_rejection: "JSON-RPC refuses with status 200",
}
"""Checks that do not hold → why."""


@pytest.fixture(scope="module")
def operations(server_url: str) -> list[APIOperation]:
    schema = schemathesis.openapi.from_url(f"{server_url}/openapi.json")
    return [found.ok() for found in schema.get_all_operations()]


def takes_anything(operation: APIOperation) -> bool:
    """Whether its requests have a body that could be wrong; in a path any word is right."""
    return bool(operation.body)


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_an_answer_is_one_that_the_document_tells_of(
    operations: list[APIOperation], mode: GenerationMode, pytestconfig: pytest.Config
) -> None:
    """Not by schemathesis's own decorator, which does not work with this pytest."""
    examples = max(5, pytestconfig.getoption("examples") // 10)
    asked = [one for one in operations if mode is GenerationMode.POSITIVE or takes_anything(one)]
    assert asked
    for operation in asked:

        @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
        @given(operation.as_strategy(generation_mode=mode))
        def answered(case: Case) -> None:
            case.call_and_validate(excluded_checks=list(EXCUSED))

        answered()
