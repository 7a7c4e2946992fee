import type { JobHelpers } from "graphile-worker";
import type { Connection } from "#lib/connections/contract.ts";
import { unsealCredential } from "#lib/connections/credential.ts";
import { openRemote } from "#lib/connections/remote/open-remote.ts";
import type { Access, Remote } from "#lib/connections/remote/remote.ts";

/** A connection as functions of the worker return it. */
export type SealedConnection = Connection & { credential_id?: string; sealed?: string };

/**
 * Opens the server of a connection with its credential. The caller closes it.
 * @throws RemoteError if the server can't be reached or refuses the credential
 */
export function openConnection(
  query: JobHelpers["query"],
  tenantId: string,
  { sealed, credential_id = "", ...settings }: SealedConnection,
  access: Pick<Access, "allowHosts" | "signal">,
): Promise<Remote> {
  const credential = sealed ? unsealCredential(sealed, tenantId, credential_id) : null;
  return openRemote({
    ...access,
    settings: { ...settings, credential },
    acceptsHostKey: async (shown) => {
      const { rows } = await query<{ is_accepted: boolean }>(
        "select private.accepts_host_key($1, $2, $3) as is_accepted",
        [tenantId, settings.id, shown],
      );
      return rows[0]?.is_accepted === true;
    },
  });
}
