# Built where npm is, run on distroless: node and the C libraries it needs, no shell, no package manager.

FROM node:24-slim AS build
WORKDIR /build
# The packages first: this layer is built anew only when the lock file changes. No package's own script runs.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY src src
# Without source maps: the sources that they name are not in the image.
RUN npm run build -- --sourceMap false

FROM gcr.io/distroless/nodejs24-debian13:nonroot
# Labels of the OCI image specification. Where the source is and which licence it has, a build system knows.
LABEL org.opencontainers.image.title="greeting-service" \
  org.opencontainers.image.description="A greeting over HTTP: the reference for a small server on Node's standard library alone." \
  org.opencontainers.image.version="1.0.0" \
  org.opencontainers.image.base.name="gcr.io/distroless/nodejs24-debian13:nonroot"
WORKDIR /app
# Owned by root, run by another user: the service cannot change its own code.
# package.json tells node that the .js files are ES modules.
COPY --from=build /build/package.json ./
COPY --from=build /build/dist/src dist/src

# Production unless told otherwise, and on every interface: 127.0.0.1 would be the container's own.
ENV NODE_ENV=Production HOST=*
EXPOSE 8080
# "nonroot" as a number, so that Kubernetes can see that it is not root.
USER 65532:65532

# Anything under 500 is a sign of life: 200, a redirect to HTTPS (307), a Host that ALLOWED_HOSTS refuses (421).
# A draining service says 503. `http` is node's own module; loading `fetch` would take longer.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["/nodejs/bin/node", "--eval", "http.get({ host: '127.0.0.1', port: process.env.PORT || 8080, path: '/health' }, ({ statusCode }) => process.exit(statusCode < 500 ? 0 : 1)).on('error', () => process.exit(1))"]

# --permission: node:fs reads nothing outside /app and /tls (mount PEM files there) and writes nothing;
#   no child processes, workers, native add-ons or debugger.
# --no-experimental-sqlite: node:sqlite would open files past the permission model.
# --disable-proto=throw: `object.__proto__`, the usual way to pollute prototypes, throws.
# Not --disallow-code-generation-from-strings: node then cannot use its code cache, and starts 17 ms later.
# From Node 25 on, --permission needs --allow-net as well; Node 24 does not know it.
ENTRYPOINT ["/nodejs/bin/node", "--permission", "--allow-fs-read=/app/", "--allow-fs-read=/tls/", "--no-experimental-sqlite", "--disable-proto=throw", "/app/dist/src/main.js"]
