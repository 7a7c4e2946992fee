import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import { requireAddress } from "./address.ts";
import type { Connection, createConnectionContract } from "./contract.ts";
import { sealCredential } from "./credential.ts";

export async function createConnection(
  ctx: Context,
  { credential, ...input }: z.output<NonNullable<typeof createConnectionContract.body>>,
): Promise<Connection> {
  const stored = {
    ...input,
    address: requireAddress(input.address),
    ...(credential !== undefined && sealCredential(credential, ctx.tenantId)),
  };
  return tagged(ctx, await write<Connection>(ctx, "create_connection", stored));
}
