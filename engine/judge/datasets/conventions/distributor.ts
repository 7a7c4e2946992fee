/** A distributor's cash account in the United States against its bank's BAI2 files. */

import type { Dataset } from "../dataset.ts";
import { DAYS, FIRST_DAY } from "../month.ts";
import { Random } from "../random.ts";
import { Books, callInShares, partsOf } from "./books.ts";
import { amountOf } from "./companies.ts";
import { ach, digits, wire } from "./narratives.ts";
import { mistypedAmount, toCapitals, truncate } from "./slips.ts";

const OWN = "GREAT PLAINS DISTRIBUTION";
const LAST_DAY = FIRST_DAY + DAYS - 1;

export function distributor(seed: number, lines: number): Dataset {
  const random = new Random(seed * 31 + 7001);
  const books = new Books(`distributor against BAI2, seed ${seed}`, random, "us", 90);
  const { month } = books;
  let checkNumber = random.between(10_200, 48_000);

  /**
   * Checks clear when they are cashed: half within a week, some after weeks, some not this month.
   */
  const clearing = (from: number) =>
    month.later(
      from,
      Math.max(1, Math.round(5 * Math.exp((random.next() + random.next() - 1) * 1.4))),
    );
  const checkLine = (number: string) => ({
    reference: random.chance(0.8) ? number.padStart(10, "0") : null,
    description: `CHECK PAID # ${number}`,
  });

  const check = () => {
    const [vendor, day, number] = [
      books.partner(),
      month.bankDay(month.day()),
      String(++checkNumber),
    ];
    const invoice = vendor.number(books.next());
    const cleared = clearing(day);
    const book = {
      value_date: day,
      reference: number,
      counterparty: vendor.name,
      description: `AP check, invoice ${invoice}`,
    };
    if (cleared > LAST_DAY) return void books.book(-amountOf(random, vendor), book);
    const amount = -amountOf(random, vendor);
    books.both(
      "check",
      { ...vendor, trade: vendor.name },
      amount,
      number,
      () => book,
      (told) => ({ value_date: cleared, ...checkLine(told.number) }),
    );
  };

  const voided = () => {
    const [vendor, day, number] = [
      books.partner(),
      month.bankDay(month.day()),
      String(++checkNumber),
    ];
    const amount = amountOf(random, vendor);
    const mark = random.pick([
      `${number}-V`,
      `V${number}`,
      `VOID ${number}`,
      `R-${number}`,
      `${number} REV`,
      `REV ${number}`,
    ]);
    const note = random.pick(["Voided check", "Stop payment", "Reissued", ""]);
    const first = books.book(-amount, {
      value_date: day,
      reference: number,
      counterparty: vendor.name,
      description: "AP check",
    });
    const second = books.book(amount, {
      value_date: month.later(day, random.between(0, 9)),
      reference: mark,
      counterparty: vendor.name,
      description: note,
    });
    month.truth("void", [first, second], []);
    if (!random.chance(0.5)) return;
    const [reissued, paid] = [month.later(day, random.between(1, 6)), String(++checkNumber)];
    const cleared = clearing(reissued);
    const left = books.book(-amount, {
      value_date: reissued,
      reference: paid,
      counterparty: vendor.name,
      description: `AP check, replaces ${number}`,
    });
    if (cleared <= LAST_DAY)
      month.truth(
        "reissued check",
        [left],
        [books.bank(-amount, { value_date: cleared, ...checkLine(paid) })],
      );
  };

  const receipt = () => {
    const [customer, day] = [books.partner(), month.bankDay(month.day())];
    const posted = month.later(day, random.pick([0, 0, 0, 1, 1, 2]));
    books.both(
      "ACH receipt",
      customer,
      amountOf(random, customer),
      `${digits(random, 2)}${40_000 + books.next()}`,
      ({ number, name }) => ({
        value_date: posted,
        reference: `SI-${number}`,
        counterparty: name,
        description: "Customer receipt",
      }),
      ({ number, name }) => ({
        value_date: day,
        description: ach(
          random,
          day,
          name,
          random.pick(["VENDOR PMT", "PAYMENT", "EDI PYMNTS", "AP"]),
          number,
          OWN,
        ),
      }),
    );
  };

  const severalInvoices = () => {
    const [customer, day] = [books.partner(), month.bankDay(month.day())];
    const amounts = Array.from({ length: random.between(2, 6) }, () => amountOf(random, customer));
    const numbers = amounts.map(() => String(600_000 + books.next()));
    const left = amounts.map((amount, at) =>
      books.book(amount, {
        value_date: month.later(day, random.between(0, 1)),
        reference: `SI-${numbers[at]}`,
        counterparty: customer.name,
        description: "Customer receipt",
      }),
    );
    const quoted = random.chance(0.6) ? numbers.join(" ") : "";
    const total = amounts.reduce((sum, amount) => sum + amount, 0);
    const text =
      `${ach(random, day, customer.name, "EDI PYMNTS", numbers[0] as string, OWN)} ${quoted}`.trim();
    month.truth("several invoices", left, [
      books.bank(total, { value_date: day, description: text }),
    ]);
  };

  const wireIn = () => {
    const [customer, day] = [books.partner(), month.bankDay(month.day())];
    const [amount, number] = [amountOf(random, customer) + 80_000, String(600_000 + books.next())];
    const lifted = random.chance(0.6) ? random.pick([1500, 2000, 2500, 2500, 2500, 4500]) : 0;
    const left = books.book(amount, {
      value_date: day,
      reference: `SI-${number}`,
      counterparty: customer.name,
      description: "Customer wire",
    });
    const name = random.chance(0.8) ? customer.name : customer.trade;
    const right = books.bank(amount - lifted, {
      value_date: day,
      reference: digits(random, 12),
      description: wire(random, day, "IN", name, `INV ${number}`),
    });
    month.truth(lifted ? "wire, charges lifted" : "wire", [left], [right]);
  };

  const wireOut = () => {
    const [vendor, day] = [books.partner(), month.bankDay(month.day())];
    const invoice = vendor.number(books.next());
    books.both(
      "wire",
      vendor,
      -amountOf(random, vendor) - 100_000,
      invoice,
      ({ number, name }) => ({
        value_date: day,
        reference: `WT${digits(random, 5)}`,
        counterparty: name,
        description: `Wire ${number}`,
      }),
      ({ number, name }) => ({
        value_date: month.later(day, random.between(0, 1)),
        description: wire(random, day, "OUT", name, number),
      }),
    );
    if (random.chance(0.7))
      books.bank(-random.pick([2500, 3000]), { value_date: day, description: "WIRE TRANSFER FEE" });
  };

  const paymentRun = () => {
    const day = month.bankDay(month.day());
    const run = `${yearDay(day)}${random.between(1, 9)}`;
    const left = Array.from({ length: random.between(4, 18) }, () => {
      const vendor = books.partner();
      const amount = -amountOf(random, vendor);
      return [
        amount,
        books.book(amount, {
          value_date: day,
          reference: `EFT${70_000 + books.next()}`,
          counterparty: vendor.name,
          description: `Payment run ${run}`,
        }),
      ] as const;
    });
    const total = left.reduce((sum, [amount]) => sum + amount, 0);
    const id = random.chance(0.6) ? `RUN ${run}` : "";
    const right = books.bank(total, {
      value_date: month.later(day, 1),
      description: `${ach(random, day, OWN, "VENDOR PMT", id, "SETTLEMENT")}`,
    });
    month.truth(
      "payment run",
      left.map(([, identity]) => identity),
      [right],
    );
  };

  const lockbox = () => {
    const day = month.bankDay(month.day());
    const left = Array.from({ length: random.between(2, 9) }, () => {
      const customer = books.partner();
      const amount = amountOf(random, customer);
      return [
        amount,
        books.book(amount, {
          value_date: month.later(day, random.between(0, 1)),
          reference: `CK${digits(random, 5)}`,
          counterparty: customer.name,
          description: `Lockbox 68751 ${month4(day)}`,
        }),
      ] as const;
    });
    const total = left.reduce((sum, [amount]) => sum + amount, 0);
    const right = books.bank(total, {
      value_date: day,
      reference: digits(random, 7),
      description: `LOCKBOX DEPOSIT BOX 68751 ${left.length} ITEMS`,
    });
    month.truth(
      "lockbox",
      left.map(([, identity]) => identity),
      [right],
    );
  };

  const directDebit = () => {
    const [vendor, day] = [books.partner(), month.bankDay(month.day())];
    const amount = -amountOf(random, vendor);
    const printed = random.chance(0.5) ? vendor.trade : vendor.name;
    const left = books.book(amount, {
      value_date: day + random.between(-1, 2),
      reference: vendor.number(books.next()),
      counterparty: vendor.name,
      description: "Auto debit",
    });
    const right = books.bank(amount, {
      value_date: day,
      description: ach(
        random,
        day,
        printed,
        random.pick(["UTIL PYMT", "BILL PYMT", "INS PREM", "WEB PMTS"]),
        digits(random, 9),
        OWN,
      ),
    });
    month.truth(printed === vendor.name ? "direct debit" : "trade name", [left], [right]);
  };

  const returned = () => {
    const [customer, day] = [books.partner(), month.bankDay(month.day())];
    const [amount, trace] = [amountOf(random, customer), digits(random, 15)];
    const back = month.later(day, random.between(1, 4));
    if (back > LAST_DAY) return;
    const first = books.bank(amount, {
      value_date: day,
      reference: trace,
      description: `DEPOSITED ITEM ${toCapitals(truncate(16, customer.name))}`,
    });
    const second = books.bank(-amount, {
      value_date: back,
      reference: `RETURN ${trace}`,
      description: random.pick([
        "RETURN ITEM CHARGEBACK NSF",
        "ACH RETURN R01",
        "DEPOSITED ITEM RETURNED",
      ]),
    });
    month.truth("returned item", [], [first, second]);
    books.bank(-1200, { value_date: back, description: "RETURNED ITEM FEE" });
  };

  const duplicateInvoice = () => {
    const [vendor, day] = [books.partner(), month.bankDay(month.day())];
    const [amount, number] = [-amountOf(random, vendor), vendor.number(books.next())];
    const left = books.book(amount, {
      value_date: day,
      reference: number,
      counterparty: vendor.name,
      description: "Vendor payment",
    });
    const again = `${number}${random.pick(["A", "-1", ".", "-DUP", " B"])}`;
    books.book(amount, {
      value_date: month.later(day, random.between(1, 8)),
      reference: again,
      counterparty: vendor.name,
      description: "Vendor payment",
    });
    const right = books.bank(amount, {
      value_date: month.later(day, 1),
      description: ach(random, day, vendor.name, "PAYMENT", number, OWN),
    });
    month.truth("paid once, booked twice", [left], [right]);
  };

  const sweep = () => {
    const [day, amount] = [
      month.bankDay(month.day()),
      random.between(4, 60) * 500_000 * (random.chance(0.5) ? 1 : -1),
    ];
    const left = books.book(amount, {
      value_date: day,
      reference: null,
      counterparty: "Great Plains Holding",
      description: "Intercompany transfer",
    });
    const right = books.bank(amount, {
      value_date: day,
      description: `ZBA TRANSFER ${amount > 0 ? "FROM" : "TO"} ACCT XXXX${random.pick(["4471", "9020"])}`,
    });
    month.truth("sweep", [left], [right]);
  };

  const onlyBooks = () => {
    const partner = books.partner();
    const day = LAST_DAY - random.between(0, 3);
    books.book(amountOf(random, partner), {
      value_date: day,
      reference: `SI-${600_000 + books.next()}`,
      counterparty: partner.name,
      description: "Deposit in transit",
    });
  };
  const onlyBank = () => {
    const [text, low, high] = random.pick([
      ["ACCOUNT ANALYSIS FEE", 4000, 60_000],
      ["INTEREST PAYMENT", 100, 9000],
      ["REMOTE DEPOSIT CAPTURE FEE", 500, 6000],
      ["MERCHANT SVC FEE BANKCARD 8076", 3000, 90_000],
      [`CHECK PAID # ${checkNumber - random.between(400, 900)}`, 9000, 400_000],
    ] as const);
    books.bank(-random.between(low, high), {
      value_date: month.bankDay(month.day()),
      description: text,
    });
  };
  const mistyped = () => {
    const [customer, day] = [books.partner(), month.bankDay(month.day())];
    const amount = amountOf(random, customer) + 10_000;
    const number = String(600_000 + books.next());
    const left = books.book(mistypedAmount(random, amount), {
      value_date: day,
      reference: `SI-${number}`,
      counterparty: customer.name,
      description: "Customer receipt",
    });
    const right = books.bank(amount, {
      value_date: day,
      description: ach(random, day, customer.name, "PAYMENT", number, OWN),
    });
    month.truth("amount mistyped", [left], [right]);
  };
  const payroll = () => {
    const [day, total] = [month.bankDay(month.day()), -random.between(900_000, 4_000_000)];
    const parts = partsOf(random, total * -1, random.between(1, 3)).map((part) => -part);
    const left = books.book(total, {
      value_date: day,
      reference: `PAY${yearDay(day)}`,
      counterparty: "Payroll clearing",
      description: "Net wages and taxes",
    });
    const right = parts.map((part, at) =>
      books.bank(part, {
        value_date: day,
        description: ach(
          random,
          day,
          "ADP",
          at === 0 ? "WAGE PAY" : at === 1 ? "TAX" : "PAYROLL",
          digits(random, 9),
          OWN,
        ),
      }),
    );
    month.truth("payroll", [left], right);
  };

  callInShares(random, lines * 0.62, [
    [30, check],
    [4, voided],
    [22, receipt],
    [4, severalInvoices],
    [8, wireIn],
    [6, wireOut],
    [1.2, paymentRun],
    [1.6, lockbox],
    [8, directDebit],
    [1.5, returned],
    [2.5, duplicateInvoice],
    [2, sweep],
    [3, onlyBooks],
    [4, onlyBank],
    [1.5, mistyped],
    [0.7, payroll],
  ]);
  return month.shuffled();
}

/** Day of the year, three digits. */
function yearDay(day: number): string {
  return String(day - 20_453).padStart(3, "0");
}

/** mmdd. */
function month4(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(5, 10).replace("-", "");
}
