import type { z } from "zod";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { filterInput } from "../filters/contract.ts";
import type { getSlaFacetsContract, SlaFacets } from "./contract.ts";

export function getSlaFacets(
  ctx: Context,
  query: z.output<typeof getSlaFacetsContract.query>,
): Promise<SlaFacets> {
  return read(ctx, "get_sla_facets", filterInput(query));
}
