import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { EXCEPTION_HISTORY } from "../../wire/facts.gen.ts";
import { actor, page, pageQuery, person, time } from "../../wire/schema.ts";
import { byId, tag } from "../contract.ts";

export const listExceptionHistoryContract = contract({
  operationId: "listExceptionHistory",
  method: "GET",
  path: "/v1/exceptions/{id}/history",
  tag,
  summary: "List an exception's changes, newest first",
  access: needs("read:exceptions"),
  params: byId,
  query: z.strictObject(pageQuery),
  response: page(
    z
      .object({
        at: time,
        actor,
        ...person,
        request_id: z.string().nullable().meta({ example: "req_5f0c" }),
        kind: z.enum(EXCEPTION_HISTORY.kind),
        changes: z
          .record(z.string(), z.object({ from: z.unknown(), to: z.unknown() }))
          .meta({ example: { status: { from: "open", to: "in_review" } } }),
      })
      .meta({ id: "ExceptionChange" }),
  ),
});
