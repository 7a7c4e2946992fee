/** Payments as payers make them. Each case stands for a class missed before engine 2.4.0. */
import { describe, expect, test } from "vitest";
import { WHOLE } from "#e2e/gate.ts";
import { payers } from "../judge/datasets/payers/payers.ts";
import { judge } from "../judge/judge.ts";
import { f1, precision } from "../judge/measure.ts";
import { sumOf } from "../judge/quality.ts";
import { DEFAULT_RULES } from "../rules.ts";
import { type CaseLine, solveCase } from "./solve-case.test-support.ts";

/** Unrelated lines, enough of them for the counts of a pool. */
function otherLines(count: number, quoted: (number: number) => string): [CaseLine[], CaseLine[]] {
  const numbers = Array.from({ length: count }, (_, at) => 58_100 + 7 * at);
  const amounts = numbers.map((number) => `${(number * 37) % 900}.${10 + (number % 90)}`);
  return [
    numbers.map((number, at) => ({
      id: `l${number}`,
      amount: amounts[at] as string,
      date: `2026-03-${String(2 + (at % 20)).padStart(2, "0")}`,
      reference: `RE000${number}`,
      counterparty: `Muster${number} Handel GmbH`,
    })),
    numbers.map((number, at) => ({
      id: `r${number}`,
      amount: amounts[at] as string,
      date: `2026-03-${String(3 + (at % 20)).padStart(2, "0")}`,
      description: `ZELLE FROM MUSTER${number} HANDEL ${quoted(number)}`,
    })),
  ];
}

describe("a number without its letters and zeros", () => {
  const [lefts, rights] = otherLines(30, (number) => `INV ${number}`);

  test("contradicts the reference that differs from it", () => {
    const { confirmed } = solveCase(
      [
        ...lefts,
        {
          id: "a",
          amount: "264.93",
          date: "2026-03-08",
          reference: "RE00058212",
          counterparty: "Quarry Warehouse Corp",
        },
      ],
      [
        ...rights,
        {
          id: "b",
          amount: "264.93",
          date: "2026-03-08",
          description: "ZELLE FROM QUIBBLE HO INV 58213",
        },
      ],
    );
    expect(confirmed).toContain("l58100|r58100");
    expect(confirmed).not.toContain("a|b");
  });

  test("names the item that is paid in part", () => {
    const { suggested } = solveCase(
      [
        ...lefts,
        {
          id: "a",
          amount: "1133.86",
          date: "2026-03-02",
          reference: "RE00058213",
          counterparty: "Rosendale Property Management",
        },
      ],
      [
        ...rights,
        { id: "b", amount: "340.16", date: "2026-03-05", description: "ZELLE FROM R. No. 58213" },
      ],
    );
    expect(suggested).toContain("a|b");
  });
});

describe("numbers with check digits in a text", () => {
  const invoice = (id: string, amount: string, reference: string): CaseLine => ({
    id,
    amount,
    date: "2026-03-09",
    reference,
    counterparty: "Westerly & Landscaping Corp",
  });

  test("name the invoices that a payment adds up", () => {
    const { confirmed } = solveCase(
      [
        invoice("a", "77.44", "#031378"),
        invoice("b", "80.31", "#031381"),
        invoice("c", "150.00", "#031382"),
      ],
      [
        {
          id: "p",
          amount: "307.75",
          date: "2026-03-12",
          description: "SEPA CT IN RF9331378, RF1231381, 313825",
        },
      ],
    );
    expect(confirmed).toEqual(["a,b,c|p"]);
  });

  test("name no other invoice whose number they contain", () => {
    const { confirmed } = solveCase(
      [
        invoice("a", "77.44", "#031378"),
        invoice("b", "80.31", "#031381"),
        { ...invoice("d", "412.00", "#031370"), counterparty: "Northgate Restaurant Ltda" },
      ],
      [
        {
          id: "p",
          amount: "157.75",
          date: "2026-03-12",
          description: "SEPA CT IN WESTERLY & LANDS RF93 3137 8, RF12 3138 1",
        },
      ],
    );
    expect(confirmed).toEqual(["a,b|p"]);
  });
});

