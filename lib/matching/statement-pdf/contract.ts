import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { byReconciliation, tag } from "../contract.ts";

export const getStatementPdfContract = contract({
  operationId: "getStatementPdf",
  method: "GET",
  path: "/v1/reconciliations/{id}/statement/pdf",
  tag,
  summary: "Get the statement as a PDF",
  description:
    "For people: both sources, the signatures, the reconciliation of balances, outstanding " +
    "items by age and by line, adjustments, residuals and exclusions, with the digest on " +
    "each page. An open period's is marked as not closed.",
  access: needs("read:reconciliations"),
  functions: ["get_statement", "get_reconciliation", "list_signed_statements"],
  params: byReconciliation,
  response: z.string(),
  download: { type: "application/pdf", description: "The statement.", example: "%PDF-1.3" },
  errors: ["not_found", "conflict", "unavailable"],
});
