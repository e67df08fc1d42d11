"""What `/metrics` tells, read by the library's own parser."""

import httpx
from prometheus_client.parser import text_string_to_metric_families


def scraped(url: str) -> dict[str, float]:
    """Return what a server tells now: name with labels, as the text has them → value."""
    answer = httpx.get(f"{url}/metrics", trust_env=False, timeout=60).raise_for_status()
    return parsed(answer.text)


def parsed(text: str) -> dict[str, float]:
    """Return the samples of a text in the format of Prometheus."""
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f'{name}="{value}"' for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


def total(counts: dict[str, float], name: str) -> float:
    """Return the sum over all labels."""
    return sum(value for key, value in counts.items() if key.partition("{")[0] == name)
