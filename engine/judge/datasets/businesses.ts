/** Kinds of business, each with its own ways of writing and its own troubles. */

import type { Dataset } from "./dataset.ts";
import { Month, randomAmount } from "./month.ts";
import { payers } from "./payers/payers.ts";
import { Random } from "./random.ts";
import { bankName, bankText, companyName, garble, personName, transposeDigits } from "./texts.ts";

/** @param size about how many lines a side. */
export function ledgerAgainstBank(seed: number, size: number): Dataset {
  const random = new Random(seed * 11 + 1);
  const month = new Month(`ledger against bank, seed ${seed}`, random);
  const customers = Array.from({ length: Math.max(20, Math.round(size / 6)) }, () =>
    companyName(random),
  );
  const number = new Counter(random, random.between(1000, 90_000));
  const invoice = () => `INV-${number.next(3)}`;
  while (month.dataset.left.length < size) {
    const customer = random.pick(customers);
    const day = month.day();
    const paid = month.later(day + random.between(0, 2), random.between(0, 2));
    const dice = random.next();
    const reference = invoice();
    const amount = randomAmount(random, 1500, 900_000) * (random.chance(0.3) ? -1 : 1);
    const booked = {
      amount_minor: amount,
      value_date: day,
      reference,
      counterparty: customer,
      description: random.chance(0.3) ? "Invoice" : null,
    };
    const bank = (amount_minor: number, references: string[], on = paid) => ({
      amount_minor,
      value_date: on,
      counterparty: random.chance(0.7) ? bankName(random, customer) : null,
      description: bankText(random, bankName(random, customer), references),
      reference: random.chance(0.3) ? (references[0] ?? null) : null,
    });
    if (dice < 0.52)
      month.truth("plain", [month.left(booked)], [month.right(bank(amount, [reference]))]);
    else if (dice < 0.58)
      month.truth(
        "no reference",
        [month.left(booked)],
        [month.right({ ...bank(amount, []), reference: null })],
      );
    else if (dice < 0.64)
      month.truth(
        "misspelt reference",
        [month.left(booked)],
        [month.right(bank(amount, [garble(random, reference)]))],
      );
    else if (dice < 0.69) {
      const fee = random.chance(0.5)
        ? random.pick([500, 750, 1500, 2500])
        : Math.round(Math.abs(amount) * random.pick([0.002, 0.005, 0.01]));
      const net = Math.sign(amount) * Math.max(1, Math.abs(amount) - fee);
      month.truth("fee", [month.left(booked)], [month.right(bank(net, [reference]))]);
    } else if (dice < 0.75)
      batch(month, customer, booked.counterparty, Math.sign(amount), invoice, paid);
    else if (dice < 0.78) {
      const parts = random.between(2, 3);
      const ids = split(random, amount, parts).map((part, at) =>
        month.right(bank(part, [reference], month.later(paid, at * random.between(0, 3)))),
      );
      month.truth("instalments", [month.left(booked)], ids);
    } else if (dice < 0.79) {
      const part = Math.round(amount * (0.3 + 0.4 * random.next()));
      month.truth("part payment", [month.left(booked)], [month.right(bank(part, [reference]))]);
    } else if (dice < 0.82) {
      const first = month.left(booked);
      const undo = month.left({
        ...booked,
        amount_minor: -amount,
        value_date: day + random.between(0, 4),
        description: random.pick(["Reversal", "Void", "Storno", null]),
      });
      month.truth("reversal", [first, undo], []);
    } else if (dice < 0.84) {
      month.truth(
        "transposed amount",
        [month.left(booked)],
        [month.right(bank(transposeDigits(random, amount), [reference]))],
      );
    } else if (dice < 0.87) {
      const twins = random.between(2, 3);
      for (let twin = 0; twin < twins; twin++) {
        const other = invoice();
        const line = month.left({ ...booked, reference: other });
        month.truth("twins", [line], [month.right(bank(amount, [other]))]);
      }
    } else if (dice < 0.92) month.left(booked);
    else if (dice < 0.97) month.right(bank(amount, [reference]));
    else {
      const currency = random.pick(["USD", "GBP", "JPY"]);
      const line = { ...booked, currency };
      if (random.chance(0.7))
        month.truth(
          "foreign currency",
          [month.left(line)],
          [month.right({ ...bank(amount, [reference]), currency })],
        );
      else {
        month.left(line);
        month.right(bank(Math.round(amount * 0.92), [reference]));
      }
    }
  }
  return month.shuffled();
}

