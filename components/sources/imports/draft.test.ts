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

test("changing the amount style keeps equivalent columns, and names missing ones", () => {
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

test("a column is removed from its old field, and an answer fills its own field", () => {
  expect(withColumn(mapping, "value_date", "").fields).toEqual({ amount: "Betrag" });
  expect(missingColumns(withColumn(mapping, "value_date", ""), "signed")).toEqual(["value_date"]);
  expect(withAnswer(mapping, "date_format", "DD/MM/YYYY").date_format).toBe("DD/MM/YYYY");
  expect(withAnswer(mapping, "fields.amount", "Netto").fields.amount).toBe("Netto");
});

test("mappings with the same members are equal, whatever their order", () => {
  expect(
    sameMapping(mapping, { delimiter: ";", fields: { value_date: "Valuta", amount: "Betrag" } }),
  ).toBe(true);
  expect(sameMapping(mapping, { ...mapping, date_format: "DD.MM.YYYY" })).toBe(false);
  expect(sameMapping(mapping, null)).toBe(false);
});

test("removing a column also removes its settings", () => {
  const saved: Mapping = {
    ...mapping,
    fields: { ...mapping.fields, debit: "Soll" },
    debit_sign: "minus",
    amount_sign: "inverted",
  };
  expect(withColumn(saved, "debit", "Belastung")).not.toHaveProperty("debit_sign");
  expect(withColumn(saved, "debit", "Belastung").amount_sign).toBe("inverted");
  expect(withColumn(saved, "amount", "Umsatz")).not.toHaveProperty("amount_sign");
});

test("a choice that overrides detection stays when the file is read again", () => {
  const named: Mapping = { fields: { amount: "Betrag", sign: "S/H" } };
  expect(withAmountStyle(named, "signed")).toEqual({
    fields: { amount: "Betrag" },
    amount_sign: "own",
  });
  expect(withColumn(mapping, "fee", "").fee_handling).toBe("included");
  expect(withColumn(mapping, "fee", "Gebühr").fee_handling).toBe("deducted");
});

test("list answers stay lists, and another sheet starts over", () => {
  const status = { column: "Status", booked: ["Posted"], not_booked: ["Open"] };
  expect(withAnswer(mapping, "status", JSON.stringify(status)).status).toEqual(status);
  expect(withAnswer(mapping, "sheet", "March")).toEqual({ fields: {}, sheet: "March" });
});
