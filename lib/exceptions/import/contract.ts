import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { count, tag } from "../contract.ts";

export const importExceptionsContract = contract({
  operationId: "importExceptions",
  method: "POST",
  path: "/v1/exceptions/import",
  tag,
  summary: "Import exceptions from a file",
  description:
    "NDJSON, or CSV with a header row. The fields are those of creating one exception, with " +
    "details as JSON. At most 100,000 rows and 64 MiB. Valid rows are created in batches as they " +
    "arrive; the others are reported by line and reason. With an idempotency key, an interrupted " +
    "import can be retried: no row is imported twice.",
  access: needs("write:exceptions"),
  idempotency: { field: "idempotency_key", required: false },
  upload: ["application/x-ndjson", "text/csv"],
  uploadExample: '{"title":"Payout 4711 has no bank line","severity":"high"}',
  bodyMaxBytes: 64 * 1024 * 1024,
  response: z
    .object({
      accepted: count.meta({ example: 998 }),
      refused: count.meta({ example: 2 }),
      errors: z
        .array(
          z.object({
            line: z.int().meta({ example: 17 }),
            path: z.string().meta({ example: "severity" }),
            message: z.string().meta({ example: "Must be one of critical, high, medium, low." }),
          }),
        )
        .meta({ description: "The first 1,000 rejected rows." }),
    })
    .meta({ id: "ImportReport" }),
  errors: ["conflict"],
});
