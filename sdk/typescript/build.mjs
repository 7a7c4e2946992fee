/** Compiles the package twice, as ESM and as CommonJS: `node build.mjs [<folder>]` */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const FOLDER = import.meta.dirname;
const dist = process.argv[2] ?? join(FOLDER, "dist");
const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
const tsc = join(dirname(typescript), "bin/tsc");

rmSync(dist, { recursive: true, force: true });
build("esm", "module", ["--module", "esnext"]);
build("cjs", "commonjs", ["--module", "commonjs", "--verbatimModuleSyntax", "false"]);

function build(name, type, options) {
  const out = join(dist, name);
  const args = [tsc, "--project", FOLDER, "--outDir", out, ...options];
  execFileSync(process.execPath, args, { stdio: "inherit" });
  writeFileSync(join(out, "package.json"), `${JSON.stringify({ type })}\n`);
  // The compiler rewrites imports in the code only, not in the declarations.
  for (const file of globSync("**/*.d.ts", { cwd: out })) {
    const text = readFileSync(join(out, file), "utf8");
    writeFileSync(join(out, file), text.replaceAll(/(from ")(\.[^"]+)\.ts"/g, '$1$2.js"'));
  }
}