describe("a payment that comes back under its name alone", () => {
  const paid: CaseLine = {
    id: "p",
    amount: "83.80",
    date: "2026-03-09",
    description: "SEPA CT IN ZANETTI VETERINARY CLINIC LLC",
  };
  const back: CaseLine = {
    id: "x",
    amount: "-83.80",
    date: "2026-03-11",
    description: "RETURNED ITEM NSF ZANETTI VETERINARY CLINIC LLC",
  };

  test("is suggested as a reversal", () => {
    const { suggested, noteOf } = solveCase([], [paid, back]);
    expect(suggested).toEqual(["|p,x"]);
    expect(noteOf("|p,x")).toContain("ZANETTI");
  });

  test("is no reversal of another's payment", () => {
    const other = { ...back, description: "RETURNED ITEM NSF OAKHURST FARMS" };
    expect(solveCase([], [paid, other]).suggested).toEqual([]);
  });

  test("takes back the second of two charges", () => {
    const charge = (id: string, date: string): CaseLine => ({
      id,
      amount: "-117.43",
      date,
      description: "SEPA CT OUT JESSAMINE ELECTRICAL 11480",
    });
    const { suggested, confirmed } = solveCase(
      [
        {
          id: "bill",
          amount: "-117.43",
          date: "2026-03-20",
          reference: "11480",
          counterparty: "Jessamine Electrical Contractors",
        },
      ],
      [
        charge("first", "2026-03-24"),
        charge("second", "2026-03-25"),
        {
          ...charge("back", "2026-03-26"),
          amount: "117.43",
          description: "REVERSAL SEPA CT OUT JESSAMINE ELECTRICAL",
        },
      ],
    );
    expect([...suggested, ...confirmed]).toContain("|back,second");
    expect([...suggested, ...confirmed]).toContain("bill|first");
  });
});

describe("sums", () => {
  test("of instalments that only have the payer's name are found", () => {
    const { suggested, confirmed } = solveCase(
      [
        {
          id: "a",
          amount: "2924.17",
          date: "2026-03-12",
          reference: "15196",
          counterparty: "Fairhaven Coffee Roasters GmbH",
        },
      ],
      [
        {
          id: "p",
          amount: "973.33",
          date: "2026-03-19",
          description: "ZELLE FROM FAIRHAVEN COFFEE ROAS",
        },
        {
          id: "q",
          amount: "1950.84",
          date: "2026-03-25",
          description: "ZELLE FROM FAIRHAVEN COFFEE ROAS",
        },
      ],
    );
    expect([...suggested, ...confirmed]).toEqual(["a|p,q"]);
  });

  test("of as many checks as a deposit states are found among those of two days", () => {
    const check = (id: string, amount: string, date: string): CaseLine => ({
      id,
      amount,
      date,
      reference: `${1000 + Number(amount) * 7}`.replace(/\D.*/, ""),
      counterparty: `Payer${id} & Sons`,
      description: "Check received, lockbox",
    });
    const { suggested, confirmed } = solveCase(
      [
        check("a", "531.88", "2026-03-26"),
        check("b", "1295.37", "2026-03-27"),
        check("c", "205.13", "2026-03-26"),
        check("d", "566.68", "2026-03-26"),
        check("e", "702.70", "2026-03-26"),
        check("f", "341.19", "2026-03-27"),
        check("g", "388.40", "2026-03-26"),
        check("h", "914.06", "2026-03-27"),
        check("i", "127.91", "2026-03-26"),
        check("j", "650.24", "2026-03-27"),
        check("k", "288.83", "2026-03-26"),
        check("m", "1761.02", "2026-03-27"),
      ],
      [{ id: "p", amount: "2599.06", date: "2026-03-26", description: "LOCKBOX 830 4 CHECKS" }],
    );
    expect([...suggested, ...confirmed]).toEqual(["a,b,c,d|p"]);
  });

  test("of the charges, refunds and fees of days in a row are found", () => {
    const charge = (
      id: string,
      amount: string,
      date: string,
      description = "Charge",
    ): CaseLine => ({
      id,
      amount,
      date,
      description,
      ...(description === "Charge" ? { reference: `ch_${id}9x7` } : {}),
    });
    const { suggested } = solveCase(
      [
        charge("a", "118.03", "2026-03-20"),
        charge("b", "135.07", "2026-03-20"),
        charge("c", "15.82", "2026-03-21"),
        charge("d", "-8.71", "2026-03-21", "Processing fees"),
        charge("e", "402.11", "2026-03-22"),
        charge("f", "77.77", "2026-03-24"),
      ],
      [{ id: "p", amount: "260.21", date: "2026-03-23", description: "STRIPE TRANSFER" }],
    );
    expect(suggested).toEqual(["a,b,c,d|p"]);
  });

  test("of days in a row are found where some other lines come to the same amount", () => {
    const charge = (id: string, amount: string, date: string): CaseLine => ({
      id,
      amount,
      date,
      description: amount.startsWith("-") ? "Processing fees" : "Charge",
    });
    const lines = [
      charge("a", "118.03", "2026-03-20"),
      charge("b", "135.07", "2026-03-20"),
      charge("c", "15.82", "2026-03-21"),
      charge("d", "-8.71", "2026-03-21"),
      charge("e", "97.43", "2026-03-18"),
      charge("f", "77.77", "2026-03-22"),
      charge("g", "85.01", "2026-03-16"),
    ];
    const payout = {
      id: "p",
      amount: "260.21",
      date: "2026-03-23",
      description: "STRIPE TRANSFER",
    };
    expect(97.43 + 77.77 + 85.01).toBeCloseTo(260.21);
    expect(solveCase(lines, [payout]).suggested).toEqual(["a,b,c,d|p"]);
  });

  test("less a discount are found by numbers that stand without their letters", () => {
    const invoice = (id: string, amount: string, reference: string, date: string): CaseLine => ({
      id,
      amount,
      date,
      reference,
      counterparty: "Silverton Veterinary Clinic B.V.",
    });
    const { suggested } = solveCase(
      [
        invoice("a", "239.12", "RE00059190", "2026-03-22"),
        invoice("b", "272.61", "RE00059191", "2026-03-11"),
        invoice("c", "235.21", "RE00059195", "2026-03-22"),
        invoice("d", "338.27", "RE00059200", "2026-03-14"),
      ],
      [
        {
          id: "p",
          amount: "1063.51",
          date: "2026-03-24",
          description: "ZELLE FROM SILVERTON VETERI No. 59190, inv.59191, #59195, #59200",
        },
      ],
    );
    expect(suggested).toEqual(["a,b,c,d|p"]);
  });
});

