import { expect, test } from "vitest";
import { z } from "zod";
import { mapping } from "./mapping.ts";

test("a mapping names columns of known fields, and formats of the list only", () => {
  const sound = { fields: { amount: "Betrag", value_date: "Valuta" }, date_format: "DD.MM.YYYY", decimal_separator: "," };
  expect(mapping.parse(sound)).toEqual(sound);
  for (const [wrong, path] of [
    [{ ...sound, date_format: "DD.MM" }, "date_format"],
    [{ ...sound, decimal_separator: "'" }, "decimal_separator"],
    [{ ...sound, fields: { total: "Betrag" } }, "fields"],
    [{ ...sound, fields: { amount: "" } }, "fields.amount"],
    [{ ...sound, delimiter: ";;" }, "delimiter"],
    [{ ...sound, sign_values: { debit: [] } }, "sign_values"],
    [{ ...sound, more: 1 }, ""],
  ] as const) {
    expect(
      mapping
        .safeParse(wrong)
        .error?.issues.map((issue) => issue.path.join("."))
        .join(" "),
    ).toContain(path);
  }
});

test("a mapping can be described as JSON Schema", () => {
  expect(z.toJSONSchema(mapping).$defs?.ImportMapping).toMatchObject({ type: "object", additionalProperties: false, required: ["fields"] });
});
