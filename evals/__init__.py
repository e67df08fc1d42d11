"""How policies and agents are measured."""
