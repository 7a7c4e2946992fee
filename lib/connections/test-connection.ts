import { read, write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { env } from "../runtime/env.ts";
import { type ConnectionTest, NAMES_LISTED } from "./contract.ts";
import { type SealedConnection, unsealConnection } from "./credential.ts";
import { globMatches } from "./file-glob.ts";
import { openRemote } from "./remote/open-remote.ts";
import { remoteError } from "./remote/remote-error.ts";

const TIMEOUT_MS = 15_000;

/** Signs in to the server and lists files, without fetching or pinning anything. */
export async function testConnection(ctx: Context, id: string): Promise<ConnectionTest> {
  const settings = await read<SealedConnection>(ctx, "open_connection_test", { id });
  const result = await resultOf(ctx, settings);
  return write({ ...ctx, continues: true }, "finish_connection_test", { answer: result });
}

async function resultOf(ctx: Context, settings: SealedConnection): Promise<ConnectionTest> {
  if (settings.kind === "mail") return { error: null, host_key: null, names: [], total_count: 0 };
  const unsealed = unsealConnection(settings, ctx.tenantId);
  let hostKey: string | null = null;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const remote = await openRemote({
      settings: unsealed,
      allowHosts: env().WEBHOOK_ALLOW_HOSTS,
      signal,
      async acceptsHostKey(fingerprint) {
        hostKey = fingerprint;
        return settings.host_key === null || settings.host_key === fingerprint;
      },
    });
    try {
      const files = await remote.list();
      const names = files
        .map(({ path }) => path)
        .filter((path) => settings.kind === "https" || globMatches(path, settings.file_glob))
        .sort();
      return {
        error: null,
        host_key: hostKey,
        names: names.slice(0, NAMES_LISTED),
        total_count: names.length,
      };
    } finally {
      await remote.close();
    }
  } catch (error) {
    const { message } = signal.aborted
      ? new Error("The server didn't respond within 15 s.")
      : remoteError(error);
    return { error: message, host_key: hostKey, names: [], total_count: 0 };
  }
}
