/**
 * A manufacturer's bank account in the euro area against camt.053 and MT940: credit transfers,
 * direct debits, returns.
 */

import type { Dataset } from "../dataset.ts";
import { DAYS, FIRST_DAY } from "../month.ts";
import { Random } from "../random.ts";
import { Books, callInShares, partsOf } from "./books.ts";
import { amountOf } from "./companies.ts";
import { digits, sepa, yymmdd } from "./narratives.ts";
import { mistypedNumber, toCapitals, truncate } from "./slips.ts";

const LAST_DAY = FIRST_DAY + DAYS - 1;

export function manufacturer(seed: number, lines: number): Dataset {
  const random = new Random(seed * 31 + 9203);
  const books = new Books(`manufacturer against camt.053, seed ${seed}`, random, "eu", 70);
  const { month } = books;
  const ownNumber = () => `RG2026${String(31_000 + books.next())}`;
  /** Half of the banks' files keep the party apart, the others only in the text. */
  const party = (name: string) =>
    random.chance(0.6) ? truncate(random.chance(0.3) ? 18 : 35, toCapitals(name)) : null;

  const customerPays = () => {
    const [customer, day] = [books.partner(), month.bankDay(month.day())];
    const wording = random.pick(["Rechnung", "RE-Nr.", "Invoice", "Facture", "Rg.", ""]);
    const quoted = random.chance(0.9);
    books.both(
      quoted ? "customer payment" : "customer payment, customer number only",
      customer,
      amountOf(random, customer),
      ownNumber(),
      // The item in the books is dated when a clerk clears it from the statement.
      ({ number, name }) => ({
        value_date: month.later(day, random.pick([0, 0, 0, 1, 1, 3])),
        reference: number,
        counterparty: name,
        description: "Zahlungseingang",
      }),
      ({ number, name }) => {
        const text = quoted
          ? `${wording} ${number} vom ${yymmdd(day - random.between(10, 40))}`
          : `Kd.-Nr. ${digits(random, 5)} Danke`;
        return {
          value_date: day,
          counterparty: party(name),
          description: sepa(random, name, null, text.trim()),
        };
      },
    );
  };

  const cashDiscount = () => {
    const [customer, day] = [books.partner(), month.bankDay(month.day())];
    const [amount, number, percent] = [
      amountOf(random, customer) + 20_000,
      ownNumber(),
      random.pick([2, 2, 3]),
    ];
    const left = books.book(amount, {
      value_date: day,
      reference: number,
      counterparty: customer.name,
      description: "Zahlungseingang",
    });
    const paid = amount - Math.round((amount * percent) / 100);
    const right = books.bank(paid, {
      value_date: day,
      counterparty: party(customer.name),
      description: sepa(random, customer.name, null, `${number} abzgl. ${percent}% Skonto`),
    });
    month.truth("cash discount", [left], [right]);
  };

  const supplierPaid = () => {
    const [supplier, day] = [books.partner(), month.bankDay(month.day())];
    const endToEnd = `${yymmdd(day)}-${digits(random, 6)}`;
    books.both(
      "supplier payment",
      supplier,
      -amountOf(random, supplier),
      supplier.number(books.next()),
      ({ number, name }) => ({
        value_date: day,
        reference: random.chance(0.5) ? endToEnd : number,
        counterparty: name,
        description: `Kreditor ${number}`,
      }),
      ({ number, name }) => {
        const reference = random.chance(0.7) ? endToEnd : null;
        return {
          value_date: month.later(day, random.between(0, 2)),
          reference: reference,
          counterparty: party(name),
          description: sepa(random, name, reference, number),
        };
      },
    );
  };

  const paymentRun = () => {
    const day = month.bankDay(month.day());
    const id = `ZL${yymmdd(day)}${random.between(10, 99)}`;
    const parts = Array.from({ length: random.between(3, 22) }, () => {
      const supplier = books.partner();
      const amount = -amountOf(random, supplier);
      const line = {
        value_date: day,
        reference: supplier.number(books.next()),
        counterparty: supplier.name,
        description: `Zahllauf ${id}`,
      };
      return [amount, books.book(amount, line)] as const;
    });
    const total = parts.reduce((sum, [amount]) => sum + amount, 0);
    const text = `SAMMELUEBERWEISUNG ANZAHL ${parts.length}${random.chance(0.6) ? ` PMTINFID ${id}` : ""}`;
    month.truth(
      "payment run",
      parts.map(([, line]) => line),
      [
        books.bank(total, {
          value_date: month.later(day, random.between(0, 1)),
          description: text,
        }),
      ],
    );
  };

  /**
   * Receivables drawn by direct debit: one credit for the collection; some come back days later
   * with the other bank's charge.
   */
  const collection = () => {
    const day = month.bankDay(month.day());
    const id = `LS${yymmdd(day)}${random.between(10, 99)}`;
    const parts = Array.from({ length: random.between(3, 14) }, () => {
      const customer = books.partner();
      const [amount, number] = [amountOf(random, customer), ownNumber()];
      const line = books.book(amount, {
        value_date: day,
        reference: number,
        counterparty: customer.name,
        description: `Lastschrift ${id}`,
      });
      return { amount, number, line, customer };
    });
    const total = parts.reduce((sum, { amount }) => sum + amount, 0);
    const text = `SEPA-LASTSCHRIFT SAMMLER ${random.chance(0.7) ? id : ""} ANZAHL ${parts.length}`;
    month.truth(
      "collection",
      parts.map(({ line }) => line),
      [books.bank(total, { value_date: month.later(day, 1), description: text })],
    );
    const back = month.later(day, random.between(2, 6));
    const { amount, number, customer } = random.pick(parts);
    if (!random.chance(0.5) || back > LAST_DAY) return;
    const charge = random.pick([300, 350, 500, 811]);
    const left = books.book(-amount, {
      value_date: month.later(back, 1),
      reference: number,
      counterparty: customer.name,
      description: "Rücklastschrift",
    });
    const right = books.bank(-amount - charge, {
      value_date: back,
      counterparty: party(customer.name),
      description: `RUECKLASTSCHRIFT ${random.pick(["AC04", "AM04", "MD06"])} ${number} ENTG.${(charge / 100).toFixed(2).replace(".", ",")}`,
    });
    month.truth("returned debit with charge", [left], [right]);
  };

  const cancelled = () => {
    const [supplier, day] = [books.partner(), month.bankDay(month.day())];
    const [amount, number] = [amountOf(random, supplier), supplier.number(books.next())];
    const mark = random.pick([
      `STORNO ${number}`,
      `ST-${number}`,
      `${number}-S`,
      `R-${number}`,
      number,
    ]);
    const first = books.book(-amount, {
      value_date: day,
      reference: number,
      counterparty: supplier.name,
      description: "Kreditor",
    });
    const second = books.book(amount, {
      value_date: day + random.between(0, 6),
      reference: mark,
      counterparty: supplier.name,
      description: random.pick(["Storno", "Stornobuchung", "Korrektur"]),
    });
    month.truth("storno", [first, second], []);
  };

  const returnedTransfer = () => {
    const [supplier, day] = [books.partner(), month.bankDay(month.day())];
    const [amount, id] = [amountOf(random, supplier), `${yymmdd(day)}-${digits(random, 6)}`];
    const first = books.bank(-amount, {
      value_date: day,
      reference: id,
      description: sepa(random, supplier.name, id, "Gutschrift"),
    });
    const back = {
      value_date: month.later(day, random.between(1, 3)),
      reference: random.chance(0.5) ? id : null,
    };
    const second = books.bank(amount, {
      ...back,
      description: `RETOURE AC01 KONTONUMMER FALSCH ${id} ${truncate(27, toCapitals(supplier.name))}`,
    });
    month.truth("returned transfer", [], [first, second]);
  };

  const instalments = () => {
    const [customer, day] = [books.partner(), month.bankDay(month.day())];
    const [amount, number] = [amountOf(random, customer) + 60_000, ownNumber()];
    const left = books.book(amount, {
      value_date: day,
      reference: number,
      counterparty: customer.name,
      description: "Zahlungseingang",
    });
    const parts = partsOf(random, amount, random.between(2, 3));
    const right = parts.map((part, at) => {
      const text = `${at + 1}. Teilzahlung ${number}`;
      return books.bank(part, {
        value_date: month.later(day, at * random.between(1, 3)),
        counterparty: party(customer.name),
        description: sepa(random, customer.name, null, text),
      });
    });
    month.truth("part payments", [left], right);
  };

  const severalInvoices = () => {
    const [customer, day] = [books.partner(), month.bankDay(month.day())];
    const parts = Array.from(
      { length: random.between(2, 5) },
      () => [amountOf(random, customer), ownNumber()] as const,
    );
    const left = parts.map(([amount, number]) =>
      books.book(amount, {
        value_date: day,
        reference: number,
        counterparty: customer.name,
        description: "Zahlungseingang",
      }),
    );
    const short = parts.map(([, number]) => (random.chance(0.3) ? number.slice(-5) : number));
    const quoted = random.chance(0.2) ? mistypedNumber(random, short.join(", ")) : short.join("/");
    const total = parts.reduce((sum, [amount]) => sum + amount, 0);
    month.truth("several invoices", left, [
      books.bank(total, {
        value_date: day,
        counterparty: party(customer.name),
        description: sepa(random, customer.name, null, quoted),
      }),
    ]);
  };

  /** Rent and leases: the same amount every time, several with the same one. */
  const standingOrder = () => {
    const [landlord, day] = [books.partner(), month.bankDay(FIRST_DAY + random.between(0, 5))];
    const amount = -random.pick([89_000, 125_000, 125_000, 240_000]);
    const left = books.book(amount, {
      value_date: FIRST_DAY,
      reference: null,
      counterparty: landlord.name,
      description: "Miete 03/2026",
    });
    const right = books.bank(amount, {
      value_date: day,
      counterparty: party(landlord.name),
      description: sepa(
        random,
        landlord.name,
        null,
        `DAUERAUFTRAG MIETE ${random.pick(["MAERZ", "03/26", "OBJEKT 7"])}`,
      ),
    });
    month.truth("standing order", [left], [right]);
  };

  const wages = () => {
    const day = month.bankDay(FIRST_DAY + random.between(24, 29));
    const left = Array.from({ length: random.between(2, 8) }, () => {
      const amount = -random.between(140_000, 520_000);
      return [
        amount,
        books.book(amount, {
          value_date: day,
          reference: `P${digits(random, 4)}`,
          counterparty: "Personal",
          description: "Lohn/Gehalt 03/26",
        }),
      ] as const;
    });
    const total = left.reduce((sum, [amount]) => sum + amount, 0);
    month.truth(
      "wages",
      left.map(([, line]) => line),
      [books.bank(total, { value_date: day, description: "LOHN/GEHALT SALA SAMMLER 03/26" })],
    );
  };

  const foreignTransfer = () => {
    const [customer, day] = [books.partner(), month.bankDay(month.day())];
    const [amount, number, charge] = [
      amountOf(random, customer) + 150_000,
      ownNumber(),
      random.pick([1000, 1250, 1500, 2200]),
    ];
    const left = books.book(amount, {
      value_date: day,
      reference: number,
      counterparty: customer.name,
      description: "Zahlungseingang Ausland",
    });
    const text = `AUSLANDSZAHLUNG ${truncate(18, toCapitals(customer.trade))} ${random.chance(0.7) ? number : ""} CHARGES SHA EUR ${(charge / 100).toFixed(2)}`;
    month.truth(
      "transfer, charges lifted",
      [left],
      [
        books.bank(amount - charge, {
          value_date: month.later(day, random.between(0, 1)),
          description: text,
        }),
      ],
    );
  };

  const onlyBooks = () => {
    const [partner, day] = [books.partner(), LAST_DAY - random.between(0, 4)];
    books.book(-amountOf(random, partner), {
      value_date: day,
      reference: partner.number(books.next()),
      counterparty: partner.name,
      description: "Kreditor",
    });
  };
  const onlyBank = () => {
    const text = random.pick([
      "KONTOFUEHRUNG ENTGELT",
      "ZINSEN/ENTGELT ABSCHLUSS",
      "PROVISION AUSLANDSZAHLUNG",
      "KARTENENTGELT",
    ]);
    if (random.chance(0.5))
      return void books.bank(-random.between(100, 9000), {
        value_date: month.bankDay(month.day()),
        description: text,
      });
    const stranger = books.partner();
    const line = {
      value_date: month.bankDay(month.day()),
      counterparty: party(stranger.name),
      description: sepa(random, stranger.name, null, "Vorauszahlung Angebot"),
    };
    books.bank(amountOf(random, stranger), line);
  };

  callInShares(random, lines * 0.6, [
    [34, customerPays],
    [6, cashDiscount],
    [22, supplierPaid],
    [1.2, paymentRun],
    [1.4, collection],
    [4, cancelled],
    [1.5, returnedTransfer],
    [2, instalments],
    [5, severalInvoices],
    [1.5, standingOrder],
    [0.3, wages],
    [4, foreignTransfer],
    [5, onlyBooks],
    [5, onlyBank],
  ]);
  return month.shuffled();
}
