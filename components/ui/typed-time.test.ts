import { expect, test } from "vitest";
import { timeOf } from "./typed-time.ts";

test.each([
  ["9", "09:00"],
  ["930", "09:30"],
  ["0930", "09:30"],
  ["9:30", "09:30"],
  ["17.30", "17:30"],
  ["24", "24:00"],
  ["24:01", undefined],
  ["9:60", undefined],
  ["", undefined],
  ["noon", undefined],
])("%o typed is %o", (typed, time) => {
  expect(timeOf(typed)).toBe(time);
});
