# The server in an image. What goes in is named file by file: .dockerignore does not reach a Space.
FROM python:3.12-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_NO_COMPILE=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /source

# First what changes least. Bytecode that is never compared with its source outlives every copy.
RUN python -m venv --without-pip /opt/venv
COPY requirements.txt requirements-build.txt ./
RUN pip install --require-hashes -r requirements-build.txt \
 && pip --python /opt/venv install --require-hashes -r requirements.txt \
 && rm -r /opt/venv/lib/python3.12/site-packages/pandas/tests \
 && python -m compileall -q -j 0 --invalidation-mode unchecked-hash /opt/venv/lib \
 # beartype has bytecode of its own, which only an import makes.
 && /opt/venv/bin/python -c "import openenv.core.env_server.http_server"

# The project goes into a folder of its own, so that a change of it is a small layer of the image.
COPY pyproject.toml README.md LICENSE openenv.yaml py.typed *.py ./
COPY agents agents
COPY evals evals
COPY gymnasium_envs gymnasium_envs
COPY server server
COPY src src
RUN pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
 && pip --python /opt/venv install --no-deps --no-index --prefix /opt/project /wheels/*.whl \
 && python -m compileall -q --invalidation-mode unchecked-hash /opt/project/lib


FROM python:3.12-slim
LABEL org.opencontainers.image.title="Quantum Circuit Optimizer" \
      org.opencontainers.image.description="An OpenEnv environment in which an agent shortens quantum circuits with four exact rewrite rules" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT"

# Python's own library comes without bytecode.
RUN python -m compileall -q -j 0 -x site-packages --invalidation-mode unchecked-hash /usr/local/lib/python3.12
COPY --from=build /opt/venv /opt/venv
COPY --from=build /opt/project /opt/venv
WORKDIR /app
COPY README.md ./

# Any user, a read-only root: what writes a cache of its own writes it to /tmp.
ENV PATH=/opt/venv/bin:$PATH \
    HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOST=0.0.0.0 \
    PORT=8000 \
    ENABLE_WEB_INTERFACE=true
USER 1000:1000
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-S", "-c", "import http.client, os; door = http.client.HTTPConnection('127.0.0.1', int(os.environ.get('PORT') or 8000), timeout=4); door.request('GET', '/health'); raise SystemExit(door.getresponse().status != 200)"]
CMD ["python", "-m", "quantum_circuit_env.server"]
