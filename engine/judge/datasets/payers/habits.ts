/**
 * How one company and its bank write: each seed is another company, with other widths of names,
 * other numbers and other words of its bank.
 */
import type { Random } from "../random.ts";

export type Party = { name: string; usual: number; code: string };

export type Habits = {
  currency: string;
  /** The width of a bank's field for names. */
  width: number;
  /** What the bank writes before the name of a payer, and of a payee. */
  credit: string;
  debit: string;
  /** The number of an invoice in the books. */
  invoice: (count: number) => string;
  /** The number as a payer quotes it. */
  quoted: (random: Random, number: string) => string;
  /** How many days before the payment an item is booked at most. */
  lag: number;
  hasParty: boolean;
};

const FIRST =
  "Abernathy,Bellweather,Corrigan,Dunmore,Eastgate,Fairhaven,Galloway,Hollis,Inverness,Jessamine,Kestrel,Longmeadow,Marchetti,Northgate,Oakhurst,Pemberton,Quarry Hill,Rosendale,Silverton,Thornbury,Umberto,Vilanova,Westerly,Yarrow,Zanetti".split(
    ",",
  );
const SECOND =
  "Building Materials,Home Health Services,Restaurant Group,Veterinary Clinic,Property Management,Landscaping,Auto Parts Warehouse,Electrical Contractors,Medical Supply,Coffee Roasters,Dental Laboratories,Office Interiors,Marine Equipment,Printing,Farms,Elevator Service".split(
    ",",
  );
const FORMS = ["LLC", "Inc.", "Ltda", "GmbH", "S.A.", "Ltd", "Corp.", "B.V.", ""];

export function parties(random: Random, count: number): Party[] {
  const names = new Set<string>();
  while (names.size < count) {
    const middle = random.chance(0.3) ? ` & ${random.pick(FIRST)}` : "";
    names.add(`${random.pick(FIRST)}${middle} ${random.pick(SECOND)} ${random.pick(FORMS)}`.trim());
  }
  return [...names].map((name) => ({
    name,
    usual: Math.round(3000 * Math.exp(random.next() * 5)),
    code: `C${random.between(1000, 9999)}`,
  }));
}

const BANKS: readonly Pick<Habits, "currency" | "credit" | "debit">[] = [
  { currency: "USD", credit: "AUTO-PAY", debit: "BILL PAY" },
  { currency: "USD", credit: "ACH CREDIT", debit: "ACH DEBIT" },
  { currency: "USD", credit: "ZELLE FROM", debit: "ZELLE TO" },
  { currency: "EUR", credit: "SEPA CT IN", debit: "SEPA CT OUT" },
  { currency: "BRL", credit: "PIX RECEBIDO", debit: "PIX ENVIADO" },
  { currency: "GBP", credit: "FASTER PAYMENT", debit: "BACS" },
];

export function habitsOf(random: Random): Habits {
  const start = random.between(1000, 60_000);
  const style = random.between(0, 4);
  return {
    ...random.pick(BANKS),
    width: random.pick([16, 22, 26, 35]),
    invoice: (count) => {
      const number = start + count;
      if (style === 0) return `INV-${number}`;
      if (style === 1) return `${number}`;
      if (style === 2) return `RE${String(number).padStart(8, "0")}`;
      if (style === 3) return `F/${2026}/${number}`;
      return `#${String(number).padStart(6, "0")}`;
    },
    quoted: random.pick([bare, asWritten, withCheckDigits, padded]),
    lag: random.between(3, 14),
    hasParty: random.chance(0.5),
  };
}

/** The last run of digits of a number, without leading zeros. */
function lastDigits(number: string): string {
  return (/(\d+)$/.exec(number)?.[1] ?? number).replace(/^0+/, "");
}

function asWritten(_: Random, number: string): string {
  return number;
}

function bare(random: Random, number: string): string {
  return `${random.pick(["", "INV ", "inv.", "No. ", "#"])}${lastDigits(number)}`;
}

function padded(random: Random, number: string): string {
  return lastDigits(number).padStart(random.pick([8, 10, 12]), "0");
}

function withCheckDigits(random: Random, number: string): string {
  const digits = lastDigits(number);
  if (random.chance(0.4)) return `${digits}${luhn(digits)}`;
  const rest = remainder97(`${digits}271500`);
  const reference = `RF${String(98 - rest).padStart(2, "0")}${digits}`;
  return random.chance(0.5) ? reference : reference.replaceAll(/(.{4})(?=.)/g, "$1 ");
}

function luhn(digits: string): number {
  let sum = 0;
  for (const [at, digit] of [...digits].reverse().entries()) {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return (10 - (sum % 10)) % 10;
}

function remainder97(digits: string): number {
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
  return rest;
}

/** A name as a bank prints it: capitals without accents, cut to the field's width. */
export function printed(habits: Habits, name: string): string {
  return name
    .normalize("NFD")
    .replaceAll(/[^\w &.,-]/g, "")
    .toUpperCase()
    .slice(0, habits.width)
    .trim();
}
