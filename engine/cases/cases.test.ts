import { describe, expect, test } from "vitest";
import { mondayToFriday } from "../prepare/days.ts";
import { DEFAULT_RULES } from "../rules.ts";
import { learn, trackRecord } from "../weights.ts";
import { type CaseLine, lineOf, solveCase } from "./solve-case.test-support.ts";

describe("a number inside another number", () => {
  const left: CaseLine[] = [
    {
      id: "b1",
      amount: "-859.00",
      date: "2026-03-02",
      description: "Levbet Nordbeispiel AB (1814)",
    },
    { id: "b2", amount: "-430.00", date: "2026-03-03", description: "Levbet Kontorsexempel 2214" },
  ];
  const v1 = {
    id: "v1",
    amount: "-859.00",
    date: "2026-02-27",
    reference: "14",
    counterparty: "Postexempel AB",
  };
  const v2 = {
    id: "v2",
    amount: "-859.00",
    date: "2026-02-26",
    reference: "1814",
    counterparty: "Nordbeispiel AB",
  };
  const v3 = {
    id: "v3",
    amount: "-430.00",
    date: "2026-03-01",
    reference: "14",
    counterparty: "Annan Exempel AB",
  };

  test("is no reference: the line that names the whole number is matched", () => {
    const { confirmed, areConfirmed } = solveCase(left, [v1, v2, v3]);
    expect(confirmed).toContain("b1|v2");
    expect(areConfirmed("b2", "v3")).toBe(false);
  });

  test("is never a reference", () => {
    const { confirmed } = solveCase(left, [v1, v3]);
    expect(confirmed).toEqual([]);
  });
});

describe("references and names that contradict each other", () => {
  const left: CaseLine[] = [
    {
      id: "b1",
      amount: "-4250.00",
      date: "2026-03-25",
      reference: "712219",
      counterparty: "EXAMPLE ALPHA",
    },
    { id: "b2", amount: "-4250.00", date: "2026-03-26", reference: "900619" },
  ];
  const right: CaseLine[] = [
    {
      id: "j1",
      amount: "-4250.00",
      date: "2026-03-25",
      reference: "900619",
      counterparty: "SAMPLE BETA",
    },
  ];

  test("are never confirmed, and the line with the same reference is", () => {
    expect(solveCase(left, right).confirmed).toEqual(["b2|j1"]);
  });

  test("are at most suggested without competitors, and the note says what differs", () => {
    const { confirmed, suggested, noteOf } = solveCase(left.slice(0, 1), right);
    expect(confirmed).toEqual([]);
    expect(suggested).toEqual(["b1|j1"]);
    expect(noteOf("b1|j1")).toContain("reference differs: 712219 / 900619");
  });

  test("are never confirmed after automatic matching was earned", () => {
    const names = ["Nordtal", "Alfabau", "Kontorvik", "Bergson", "Deltamark", "Exempeltal"];
    const history = Array.from({ length: 260 }, (_, at) => {
      const name = `${names[at % names.length]} ${100 + at}`;
      const amount = String(-(1000 + at * 37.31));
      const date = new Date(Date.UTC(2026, 0, 5 + (at % 60))).toISOString().slice(0, 10);
      const line = { id: String(at), amount, date };
      return {
        left: lineOf({ ...line, description: `Levbet ${name}` }),
        right: lineOf({ ...line, counterparty: name }),
        confirmed: true,
        score: 0.9995,
      };
    });
    const weights = learn(null, history, mondayToFriday);
    expect(trackRecord(weights, 0.99).proven).toBe(true);
    const { confirmed } = solveCase(
      [
        left[0] as CaseLine,
        {
          id: "b9",
          amount: "-430.00",
          date: "2026-03-03",
          description: "Levbet Kontorsexempel 2214",
        },
      ],
      [
        ...right,
        {
          id: "v3",
          amount: "-430.00",
          date: "2026-03-01",
          reference: "14",
          counterparty: "Annan Exempel AB",
        },
      ],
      { weights },
    );
    expect(confirmed).toEqual([]);
  });
});

