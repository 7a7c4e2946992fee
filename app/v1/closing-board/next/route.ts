import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { openNextPeriodsContract } from "#lib/matching/closing-board/contract.ts";
import { openNextPeriods } from "#lib/matching/closing-board/open-next-periods.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(openNextPeriodsContract, ({ ctx, body }) => openNextPeriods(ctx, body)),
);
