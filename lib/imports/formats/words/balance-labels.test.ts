import { describe, expect, test } from "vitest";
import { isAvailableBalance, labelOf } from "./balance-labels.ts";

const AVAILABLE = [
  "Available balance",
  "Verfügbarer Betrag",
  "Verfuegbarer Saldo",
  "Verfügbares Guthaben",
  "Solde disponible",
  "Saldo disponibile",
  "Saldo disponível",
  "Beschikbaar saldo",
  "Disponibelt beløb",
  "Tillgängligt saldo",
  "Käytettävissä",
  "Dostępne środki",
  "Disponibilní zůstatek",
];

describe.each(AVAILABLE)("%s", (name) => {
  test("as a column's name, means the available balance", () =>
    expect(isAvailableBalance(name)).toBe(true));

  test("as the whole text of a row, is not a payment", () => expect(labelOf(name)).toBe("total"));
});

test.each(["Balance", "Saldo", "Kontostand", "Running balance", "Solde", "Zůstatek"])(
  "the column %s has the account's balance",
  (name) => expect(isAvailableBalance(name)).toBe(false),
);
