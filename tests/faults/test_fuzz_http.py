"""Requests of all kinds that the OpenAPI document allows or forbids: no error of the server's own."""

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import APIOperation, Case, GenerationMode

EXCUSED: tuple[schemathesis.CheckFunction, ...] = ()


@pytest.fixture(scope="module")
def operations(server_url: str) -> list[APIOperation]:
    schema = schemathesis.openapi.from_url(f"{server_url}/openapi.json")
    return [found.ok() for found in schema.get_all_operations()]


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_an_answer_is_one_that_the_document_tells_of(
    operations: list[APIOperation], mode: GenerationMode, pytestconfig: pytest.Config
) -> None:
    """Not by schemathesis's own decorator, which does not work with this pytest."""
    examples = max(5, pytestconfig.getoption("examples") // 10)
    asked = set()
    for operation in operations:

        @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
        @given(operation.as_strategy(generation_mode=mode))
        def answered(case: Case) -> None:
            asked.add(case.operation.label)
            case.call_and_validate(excluded_checks=list(EXCUSED))

        answered()
    assert asked == {operation.label for operation in operations}
