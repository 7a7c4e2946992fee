// Prepares what must exist before anything runs. Plain JavaScript for Node >= 20, without installed
// packages.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { tieToParent } from "./children.mjs";
import { showsSteps } from "./steps.mjs";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));
export const NODE = join(ROOT, "node_modules/.bin/node");

const BUILD_INPUTS = [
  "app",
  "components",
  "docs/examples",
  "docs/guides",
  "docs/webhooks",
  "lib",
  "engine",
  "public",
  "instrumentation.ts",
  "next.config.ts",
  "openapi.json",
  "package-lock.json",
  "postcss.config.mjs",
  "proxy.ts",
  "tsconfig.build.json",
  "tsconfig.json",
];
const BUILD_STAMP = join(ROOT, ".next/inputs.sha256");
const NOT_BUILT = /\.test\.tsx?$/;

/**
 * Installs the packages of package-lock.json, unless they are installed. `dev`: also those that
 * only tests and development need.
 */
export async function install({ dev = true } = {}) {
  if (isInstalled(dev)) return;
  await run("npm", ["ci", dev ? "--include=dev" : "--omit=dev", "--no-audit", "--no-fund"]);
}

export function isBuilt() {
  return existsSync(BUILD_STAMP) && readFileSync(BUILD_STAMP, "utf8") === hashOf(BUILD_INPUTS);
}

/**
 * Builds the web app, unless its inputs are unchanged. `typesAreChecked` skips the type check,
 * which needs the packages for development.
 */
export async function build({ typesAreChecked = false } = {}) {
  if (isBuilt()) return;
  const inputs = hashOf(BUILD_INPUTS);
  rmSync(BUILD_STAMP, { force: true });
  // Types of deleted routes, left by the last development server, would fail the build.
  rmSync(join(ROOT, ".next/dev/types"), { recursive: true, force: true });
  await run(NODE, [join(ROOT, "node_modules/next/dist/bin/next"), "build"], {
    env: { BUILD_INPUTS_SHA256: inputs, ...(typesAreChecked && { TYPES_ARE_CHECKED: "1" }) },
  });
  await compress(join(ROOT, ".next/static"));
  writeFileSync(BUILD_STAMP, inputs);
}

/** Compresses the files once after the build, at the highest level, instead of at each request. */
async function compress(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    /\.(css|js|svg)$/.test(entry.name),
  );
  await Promise.all(
    files.map(async (entry) => {
      const path = join(entry.parentPath ?? entry.path, entry.name);
      const content = readFileSync(path);
      writeFileSync(`${path}.br`, await promisify(brotliCompress)(content));
      writeFileSync(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
    }),
  );
}

/**
 * Runs a command and prints its output on stderr, because stdout belongs to the log. While steps
 * are shown, the output is printed only if the command fails.
 */
export function run(command, args, { env = {}, stdio = ["ignore", 2, 2] } = {}) {
  const output = [];
  return new Promise((done, fail) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      stdio: showsSteps ? ["ignore", "pipe", "pipe"] : stdio,
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", ...env },
    });
    tieToParent(child);
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk) => output.push(chunk));
    child.once("error", fail);
    child.once("close", (code, signal) => {
      if (code === 0) return done();
      const printed = Buffer.concat(output).toString();
      fail(new Error(`${printed}${command} ${args.join(" ")} ended with ${signal ?? code}`));
    });
  });
}

/**
 * npm records what it installed in node_modules. Packages for other systems are only in the lock
 * file.
 */
function isInstalled(withDev) {
  const note = join(ROOT, "node_modules/.package-lock.json");
  if (!existsSync(note) || !existsSync(NODE)) return false;
  const present = JSON.parse(readFileSync(note, "utf8")).packages;
  const expected = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")).packages;
  return Object.entries(expected).every(
    ([path, { version, optional, dev }]) =>
      path === "" || optional || (dev && !withDev) || present[path]?.version === version,
  );
}

function hashOf(paths) {
  const hash = createHash("sha256");
  for (const [name, value] of Object.entries(process.env).sort())
    if (name.startsWith("NEXT_PUBLIC_")) hash.update(`${name}=${value}\0`);
  for (const file of paths.flatMap(filesOf))
    if (!NOT_BUILT.test(file)) hash.update(`${file}\0`).update(readFileSync(join(ROOT, file)));
  return hash.digest("hex");
}

function filesOf(path) {
  if (!existsSync(join(ROOT, path))) return [];
  if (/\.\w+$/.test(path)) return [path];
  return readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(ROOT.length))
    .sort();
}
