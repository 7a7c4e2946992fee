import type { JobHelpers } from "graphile-worker";
import type { SealedConnection } from "#lib/connections/credential.ts";
import type { RemoteFile } from "#lib/connections/remote/remote.ts";
import type { Mapping } from "#lib/imports/formats/mapping.ts";

type Query = JobHelpers["query"];

export type FetchSettings = SealedConnection & {
  lease: string;
  source: { currency: string; time_zone: string; mapping: Mapping | null };
};

/**
 * new: to be fetched; known: nothing to do; failed: it failed before and is unchanged; done:
 * imported, so that it can be moved or deleted.
 */
export type KnownFile = {
  file: RemoteFile;
  state: "new" | "known" | "failed" | "done";
  file_id: string | null;
  error: string | null;
};

/** How many files a fetch found, and why the fetch or a file failed. */
export type Outcome = { found: number; error: string | null; needs_person: boolean };

/** The database functions of a fetch, which are all called with its lease. */
export class FetchQueries {
  readonly #query: Query;
  readonly #fetch: readonly [tenantId: string, connectionId: string, lease: string];

  constructor(query: Query, tenantId: string, { id, lease }: { id: string; lease: string }) {
    this.#query = query;
    this.#fetch = [tenantId, id, lease];
  }

  async knownFiles(files: RemoteFile[], byHand: boolean): Promise<KnownFile[]> {
    const [tenantId, connectionId] = this.#fetch;
    const { rows } = await this.#query<Omit<KnownFile, "file"> & { place: string }>(
      "select * from private.known_files($1, $2, $3, $4)",
      [tenantId, connectionId, JSON.stringify(files), byHand],
    );
    return rows.map(({ place, ...known }) => ({
      ...known,
      file: files[Number(place) - 1] as RemoteFile,
    }));
  }

  /** @returns the ID of the file */
  beginFile(file: RemoteFile): Promise<string> {
    return this.#call("begin_file", JSON.stringify(file));
  }

  /** @returns the ID of the import that the file's parts are added to */
  openImport(fileId: string, format: string, fileName: string): Promise<string> {
    return this.#call("open_file_import", fileId, format, fileName);
  }

  async storePart(importId: string, seq: number, part: Buffer): Promise<void> {
    const [tenantId] = this.#fetch;
    await this.#query("select private.keep_file_part($1, $2, $3, $4)", [
      tenantId,
      importId,
      seq,
      part,
    ]);
  }

  finishFile(
    fileId: string,
    stored: { mapping: Mapping | null; bytes: number; sha256: string },
  ): Promise<"importing" | "duplicate" | "known"> {
    return this.#call("finish_file", fileId, JSON.stringify(stored));
  }

  async failFile(fileId: string, error: string): Promise<void> {
    await this.#call("fail_file", fileId, error);
  }

  async recordRemoval(fileId: string): Promise<void> {
    await this.#call("file_taken", fileId);
  }

  async end(outcome: Outcome): Promise<void> {
    await this.#call("end_fetch", JSON.stringify(outcome));
  }

  async #call<Result>(name: string, ...values: unknown[]): Promise<Result> {
    const all = [...this.#fetch, ...values];
    const placeholders = all.map((_, at) => `$${at + 1}`).join(", ");
    const { rows } = await this.#query<{ answer: Result }>(
      `select private.${name}(${placeholders}) as answer`,
      all,
    );
    return rows[0]?.answer as Result;
  }
}

/** @returns null if there is nothing to do */
export async function beginFetch(
  query: Query,
  tenantId: string,
  connectionId: string,
  byHand: boolean,
): Promise<FetchSettings | null> {
  const { rows } = await query<{ settings: FetchSettings | null }>(
    "select private.begin_fetch($1, $2, $3) as settings",
    [tenantId, connectionId, byHand],
  );
  return rows[0]?.settings ?? null;
}