describe("a printed reference", () => {
  test("is found by its check digit or its RF, and siblings are not matched crosswise", () => {
    const { confirmed } = solveCase(
      [
        { id: "b1", amount: "1250.00", date: "2026-04-07", reference: "202601175" },
        { id: "b2", amount: "1250.00", date: "2026-04-07", reference: "202601712" },
        { id: "b3", amount: "1250.00", date: "2026-04-08", reference: "RF18 5390 0754 7034" },
      ],
      [
        { id: "i1", amount: "1250.00", date: "2026-03-31", reference: "2026-0117" },
        { id: "i2", amount: "1250.00", date: "2026-03-31", reference: "2026-0171" },
        { id: "i3", amount: "1250.00", date: "2026-04-01", reference: "539007547034" },
        { id: "i4", amount: "1250.00", date: "2026-04-01", reference: "539007547042" },
      ],
    );
    expect(confirmed).toEqual(["b1|i1", "b2|i2", "b3|i3"]);
  });
});

describe("small equal amounts each day", () => {
  test("are distinguished by their day, and the missing day stays open", () => {
    const on = (day: number, amount: string, text: string): CaseLine => ({
      id: `d${day}`,
      amount,
      date: `2026-08-0${day}`,
      description: text,
    });
    const amountOf = (day: number) => (day < 4 ? "1.02" : "1.03");
    const left = [1, 2, 3, 4, 5, 6, 7].map((day) => on(day, amountOf(day), "INTEREST"));
    const right = [1, 2, 3, 4, 6, 7].map((day) => on(day, amountOf(day), "Savings interest"));
    const { confirmed, suggested } = solveCase(left, right);
    const found = [...confirmed, ...suggested];
    expect(found.sort()).toEqual([1, 2, 3, 4, 6, 7].map((day) => `d${day}|d${day}`));
  });
});

describe("the same reference and amount", () => {
  test.each([
    ["2026-04-07", "2026-03-08"],
    ["2026-03-08", "2026-04-07"],
    ["2026-03-01", "2026-06-20"],
    ["2026-06-20", "2026-03-01"],
  ])("%s and %s apart are at least suggested", (a, b) => {
    const { confirmed, suggested } = solveCase(
      [{ id: "a", amount: "1250.00", date: a, reference: "2026-0117" }],
      [{ id: "A", amount: "1250.00", date: b, reference: "2026-0117" }],
    );
    expect([...confirmed, ...suggested]).toEqual(["a|A"]);
  });
});

describe("a payout whose fee is a separate line", () => {
  test("is the exact sum of what names it, and no difference is suggested", () => {
    const { confirmed, suggested } = solveCase(
      [{ id: "b", amount: "4850.00", date: "2026-03-10", description: "STRIPE PAYOUT po_777" }],
      [
        { id: "p", amount: "5000.00", date: "2026-03-09", reference: "po_777" },
        { id: "f", amount: "-150.00", date: "2026-03-09", reference: "po_777" },
      ],
    );
    expect([...confirmed, ...suggested]).toEqual(["b|f,p"]);
  });
});

describe("a payment of several invoices less a discount that no line shows", () => {
  const invoice = (id: string, amount: string): CaseLine => ({
    id,
    amount,
    date: "2026-03-02",
    reference: `RE-2026${id.slice(1)}`,
    counterparty: "Kranich Stahl GmbH",
  });
  const invoices = [invoice("i4711", "1200.00"), invoice("i4712", "830.55")];
  const payment = (amount: string): CaseLine => ({
    id: "p",
    amount,
    date: "2026-03-09",
    counterparty: "Kranich Stahl GmbH",
    description: "RE-20264711 RE-20264712 abzgl. Skonto",
  });

  test("is suggested as the sum, and the note names the discount", () => {
    const { confirmed, suggested, noteOf, ruleOf } = solveCase(invoices, [payment("1989.94")]);
    expect([confirmed, suggested]).toEqual([[], ["i4711,i4712|p"]]);
    expect(noteOf("i4711,i4712|p")).toMatch(/^The difference is a discount of 2 %/);
    expect(ruleOf("i4711,i4712|p")).toBe("Fees");
  });

  test("is suggested on either side", () => {
    const later = invoices.map((item) => ({ ...item, date: "2026-03-07" }));
    expect(solveCase([payment("1969.63")], later).suggested).toEqual(["p|i4711,i4712"]);
  });

  test("is confirmed as the exact sum where there is one", () => {
    const discount = { ...invoice("i4711", "-40.61"), id: "d" };
    const { confirmed, suggested } = solveCase([...invoices, discount], [payment("1989.94")]);
    expect([...confirmed, ...suggested]).toEqual(["d,i4711,i4712|p"]);
  });

  test("is not suggested as a sum where the share is unusual", () => {
    const { suggested } = solveCase(invoices, [payment("1890.00")]);
    expect(suggested).not.toContain("i4711,i4712|p");
  });

  test("is not suggested where no rule leaves a difference", () => {
    const rules = DEFAULT_RULES.filter(({ name }) => name !== "Fees");
    const { suggested } = solveCase(invoices, [payment("1989.94")], { rules });
    expect(suggested).not.toContain("i4711,i4712|p");
  });
});

