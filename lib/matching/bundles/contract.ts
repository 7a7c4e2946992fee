import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { tag } from "../contract.ts";
import { bySignedStatement } from "../periods/contract.ts";

export const getStatementBundleContract = contract({
  operationId: "getStatementBundle",
  method: "GET",
  path: "/v1/reconciliations/{id}/statements/{number}/bundle",
  tag,
  summary: "Get a signed statement with all that proves it",
  description:
    "A zip of the statement, its matches, members, exclusions and carried lines, the hashes of " +
    "its evidence, its entries for the ledger, the signatures, the rules and engine versions, " +
    "and a verifier. For who may read the audit log, the slice of it that covers the close, " +
    "with its signed checkpoint. `node verify.mjs bundle.zip` checks it offline, on Node 20 " +
    "or newer, without anything installed: that lines are matched, excluded or open to the " +
    "cent, and that digest, chain and signature agree.",
  access: needs("read:reconciliations"),
  functions: ["open_statement_bundle", "list_statement_bundle", "list_bundle_events"],
  params: bySignedStatement,
  response: z.string(),
  download: {
    type: "application/zip",
    description: "The bundle, some 100 bytes for each line.",
    example: "PK\u0003\u0004",
  },
  errors: ["not_found", "conflict"],
});
