/**
 * Expense reports against a company card's feed: what an employee writes of a purchase, and a
 * merchant's descriptor of 22 characters.
 */

import type { Dataset } from "../dataset.ts";
import { DAYS, FIRST_DAY } from "../month.ts";
import { Random } from "../random.ts";
import { Books, callInShares, partsOf } from "./books.ts";
import { amountOf, type Company } from "./companies.ts";
import { descriptor, digits } from "./narratives.ts";
import { mistypedAmount } from "./slips.ts";

const LAST_DAY = FIRST_DAY + DAYS - 1;
const PEOPLE = "J. Abara,P. Quinn,S. Iyer,M. Dorsey,L. Fontaine,K. Weiss,T. Bello,R. Nowak".split(
  ",",
);
const WHAT =
  "Client lunch,Team dinner,Office supplies,Software,Parking,Tools,Books,Conference,Shipping,Samples".split(
    ",",
  );
/** Large merchants have their own descriptor, with a number that changes every time. */
const KNOWN: readonly [
  name: string,
  printed: (random: Random) => string,
  low: number,
  high: number,
][] = [
  ["Amazon", (random) => `AMZN MKTP US*${code(random)} AMZN.COM/BILL WA`, 900, 30_000],
  ["Uber", () => "UBER   *TRIP HELP.UBER.COM CA", 700, 6500],
  ["Delta Air Lines", (random) => `DELTA AIR 006${digits(random, 10)}`, 18_000, 90_000],
  ["Google Ads", (random) => `GOOGLE *ADS${digits(random, 10)} CC GOOGLE.COM CA`, 5000, 50_000],
  ["Marriott Denver", () => "COURTYARD BY MARRIOTT DEN", 14_000, 80_000],
  ["Shell", (random) => `SHELL OIL ${digits(random, 11)}`, 2500, 9000],
  ["Zoom", () => "ZOOM.US 888-799-9666 WWW.ZOOM.US CA", 1599, 1599],
  ["LinkedIn Premium", () => "LNKD.IN/BILL *2231 SUNNYVALE", 3999, 3999],
];

