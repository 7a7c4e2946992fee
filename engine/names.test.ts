import { expect, test } from "vitest";
import { match } from "./engine.ts";
import { type Line, Lines } from "./lines.ts";
import { Names } from "./names.ts";
import { DEFAULT_RULES, MAX_NAMES } from "./rules.ts";
import { learn, type Weights } from "./weights.ts";

const DAY = 20_513;
const vendor = {
  amount_minor: 12_345,
  currency: "EUR",
  value_date: DAY,
  counterparty: "Blue Bottle Coffee",
};
const charge = {
  amount_minor: 12_345,
  currency: "EUR",
  value_date: DAY + 1,
  description: "CARD 4521 SQ BLUEBTL SFO 0812",
};
const confirmed = { left: vendor, right: charge, confirmed: true, score: 0.7 };
const calendar = (day: number) => day;

test("a confirmed match of lines without a shared word teaches their names", () => {
  const { names = [] } = learn(null, [confirmed], calendar);
  expect(names).toEqual([
    { left: "Blue Bottle Coffee", right: "CARD SQ BLUEBTL SFO", confirmed: 1 },
  ]);
  expect(new Names(names).of({ description: "Card 4521 SQ BLUEBTL SFO 0915" })).toBe(
    "Blue Bottle Coffee",
  );
  expect(new Names(names).of({ description: "Card 4521 SQ OTHER SFO 0915" })).toBeNull();
});

test("a rejection reverts what a confirmation taught", () => {
  const twice = learn(null, [confirmed, confirmed], calendar);
  const once = learn(twice, [{ ...confirmed, confirmed: false }], calendar);
  expect(once.names).toMatchObject([{ confirmed: 1 }]);
  expect(learn(once, [{ ...confirmed, confirmed: false }], calendar).names).toEqual([]);
});

test("a long name is cut between characters", () => {
  const names = new Names();
  names.recordDecision(
    { counterparty: `${"a".repeat(99)}\u{1F9FE} and more` },
    { counterparty: "Other" },
    true,
  );
  expect(names.list).toEqual([
    { left: `${"a".repeat(99)}\u{1F9FE}`, right: "OTHER", confirmed: 1 },
  ]);
});

test("lines that share a word teach no name", () => {
  expect(
    learn(null, [{ ...confirmed, right: { ...charge, description: "SQ BLUE BTL" } }], calendar)
      .names,
  ).toEqual([]);
});

test("an alias of many names identifies none of them, and the number is limited", () => {
  const names = new Names();
  for (const name of ["Ash", "Birch", "Cedar"])
    names.recordDecision({ counterparty: name }, { counterparty: "PAYSERVICE" }, true);
  expect(names.of({ counterparty: "Payservice 12" })).toBe("Ash Birch Cedar");
  names.recordDecision({ counterparty: "Dogwood" }, { counterparty: "PAYSERVICE" }, true);
  expect(names.of({ counterparty: "Payservice 12" })).toBeNull();
  const letters = (at: number) =>
    String.fromCharCode(65 + (at % 26), 65 + (Math.floor(at / 26) % 26), 65 + Math.floor(at / 676));
  for (let at = 0; at < 2 * MAX_NAMES; at++)
    names.recordDecision({ counterparty: `Vendor ${at}` }, { counterparty: letters(at) }, true);
  expect(names.list).toHaveLength(MAX_NAMES);
});

test("of two equal charges, the one known by the vendor's name is matched", () => {
  const other = { ...charge, description: "CARD 4521 TST REDCUP SFO 0911" };
  const scores = (weights: Weights | null) => {
    const names = new Names(weights?.names);
    const left = linesOf("left", [vendor, ...otherLines("Vendor")], null);
    const right = linesOf(
      "right",
      [other, { ...charge, description: "CARD 4521 SQ BLUEBTL SFO 0911" }, ...otherLines("POS")],
      names,
    );
    const result = match({ left, right, rules: DEFAULT_RULES, weights });
    const found = [result.confirmed, result.suggested].flatMap((matches) =>
      Array.from({ length: matches.length }, (_, at) => ({
        left: matches.left(at)[0],
        right: matches.right(at)[0],
        score: matches.score[at] as number,
      })),
    );
    return found.find(({ left: line }) => line === 0);
  };
  const before = scores(null);
  const after = scores(learn(null, [confirmed], calendar));
  expect(before === undefined || before.score < 0.7).toBe(true);
  expect(after).toMatchObject({ left: 0, right: 1 });
  expect(after?.score).toBeGreaterThan(0.9);
});

function linesOf(
  side: "left" | "right",
  given: readonly Omit<Line, "handle" | "identity">[],
  names: Names | null,
): Lines {
  const lines = new Lines(side, given.length);
  given.forEach((line, handle) => {
    lines.add({
      ...line,
      handle,
      identity: `${side} ${handle}`,
      known_as: names?.of(line) ?? null,
    });
  });
  return lines;
}

/** Other lines, from which the engine learns which words and amounts are rare. */
function otherLines(kind: string): Omit<Line, "handle" | "identity">[] {
  return Array.from({ length: 60 }, (_, at) => ({
    amount_minor: 20_000 + 731 * at,
    currency: "EUR",
    value_date: DAY + (at % 20),
    counterparty: `${kind} ${String.fromCharCode(65 + (at % 26))}${at} trading`,
  }));
}
