import { expect, test } from "vitest";
import type { Mapping } from "#lib/imports/formats/mapping.ts";
import {
  amountStyleOf,
  missingColumns,
  sameMapping,
  withAmountStyle,
  withAnswer,
  withColumn,
} from "./draft.ts";

const mapping: Mapping = { fields: { amount: "Betrag", value_date: "Valuta" }, delimiter: ";" };

test("amounts of another style keep what means the same there, and say which columns are missing", () => {
  expect(amountStyleOf(mapping)).toBe("signed");
  const named = withAmountStyle(mapping, "named");
  expect(named.fields).toEqual({ amount: "Betrag", value_date: "Valuta" });
  expect(missingColumns(named, "named")).toEqual(["sign"]);
  const two = withAmountStyle(mapping, "two_columns");
  expect(two.fields).toEqual({ value_date: "Valuta" });
  expect(missingColumns(two, "two_columns")).toEqual(["debit"]);
  expect(missingColumns(withColumn(two, "credit", "Haben"), "two_columns")).toEqual([]);
  expect(amountStyleOf(withColumn(two, "credit", "Haben"))).toBe("two_columns");
});

test("a column is taken from a field, and an answer goes to the field that it is about", () => {
  expect(withColumn(mapping, "value_date", "").fields).toEqual({ amount: "Betrag" });
  expect(missingColumns(withColumn(mapping, "value_date", ""), "signed")).toEqual(["value_date"]);
  expect(withAnswer(mapping, "date_format", "DD/MM/YYYY").date_format).toBe("DD/MM/YYYY");
  expect(withAnswer(mapping, "fields.amount", "Netto").fields.amount).toBe("Netto");
});

test("mappings that read a file alike are the same, whatever the order of their members", () => {
  expect(
    sameMapping(mapping, { delimiter: ";", fields: { value_date: "Valuta", amount: "Betrag" } }),
  ).toBe(true);
  expect(sameMapping(mapping, { ...mapping, date_format: "DD.MM.YYYY" })).toBe(false);
  expect(sameMapping(mapping, null)).toBe(false);
});
