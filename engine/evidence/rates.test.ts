import { expect, test } from "vitest";
import { Rates } from "./rates.ts";

const AMOUNTS = Array.from({ length: 40 }, (_, at) => 12_343 + 1717 * at);

function seen(pairs: readonly (readonly [number, number])[]): Rates {
  const rates = new Rates();
  pairs.forEach(([left, right], at) => {
    rates.add(left, right, at, at);
  });
  return rates;
}

test("a rate that many pairs differ by to the cent is usual, of the side that it is taken of", () => {
  const usual = seen(AMOUNTS.map((amount) => [amount, Math.round(amount * 1.18)])).usual(40);
  expect(usual.of(50_000, 59_000)).toMatchObject({ parts: 72, base: "left" });
  expect(usual.of(-50_000, -59_000)).toMatchObject({ parts: 72, base: "left" });
  expect(usual.of(50_000, 58_999)).toBeNull();
  expect(usual.of(59_000, 50_000)).toBeNull();
  const discount = seen(AMOUNTS.map((amount) => [Math.round(amount * 0.98), amount])).usual(40);
  expect(discount.of(49_000, 50_000)).toMatchObject({ parts: -8, base: "right" });
});

test("approximate rates and round amounts never establish a rate", () => {
  const near = seen(AMOUNTS.map((amount, at) => [amount, Math.round(amount * 1.18) + 2 + at]));
  expect(near.usual(40).of(50_000, 59_000)).toBeNull();
  const round = seen(AMOUNTS.map((_, at) => [1000, 1000 + 10 * (at + 1)]));
  expect(round.usual(40).of(1000, 1180)).toBeNull();
});

test("many pairs of few lines count as few witnesses", () => {
  const rates = new Rates();
  for (let left = 0; left < 60; left++)
    for (let right = 0; right < 5; right++) rates.add(12_300, 12_054, left, right);
  expect(rates.usual(75).natsOf(12_300, 12_054)).toBe(-Infinity);
});
