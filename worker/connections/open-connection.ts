import type { JobHelpers } from "graphile-worker";
import { type SealedConnection, unsealConnection } from "#lib/connections/credential.ts";
import { openRemote } from "#lib/connections/remote/open-remote.ts";
import type { Access, Remote } from "#lib/connections/remote/remote.ts";

/**
 * Connects to the server of a connection with its credential. The caller closes it.
 * @throws RemoteError if the server can't be reached or refuses the credential
 */
export function openConnection(
  query: JobHelpers["query"],
  tenantId: string,
  connection: SealedConnection,
  access: Pick<Access, "allowHosts" | "signal">,
): Promise<Remote> {
  return openRemote({
    ...access,
    settings: unsealConnection(connection, tenantId),
    acceptsHostKey: async (shown) => {
      const { rows } = await query<{ is_accepted: boolean }>(
        "select private.accepts_host_key($1, $2, $3) as is_accepted",
        [tenantId, connection.id, shown],
      );
      return rows[0]?.is_accepted === true;
    },
  });
}
