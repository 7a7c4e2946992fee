import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { SignedStatement } from "./contract.ts";

export function getSignedStatement(
  ctx: Context,
  id: string,
  number: number,
): Promise<SignedStatement> {
  return read<SignedStatement>(ctx, "get_signed_statement", { id, number });
}
