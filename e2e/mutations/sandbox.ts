/** A copy of the checkout in which things are broken on purpose, and mended again. */
import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Break } from "./break.ts";
import { anyLayout, once } from "./places.ts";

/** After every migration there will be. */
const MIGRATION = "supabase/migrations/29991231235959_break.sql";
/** What the web app is built from: a change of it needs a build before the app runs it. */
const BUILT = /^(?:app|components|docs|engine|lib)\/|^(?:proxy|next\.config)\.ts$/;

/** Whether a break affects the app only after a new build. A unit test reads the source. */
export function needsBuild({ patch, killedBy }: Break): boolean {
  return (
    "file" in patch &&
    patch.rebuild !== false &&
    BUILT.test(patch.file) &&
    killedBy.file.startsWith("e2e/")
  );
}

export class Sandbox {
  readonly root: string;
  readonly #changed = new Map<string, string | null>();

  private constructor(root: string) {
    this.root = root;
  }

  /**
   * Copies what git knows of the checkout, its packages by hard links, and what was built of it.
   */
  static open(checkout: string): Sandbox {
    const root = join(mkdtempSync(join(tmpdir(), "tieout-breaks-")), "checkout");
    const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
      cwd: checkout,
      encoding: "utf8",
    });
    for (const file of files
      .split("\n")
      .filter((name) => name && existsSync(join(checkout, name)))) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      cpSync(join(checkout, file), join(root, file));
    }
    execFileSync("cp", ["-al", join(checkout, "node_modules"), root]);
    if (existsSync(join(checkout, ".next")))
      execFileSync("cp", ["-a", join(checkout, ".next"), root]);
    return new Sandbox(root);
  }

  close(): void {
    rmSync(dirname(this.root), { recursive: true, force: true });
  }

  /** @throws Error if the text of one of them is missing, or occurs twice. */
  apply(breaks: readonly Break[]): void {
    const statements: string[] = [];
    for (const { name, patch } of breaks) {
      if ("file" in patch) this.#replace(name, patch);
      else statements.push("function" in patch ? inFunction(name, patch) : patch.statement);
    }
    if (statements.length > 0) this.#write(MIGRATION, `${statements.join(";\n")};\n`);
  }

  mend(): void {
    for (const [file, content] of this.#changed) {
      if (content === null) rmSync(join(this.root, file));
      else writeFileSync(join(this.root, file), content);
    }
    this.#changed.clear();
  }

  #replace(
    name: string,
    { file, replace, by }: { file: string; replace: string; by: string },
  ): void {
    const content = readFileSync(join(this.root, file), "utf8");
    const fault = once(content, replace, file);
    if (fault) throw new Error(`${name}: ${fault}.`);
    this.#write(
      file,
      content.replace(replace, () => by),
    );
  }

  #write(file: string, content: string): void {
    const path = join(this.root, file);
    if (!this.#changed.has(file))
      this.#changed.set(file, existsSync(path) ? readFileSync(path, "utf8") : null);
    writeFileSync(path, content);
  }

  /** Runs a program in the copy. @returns its exit code and its output. */
  run(
    program: string,
    args: string[],
    env: Record<string, string> = {},
  ): Promise<{ code: number | null; output: string }> {
    return new Promise((done) => {
      const child = spawn(process.execPath, [join(this.root, program), ...args], {
        cwd: this.root,
        env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (text: string) => (output += text));
      child.once("close", (code) => done({ code, output }));
    });
  }
}

/**
 * The latest definition of the function, with the text replaced; the start fails unless the text
 * occurs once.
 */
function inFunction(
  name: string,
  { function: signature, replace, by }: { function: string; replace: string; by: string },
): string {
  const quote = (text: string) => `$break_text$${text}$break_text$`;
  return `do $break$
declare
  place constant text := ${quote(anyLayout(replace).source)};
  f record;
  changed integer := 0;
begin
  for f in
    select pg_get_functiondef(p.oid) as source from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    where n.nspname || '.' || p.proname = '${signature}' and p.prosrc ~ place
  loop
    if regexp_count(f.source, place) <> 1 then
      raise exception '${name}: its place is there more than once in ${signature}';
    end if;
    execute regexp_replace(f.source, place, ${quote(by.trim().replaceAll("\\", "\\\\"))});
    changed := changed + 1;
  end loop;
  if changed <> 1 then
    raise exception '${name}: its place is in % functions called ${signature}', changed;
  end if;
end $break$`;
}
