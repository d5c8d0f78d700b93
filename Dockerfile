# Postern in a container, over HTTP. It writes to /data and nowhere else, as nobody in particular:
#
#   docker build -t postern .
#   docker run --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
#     -p 127.0.0.1:8025:8025 -v postern:/data -v "$PWD/tree:/config:ro" -e POSTERN_CONFIG_DIR=/config postern
#
# Without a tree, give it one account with MAIL_IMAP_DEFAULT_HOST, _USER and _PASS, and POSTERN_HTTP_TOKEN.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tools/ tools/
COPY bin/ bin/
COPY src/ src/
RUN node tools/build.mjs && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
# Nothing is installed or built from here on, so nobody needs what could.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn-* /usr/local/include \
      /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
  && install -d -o 1000 -g 1000 -m 0700 /data
WORKDIR /app
COPY --from=build /app/node_modules/ node_modules/
COPY --from=build /app/dist/ dist/
COPY --from=build /app/bin/ bin/
COPY demo/ demo/
COPY package.json LICENSE NOTICE ./
ENV NODE_ENV=production \
    HOME=/data \
    XDG_CACHE_HOME=/data/cache \
    POSTERN_DATA_DIR=/data \
    IMAP_MCP_HTTP_HOST=0.0.0.0 \
    IMAP_MCP_HTTP_PORT=8025
VOLUME /data
EXPOSE 8025
USER 1000:1000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.IMAP_MCP_HTTP_PORT}/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/postern.mjs"]
CMD ["serve", "--transport", "http"]