describe("plain payments of a new pair", () => {
  const invoices = (amountOf: (at: number) => string): [CaseLine[], CaseLine[]] => {
    const numbers = ["INV-1041", "INV-1042", "INV-1043", "INV-1044", "INV-1045", "INV-1046"];
    return [
      numbers.map((number, at) => ({
        id: `b${at}`,
        amount: amountOf(at),
        date: `2026-03-1${at}`,
        description: `Überweisung Rechnung Nr. ${number.slice(4)} danke`,
      })),
      numbers.map((reference, at) => ({
        id: `i${at}`,
        amount: amountOf(at),
        date: `2026-03-0${at + 1}`,
        reference,
        counterparty: `Kunde ${at} GmbH`,
      })),
    ];
  };
  const all = [0, 1, 2, 3, 4, 5].map((at) => `b${at}|i${at}`);

  test("match automatically by the invoice number in their text, whatever their amounts", () => {
    const [left, right] = invoices((at) => `${(at + 1) * 119}.00`);
    expect(solveCase(left, right, { automatic: "suggest_only" }).confirmed).toEqual(all);
    const [equal, equals] = invoices(() => "500.00");
    expect(solveCase(equal, equals, { automatic: "suggest_only" }).confirmed).toEqual(all);
  });
});

describe("one payment for several open items of one counterparty", () => {
  const items: CaseLine[] = [
    ["a1", "118.20", "2026-03-02", "SI-9001"],
    ["a2", "342.75", "2026-03-06", "SI-9007"],
    ["a3", "89.99", "2026-03-11", "SI-9013"],
    ["a4", "512.40", "2026-03-12", "SI-9019"],
  ].map(([id = "", amount = "", date = "", reference = ""]) => ({
    id,
    amount,
    date,
    reference,
    counterparty: "Northside Mercantile & Supply Company",
  }));
  const others: CaseLine[] = Array.from({ length: 30 }, (_, n) => ({
    id: `x${n}`,
    amount: `${70 + 13.37 * n}`,
    date: `2026-03-${String((n % 28) + 1).padStart(2, "0")}`,
    reference: `SI-${7000 + n}`,
    counterparty: `Harbor ${["Tools", "Foods", "Signs"][n % 3]} ${n} LLC`,
  }));

  test.each([
    [["a1", "a2", "a3"], "550.94"],
    [["a1", "a4"], "630.60"],
  ])("of which it takes %j is found by the name, which its text cuts off", (paid, amount) => {
    const payment = {
      id: "p",
      amount,
      date: "2026-03-14",
      description: "AUTO-PAY NORTHSIDE MERCANTILE & SUP",
    };
    const left = solveCase([...items, ...others], [payment]);
    expect(left.confirmed).toContain(`${paid}|p`);
    const right = solveCase([payment], [...items, ...others]);
    expect(right.confirmed).toContain(`p|${paid}`);
  });

  test.each([
    [
      "has a credit note among them",
      ["a2", "a4", "c"],
      "805.15",
      "AUTO-PAY NORTHSIDE MERCANTILE & SUP",
    ],
    ["prints a city behind the cut name", ["a1", "a4"], "630.60", "SQ *NORTHSIDE MERCAN TULSA OK"],
  ])("is found where it %s", (_, paid, amount, description) => {
    const credit = {
      id: "c",
      amount: "-50.00",
      date: "2026-03-09",
      reference: "SI-9011",
      counterparty: "Northside Mercantile & Supply Company",
    };
    const payment = { id: "p", amount, date: "2026-03-14", description };
    const { confirmed, suggested } = solveCase([...items, credit, ...others], [payment]);
    expect([...confirmed, ...suggested]).toContain(`${paid}|p`);
  });
});

