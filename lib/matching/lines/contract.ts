import { z } from "zod";
import { line } from "../../lines/contract.ts";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { text } from "../../wire/schema.ts";
import { explanation, idempotency, lineId, method, reconciliationId, tag } from "../contract.ts";

export const suggestion = z
  .object({
    line_ids: z
      .array(lineId)
      .meta({ description: "Lines of the other side that together are its counterpart." }),
    reconciliation_id: reconciliationId,
    method,
    score: z.number().min(0).max(1).meta({ example: 0.87 }),
    difference_minor: z
      .int()
      .meta({ description: "Left − right if they were matched.", example: 0 }),
    explanation,
  })
  .meta({ id: "LineSuggestion" });
export type LineSuggestion = z.output<typeof suggestion>;

const byLine = z.strictObject({ id: lineId });
const period = reconciliationId
  .optional()
  .meta({ description: "Required if the line's source is compared with several others." });

export const listLineSuggestionsContract = contract({
  operationId: "listLineSuggestions",
  method: "GET",
  path: "/v1/lines/{id}/suggestions",
  tag,
  summary: "Suggest counterparts for a line",
  description:
    "Up to five open lines or groups of the other side, the most probable first, each with " +
    "an explanation. Empty if the line isn't open.",
  access: needs("read:reconciliations"),
  params: byLine,
  query: z.strictObject({ reconciliation_id: period }),
  response: z.object({ items: z.array(suggestion) }).meta({ id: "LineSuggestions" }),
  errors: ["conflict"],
});

const act = (operationId: string, verb: string, summary: string, description: string) =>
  contract({
    operationId,
    method: "POST",
    path: `/v1/lines/{id}/${verb}`,
    tag,
    summary,
    description,
    access: needs("write:reconciliations"),
    idempotency,
    params: byLine,
    body: z.strictObject({
      reason: text(900).meta({
        description: "Kept with the decision.",
        example: "Booked twice by the bank",
      }),
      reconciliation_id: period,
    }),
    response: line,
    errors: ["conflict"],
  });

export const excludeLineContract = act(
  "excludeLine",
  "exclude",
  "Exclude a line from matching",
  "Excludes its open amount with this reason, in the earliest open period that includes the " +
    "line's day.",
);
export const includeLineContract = act(
  "includeLine",
  "include",
  "Include an excluded line again",
  "Opens it again in the period that it was excluded from.",
);
