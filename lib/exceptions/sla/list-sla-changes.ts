import { z } from "zod";
import { readPolledPage } from "../../db/polled-page.ts";
import type { Context } from "../../request/context.ts";
import { timestamp } from "../../wire/schema.ts";
import { exception } from "../contract.ts";
import { filterInput } from "../filters/contract.ts";
import type { listSlaChangesContract, SlaChanges } from "./contract.ts";

const OLDEST_FIRST = { name: "changed_at", key: z.tuple([timestamp, exception.shape.id]) };

export function listSlaChanges(
  ctx: Context,
  query: z.output<typeof listSlaChangesContract.query>,
): Promise<SlaChanges> {
  return readPolledPage<SlaChanges["items"][number], Pick<SlaChanges, "summary" | "as_of">>(
    ctx,
    "list_sla_changes",
    OLDEST_FIRST,
    filterInput(query),
  );
}