export function companyCards(seed: number, lines: number): Dataset {
  const random = new Random(seed * 31 + 11_411);
  const books = new Books(`expense reports against cards, seed ${seed}`, random, "us", 60);
  const { month } = books;
  const merchants = books.partners.map(
    (merchant): Company => ({ ...merchant, usual: Math.max(900, Math.round(merchant.usual / 12)) }),
  );
  const merchant = () => merchants[Math.floor(merchants.length * random.next() ** 1.5)] as Company;
  const report = (day: number, name: string) => ({
    value_date: day,
    reference: random.chance(0.3) ? `EXP-${digits(random, 5)}` : null,
    counterparty: name.replace(/ (LLC|Inc|Corp|Co|LP|Company)$/, ""),
    description: `${random.pick(PEOPLE)}: ${random.pick(WHAT)}`,
  });
  /** Cards post a bank day or two after the purchase; hotels and airlines later. */
  const posted = (day: number) => month.later(day, random.pick([0, 1, 1, 1, 2, 2, 3]));
  const feed = (day: number, text: string) => ({
    value_date: day,
    reference: digits(random, 23),
    description: text,
  });
  const kindOf = ({ name, trade }: Company) => (name === trade ? "purchase" : "trade name");

  const purchase = () => {
    const [shop, day] = [merchant(), month.day()];
    const amount = -amountOf(random, shop);
    const left = books.book(amount, report(day, shop.name));
    if (posted(day) > LAST_DAY) return;
    month.truth(
      kindOf(shop),
      [left],
      [books.bank(amount, feed(posted(day), descriptor(random, shop)))],
    );
  };
  const knownMerchant = () => {
    // The first ones far more often than a subscription, whose amount is always the same.
    const [name, printed, low, high] = KNOWN[
      Math.floor(KNOWN.length * random.next() ** 2)
    ] as (typeof KNOWN)[number];
    const day = month.day();
    const amount = -random.between(low, high);
    const left = books.book(amount, report(day, name));
    month.truth("large merchant", [left], [books.bank(amount, feed(posted(day), printed(random)))]);
  };
  const tip = () => {
    const [shop, day] = [merchant(), month.day()];
    const amount = amountOf(random, shop);
    const left = books.book(-amount, report(day, shop.name));
    const right = books.bank(
      -Math.round(amount * random.pick([1.15, 1.18, 1.2])),
      feed(posted(day), descriptor(random, shop)),
    );
    month.truth("tip added", [left], [right]);
  };
  const foreign = () => {
    const [shop, day] = [merchant(), month.day()];
    const amount = -amountOf(random, shop);
    const left = books.book(amount, report(day, shop.name));
    const right = books.bank(
      Math.round(amount * (1 + (random.next() - 0.3) * 0.03)),
      feed(posted(day), `${descriptor(random, shop)} FRGN AMT ${digits(random, 4)}`),
    );
    month.truth("foreign currency", [left], [right]);
  };
  const split = () => {
    const [shop, day] = [merchant(), month.day()];
    const total = -amountOf(random, shop) - 4000;
    const line = report(day, shop.name);
    const left = partsOf(random, -total, random.between(2, 3)).map((part) =>
      books.book(-part, {
        ...line,
        description: `${line.description}, cost center ${digits(random, 3)}`,
      }),
    );
    month.truth("split by cost center", left, [
      books.bank(total, feed(posted(day), descriptor(random, shop))),
    ]);
  };
  const refund = () => {
    const [shop, day] = [merchant(), month.day()];
    const amount = amountOf(random, shop);
    const left = books.book(amount, {
      ...report(day, shop.name),
      description: `${random.pick(PEOPLE)}: refund`,
    });
    month.truth(
      "refund",
      [left],
      [books.bank(amount, feed(month.later(day, random.between(2, 8)), descriptor(random, shop)))],
    );
  };
  const mistyped = () => {
    const [shop, day] = [merchant(), month.day()];
    const amount = amountOf(random, shop) + 1000;
    const left = books.book(-mistypedAmount(random, amount), report(day, shop.name));
    month.truth(
      "amount mistyped",
      [left],
      [books.bank(-amount, feed(posted(day), descriptor(random, shop)))],
    );
  };
  const chargedTwice = () => {
    const [shop, day] = [merchant(), month.day()];
    const [amount, text] = [-amountOf(random, shop), descriptor(random, shop)];
    const first = books.bank(amount, feed(posted(day), text));
    const line = books.book(amount, report(day, shop.name));
    const back = month.later(day, random.between(5, 9));
    month.truth(kindOf(shop), [line], [first]);
    if (back > LAST_DAY) return;
    const again = books.bank(amount, feed(month.later(day, 4), text));
    month.truth(
      "charged twice, taken back",
      [],
      [again, books.bank(-amount, feed(back, `CREDIT ADJ ${text}`))],
    );
  };
  const onlyBooks = () =>
    void books.book(-amountOf(random, merchant()), {
      ...report(month.day(), merchant().name),
      description: `${random.pick(PEOPLE)}: cash`,
    });
  const onlyFeed = () => {
    const shop = merchant();
    const text = random.chance(0.3)
      ? random.pick(["INTEREST CHARGE", "FOREIGN TRANSACTION FEE", "ANNUAL MEMBERSHIP FEE"])
      : descriptor(random, shop);
    books.bank(-amountOf(random, shop), feed(month.bankDay(month.day()), text));
  };

  callInShares(random, lines, [
    [50, purchase],
    [16, knownMerchant],
    [5, tip],
    [3, foreign],
    [4, split],
    [3, refund],
    [2, mistyped],
    [1.5, chargedTwice],
    [5, onlyBooks],
    [8, onlyFeed],
  ]);
  return month.shuffled();
}

function code(random: Random): string {
  return Array.from({ length: 9 }, () =>
    random.pick([..."0123456789ABCDEFGHJKLMNPRSTUVWXYZ"]),
  ).join("");
}
