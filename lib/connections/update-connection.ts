import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import { requireAddress } from "./address.ts";
import type { Connection, updateConnectionContract } from "./contract.ts";
import { sealCredential } from "./credential.ts";

export async function updateConnection(
  ctx: Context,
  id: string,
  { credential, ...fields }: z.output<NonNullable<typeof updateConnectionContract.body>>,
): Promise<Connection> {
  const patch = {
    ...fields,
    ...(fields.address !== undefined && { address: requireAddress(fields.address) }),
    ...(credential !== undefined && sealCredential(credential, ctx.tenantId)),
  };
  return tagged(ctx, await write<Connection>(ctx, "update_connection", { id, patch }));
}
