import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BUILD = 'import { build } from "./bin/setup.mjs"; await build({ typesAreChecked: true });';

/**
 * The commit before the last migration, whose build runs while the migration is applied. Null if
 * this folder has no history.
 */
export function previousCommit(): string | null {
  const git = (...args: string[]) =>
    execFileSync("git", args, {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  try {
    const last = git("log", "-1", "--format=%H", "--diff-filter=A", "--", "supabase/migrations");
    return git("rev-parse", `${last}^`);
  } catch {
    return null;
  }
}

/** Builds a commit in a temporary folder with this folder's packages. Takes minutes. */
export class CommitBuild {
  readonly folder = mkdtempSync(join(tmpdir(), "tieout-commit-"));

  constructor(commit: string) {
    const options = { cwd: ROOT, stdio: "inherit" } as const;
    execFileSync("sh", ["-c", `git archive ${commit} | tar -x -C ${this.folder}`], options);
    // Hard links if possible, because a symbolic link would lead the build out of its folder.
    const [from, to] = [join(ROOT, "node_modules"), join(this.folder, "node_modules")];
    execFileSync(
      "sh",
      ["-c", `cp -al ${from} ${to} 2>/dev/null || cp -a ${from} ${this.folder}`],
      options,
    );
    execFileSync(process.execPath, ["--input-type=module", "--eval", BUILD], {
      ...options,
      cwd: this.folder,
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
