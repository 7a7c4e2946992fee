import { expect, test } from "vitest";
import { describeBooking } from "./describe-booking.ts";

test("a booking names the line, the amount and the adjustment", () => {
  const lines = [
    { reference: null, counterparty: null, description: null },
    { reference: "po_777", counterparty: "Stripe", description: null },
  ];
  const fee = { kind: "fee", amount_minor: 15_000, note: null } as const;
  expect(describeBooking("Confirmed €4,850.00", lines, [fee], "EUR")).toBe(
    "Confirmed €4,850.00: po_777, fee €150.00",
  );
  expect(describeBooking("Confirmed €4,850.00", [], [], "EUR")).toBe("Confirmed €4,850.00");
});
