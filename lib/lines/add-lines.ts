import type { z } from "zod";
import { read, write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { type FieldError, invalidRequest } from "../wire/errors.ts";
import { wireAmount } from "../wire/money.ts";
import type { addLinesContract, NewLine } from "./contract.ts";

type Added = z.input<typeof addLinesContract.response>;

/** @throws ApiError `invalid_request` with the path of each amount that cannot be one, and nothing is kept; `not_found` */
export async function addLines(request: Context, sourceId: string, lines: NewLine[]): Promise<Added> {
  const asksForCurrency = lines.some(({ amount, currency }) => amount !== undefined && currency === undefined);
  const source = asksForCurrency ? await read<{ currency: string }>(request, "get_source", { id: sourceId }) : undefined;
  const ctx = source ? { ...request, continues: true } : request;
  return write<Added>(ctx, "add_lines", { source_id: sourceId, lines: inMinorUnits(lines, source?.currency ?? "") });
}

function inMinorUnits(lines: NewLine[], sourceCurrency: string): object[] {
  const errors: FieldError[] = [];
  const read = lines.map(({ amount, ...line }, index) => {
    if (amount === undefined) return line;
    const amount_minor = wireAmount(amount, line.currency ?? sourceCurrency);
    if (typeof amount_minor === "number") return { ...line, amount_minor };
    const { problem, wanted } = amount_minor;
    errors.push({ path: `lines.${index}.amount`, message: `${problem} Give ${wanted}.` });
    return line;
  });
  if (errors.length > 0) throw invalidRequest(errors.slice(0, 100));
  return read;
}
