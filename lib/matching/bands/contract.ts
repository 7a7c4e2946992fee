import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { text } from "../../wire/schema.ts";
import { byReconciliation, currency, match, method, side, sum, tag } from "../contract.ts";

const count = z.int().min(0);
const score = z.number().min(0).max(1);
const amounts = z.array(z.object({ currency, amount_minor: sum }));

const band = z
  .object({
    method,
    score_from: score.meta({ example: 0.95 }),
    score_below: score.nullable().meta({ description: "Null: no upper end.", example: 0.99 }),
    count: count.meta({ description: "Matches suggested in the period.", example: 412 }),
    amounts,
    confirmed_count: count.meta({
      description:
        "How many of this rule and band people confirmed individually, in all periods of " +
        "these sources.",
      example: 96,
    }),
    rejected_count: count.meta({ description: "How many they rejected or undid.", example: 1 }),
  })
  .meta({ id: "SuggestionBand" });
export type SuggestionBand = z.output<typeof band>;

export const listSuggestionBandsContract = contract({
  operationId: "listSuggestionBands",
  audience: "dashboard",
  method: "GET",
  path: "/v1/reconciliations/{id}/suggestion-bands",
  tag,
  summary: "Group a period's suggestions by rule and score",
  description:
    "The most probable first, each with its amounts and with past decisions: confirmed ÷ " +
    "(confirmed + rejected) is the band's measured precision. Bulk decisions aren't " +
    "counted.",
  access: needs("read:reconciliations"),
  params: byReconciliation,
  response: z
    .object({
      items: z.array(band),
      suggested: z
        .array(
          z.object({
            currency,
            side,
            line_count: count.meta({ example: 412 }),
            open_minor: sum.meta({ description: "What is open of them.", example: 1_250_000 }),
          }),
        )
        .meta({ description: "The open lines that at least one suggestion takes." }),
    })
    .meta({ id: "SuggestionBands" }),
  errors: ["not_found", "conflict"],
});

const queryScore = z.coerce.number().min(0).max(1);

export const sampleSuggestionsContract = contract({
  operationId: "sampleSuggestions",
  audience: "dashboard",
  method: "GET",
  path: "/v1/reconciliations/{id}/suggestion-sample",
  tag,
  summary: "Sample the suggestions of a band",
  description:
    "At most 20, evenly spread from the least to the most probable. Confirm the band with " +
    "POST /v1/matches/bulk, the same filter and this count.",
  access: needs("read:reconciliations"),
  params: byReconciliation,
  query: z.strictObject({
    method: text(200).meta({ description: "The rule's name.", example: "Same reference" }),
    score_from: queryScore.default(0).meta({ example: 0.95 }),
    score_below: queryScore.optional().meta({ example: 0.99 }),
  }),
  response: z
    .object({ count: count.meta({ example: 412 }), amounts, items: z.array(match) })
    .meta({ id: "SuggestionSample" }),
  errors: ["not_found", "conflict"],
});
export type SuggestionBands = z.output<typeof listSuggestionBandsContract.response>;
export type SuggestionSample = z.output<typeof sampleSuggestionsContract.response>;
