"""The door to a model's service: one bounded request after another, faults retried or reported."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import uniform
from threading import Lock
from typing import Any, Final, TypeAlias

from quantum_circuit_env.agents.clock import Deadline, within
from quantum_circuit_env.agents.completions import read_completion
from quantum_circuit_env.agents.endpoint import Endpoint
from quantum_circuit_env.agents.faults import Fault, Remedy
from quantum_circuit_env.agents.masking import masked
from quantum_circuit_env.agents.pace import Pace
from quantum_circuit_env.agents.replies import Reply
from quantum_circuit_env.agents.transcript import one_line
from quantum_circuit_env.agents.vocabulary import EndReason

Message: TypeAlias = dict[str, str]
"""`role` and `content`."""

_OTHER_NAME: Final = {"max_tokens": "max_completion_tokens"}
"""Parameters that newer models know by another name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How a request is made and how long it is tried.

    Attributes:
        temperature: sampling temperature.
        max_tokens: tokens of a reply, thinking included.
        timeout: seconds for one request, all in all.
        retries: requests after the first for one reply.
        pause: seconds before the first retry; doubled for each further one, then drawn from the half of it
            to the whole, so that threads that failed together do not come back together.
        longest_pause: seconds that are waited at most, also when the service asks for more.
    """

    temperature: float = 0.7
    max_tokens: int = 2048
    timeout: float = 60.0
    retries: int = 3
    pause: float = 1.0
    longest_pause: float = 30.0


class ProviderError(Exception):
    """Raised when there will be no reply.

    Attributes:
        reason: how the episode ends by that.
        retries: requests that were repeated in vain.
    """

    def __init__(self, message: str, reason: EndReason, retries: int = 0) -> None:
        super().__init__(message)
        self.reason = reason
        self.retries = retries


class Provider:
    """One model; everything about its service that can fail ends as a ProviderError. Threads may share it.

    Attributes:
        parameters: what is sent beside the messages; shrinks when the service refuses one.
        served: names that the service gave the model in its replies.

    Args:
        endpoint: the model, and where it is served.
        limits: how it is asked.
        deadline: when nothing is asked any more.
        log: told of requests that are repeated.
        pace: how often the service may be asked; None for as often as there is something to ask.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        limits: Limits,
        deadline: Deadline,
        *,
        log: Callable[[str], None],
        pace: Pace | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.parameters: dict[str, float] = {
            "temperature": limits.temperature,
            "max_tokens": limits.max_tokens,
        }
        self.served: set[str] = set()
        self._limits = limits
        self._deadline = deadline
        self._log = log
        self._pace = pace
        self._stopped: str | None = None
        self._client: Any = None
        self._lock = Lock()

    @property
    def model(self) -> str:
        """The model's name."""
        return self.endpoint.model

    def reply(self, messages: Sequence[Message]) -> Reply:
        """Return the model's reply, or raise a ProviderError when the bounds are reached."""
        retries = 0
        while True:
            self._check(retries)
            if self._pace is not None:
                self._pace.wait(self._deadline.left)
                self._check(retries)
            sent = self.parameters
            outcome = self._request(messages, sent)
            if isinstance(outcome, Reply):
                self.served.add(outcome.model)
                return outcome._replace(usage=outcome.usage._replace(retries=retries))
            if outcome.remedy is Remedy.ADAPT and self._adapt(outcome, sent):
                continue
            if outcome.remedy is not Remedy.RETRY or retries >= self._limits.retries:
                raise self._failed(outcome, retries)
            self._wait(outcome, retries)
            retries += 1

    def _check(self, retries: int) -> None:
        """Raise a ProviderError if nothing is to be asked any more."""
        if self._stopped is not None:
            raise ProviderError(self._stopped, EndReason.INCOMPLETE, retries)
        if self._deadline.over:
            raise ProviderError("no time is left for this run", EndReason.RUN_BUDGET, retries)

    def _failed(self, fault: Fault, retries: int) -> ProviderError:
        if self._deadline.over:
            text = f"no time is left for this run ({fault.text})"
            return ProviderError(text, EndReason.RUN_BUDGET, retries)
        if fault.remedy is Remedy.STOP:
            self._stopped = fault.text
        reason = EndReason.CONTEXT_LIMIT if fault.remedy is Remedy.SHORTEN else EndReason.INCOMPLETE
        return ProviderError(fault.text, reason, retries)

    def _wait(self, fault: Fault, retries: int) -> None:
        # A service that says when to come back is taken at its word.
        wait = self._limits.pause * 2**retries * uniform(0.5, 1.0) if fault.wait is None else fault.wait
        wait = min(wait, self._limits.longest_pause, self._deadline.left)
        self._log(f"{fault.text}; asking again in {wait:.1f} s")
        time.sleep(wait)

    def _adapt(self, fault: Fault, sent: Mapping[str, float]) -> bool:
        """Rename or drop the parameter that a refusal is about; say whether others can be tried now."""
        with self._lock:
            if self.parameters is not sent:
                # Another thread has been refused before this one, and has learnt from it.
                return True
            name = next((name for name in sent if name in fault.quoted), None)
            if name is None:
                return False
            self.parameters = {key: value for key, value in sent.items() if key != name}
            if name in _OTHER_NAME:
                self.parameters[_OTHER_NAME[name]] = sent[name]
        self._log(f"{fault.text}; going on {_renamed(name)}")
        return True

    def _request(self, messages: Sequence[Message], parameters: Mapping[str, float]) -> Reply | Fault:
        timeout = min(self._limits.timeout, self._deadline.left)
        outcome = within(timeout, lambda: self._exchange(messages, parameters, timeout))
        if outcome is None:
            return Fault(Remedy.RETRY, f"no answer within {timeout:.0f} s")
        if isinstance(outcome, Fault):
            # A service may quote the key back.
            return outcome._replace(text=one_line(masked(outcome.text, [self.endpoint.key])))
        return outcome

    def _exchange(
        self, messages: Sequence[Message], parameters: Mapping[str, float], timeout: float
    ) -> Reply | Fault:
        """Make one request. This is the door: whatever goes wrong behind it leaves as a Fault."""
        try:
            return read_completion(*self._ask(messages, parameters, timeout))
        except Exception as error:  # noqa: BLE001
            return Fault(Remedy.RETRY, f"{type(error).__name__}: {error}")

    def _ask(
        self, messages: Sequence[Message], parameters: Mapping[str, float], timeout: float
    ) -> tuple[int, Mapping[str, str], str]:
        from openai import APIStatusError

        try:
            answer = self._opened().chat.completions.with_raw_response.create(
                model=self.endpoint.model, messages=list(messages), timeout=timeout, **parameters
            )
        except APIStatusError as error:
            return error.status_code, error.response.headers, error.response.text
        return answer.status_code, answer.headers, answer.text

    def _opened(self) -> Any:
        if self._client is None:
            from openai import OpenAI

            # We retry ourselves, with bounds that the client does not know.
            self._client = OpenAI(api_key=self.endpoint.key, base_url=self.endpoint.base_url, max_retries=0)
            if self.endpoint.host != "api.openai.com":
                # The client takes these from OpenAI's variables; they are no business of anybody else.
                self._client.organization = self._client.project = None
        return self._client


def _renamed(name: str) -> str:
    return f"with {_OTHER_NAME[name]} for {name}" if name in _OTHER_NAME else f"without {name}"
