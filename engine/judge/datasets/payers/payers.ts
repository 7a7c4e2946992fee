/**
 * A month of a company whose customers and vendors pay as they like: many invoices at once, with
 * credit notes and discounts among them, in parts, through processors, twice and back. Seeds differ
 * in how books and bank write.
 */
import { callInShares, partsOf } from "../conventions/books.ts";
import type { Dataset, DatasetLine } from "../dataset.ts";
import { DAYS, FIRST_DAY, Month, randomAmount } from "../month.ts";
import { Random } from "../random.ts";
import { transposeDigits } from "../texts.ts";
import { type Habits, habitsOf, type Party, parties, printed } from "./habits.ts";

const LAST_DAY = FIRST_DAY + DAYS - 1;

export function payers(seed: number, size: number): Dataset {
  const random = new Random(seed * 43 + 517);
  const ledger = new Ledger(seed, random, Math.max(25, Math.round(size / 9)));
  callInShares(random, size * 0.38, [...inbound(ledger), ...outbound(ledger), ...alone(ledger)]);
  return ledger.month.shuffled();
}

type Side = Omit<DatasetLine, "identity" | "currency" | "amount_minor">;
type Invoice = { amount: number; number: string; identity: string; day: number };

/** What both sides write, in the habits of this seed. */
class Ledger {
  readonly month: Month;
  readonly random: Random;
  readonly habits: Habits;
  private readonly partners: Party[];
  private count = 0;

  constructor(seed: number, random: Random, partners: number) {
    this.random = random;
    this.habits = habitsOf(random);
    this.month = new Month(`payers, seed ${seed}`, random);
    this.partners = parties(random, partners);
  }

  partner(): Party {
    return this.partners[Math.floor(this.partners.length * this.random.next() ** 1.5)] as Party;
  }

  paymentDay(): number {
    return this.month.bankDay(FIRST_DAY + this.random.between(2, DAYS - 3));
  }

  number(): string {
    this.count += this.random.between(1, 5);
    return this.habits.invoice(this.count);
  }

  amount({ usual }: Party): number {
    const { random } = this;
    const amount = Math.round(usual * Math.exp((random.next() + random.next() - 1) * 1.5));
    return random.chance(0.12)
      ? Math.max(500, Math.round(amount / 500) * 500)
      : Math.max(200, amount);
  }

  /** An item that is open on a day, booked up to the lag before. */
  item(party: Party, paid: number, sign = 1, more: Partial<Side> = {}): Invoice {
    const day = paid - this.random.between(0, this.habits.lag);
    const [amount, number] = [sign * this.amount(party), this.number()];
    const identity = this.book(amount, {
      value_date: day,
      reference: number,
      counterparty: party.name,
      description: sign > 0 ? "Invoice" : "Bill",
      ...more,
    });
    return { amount, number, identity, day };
  }

  items(count: number, party: Party, paid: number, sign = 1): Invoice[] {
    return Array.from({ length: count }, () => this.item(party, paid, sign));
  }

  book(amount_minor: number, line: Side): string {
    return this.month.left({ currency: this.habits.currency, ...line, amount_minor });
  }

  bank(amount_minor: number, line: Side): string {
    return this.month.right({ currency: this.habits.currency, ...line, amount_minor });
  }

  /** A payment as the bank shows it, with the numbers that the payer quotes. */
  payment(amount: number, party: Party | null, day: number, numbers: readonly string[]): string {
    const { habits, random } = this;
    const name = party ? printed(habits, party.name) : "";
    const quoted = numbers.map((number) => habits.quoted(random, number)).join(", ");
    const lead = amount > 0 ? habits.credit : habits.debit;
    return this.bank(amount, {
      value_date: day,
      counterparty: habits.hasParty && name ? name : null,
      description: `${lead} ${name} ${quoted}`.replaceAll(/ +/g, " ").trim(),
    });
  }

  truth(kind: string, items: readonly Invoice[], rights: string[]): void {
    this.month.truth(
      kind,
      items.map(({ identity }) => identity),
      rights,
    );
  }
}

type Ways = (readonly [share: number, way: () => void])[];

const sumOf = (items: readonly Invoice[]) => items.reduce((sum, { amount }) => sum + amount, 0);
const numbersOf = (items: readonly Invoice[]) => items.map(({ number }) => number);

