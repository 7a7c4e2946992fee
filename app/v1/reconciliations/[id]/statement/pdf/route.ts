import { downloadEndpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getStatementPdfContract } from "#lib/matching/statement-pdf/contract.ts";
import { getStatementPdf } from "#lib/matching/statement-pdf/get-statement-pdf.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  downloadEndpoint(getStatementPdfContract, ({ ctx, params }) => getStatementPdf(ctx, params.id)),
);