describe("a payout of lines that call themselves charges", () => {
  const charges = (batch: string, names: readonly string[]): CaseLine[] =>
    ["53.98", "78.63", "209.17"].map((amount, at) => ({
      id: `c${at}`,
      amount,
      date: "2026-03-13",
      reference: `ch_${675170 + at}`,
      counterparty: names[at],
      description: `charge${batch}`,
    }));
  const payout = (description: string): CaseLine[] => [
    { id: "p", amount: "341.78", date: "2026-03-16", counterparty: "Adyen N.V.", description },
  ];

  test("is confirmed where the payout quotes the batch of all of them", () => {
    const { confirmed } = solveCase(charges(" batch 675165", []), payout("ADYEN BATCH 675165"));
    expect(confirmed).toEqual(["c0,c1,c2|p"]);
  });

  test("is confirmed where the charges are of several customers", () => {
    const customers = ["Pavel Ivanov", "David Quist", "Wout Novak"];
    const { confirmed } = solveCase(charges(" batch 675165", customers), payout("ADYEN PAYOUT"));
    expect(confirmed).toEqual(["c0,c1,c2|p"]);
  });

  test("is at most suggested where the charges may be the bank's own", () => {
    expect(solveCase(charges("", []), payout("ADYEN PAYOUT")).confirmed).toEqual([]);
  });
});

describe("a card payment whose text says that its amount was converted", () => {
  const report: CaseLine = {
    id: "e",
    amount: "-316.29",
    date: "2026-03-18",
    counterparty: "Castellano Coatings",
    description: "K. Weiss: Parking",
  };
  const payment: CaseLine = {
    id: "p",
    amount: "-320.38",
    date: "2026-03-19",
    description: "IN *SUNDANCE MARKET MOBILE AL FRGN AMT 4245",
  };
  const unrelated: CaseLine = { ...report, id: "u", amount: "-48.10", date: "2026-03-17" };

  test("is suggested with the only open line of about the amount, and says why", () => {
    const { confirmed, suggested, noteOf } = solveCase([report, unrelated], [payment]);
    expect([confirmed, suggested]).toEqual([[], ["e|p"]]);
    expect(noteOf("e|p")).toMatch(/^The text says that the amount was converted/);
  });

  test("is not suggested where two lines are near its amount", () => {
    const another = { ...report, id: "a", amount: "-322.00" };
    expect(solveCase([report, another], [payment]).suggested).toEqual([]);
  });

  test("is not suggested where the text names a fee for it", () => {
    const fee = { ...payment, description: "FOREIGN CURRENCY TRANSACTION FEE" };
    expect(solveCase([report, unrelated], [fee]).suggested).toEqual([]);
  });
});

describe("a sum that may be a coincidence", () => {
  const till = (id: string, amount: string): CaseLine => ({
    id,
    amount,
    date: "2026-03-11",
    counterparty: "Shop 6 Mitte",
    description: `Cash till ${id.slice(1)}`,
  });
  const tills = [till("t1", "1040.01"), till("t2", "253.72"), till("t3", "355.17")];
  const settlement: CaseLine = {
    id: "s",
    amount: "1293.73",
    date: "2026-03-13",
    description: "MERCHANT SETTLEMENT 1964 SHOP 6 MITTE",
  };

  test("is confirmed where it quotes no other line", () => {
    expect(solveCase(tills, [settlement]).confirmed).toEqual(["t1,t2|s"]);
  });

  test("is at most suggested where it quotes a line that is no part of it", () => {
    const quoted = { ...till("b", "9000.00"), reference: "1964", description: "Terminal batch" };
    expect(solveCase([...tills, quoted], [settlement]).confirmed).toEqual([]);
  });

  test("is at most suggested where another line quotes one of its parts", () => {
    const parts = [{ ...(tills[0] as CaseLine), reference: "2889" }, ...tills.slice(1)];
    const other: CaseLine = {
      id: "o",
      amount: "1027.01",
      date: "2026-03-12",
      description: "MERCHANT SETTLEMENT 2889 SHOP 6 MIT",
    };
    expect(solveCase(parts, [settlement, other]).confirmed).not.toContain("t1,t2|s");
  });
});

