import { join } from "node:path";
import { defineConfig } from "@playwright/test";
import { knownChromium } from "./bin/dev/chromium.mjs";
import { LEFT_OUT } from "./e2e/gate.ts";
import { stackUnderTest } from "./e2e/stack-under-test.ts";

const QUIET = [
  "--no-sandbox",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-gpu",
  "--disable-quic",
];

const { command, env, url } = await stackUnderTest("ui");
// The tests find the stack by these, in this process's children too.
Object.assign(process.env, env);

export default defineConfig({
  testDir: "e2e/ui",
  testIgnore: LEFT_OUT.map((file) => `**/${file}`),
  outputDir: "test-results/ui",
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 30_000 },
  reporter: [
    ["list"],
    ["./e2e/ui/figures-reporter.ts"],
    [
      "json",
      { outputFile: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ?? join("test-results", "ui.json") },
    ],
  ],
  use: {
    baseURL: url,
    viewport: { width: 1440, height: 900 },
    timezoneId: "Europe/Berlin",
    // Without a graphics card each frame is drawn by the processor. What moves is looked at on
    // /design.
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: { executablePath: knownChromium(), args: QUIET },
  },
  webServer: {
    command: `exec ${command.map((part) => `"${part}"`).join(" ")}`,
    env,
    url: `${url}/readyz`,
    timeout: 120_000,
    gracefulShutdown: { signal: "SIGTERM", timeout: 20_000 },
  },
});
