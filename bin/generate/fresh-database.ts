import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import { migrate } from "../../supabase/local/migrate.ts";
import { stopParts } from "../../supervisor/part.ts";
import { readSettings } from "../../supervisor/settings.ts";
import { startPostgres } from "../../supervisor/stack.ts";

/** Lends a database that has nothing but the migrations, and throws it away after. */
export async function withFreshDatabase(work: (database: Pool) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "tieout-generate-"));
  try {
    const { owner } = await startPostgres(readSettings({ DATA_DIR: directory }));
    await migrate(owner);
    const database = new Pool({ connectionString: owner });
    // The pool's end does not wait for its last connection, which the server may end first.
    database.on("error", () => {});
    await work(database).finally(() => database.end());
  } finally {
    await stopParts();
    rmSync(directory, { recursive: true });
  }
}
