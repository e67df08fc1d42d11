"""All speeds side by side, in one run: the game in process, over `/ws`, and how its costs grow.

    uv run python benchmarks/throughput.py [--quick]

Prints the tables of `together`, `websocket` and `growth`.
"""

import argparse

import growth
import together
import websocket


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Measure all speeds and print them side by side.")
    parser.add_argument("--quick", action="store_true", help="fewer sessions and rounds over /ws")
    effort = websocket.QUICK if parser.parse_args().quick else websocket.FULL
    for title, table in (
        ("In process", together.report),
        ("Over /ws", lambda: websocket.report(effort)),
        ("Growth", growth.report),
    ):
        print(f"## {title}\n\n{table()}\n", flush=True)


if __name__ == "__main__":
    main()