/** Several invoices paid by one transfer, which names all, some or none of them. */
function batch(
  month: Month,
  customer: string,
  counterparty: string,
  sign: number,
  invoice: () => string,
  paid: number,
): void {
  const { random } = month;
  const count = random.between(2, 8);
  const references: string[] = [];
  let total = 0;
  const lefts = Array.from({ length: count }, () => {
    const reference = invoice();
    const amount = sign * randomAmount(random, 1500, 300_000);
    references.push(reference);
    total += amount;
    return month.left({
      amount_minor: amount,
      value_date: paid - random.between(0, 4),
      reference,
      counterparty,
      description: null,
    });
  });
  const quoted = random.chance(0.5) ? references : random.chance(0.5) ? references.slice(0, 2) : [];
  const right = month.right({
    amount_minor: total,
    value_date: paid,
    counterparty: random.chance(0.8) ? bankName(random, customer) : null,
    description: bankText(random, bankName(random, customer), quoted),
    reference: null,
  });
  month.truth("batch", lefts, [right]);
}

export function payoutsAgainstBank(seed: number, size: number): Dataset {
  const random = new Random(seed * 13 + 2);
  const month = new Month(`card payouts against bank, seed ${seed}`, random);
  const number = new Counter(random, random.between(10_000, 999_999));
  const processor = random.pick(["STRIPE", "ADYEN N.V.", "SUMUP", "Mollie B.V."]);
  while (month.dataset.left.length < size) {
    const day = month.day();
    const paid = month.later(day, random.between(1, 3));
    const dice = random.next();
    if (dice < 0.22) {
      const key = `po_${Math.floor(random.next() * 36 ** 8).toString(36)}`;
      const batchNumber = number.next(9);
      const all = random.chance(0.75);
      const count = random.chance(0.2) ? random.between(9, 25) : random.between(2, 8);
      let total = 0;
      const lefts = Array.from({ length: count }, () => {
        const gross = random.chance(0.06)
          ? -randomAmount(random, 500, 8000)
          : randomAmount(random, 500, 30_000);
        const net = gross > 0 ? gross - Math.round(gross * 0.014) - 25 : gross;
        total += net;
        return month.left({
          amount_minor: net,
          value_date: day - random.between(0, 1),
          reference: `ch_${number.next(9)}`,
          counterparty: personName(random),
          description: `${gross > 0 ? "charge" : "refund"}${all ? "" : ` batch ${batchNumber}`}`,
          group_key: all ? key : null,
        });
      });
      const label = all ? key.replace("_", " ").toUpperCase() : `BATCH ${batchNumber}`;
      const right = month.right({
        amount_minor: total,
        value_date: paid,
        counterparty: processor,
        description: random.chance(all ? 0.6 : 0.8)
          ? `${processor} PAYOUT ${label}`
          : `${processor} PAYOUT`,
        reference: all && random.chance(0.3) ? key : null,
      });
      month.truth(all ? "payout by key" : "payout without key", lefts, [right]);
    } else if (dice < 0.75) {
      const amount = randomAmount(random, 2000, 400_000);
      const key = `tr_${number.next(9)}`;
      const left = month.left({
        amount_minor: amount,
        value_date: day,
        reference: key,
        description: "transfer",
        counterparty: null,
      });
      const text = random.chance(0.8)
        ? `${processor} ${random.chance(0.1) ? garble(random, key) : key}`
        : processor;
      month.truth(
        "single payout",
        [left],
        [
          month.right({
            amount_minor: amount,
            value_date: paid,
            counterparty: processor,
            description: text,
          }),
        ],
      );
    } else if (dice < 0.82) {
      const amount = randomAmount(random, 2000, 100_000);
      const key = `tr_${number.next(9)}`;
      const left = month.left({
        amount_minor: amount,
        value_date: day,
        reference: key,
        description: "transfer",
        counterparty: null,
      });
      const net = amount - Math.round(amount * 0.029) - 30;
      month.truth(
        "fee",
        [left],
        [
          month.right({
            amount_minor: net,
            value_date: paid,
            counterparty: processor,
            description: `${processor} ${key}`,
          }),
        ],
      );
    } else if (dice < 0.86) {
      const amount = randomAmount(random, 500, 30_000);
      const reference = `ch_${number.next(1)}`;
      const line = {
        amount_minor: amount,
        value_date: day,
        reference,
        counterparty: personName(random),
        description: "charge",
      };
      const undo = {
        ...line,
        amount_minor: -amount,
        value_date: day + random.between(0, 6),
        description: "void",
      };
      month.truth("reversal", [month.left(line), month.left(undo)], []);
    } else if (dice < 0.93)
      month.left({
        amount_minor: randomAmount(random, 500, 60_000),
        value_date: day,
        reference: `ch_${number.next(1)}`,
        description: "charge",
      });
    else
      month.right({
        amount_minor: randomAmount(random, 2000, 400_000),
        value_date: paid,
        counterparty: companyName(random),
        description: bankText(random, companyName(random), []),
      });
  }
  return month.shuffled();
}

