import type { NextConfig } from "next";

const config: NextConfig = {
  reactStrictMode: true,
  poweredByHeader: false,
  // What is shipped. Tests are checked by `npm run verify`: one of theirs must not stop a start.
  // `npm test` has just run that.
  typescript: {
    tsconfigPath: "tsconfig.build.json",
    ignoreBuildErrors: process.env.TYPES_ARE_CHECKED === "1",
  },
  // No page uses the optimiser, which anybody could ask for any of our addresses.
  images: { unoptimized: true },
  // It looks for its native parts at run time, and works without.
  serverExternalPackages: ["ssh2-sftp-client"],
  turbopack: {
    resolveAlias: { zod: { browser: "./lib/wire/zod-in-browser.ts" } },
    // import(…"?text") loads the text of a file in a separate chunk.
    rules: { "*": { condition: { query: "?text" }, type: "text" } },
  },
  experimental: {
    // Going back shows a page at once, and its queries refresh what it shows.
    staleTimes: { dynamic: 60 },
    // A page is loaded when it is first visited, and the routes of /v1, which server/api.ts calls
    // itself, never: 40 MB less.
    preloadEntriesOnStart: false,
    // Writing the cache takes 15 s, and a clean clone never reads it again.
    turbopackFileSystemCacheForBuild: process.env.TIEOUT_TESTS !== "gate",
  },
  // The same sources make the same build (bin/setup.mjs), on whatever machine: a page of one asks
  // another without reloading. Else Next's own.
  generateBuildId: () => process.env.BUILD_INPUTS_SHA256?.slice(0, 32) ?? null,
  devIndicators: { position: "bottom-right" },
  headers: async () => [
    {
      source: "/:path*",
      headers: [
        { key: "X-Content-Type-Options", value: "nosniff" },
        { key: "Referrer-Policy", value: "strict-origin-when-cross-origin" },
        { key: "X-Frame-Options", value: "DENY" },
        // Browsers ignore it on plain http.
        { key: "Strict-Transport-Security", value: "max-age=31536000" },
      ],
    },
  ],
};

export default config;
