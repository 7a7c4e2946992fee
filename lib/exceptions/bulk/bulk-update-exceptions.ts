import { z } from "zod";
import { write } from "../../db/call.ts";
import { orderOf } from "../../db/page.ts";
import type { Context } from "../../request/context.ts";
import { decodeCursor, encodeCursor } from "../../wire/cursor.ts";
import { exceptionId } from "../contract.ts";
import type { updateExceptionsContract } from "./contract.ts";

type Contract = typeof updateExceptionsContract;
type Answer = z.input<Contract["response"]>;

const KEY = z.tuple([exceptionId]);

export async function bulkUpdateExceptions(
  ctx: Context,
  { cursor, ...input }: z.output<NonNullable<Contract["body"]>>,
): Promise<Answer> {
  // A cursor is bound to its filter: only the first call checks expected_count, and a cursor of
  // another filter would bypass that.
  const order = orderOf("bulk", { ...input.filter });
  const after = decodeCursor(order, cursor, KEY);
  const { next, ...answer } = await write<Omit<Answer, "next_cursor"> & { next: string[] | null }>(
    ctx,
    "update_exceptions",
    {
      ...input,
      after,
    },
  );
  return { ...answer, next_cursor: encodeCursor(order, next) };
}