export function ordersAgainstProcessor(seed: number, size: number): Dataset {
  const random = new Random(seed * 17 + 3);
  const month = new Month(`orders against processor, seed ${seed}`, random);
  const prices = Array.from(
    { length: 40 },
    () => random.pick([990, 1490, 1990, 2490, 2990, 4900, 7900, 12_900]) * random.between(1, 3),
  );
  const order = new Counter(random, random.between(100_000, 800_000));
  while (month.dataset.left.length < size) {
    const customer = personName(random);
    const day = month.day();
    const amount = random.chance(0.6) ? random.pick(prices) : randomAmount(random, 900, 60_000);
    const id = String(order.next(4));
    const line = {
      amount_minor: amount,
      value_date: day,
      reference: id,
      counterparty: customer,
      description: "Web order",
    };
    const charged = day + (random.chance(0.8) ? 0 : 1);
    const charge = (amount_minor: number, reference: string | null) => ({
      amount_minor,
      value_date: charged,
      reference: random.chance(0.2)
        ? `pi_${Math.floor(random.next() * 36 ** 9).toString(36)}`
        : reference,
      counterparty: random.chance(0.8) ? bankName(random, customer) : null,
      description: reference && random.chance(0.7) ? `Order #${reference}` : "Card payment",
    });
    const dice = random.next();
    if (dice < 0.68) month.truth("plain", [month.left(line)], [month.right(charge(amount, id))]);
    else if (dice < 0.76)
      month.truth("no reference", [month.left(line)], [month.right(charge(amount, null))]);
    else if (dice < 0.81)
      month.truth(
        "misspelt reference",
        [month.left(line)],
        [month.right(charge(amount, garble(random, id)))],
      );
    else if (dice < 0.84)
      month.truth(
        "discount",
        [month.left(line)],
        [month.right(charge(amount - Math.round(amount * random.pick([0.01, 0.02, 0.03])), id))],
      );
    else if (dice < 0.88) {
      const first = month.right(charge(amount, id));
      const void_ = month.right({
        ...charge(-amount, id),
        value_date: charged + random.between(0, 3),
        reference: id,
        description: "Refund",
      });
      const own = month.dataset.right.find((candidate) => candidate.identity === first);
      if (own) own.reference = id;
      month.truth("reversal", [], [first, void_]);
    } else if (dice < 0.91) {
      // Charged twice: one of the two is the order's, the other is nobody's.
      month.truth("double charge", [month.left(line)], [month.right(charge(amount, id))]);
      month.right({
        ...charge(amount, null),
        reference: null,
        counterparty: null,
        value_date: charged + 1,
      });
    } else if (dice < 0.94) {
      const ids = split(random, amount, 2).map((part) => month.right(charge(part, id)));
      month.truth("split shipment", [month.left(line)], ids);
    } else if (dice < 0.97) month.left(line);
    else month.right(charge(amount, String(order.next(1) + 500_000)));
  }
  return month.shuffled();
}

