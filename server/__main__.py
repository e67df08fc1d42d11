"""`python -m quantum_circuit_env.server`: the script `server`, which can be ended while it still starts."""

from quantum_circuit_env.server.signals import end_on_signals

if __name__ == "__main__":
    end_on_signals()
    # Only now, since it takes the seconds that importing OpenEnv costs.
    from quantum_circuit_env.server.app import main

    main()