function inbound(ledger: Ledger): Ways {
  const { random } = ledger;
  const paid = (kind: string, items: Invoice[], party: Party, day: number, quotes: boolean) =>
    ledger.truth(kind, items, [
      ledger.payment(sumOf(items), party, day, quotes ? numbersOf(items) : []),
    ]);
  const plain = (sign: number, quotes: boolean, kind: string) => () => {
    const [party, day] = [ledger.partner(), ledger.paymentDay()];
    paid(kind, ledger.items(1, party, day, sign), party, day, quotes);
  };
  const batch = (kind: string, low: number, high: number, quotes: boolean) => () => {
    const [party, day] = [ledger.partner(), ledger.paymentDay()];
    paid(kind, ledger.items(random.between(low, high), party, day), party, day, quotes);
  };
  const withCredits = (quotes: boolean) => () => {
    const [party, day] = [ledger.partner(), ledger.paymentDay()];
    const items = ledger.items(random.between(2, 5), party, day);
    const largest = Math.max(...items.map(({ amount }) => amount));
    const number = ledger.number();
    const amount = -Math.max(100, Math.round(largest * (0.05 + 0.5 * random.next())));
    const booked = day - random.between(0, 5);
    const line = { value_date: booked, reference: number, counterparty: party.name };
    const identity = ledger.book(amount, { ...line, description: "Credit note" });
    const kind = quotes ? "batch with credit note, numbers" : "batch with credit note";
    paid(kind, [...items, { amount, number, identity, day: booked }], party, day, quotes);
  };
  const discounted = (low: number, high: number, quotes: boolean) => () => {
    const [party, day] = [ledger.partner(), ledger.paymentDay()];
    const items = ledger.items(random.between(low, high), party, day);
    const rate = random.pick([0.02, 0.02, 0.03, 0.01]);
    const taken = items.reduce((sum, { amount }) => sum + Math.round(amount * rate), 0);
    const kind = `${items.length > 1 ? "batch less discount" : "cash discount"}${quotes ? ", numbers" : ""}`;
    ledger.truth(kind, items, [
      ledger.payment(sumOf(items) - taken, party, day, quotes ? numbersOf(items) : []),
    ]);
  };
  const inParts = () => {
    const [party, day] = [ledger.partner(), ledger.paymentDay()];
    const item = ledger.item(party, day);
    const quotes = random.chance(0.7);
    const parts = partsOf(random, item.amount, random.between(2, 3));
    const rights = parts.map((part, at) =>
      ledger.payment(part, party, ledger.month.later(day, at * random.between(1, 4)), [
        ...(quotes ? [item.number] : []),
      ]),
    );
    ledger.truth(quotes ? "instalments, number" : "instalments", [item], rights);
  };
  const partOnly = () => {
    const [party, day] = [ledger.partner(), ledger.paymentDay()];
    const item = ledger.item(party, day);
    const part = Math.round(item.amount * random.pick([0.5, 0.3, 0.25, 0.6 + 0.2 * random.next()]));
    ledger.truth("part payment", [item], [ledger.payment(part, party, day, [item.number])]);
  };
  const feeLifted = () => {
    const [party, day] = [ledger.partner(), ledger.paymentDay()];
    const item = ledger.item(party, day);
    const fee = random.pick([1500, 2000, 2500]);
    if (item.amount < 8 * fee) return;
    ledger.truth(
      "charge lifted",
      [item],
      [ledger.payment(item.amount - fee, party, day, [item.number])],
    );
  };
  const mistyped = () => {
    const [party, day] = [ledger.partner(), ledger.paymentDay()];
    const item = ledger.item(party, day);
    const amount = transposeDigits(random, item.amount);
    ledger.truth("amount mistyped", [item], [ledger.payment(amount, party, day, [item.number])]);
  };
  const payoutDays: number[] = [];
  const payout = (kept: "net" | "fee line") => () => {
    const day = ledger.paymentDay();
    // A processor pays out what was charged since the last time.
    if (payoutDays.some((other) => Math.abs(other - day) < 2)) return;
    payoutDays.push(day);
    const key = `po_${Math.floor(random.next() * 36 ** 8).toString(36)}`;
    const isKeyed = random.chance(0.6);
    let fees = 0;
    const charges = Array.from({ length: random.between(2, 12) }, (): Invoice => {
      const gross = randomAmount(random, 900, 40_000) * (random.chance(0.08) ? -1 : 1);
      const fee = gross > 0 ? Math.round(gross * 0.029) + 30 : 0;
      fees += fee;
      const amount = kept === "net" ? gross - fee : gross;
      const on = day - random.between(2, 3);
      const number = `ch_${Math.floor(random.next() * 36 ** 6).toString(36)}`;
      const identity = ledger.book(amount, {
        value_date: on,
        reference: number,
        description: `${gross > 0 ? "Charge" : "Refund"} ${isKeyed ? key : ""}`.trim(),
        group_key: isKeyed ? key : null,
      });
      return { amount, number, identity, day: on };
    });
    if (kept === "fee line") {
      const line = { value_date: day - 2, description: "Processing fees" };
      const identity = ledger.book(-fees, { ...line, group_key: isKeyed ? key : null });
      charges.push({ amount: -fees, number: "", identity, day: day - 2 });
    }
    const text = isKeyed ? `STRIPE PAYOUT ${key}` : "STRIPE TRANSFER";
    const kind = `payout ${kept === "net" ? "of net charges" : "with a fee line"}`;
    ledger.truth(isKeyed ? `${kind}, key` : kind, charges, [
      ledger.bank(sumOf(charges), { value_date: day, description: text }),
    ]);
  };
  const lockbox = () => {
    const day = ledger.paymentDay();
    const items = Array.from({ length: random.between(3, 10) }, (): Invoice => {
      const party = ledger.partner();
      const [amount, number] = [ledger.amount(party), String(random.between(1000, 99_999))];
      const on = day + random.between(0, 1);
      const line = { value_date: on, reference: number, counterparty: party.name };
      const identity = ledger.book(amount, { ...line, description: "Check received, lockbox" });
      return { amount, number, identity, day: on };
    });
    const text = `LOCKBOX ${random.between(100, 999)} ${items.length} CHECKS`;
    ledger.truth("lockbox", items, [
      ledger.bank(sumOf(items), { value_date: day, description: text }),
    ]);
  };
  const weeklyDeposit = () => {
    const day = ledger.paymentDay();
    const shop = `Store ${random.between(1, 5)}`;
    const items = Array.from({ length: random.between(4, 7) }, (_, before): Invoice => {
      const amount = random.between(8000, 90_000);
      const line = { value_date: day - 1 - before, description: `Cash sales ${shop}` };
      return {
        amount,
        number: "",
        identity: ledger.book(amount, line),
        day: day - 1 - before,
      };
    });
    ledger.truth("weekly deposit", items, [
      ledger.bank(sumOf(items), {
        value_date: day,
        description: `CASH DEPOSIT ${shop.toUpperCase()}`,
      }),
    ]);
  };
  const converted = () => {
    const [party, day] = [ledger.partner(), ledger.paymentDay()];
    const item = ledger.item(party, day);
    const drift = 1 + (random.next() - 0.5) * 0.024;
    const amount = Math.round(item.amount * drift);
    const name = printed(ledger.habits, party.name);
    const quoted = random.chance(0.6) ? ledger.habits.quoted(random, item.number) : "";
    const foreign = (item.amount / 100 / 1.37).toFixed(2);
    const text = `${ledger.habits.credit} ${name} ${quoted} CAD ${foreign} EXCH RATE 1.37`;
    ledger.truth(
      "foreign currency",
      [item],
      [ledger.bank(amount, { value_date: day, description: text.replaceAll(/ +/g, " ") })],
    );
  };
  const rent = () => {
    const party = ledger.partner();
    const amount = ledger.amount(party);
    for (let week = 0; week < 4; week++) {
      const day = ledger.month.bankDay(FIRST_DAY + 2 + 7 * week);
      const number = ledger.number();
      const booked = day - random.between(0, 2);
      const line = { value_date: booked, reference: number, counterparty: party.name };
      const identity = ledger.book(amount, { ...line, description: "Weekly service" });
      const right = ledger.payment(amount, party, day, []);
      ledger.truth("weekly, equal amounts", [{ amount, number, identity, day: booked }], [right]);
    }
  };
  return [
    [90, plain(1, true, "customer payment, number")],
    [60, plain(1, false, "customer payment, name only")],
    [18, batch("several invoices, numbers", 2, 20, true)],
    [26, batch("several invoices, name only", 2, 6, false)],
    [6, withCredits(true)],
    [8, withCredits(false)],
    [8, discounted(1, 1, true)],
    [4, discounted(1, 1, false)],
    [6, discounted(2, 6, true)],
    [4, discounted(2, 5, false)],
    [7, inParts],
    [6, partOnly],
    [6, feeLifted],
    [4, mistyped],
    [8, payout("net")],
    [6, payout("fee line")],
    [5, lockbox],
    [4, weeklyDeposit],
    [9, converted],
    [3, rent],
  ];
}