export function tillsAgainstBank(seed: number, size: number): Dataset {
  const random = new Random(seed * 19 + 4);
  const month = new Month(`tills against bank, seed ${seed}`, random);
  const shops = Array.from(
    { length: 6 },
    (_, at) => `Shop ${at + 1} ${random.pick(["Nord", "Süd", "Mitte", "Hafen", "Bahnhof"])}`,
  );
  const slip = new Counter(random, random.between(1000, 9000));
  let day = 0;
  while (month.dataset.left.length < size) {
    const shop = random.pick(shops);
    const on = month.bankDay(20513 + (day++ % 31));
    const dice = random.next();
    if (dice < 0.12) {
      // A bag of several tills' takings, counted and paid in together.
      const number = `SB${slip.next(5)}`;
      const numbered = random.chance(0.7);
      const sameDay = random.chance(0.8);
      const lefts = Array.from({ length: random.between(2, 7) }, (_, till) => ({
        amount: randomAmount(random, 3000, 90_000),
        till,
      }));
      const total = lefts.reduce((sum, { amount }) => sum + amount, 0);
      const ids = lefts.map(({ amount, till }) =>
        month.left({
          amount_minor: amount,
          value_date: on - (sameDay || random.chance(0.6) ? 0 : 1),
          reference: numbered && random.chance(0.95) ? number : null,
          counterparty: shop,
          description: `Cash till ${till + 1}`,
        }),
      );
      const text = random.chance(numbered ? 0.85 : 0.2)
        ? `CASH DEPOSIT ${number}`
        : `CASH DEPOSIT ${shop.toUpperCase()}`;
      month.truth("cash deposit", ids, [
        month.right({
          amount_minor: total,
          value_date: month.later(on, random.between(1, 2)),
          description: text,
        }),
      ]);
    } else if (dice < 0.72) {
      const amount = randomAmount(random, 5000, 300_000);
      const batchNumber = String(slip.next(5));
      const fee = random.chance(0.5) ? Math.round(amount * 0.0125) : 0;
      const left = month.left({
        amount_minor: amount,
        value_date: on,
        reference: batchNumber,
        counterparty: shop,
        description: "Card terminal batch",
      });
      const right = month.right({
        amount_minor: amount - fee,
        value_date: month.later(on, random.between(1, 2)),
        counterparty: "ACQUIRER PLC",
        description: `MERCHANT SETTLEMENT ${random.chance(0.85) ? batchNumber : ""} ${shop.toUpperCase().slice(0, random.between(6, 14))}`,
      });
      month.truth(fee > 0 ? "fee" : "plain", [left], [right]);
    } else if (dice < 0.8) {
      const rent = -randomAmount(random, 10_000, 200_000);
      const payee = companyName(random);
      const left = month.left({
        amount_minor: rent,
        value_date: on,
        counterparty: payee,
        description: "Supplier",
        reference: `B${slip.next(1)}`,
      });
      month.truth(
        "plain",
        [left],
        [
          month.right({
            amount_minor: rent,
            value_date: month.later(on, random.between(0, 2)),
            counterparty: bankName(random, payee),
            description: "DIRECT DEBIT",
          }),
        ],
      );
    } else if (dice < 0.84) {
      const amount = randomAmount(random, 2000, 30_000);
      const reference = `T${slip.next(1)}`;
      const line = {
        amount_minor: amount,
        value_date: on,
        reference,
        counterparty: shop,
        description: "Sale",
      };
      month.truth(
        "reversal",
        [
          month.left(line),
          month.left({ ...line, amount_minor: -amount, description: "Void sale" }),
        ],
        [],
      );
    } else if (dice < 0.92)
      month.left({
        amount_minor: randomAmount(random, 3000, 90_000),
        value_date: on,
        counterparty: shop,
        description: "Cash till 1",
      });
    else
      month.right({
        amount_minor: randomAmount(random, 3000, 90_000),
        value_date: on,
        counterparty: companyName(random),
        description: bankText(random, companyName(random), []),
      });
  }
  return month.shuffled();
}

export const BUSINESSES = [
  ledgerAgainstBank,
  payoutsAgainstBank,
  ordersAgainstProcessor,
  tillsAgainstBank,
  payers,
];

function split(random: Random, amount: number, parts: number): number[] {
  const shares = Array.from({ length: parts }, () => 0.2 + random.next());
  const total = shares.reduce((sum, share) => sum + share, 0);
  const amounts = shares.map((share) => Math.round((amount * share) / total));
  amounts[0] = (amounts[0] as number) + amount - amounts.reduce((sum, part) => sum + part, 0);
  return amounts;
}

/** Numbers that count up, with gaps. */
class Counter {
  private readonly random: Random;
  private value: number;

  constructor(random: Random, first: number) {
    this.random = random;
    this.value = first;
  }

  next(widest: number): number {
    this.value += this.random.between(1, widest);
    return this.value;
  }
}
