import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { ROOT, run } from "./setup.mjs";

/** The shell draws pages and nothing around them. */
const NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];

/** Installs a Chromium to test with, where there is none. `packages`: until those of the project are there. */
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

/** The path of a Chromium to test with, if there is one. */
export function knownChromium() {
  const { CHROMIUM_PATH, PATH = "" } = process.env;
  const onPath = NAMES.flatMap((name) => PATH.split(":").map((folder) => `${folder}/${name}`));
  return [CHROMIUM_PATH, ...onPath, playwrightsOwn()].find((path) => path && existsSync(path));
}

/** Where Playwright keeps the one it downloaded; nowhere before the packages are installed. */
function playwrightsOwn() {
  try {
    return createRequire(`${ROOT}/`)("@playwright/test").chromium.executablePath();
  } catch {
    return undefined;
  }
}
