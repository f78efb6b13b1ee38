# The first stage has npm and builds the service. The image itself is based on distroless: it has Node and the C
# libraries that Node needs, but no shell and no package manager.

FROM node:24-slim AS build
WORKDIR /build
# The packages come first, so that this layer is rebuilt only when the lock file changes. No package scripts are run.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY src src
# No source maps are built, because the sources that they refer to are not in the image.
RUN npm run build -- --sourceMap false

FROM gcr.io/distroless/nodejs24-debian13:nonroot
# A label as the OCI image specification defines it. The build system adds those for title, version, source and licence.
LABEL org.opencontainers.image.base.name="gcr.io/distroless/nodejs24-debian13:nonroot"
WORKDIR /app
# The files belong to root and another user runs them, so the service cannot change its own code.
# package.json tells Node that the .js files are ES modules. Its mode is set here, because in the build context it
# depends on who checked the file out.
COPY --from=build --chmod=644 /build/package.json ./
COPY --from=build /build/dist/src dist/src

# The service listens on every interface, because 127.0.0.1 can be reached only from inside the container.
ENV NODE_ENV=Production HOST=*
EXPOSE 8080
# This is the user "nonroot", given as a number so that Kubernetes can verify that it is not root.
USER 65532:65532

# Every status below 500 counts as healthy: 200, a redirect to HTTPS (307), and the refusal of a Host that is not in
# ALLOWED_HOSTS (421). A draining service replies 503, unless it redirects. The check uses node:http because `fetch`
# takes longer to load. An agent might use a proxy (NODE_USE_ENV_PROXY).
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["/nodejs/bin/node", "--eval", "http.get({ agent: false, host: '127.0.0.1', port: process.env.PORT || 8080, path: '/health' }, ({ statusCode }) => process.exit(statusCode < 500 ? 0 : 1)).on('error', () => process.exit(1))"]

# --permission: node:fs can read files only in /app and in /tls, where PEM files are mounted, and cannot write any;
#   there are no child processes, workers, native add-ons or debugger. It wants real paths, without symbolic links.
# --no-experimental-sqlite: node:sqlite opens files despite the permission model.
# --disable-proto=delete: there is no `object.__proto__`, the usual route to prototype pollution. (With `throw`, a field
#   named __proto__ would end the process, because Node's own code uses it.)
# --disable-sigusr1: SIGUSR1 does not open the debugger. --permission denies that, too; this flag also holds without it.
# --disallow-code-generation-from-strings is left out: with it, Node cannot use its code cache, and takes 17 ms longer
#   to start.
# From Node 25 on, --permission also needs --allow-net, a flag that Node 24 does not know.
ENTRYPOINT ["/nodejs/bin/node", "--permission", "--allow-fs-read=/app/", "--allow-fs-read=/tls/", "--no-experimental-sqlite", "--disable-proto=delete", "--disable-sigusr1", "/app/dist/src/main.js"]
