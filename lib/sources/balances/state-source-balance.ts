import type { z } from "zod";
import { read, write } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { tagged } from "../../request/versions.ts";
import { invalidRequest } from "../../wire/errors.ts";
import { wireAmount } from "../../wire/money.ts";
import type { Source } from "../contract.ts";
import type { SourceBalance, stateSourceBalanceContract } from "./contract.ts";

/** @throws ApiError `invalid_request` for an amount that the currency does not have; `not_found` */
export async function stateSourceBalance(
  request: Context,
  sourceId: string,
  { amount, ...stated }: z.output<NonNullable<typeof stateSourceBalanceContract.body>>,
): Promise<SourceBalance> {
  const state = async (ctx: Context, amount_minor: number | undefined) =>
    tagged(
      ctx,
      await write<SourceBalance>(ctx, "state_source_balance", {
        ...stated,
        amount_minor,
        source_id: sourceId,
      }),
    );
  if (amount === undefined) return state(request, stated.amount_minor);
  const currency =
    stated.currency ?? (await read<Source>(request, "get_source", { id: sourceId })).currency;
  const minor = wireAmount(amount, currency);
  if (typeof minor !== "number")
    throw invalidRequest([{ path: "amount", message: `${minor.problem} Give ${minor.wanted}.` }]);
  return state(stated.currency ? request : { ...request, continues: true }, minor);
}
