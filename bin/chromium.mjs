import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { NODE, ROOT, run } from "./setup.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The path of a Chromium to test with; installs one where there is none. */
export async function findChromium() {
  const found = known();
  if (found) return found;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    await run("apt-get", ["update"]);
    await run("apt-get", ["install", "--yes", "--no-install-recommends", "chromium"]);
  } else {
    await run("npx", ["playwright", "install", "chromium"]);
  }
  const installed = known();
  if (!installed) throw new Error("No Chromium found, and installing one failed. Set CHROMIUM_PATH.");
  return installed;
}

function known() {
  const { CHROMIUM_PATH, PATH = "" } = process.env;
  const onPath = PATH.split(":").flatMap((folder) => NAMES.map((name) => `${folder}/${name}`));
  return [CHROMIUM_PATH, ...onPath, playwrightsOwn()].find((path) => path && existsSync(path));
}

function playwrightsOwn() {
  const script = 'import { chromium } from "@playwright/test"; console.log(chromium.executablePath());';
  return execFileSync(NODE, ["--input-type=module", "--eval", script], { cwd: ROOT, encoding: "utf8" }).trim();
}
