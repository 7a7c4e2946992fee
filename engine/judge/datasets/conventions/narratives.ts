/**
 * What banks write about a payment, by published layouts: the ACH batch header (company name 16,
 * entry description 10, individual name 22 characters), Fedwire's ORIG, BNF and OBI in BAI2
 * continuation records, SEPA's EREF+, KREF+ and SVWZ+ in MT940's field 86 and camt.053, and
 * merchant descriptors of 22 characters with the processor's mark before them.
 */
import type { Random } from "../random.ts";
import type { Company } from "./companies.ts";
import { toCapitals, truncate } from "./slips.ts";

export function digits(random: Random, length: number): string {
  return Array.from({ length }, (_, at) => random.between(at === 0 ? 1 : 0, 9)).join("");
}

/** yymmdd of a day since 1970-01-01. */
export function yymmdd(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(2, 10).replaceAll("-", "");
}

export function ach(
  random: Random,
  day: number,
  name: string,
  entry: string,
  id: string,
  own: string,
): string {
  const company = truncate(16, toCapitals(name));
  if (random.chance(0.3)) return `${company} ${entry} ${id ? `${id} ` : ""}${truncate(22, own)}`;
  const date = yymmdd(day - random.between(0, 1));
  return `ORIG CO NAME:${company} ORIG ID:${digits(random, 10)} DESC DATE:${date} CO ENTRY DESCR:${truncate(10, entry)}SEC:CCD TRACE#:${digits(random, 15)} EED:${date} IND ID:${truncate(15, id)} IND NAME:${truncate(22, own)}`;
}

export function wire(
  random: Random,
  day: number,
  direction: "IN" | "OUT",
  name: string,
  text: string,
): string {
  const party = truncate(35, toCapitals(name));
  const trn = `TRN:${yymmdd(day)}${digits(random, 6)}`;
  return direction === "IN"
    ? `WIRE TYPE:${random.chance(0.5) ? "INTL " : ""}WIRE IN ${trn} ORIG:${party} ID:${digits(random, 9)} OBI:${truncate(35, toCapitals(text))}`
    : `WIRE TYPE:WIRE OUT ${trn} BNF:${party} PMT DET:${truncate(35, toCapitals(text))}`;
}

/** Field 86 of MT940 or the unstructured remittance of camt, as banks string it together. */
export function sepa(random: Random, name: string, endToEnd: string | null, text: string): string {
  const purpose = truncate(random.chance(0.2) ? 35 : 140, toCapitals(text));
  const party = truncate(random.chance(0.3) ? 27 : 35, toCapitals(name));
  const style = random.between(0, 3);
  if (style === 0) return `EREF+${endToEnd ?? "NOTPROVIDED"} SVWZ+${purpose} ABWA+${party}`;
  if (style === 1) return `SEPA-UEBERWEISUNG ${purpose}`;
  if (style === 2)
    return `166?00GUTSCHR. UEBERWEISUNG?20${purpose.slice(0, 27)}?21${purpose.slice(27, 54)}?32${party.slice(0, 27)}`;
  return `VIREMENT SEPA ${party} ${purpose}`;
}

/** A card descriptor: processors put their mark before what of 22 characters is left. */
export function descriptor(random: Random, merchant: Company): string {
  const trade = toCapitals(merchant.trade);
  const marks: readonly string[] = ["", "", "", "SQ *", "PAYPAL *", "TST* ", "SP ", "PY *", "IN *"];
  const mark = random.pick(marks);
  const tail =
    mark === "PAYPAL *"
      ? `${digits(random, 10)} CA`
      : random.chance(0.7)
        ? merchant.city
        : `${digits(random, 3)}-${digits(random, 7)}`;
  const shop = random.chance(0.25) ? `${trade.split(" ")[0]} #${digits(random, 4)}` : trade;
  return `${truncate(22, mark + shop)} ${tail}`;
}
