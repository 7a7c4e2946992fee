import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { run } from "../setup.mjs";

const DAY_MS = 86_400_000;

/**
 * Installs libfaketime if it is missing. It changes the clock of dynamically linked processes such
 * as Node and Postgres.
 */
export async function ensureFaketime() {
  if (library()) return;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    await run("apt-get", ["update"]);
    await run("apt-get", ["install", "--yes", "--no-install-recommends", "libfaketime"]);
  }
  if (!library())
    throw new Error(
      "No libfaketime found. Install it: the package libfaketime of Debian or Ubuntu.",
    );
}

/**
 * Environment variables that set the clock of a process and its children `days` ahead. The
 * monotonic clock does not change.
 */
export function daysAhead(days) {
  return {
    LD_PRELOAD: library(),
    FAKETIME: `+${days}d`,
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    // Postgres runs as another account, which can't read the library's shared memory.
    FAKETIME_DISABLE_SHM: "1",
    FAKETIME_NO_CACHE: "1",
    NO_FAKE_STAT: "1",
  };
}

/** The days until the next 29 February. */
export function daysToLeapDay() {
  const now = new Date();
  const leapYear = [0, 1, 2, 3, 4, 5, 6, 7, 8]
    .map((more) => now.getUTCFullYear() + more)
    .find((year) => isLeap(year) && Date.UTC(year, 1, 29) > now);
  return Math.floor(Date.UTC(leapYear, 1, 29) / DAY_MS) - Math.floor(now / DAY_MS);
}

function isLeap(year) {
  return new Date(Date.UTC(year, 1, 29)).getUTCDate() === 29;
}

function library() {
  const machine = execFileSync("uname", ["-m"], { encoding: "utf8" }).trim();
  const folder = `/usr/lib/${machine}-linux-gnu/faketime`;
  return existsSync(folder) && readdirSync(folder).includes("libfaketimeMT.so.1")
    ? `${folder}/libfaketimeMT.so.1`
    : undefined;
}
