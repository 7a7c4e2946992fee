import { z } from "zod";
import { write } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { decodeCursor, encodeCursor } from "../../wire/cursor.ts";
import { exceptionId } from "../contract.ts";
import type { updateExceptionsContract } from "./contract.ts";

type Contract = typeof updateExceptionsContract;
type Answer = z.input<Contract["response"]>;

const BY_ID = { name: "bulk", key: z.tuple([exceptionId]) };

export async function bulkUpdateExceptions(
  ctx: Context,
  { cursor, ...input }: z.output<NonNullable<Contract["body"]>>,
): Promise<Answer> {
  const after = decodeCursor(BY_ID.name, cursor, BY_ID.key);
  const { next, ...answer } = await write<Omit<Answer, "next_cursor"> & { next: string[] | null }>(
    ctx,
    "update_exceptions",
    {
      ...input,
      after,
    },
  );
  return { ...answer, next_cursor: encodeCursor(BY_ID.name, next) };
}
