import { defineConfig } from "@playwright/test";
import { stackEnvironment } from "./supervisor/stack-file.ts";

const QUIET = [
  "--no-sandbox",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-gpu",
  "--disable-quic",
];

export default defineConfig({
  testDir: "e2e/ui",
  outputDir: "test-results/ui",
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  use: {
    baseURL: process.env.TIEOUT_URL ?? stackEnvironment().NEXTAUTH_URL ?? "http://localhost:3000",
    viewport: { width: 1440, height: 900 },
    timezoneId: "Europe/Berlin",
    trace: "retain-on-failure",
    launchOptions: { executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium", args: QUIET },
  },
});
