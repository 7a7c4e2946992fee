import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { ROOT, run } from "../setup.mjs";

/** The headless shell renders pages without a browser's interface. */
const NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];

/**
 * Installs Chromium for the tests if none is found. `packages` resolves when the project's packages
 * are installed.
 */
export async function ensureChromium(packages) {
  if (knownChromium()) return;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    await run("apt-get", ["update"]);
    await run("apt-get", [
      "install",
      "--yes",
      "--no-install-recommends",
      "chromium-headless-shell",
    ]);
  } else {
    await packages;
    if (knownChromium()) return;
    await run("npx", ["playwright", "install", "chromium"]);
  }
  if (!knownChromium())
    throw new Error("No Chromium found, and installing one failed. Set CHROMIUM_PATH.");
}

/** The path of a Chromium for the tests, if there is one. */
export function knownChromium() {
  const { CHROMIUM_PATH, PATH = "" } = process.env;
  const onPath = NAMES.flatMap((name) => PATH.split(":").map((folder) => `${folder}/${name}`));
  return [CHROMIUM_PATH, ...onPath, playwrightPath()].find((path) => path && existsSync(path));
}

/** The path of Playwright's download; undefined before the packages are installed. */
function playwrightPath() {
  try {
    return createRequire(`${ROOT}/`)("@playwright/test").chromium.executablePath();
  } catch {
    return undefined;
  }
}
