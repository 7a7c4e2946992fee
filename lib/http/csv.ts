import { stringify } from "csv-stringify/sync";
import type { Csv } from "../contract.ts";

export function acceptsCsv(request: Request): boolean {
  return (request.headers.get("accept") ?? "").split(",").some((range) => range.split(";")[0]?.trim().toLowerCase() === "text/csv");
}

/** RFC 4180. A cell that a spreadsheet would take for a formula is quoted with an apostrophe. */
export function csvResponse<Answer>({ columns, rows }: Csv<Answer>, answer: Answer, headers: Headers): Response {
  const text = stringify([...rows(answer)], { header: true, columns: [...columns], escape_formulas: true, record_delimiter: "windows" });
  headers.set("Content-Type", "text/csv; charset=utf-8");
  return new Response(text, { headers });
}
