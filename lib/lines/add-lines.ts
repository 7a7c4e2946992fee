import type { z } from "zod";
import { read, write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { type FieldError, invalidRequest } from "../wire/errors.ts";
import { wireAmount } from "../wire/money.ts";
import type { addLinesContract, NewLine } from "./contract.ts";

type Added = z.input<typeof addLinesContract.response>;

/**
 * @throws ApiError `invalid_request` with the path of each invalid amount, before anything is
 * stored; `not_found`
 */
export async function addLines(
  request: Context,
  sourceId: string,
  lines: NewLine[],
): Promise<Added> {
  const needsSourceCurrency = lines.some(
    ({ amount, fee, currency }) => (amount ?? fee) !== undefined && currency === undefined,
  );
  const source = needsSourceCurrency
    ? await read<{ currency: string }>(request, "get_source", { id: sourceId })
    : undefined;
  const ctx = source ? { ...request, continues: true } : request;
  return write<Added>(ctx, "add_lines", {
    source_id: sourceId,
    lines: inMinorUnits(lines, source?.currency ?? ""),
  });
}

function inMinorUnits(lines: NewLine[], sourceCurrency: string): object[] {
  const errors: FieldError[] = [];
  const minorOf = (text: string, currency: string, path: string) => {
    const minor = wireAmount(text, currency);
    if (typeof minor === "number") return minor;
    errors.push({ path, message: `${minor.problem} Give ${minor.wanted}.` });
    return 0;
  };
  const converted = lines.map(({ amount, fee, ...line }, index) => {
    const currency = line.currency ?? sourceCurrency;
    const amount_minor =
      amount === undefined
        ? (line.amount_minor ?? 0)
        : minorOf(amount, currency, `lines.${index}.amount`);
    const fee_minor =
      fee === undefined ? line.fee_minor : minorOf(fee, currency, `lines.${index}.fee`);
    if (fee_minor === undefined) return { ...line, amount_minor };
    if (!Number.isSafeInteger(amount_minor - fee_minor)) {
      errors.push({
        path: `lines.${index}.fee`,
        message: "Less the fee, the amount is too large. Give a smaller fee.",
      });
    }
    return { ...line, amount_minor, fee_minor };
  });
  if (errors.length > 0) throw invalidRequest(errors.slice(0, 100));
  return converted;
}
