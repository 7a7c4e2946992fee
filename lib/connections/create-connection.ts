import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import { type ApiError, invalidRequest } from "../wire/errors.ts";
import { requireAddress } from "./address.ts";
import type { Connection, createConnectionContract } from "./contract.ts";
import { sealCredential } from "./credential.ts";
import { newMailAddress } from "./mail-address.ts";

export async function createConnection(
  ctx: Context,
  { credential, ...input }: z.output<NonNullable<typeof createConnectionContract.body>>,
): Promise<Connection> {
  const stored = {
    ...input,
    ...(input.kind === "mail" ? mailbox(input) : server(input)),
    ...(credential !== undefined && sealCredential(credential, ctx.tenantId)),
  };
  return tagged(ctx, await write<Connection>(ctx, "create_connection", stored));
}

type Given = Pick<z.input<NonNullable<typeof createConnectionContract.body>>, "address" | "auth">;

function server({ address, auth }: Given): Given {
  if (address === undefined) throw refused("address", "Give the address of the server.");
  if (auth === undefined) throw refused("auth", "Say how to sign in.");
  return { address: requireAddress(address), auth };
}

function mailbox({ address }: Given): Given {
  if (address !== undefined)
    throw refused("address", "Leave it out: the server assigns the address of a mailbox.");
  return { address: newMailAddress(), auth: "none" };
}

function refused(path: string, message: string): ApiError {
  return invalidRequest([{ path, message }]);
}
