import { execFile } from "node:child_process";
import { chownSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { SUPERUSER } from "../../supabase/local/postgres.ts";
import type { Project } from "./project.ts";

const run = promisify(execFile);

/** The URL of a stack's database as its superuser. */
export function superuserUrl({ env }: Project, dataDir: string): URL {
  const secrets = JSON.parse(readFileSync(join(dataDir, "secrets.json"), "utf8")) as {
    POSTGRES_ADMIN_PASSWORD: string;
  };
  const url = new URL(env.DATABASE_URL ?? "");
  [url.username, url.password] = [SUPERUSER, secrets.POSTGRES_ADMIN_PASSWORD];
  return url;
}

/**
 * Copies a running cluster:
 * https://www.postgresql.org/docs/17/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
export async function copyCluster(
  project: Project,
  dataDir: string,
  elsewhere: string,
): Promise<void> {
  const client = new Client({ connectionString: superuserUrl(project, dataDir).href });
  await client.connect();
  const copy = join(elsewhere, "postgres");
  await client.query("select pg_backup_start('drill', true)");
  // Ignores files that disappear during the copy: the write-ahead log contains their changes.
  await run("cp", ["-a", join(dataDir, "postgres"), copy]).catch(() => {});
  const { rows } = await client.query<{ labelfile: string }>(
    "select labelfile from pg_backup_stop(false)",
  );
  await client.end();
  // The write-ahead log up to the end of the backup.
  await run("cp", ["-a", `${join(dataDir, "postgres/pg_wal")}/.`, join(copy, "pg_wal")]);
  for (const file of ["postmaster.pid", "postmaster.opts"])
    rmSync(join(copy, file), { force: true });
  // Postgres renames this file when recovery has reached the end of the backup.
  writeToCluster(elsewhere, "backup_label", rows[0]?.labelfile ?? "");
  await run("cp", ["-a", join(dataDir, "secrets.json"), elsewhere]);
}

/** Writes a file of a cluster, owned by the cluster's owner. */
export function writeToCluster(dataDir: string, name: string, text: string): void {
  const cluster = join(dataDir, "postgres");
  const file = join(cluster, name);
  writeFileSync(file, text, { mode: 0o600 });
  const { uid, gid } = statSync(cluster);
  chownSync(file, uid, gid);
}