describe("a difference that an exact sum explains", () => {
  /** Twenty purchases with a tip of 15 %, which make that rate usual. */
  const tipped = Array.from({ length: 20 }, (_, at) => {
    const amount = 3100 + 137 * at;
    const day = String(1 + at).padStart(2, "0");
    const name = `${["Oak", "Birch", "Cedar", "Maple", "Willow"][at % 5]}field ${["Diner", "Bakery", "Grill", "Tavern"][Math.floor(at / 5)]}`;
    return {
      left: {
        id: `e${at}`,
        amount: (-amount / 100).toFixed(2),
        date: `2026-03-${day}`,
        counterparty: name,
        description: `P. Quinn: Lunch ${at}`,
      },
      right: {
        id: `c${at}`,
        amount: (-Math.round(amount * 1.15) / 100).toFixed(2),
        date: `2026-03-${day}`,
        description: name.toUpperCase(),
      },
    };
  });
  const left: CaseLine[] = [
    ...tipped.map((item) => item.left),
    {
      id: "e-single",
      amount: "-139.25",
      date: "2026-03-11",
      counterparty: "Szymański Staffing",
      description: "L. Fontaine: Software",
    },
    {
      id: "e-part1",
      amount: "-98.18",
      date: "2026-03-16",
      counterparty: "Szymański Staffing",
      description: "M. Dorsey: Software, cost center 949",
    },
    {
      id: "e-part2",
      amount: "-61.96",
      date: "2026-03-16",
      counterparty: "Szymański Staffing",
      description: "M. Dorsey: Software, cost center 781",
    },
  ];
  const right: CaseLine[] = [
    ...tipped.map((item) => item.right),
    {
      id: "c-sum",
      amount: "-160.14",
      date: "2026-03-17",
      description: "SP SZYMANSKI #9390",
    },
  ];

  test("is left to the sum", () => {
    const { confirmed, suggested } = solveCase(left, right);
    expect([...confirmed, ...suggested]).not.toContain("e-single|c-sum");
    expect([...confirmed, ...suggested]).toContain("e-part1,e-part2|c-sum");
  });

  test("is not confirmed where the sum is missing, because only a stem of the name agrees", () => {
    const { confirmed } = solveCase(
      left.filter(({ id }) => !id.startsWith("e-part")),
      right,
    );
    expect(confirmed).not.toContain("e-single|c-sum");
  });
});

describe("a text that quotes the reference of another open line", () => {
  const left: CaseLine[] = [
    {
      id: "v1646",
      amount: "1005.00",
      date: "2026-03-02",
      reference: "SI-601646",
      counterparty: "Mosswood Signs Corp",
      description: "Customer wire",
    },
    {
      id: "v1647",
      amount: "960.00",
      date: "2026-03-04",
      reference: "SI-601647",
      counterparty: "Mosswood Signs Corp",
      description: "Customer wire",
    },
  ];
  const right: CaseLine[] = [
    {
      id: "b1",
      amount: "960.00",
      date: "2026-03-02",
      reference: "822194615605",
      description: "WIRE IN ORIG:MOSSWOOD SIGNS CORP OBI:INV 601646",
    },
  ];

  test("is never confirmed with an equal amount that has another reference", () => {
    expect(solveCase(left, right).areConfirmed("v1647", "b1")).toBe(false);
  });

  test("is never confirmed with an equal amount that has no reference", () => {
    const [other, same] = left as [CaseLine, CaseLine];
    const batches = tillBatches();
    const { areConfirmed } = solveCase(
      [...batches.left, { ...other, reference: "2400" }, { ...same, reference: undefined }],
      [
        ...batches.right,
        { ...(right[0] as CaseLine), description: "SETTLEMENT 2400 MOSSWOOD SIGNS" },
      ],
    );
    expect(areConfirmed("v1647", "b1")).toBe(false);
  });
});

describe("two amounts that differ", () => {
  const batches = tillBatches();
  const pairOf = (own: string, other: string) =>
    solveCase(
      [...batches.left, { id: "a", amount: "-46.81", date: "2026-03-09", description: own }],
      [...batches.right, { id: "b", amount: "-47.33", date: "2026-03-11", description: other }],
    );

  test.each([
    ["Processing fees", "MERCHANT FEES"],
    ["Bank charges March", "Card charges March"],
    ["Interest 03/2026", "Savings interest 03/2026"],
    ["Transfer to supplier", "TRANSFER OUT"],
    ["Kontoführung, Entgelte", "Entgelte Karten"],
  ])("%s and %s have nothing in common but a kind of booking", (own, other) => {
    const { confirmed, suggested } = pairOf(own, other);
    expect([...confirmed, ...suggested]).not.toContain("a|b");
  });

  test("are found where both name one party", () => {
    const { confirmed, suggested } = pairOf("Processing fees Worldpine", "WORLDPINE FEES");
    expect([...confirmed, ...suggested]).toContain("a|b");
  });
});

