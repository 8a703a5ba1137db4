# One file for all images: `docker build --build-arg SERVICE=knowledge .` (or bff, ticketing, operator).
# It keeps to what the classic builder understands.
ARG SERVICE=bff

# The customer page, needed by bff alone.
FROM node:22-slim AS page
WORKDIR /build/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY web ./
RUN npm run build

# Third-party packages by hash; from here on no index is asked.
FROM python:3.12-slim AS packages
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /build
COPY requirements/run.lock requirements/run.lock
RUN pip wheel --no-deps --require-hashes --requirement requirements/run.lock --wheel-dir /wheels
RUN python -m venv /opt/youju
# What a service does not name in its pyproject.toml stays out of its image.
ENV PATH=/opt/youju/bin:$PATH PIP_NO_INDEX=1 PIP_FIND_LINKS=/wheels
COPY libs libs

FROM packages AS knowledge
COPY services/knowledge services/knowledge
RUN pip install ./libs/contracts ./libs/runtime ./libs/personal_data ./services/knowledge \
    && echo 'exec python -m knowledge.main' > /opt/youju/start

FROM packages AS bff
COPY services/bff services/bff
RUN pip install ./libs/contracts ./libs/runtime ./services/bff \
    && echo 'exec python -m bff.main' > /opt/youju/start
COPY --from=page /build/web/dist /opt/youju/page

FROM packages AS ticketing
COPY services/ticketing services/ticketing
RUN pip install ./libs/contracts ./libs/runtime ./libs/personal_data ./services/ticketing \
    && echo 'exec python -m ticketing.main' > /opt/youju/start

# The `youju` command, for the job that prepares the stack and for whoever operates it.
FROM packages AS operator
COPY services services
COPY clients/python clients/python
COPY deploy/local deploy/local
RUN pip install ./libs/* ./clients/python ./services/* ./deploy/local \
    && echo 'exec youju --help' > /opt/youju/start

FROM ${SERVICE} AS chosen

FROM python:3.12-slim
ARG SERVICE
LABEL org.opencontainers.image.title="youju-${SERVICE}" org.opencontainers.image.licenses="Apache-2.0"
# The number is fixed, so that files of a volume keep their owner across images.
RUN groupadd --system --gid 10001 youju \
    && useradd --system --uid 10001 --gid youju --no-create-home --shell /usr/sbin/nologin youju \
    && for folder in migrations knowledge bff ticketing operator; do mkdir -p "/run/youju/$folder"; done \
    && chown -R youju:youju /run/youju \
    && chmod -R 0700 /run/youju/*
COPY --from=chosen /opt/youju /opt/youju
ENV PATH=/opt/youju/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    YOUJU_BFF_PAGE_DIRECTORY=/opt/youju/page
USER 10001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=4s --start-period=120s --retries=6 CMD ["python", "-m", "runtime.probe"]
CMD ["sh", "/opt/youju/start"]
