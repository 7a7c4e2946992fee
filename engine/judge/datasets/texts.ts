/** Names and texts as ledgers and banks write them, and what happens to them on the way. */
import type { Random } from "./random.ts";

const FIRST =
  "Anna Bernd Carla David Elif Farid Greta Hugo Ines Jonas Katja Luis Mara Nils Olga Pavel Rosa Sven Tara Uwe Vera Wout Yara Zoe".split(
    " ",
  );
const LAST =
  "Adler Becker Çelik Dupont Eriksson Fischer García Hofmann Ivanov Jansen Köhler Lindqvist Müller Novak O'Brien Pereira Quist Rossi Schäfer Tanaka Urban Vogel Weber Xu Yılmaz Zimmermann".split(
    " ",
  );
const TRADES =
  "Bakery Cycles Dental Electric Foods Garden Hotels Imports Kitchens Logistics Media Optics Print Roofing Steel Textiles Travel Wines".split(
    " ",
  );
const PLACES =
  "Altona Basel Cork Dresden Esbjerg Fulda Ghent Haarlem Izmir Jena Krakow Lund Malmo Nantes Oslo Porto Riga Turin Ulm Vienna".split(
    " ",
  );
const FORMS = ["GmbH", "Ltd", "SARL", "B.V.", "AB", "S.p.A.", "AG", "Inc.", ""];

export function companyName(random: Random): string {
  const name = random.chance(0.5)
    ? `${random.pick(LAST)} ${random.pick(TRADES)}`
    : random.chance(0.5)
      ? `${random.pick(PLACES)} ${random.pick(TRADES)}`
      : `${random.pick(LAST)} & ${random.pick(LAST)}`;
  return `${name} ${random.pick(FORMS)}`.trim();
}

export function personName(random: Random): string {
  return `${random.pick(FIRST)} ${random.pick(LAST)}`;
}

/**
 * A name as a bank prints it: capitals, no accents, order or form changed, cut to the width of its
 * field.
 */
export function bankName(random: Random, name: string): string {
  let text = name;
  if (random.chance(0.7)) text = text.normalize("NFD").replaceAll(/\p{M}/gu, "");
  if (random.chance(0.15))
    text = text.replaceAll("ü", "ue").replaceAll("ö", "oe").replaceAll("ä", "ae");
  if (random.chance(0.3)) text = text.replace(/ (GmbH|Ltd|SARL|B\.V\.|AB|S\.p\.A\.|AG|Inc\.)$/, "");
  if (random.chance(0.15)) {
    const words = text.split(" ");
    text = [...words.slice(1), words[0]].join(" ");
  }
  if (random.chance(0.6)) text = text.toUpperCase();
  if (random.chance(0.05)) text = garble(random, text);
  return random.chance(0.15) ? text.slice(0, random.between(8, 16)) : text;
}

/** One slip of the hand: two neighbours swapped, one wrong, one missing, one doubled. */
export function garble(random: Random, text: string): string {
  if (text.length < 3) return text;
  const at = random.between(1, text.length - 2);
  const kind = random.between(0, 3);
  if (kind === 0) return text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2);
  if (kind === 1)
    return (
      text.slice(0, at) +
      (/\d/.test(text[at] as string) ? random.between(0, 9) : "e") +
      text.slice(at + 1)
    );
  if (kind === 2) return text.slice(0, at) + text.slice(at + 1);
  return text.slice(0, at) + text[at] + text.slice(at);
}

/** Two neighbouring digits of an amount swapped, as by a hurried typist. */
export function transposeDigits(random: Random, amount: number): number {
  const digits = String(Math.abs(amount)).split("");
  for (let tries = 0; tries < 10; tries++) {
    const at = random.between(0, digits.length - 2);
    if (digits[at] === digits[at + 1] || (at === 0 && digits[1] === "0")) continue;
    [digits[at], digits[at + 1]] = [digits[at + 1] as string, digits[at] as string];
    break;
  }
  return Math.sign(amount) * Number(digits.join(""));
}

const LEADS = [
  "",
  "",
  "SEPA CREDIT TRANSFER ",
  "GUTSCHRIFT ",
  "TRF FROM ",
  "FPS ",
  "VIR ",
  "Payment from ",
];
const TAILS = ["", "", " THANK YOU", " EREF NOTPROVIDED", " SVWZ", " REF", " ONLINE", " 0000"];

/** What a bank writes about a payment: its own words around some of what the payer gave. */
export function bankText(random: Random, name: string, references: readonly string[]): string {
  const remaining = references.filter(() => random.chance(0.9));
  const reference = remaining
    .map((value) => (random.chance(0.25) ? value.replaceAll("-", " ") : value))
    .join(random.chance(0.5) ? " " : ", ");
  const parts = random.chance(0.5) ? [name, reference] : [reference, name];
  const text = `${random.pick(LEADS)}${parts.filter(Boolean).join(" ")}${random.pick(TAILS)}`;
  return random.chance(0.1) ? text.slice(0, random.between(14, 30)) : text;
}
