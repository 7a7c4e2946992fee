/**
 * Who pays and is paid: a legal name as the books have it, and what a bank or card network prints
 * of it.
 */
import type { Random } from "../random.ts";

export type Company = {
  /** As the books write it. */
  name: string;
  /** As it trades: for some of them nothing like the legal name. */
  trade: string;
  city: string;
  /** The amount of a usual invoice, in minor units. */
  usual: number;
  /** How it writes the number of an invoice. */
  number: (count: number) => string;
};

const OWN =
  "Hartwell,Cedar Ridge,Blue Heron,Tri-County,Pinnacle,Lakeshore,Summit,Ironwood,Keystone,Granite State,Bayview,Redstone".split(
    ",",
  );
const SURNAMES =
  "Okafor,Lindgren,Castellano,McAllister,Vandenberg,Nakamura,Szymański,Brügger,Le Goff,D'Amico,Østergaard,Hölzl".split(
    ",",
  );
const LINES =
  "Supply,Fasteners,Packaging,Freight,Industrial,Chemicals,Tool & Die,Staffing,Signs,Plumbing,Paper,Coatings,Seeds".split(
    ",",
  );
const CONTINENTAL =
  "Werkzeugbau,Spedition,Maschinenfabrik,Transports,Distribuzione,Verpackungen,Installatie,Papeterie,Forniture".split(
    ",",
  );
const US_FORMS = ["LLC", "Inc", "Corp", "Co", "LP", "Company"];
const EU_FORMS = [
  "GmbH & Co. KG",
  "GmbH",
  "S.à r.l.",
  "B.V.",
  "S.r.l.",
  "AG",
  "SAS",
  "e.K.",
  "N.V.",
];
const STREET =
  "Maple St,Old Mill,Corner,Harbor,Five Points,Union,Juniper,Lucky,Northside,Sundance".split(",");
const SHOP = "Goods,Mercantile,Outfitters,Kitchen,Provisions,Works,Hardware,Studio,Market".split(
  ",",
);
const US_CITIES =
  "DAYTON OH,TULSA OK,BOISE ID,FRESNO CA,AKRON OH,MOBILE AL,LOWELL MA,EUGENE OR,MACON GA,DULUTH MN".split(
    ",",
  );
const EU_CITIES = "KASSEL,LINZ,METZ,BREDA,BERGAMO,AARHUS,GRAZ,NAMUR".split(",");

export function companies(random: Random, where: "us" | "eu", count: number): Company[] {
  return Array.from({ length: count }, () => company(random, where));
}

function company(random: Random, where: "us" | "eu"): Company {
  const lines = where === "eu" && random.chance(0.7) ? CONTINENTAL : LINES;
  const first = where === "eu" || random.chance(0.4) ? random.pick(SURNAMES) : random.pick(OWN);
  const second = random.chance(0.25) ? ` & ${random.pick(SURNAMES)}` : "";
  const name = `${first}${second} ${random.pick(lines)} ${random.pick(where === "us" ? US_FORMS : EU_FORMS)}`;
  return {
    name,
    trade: random.chance(0.25) ? `${random.pick(STREET)} ${random.pick(SHOP)}` : name,
    city: random.pick(where === "us" ? US_CITIES : EU_CITIES),
    usual: Math.round(4000 * Math.exp(random.next() * 5.5)),
    number: numbering(random),
  };
}

/** Each company counts its invoices in its own way, from its own start. */
function numbering(random: Random): Company["number"] {
  const start = random.between(100, 89_000);
  const style = random.between(0, 6);
  return (count) => {
    const n = start + count;
    if (style === 0) return `${n}`;
    if (style === 1) return `INV-${n}`;
    if (style === 2) return `2026/${String(n).padStart(6, "0")}`;
    if (style === 3) return `RE${n}`;
    if (style === 4) return `SI-${String(n).padStart(7, "0")}`;
    if (style === 5) return `26-${n}-A`;
    return `${String(n).padStart(8, "0")}`;
  };
}

/** An amount of this company: around what is usual, seldom round. */
export function amountOf(random: Random, { usual }: Company): number {
  const amount = Math.max(
    350,
    Math.round(usual * Math.exp((random.next() + random.next() + random.next() - 1.5) * 1.2)),
  );
  return random.chance(0.1) ? Math.max(500, Math.round(amount / 500) * 500) : amount;
}