function outbound(ledger: Ledger): Ways {
  const { random } = ledger;
  const vendor = (quotes: boolean) => () => {
    const [party, day] = [ledger.partner(), ledger.paymentDay()];
    const item = ledger.item(party, day, -1);
    ledger.truth(
      `vendor payment, ${quotes ? "number" : "name only"}`,
      [item],
      [ledger.payment(item.amount, party, day, quotes ? [item.number] : [])],
    );
  };
  const severalBills = () => {
    const [party, day] = [ledger.partner(), ledger.paymentDay()];
    const items = ledger.items(random.between(2, 6), party, day, -1);
    ledger.truth("several bills, name only", items, [ledger.payment(sumOf(items), party, day, [])]);
  };
  const check = (fate: "cashed" | "void") => () => {
    const [party, day] = [ledger.partner(), ledger.paymentDay()];
    const [amount, number] = [-ledger.amount(party), String(4000 + random.between(1, 5999))];
    const written = { reference: `CHK-${number}`, counterparty: party.name, value_date: day };
    const identity = ledger.book(amount, { ...written, description: `Check to ${party.name}` });
    if (fate === "cashed") {
      const cashed = ledger.month.later(day, random.between(2, 12));
      if (cashed > LAST_DAY) return;
      const right = ledger.bank(amount, { value_date: cashed, description: `CHECK ${number}` });
      ledger.truth("check", [{ amount, number, identity, day }], [right]);
      return;
    }
    const named = random.chance(0.5);
    const back = ledger.book(-amount, {
      ...written,
      value_date: day + random.between(0, 9),
      reference: named ? `CHK-${number}-V` : null,
      description: named ? "Voided" : `VOID - Check #${number} to ${party.name}`,
    });
    ledger.month.truth(named ? "void by suffix" : "void by text", [identity, back], []);
  };
  const payroll = () => {
    const day = ledger.paymentDay();
    const items = Array.from({ length: random.between(4, 16) }, (): Invoice => {
      const amount = -random.between(90_000, 420_000);
      const line = { value_date: day - random.between(0, 1), counterparty: ledger.partner().code };
      const identity = ledger.book(amount, { ...line, description: "Net pay" });
      return { amount, number: "", identity, day };
    });
    const text = random.pick(["PAYROLL", "SALARIES", "GUSTO NET PAY", "ADP WAGE PAY"]);
    ledger.truth("payroll", items, [
      ledger.bank(sumOf(items), { value_date: day, description: text }),
    ]);
  };
  const chargedTwice = () => {
    const [party, day] = [ledger.partner(), ledger.paymentDay()];
    const item = ledger.item(party, day, -1);
    const quoted = ledger.habits.quoted(random, item.number);
    const next = ledger.month.later(day, 1);
    const [first, second] = [day, next].map((on) =>
      ledger.bank(item.amount, {
        value_date: on,
        description: `${ledger.habits.debit} ${printed(ledger.habits, party.name)} ${quoted}`,
      }),
    ) as [string, string];
    const back = ledger.bank(-item.amount, {
      value_date: ledger.month.later(next, 1),
      description: `REVERSAL ${ledger.habits.debit} ${printed(ledger.habits, party.name)}`,
    });
    ledger.truth("charged twice", [item], [first]);
    ledger.month.truth("double charge taken back", [], [second, back]);
  };
  const returned = () => {
    const [party, day] = [ledger.partner(), ledger.paymentDay()];
    const amount = ledger.amount(party);
    const first = ledger.payment(amount, party, day, []);
    const back = ledger.bank(-amount, {
      value_date: ledger.month.later(day, random.between(1, 4)),
      description: `RETURNED ITEM NSF ${printed(ledger.habits, party.name)}`,
    });
    ledger.month.truth("returned item", [], [first, back]);
  };
  return [
    [28, vendor(true)],
    [20, vendor(false)],
    [10, severalBills],
    [16, check("cashed")],
    [8, check("void")],
    [3, payroll],
    [4, chargedTwice],
    [5, returned],
  ];
}

function alone(ledger: Ledger): Ways {
  const { random } = ledger;
  return [
    [12, () => void ledger.item(ledger.partner(), ledger.paymentDay())],
    [
      8,
      () => {
        const party = ledger.partner();
        ledger.payment(ledger.amount(party), party, ledger.paymentDay(), []);
      },
    ],
    [
      4,
      () => {
        const text = random.pick(["MONTHLY SERVICE CHARGE", "INTEREST", "MERCHANT FEES"]);
        ledger.bank(-random.between(500, 9000), {
          value_date: ledger.paymentDay(),
          description: text,
        });
      },
    ],
    [6, () => contradicting(ledger)],
  ];
}

/** Two lines of one amount and day whose numbers and names differ: no match. */
function contradicting(ledger: Ledger): void {
  const [party, day] = [ledger.partner(), ledger.paymentDay()];
  const item = ledger.item(party, day);
  const other = { ...party, name: `Quibble ${party.code} Holdings` };
  ledger.payment(item.amount, other, item.day, [ledger.number()]);
}