describe("what an accountant would try", () => {
  const invoice = (id: string, amount: string, reference: string, counterparty: string) => ({
    id,
    amount,
    date: "2026-03-02",
    reference,
    counterparty,
  });
  const paid = (id: string, amount: string, description: string): CaseLine => ({
    id,
    amount,
    date: "2026-03-05",
    description,
  });
  const alpha = invoice("a", "500.00", "RE-4401", "Alpha Bau GmbH");
  const beta = invoice("b", "500.00", "RE-4402", "Beta Holz AG");

  test("a number of one customer under the name of another is at most suggested", () => {
    const { confirmed } = solveCase([alpha, beta], [paid("p", "500.00", "Beta Holz AG RE-4401")]);
    expect(confirmed).toEqual([]);
  });

  test("a number that a third party quotes is confirmed", () => {
    const { confirmed } = solveCase([alpha, beta], [paid("p", "500.00", "Gamma Holding RE-4401")]);
    expect(confirmed).toEqual(["a|p"]);
  });

  test("equal amounts of two customers go to the numbers that they quote", () => {
    const { confirmed } = solveCase(
      [alpha, beta],
      [paid("p", "500.00", "Beta Holz RE-4402"), paid("q", "500.00", "Alpha Bau RE-4401")],
    );
    expect(confirmed).toEqual(["a|q", "b|p"]);
  });

  test("one number of two suppliers goes to the name", () => {
    const bill = (id: string, name: string) => invoice(id, "-310.00", "2026-014", name);
    const { confirmed } = solveCase(
      [bill("a", "Muster Druck"), bill("b", "Kessel Technik")],
      [
        paid("p", "-310.00", "Kessel Technik 2026-014"),
        paid("q", "-310.00", "Muster Druck 2026-014"),
      ],
    );
    expect(confirmed).toEqual(["a|q", "b|p"]);
  });

  test("numbers name the two of three equal invoices that a payment takes", () => {
    const due = ["RE-4021", "RE-4022", "RE-4023"].map((reference) =>
      invoice(reference, "100.00", reference, "Nordlicht Handel GmbH"),
    );
    const { confirmed } = solveCase(due, [paid("p", "200.00", "Nordlicht RE-4021 RE-4023")]);
    expect(confirmed).toEqual(["RE-4021,RE-4023|p"]);
  });

  test("a discount on round amounts is suggested where all numbers are quoted", () => {
    const { suggested } = solveCase(
      [
        invoice("a", "400.00", "RE-3301", "Nordlicht Handel GmbH"),
        invoice("b", "350.00", "RE-3302", "Nordlicht Handel GmbH"),
      ],
      [paid("p", "735.00", "Nordlicht Handel RE-3301 RE-3302 2% Skonto")],
    );
    expect(suggested).toEqual(["a,b|p"]);
  });

  test("an invoice paid twice, or with the opposite sign or in another currency, isn't confirmed", () => {
    const text = "Alpha Bau RE-4401";
    const twice = solveCase([alpha], [paid("p", "500.00", text), paid("q", "500.00", text)]);
    expect(twice.confirmed).toEqual([]);
    expect(solveCase([alpha], [paid("p", "-500.00", text)]).confirmed).toEqual([]);
    const dollars = { ...paid("p", "500.00", text), currency: "USD" };
    expect(solveCase([alpha], [dollars]).confirmed).toEqual([]);
  });

  test("of two invoices, the one with the amount is suggested where the text names the other", () => {
    const { confirmed, noteOf } = solveCase(
      [alpha, { ...beta, amount: "800.00", counterparty: "Alpha Bau GmbH" }],
      [paid("p", "800.00", "Alpha Bau RE-4401")],
    );
    expect(confirmed).toEqual([]);
    expect(noteOf("b|p")).toContain("reference differs");
  });
});

/** Enough plain pairs to learn how rare amounts and words are. */
function tillBatches(): { left: CaseLine[]; right: CaseLine[] } {
  const lines = Array.from({ length: 60 }, (_, at) => ({
    amount: (431.17 + 57.31 * at).toFixed(2),
    date: `2026-03-${String(1 + (at % 28)).padStart(2, "0")}`,
    number: String(2101 + 4 * at),
  }));
  return {
    left: lines.map(({ amount, date, number }) => ({
      id: `l${number}`,
      amount,
      date,
      reference: number,
      counterparty: "Card terminal",
    })),
    right: lines.map(({ amount, date, number }) => ({
      id: `r${number}`,
      amount,
      date,
      description: `SETTLEMENT ${number} CARD TERMINAL`,
    })),
  };
}