test("a weekly payment of one amount is suggested in the order of its days", () => {
  const days = ["2026-03-02", "2026-03-05", "2026-03-09", "2026-03-12", "2026-03-16", "2026-03-19"];
  const paid = ["2026-03-03", "2026-03-06", "2026-03-10", "2026-03-13", "2026-03-17", "2026-03-20"];
  const { suggested } = solveCase(
    days.map((date, at) => ({
      id: `i${at}`,
      amount: "1974.62",
      date,
      reference: `RE0005969${at}`,
      counterparty: "Silverton & Abernathy Marine Equipment B.V.",
    })),
    paid.map((date, at) => ({
      id: `p${at}`,
      amount: "1974.62",
      date,
      description: "ZELLE FROM SILVERTON & ABER",
    })),
  );
  expect(suggested).toEqual(["i0|p0", "i1|p1", "i2|p2", "i3|p3", "i4|p4", "i5|p5"]);
});

test("a converted amount is suggested with the line of its name, whichever others are near it", () => {
  const { suggested } = solveCase(
    [
      {
        id: "a",
        amount: "515.64",
        date: "2026-03-17",
        reference: "12011",
        counterparty: "Abernathy Coffee Roasters",
      },
      {
        id: "b",
        amount: "517.10",
        date: "2026-03-18",
        reference: "12012",
        counterparty: "Dunmore Printing",
      },
    ],
    [
      {
        id: "q",
        amount: "517.95",
        date: "2026-03-19",
        description: "SEPA CT IN DUNMORE PRINT CAD 377.99 EXCH RATE 1.37",
      },
      {
        id: "p",
        amount: "518.79",
        date: "2026-03-19",
        description: "SEPA CT IN ABERNATHY COFFEE ROAS CAD 376.38 EXCH RATE 1.37",
      },
    ],
  );
  expect(suggested).toContain("a|p");
});

test.runIf(WHOLE)(
  "months of payers with other habits are matched to the targets, none against the evidence",
  () => {
    const { all, automatic } = sumOf(
      [1, 5].map((seed) => judge(payers(seed, 1000), DEFAULT_RULES)),
    );
    expect(f1(all)).toBeGreaterThanOrEqual(0.97);
    expect(precision(automatic)).toBe(1);
  },
  300_000,
);
