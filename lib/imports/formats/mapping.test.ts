import { expect, test } from "vitest";
import { z } from "zod";
import { detect } from "./detect.ts";
import { mapping } from "./mapping.ts";

test("a mapping allows only known fields and listed formats", () => {
  const sound = {
    fields: { amount: "Betrag", value_date: "Valuta" },
    date_format: "DD.MM.YYYY",
    decimal_separator: ",",
  };
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
  expect(z.toJSONSchema(mapping).$defs?.ImportMapping).toMatchObject({
    type: "object",
    additionalProperties: false,
    required: ["fields"],
  });
});

test("a person's separator, encoding and header override detection", () => {
  const file = new TextEncoder().encode(
    "Datum;Betrag,EUR;Zweck\n05.10.2026;1,50;Müller\n06.10.2026;2,50;Schmidt\n",
  );
  const names = (layout: object) => detect(file, { layout }).csv?.columns.map(({ name }) => name);
  expect(names({})).toEqual(["Datum", "Betrag,EUR", "Zweck"]);
  expect(names({ delimiter: ";" })).toEqual(["Datum", "Betrag,EUR", "Zweck"]);
  expect(() => names({ delimiter: "," })).toThrow(/another separator/);
  expect(names({ header_row: false })).toEqual(["1", "2", "3"]);
  const read = detect(file, { layout: { encoding: "windows-1252" } });
  expect(read.encoding).toBe("windows-1252");
  expect(read.csv?.rows[0]?.cells).toContain("MÃ¼ller");
});
