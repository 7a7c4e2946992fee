/** The currencies of ISO 4217 and their minor units. Plain data, safe in the browser. */

/**
 * ISO 4217 list one of 2026, by number of decimals. Codes without a minor unit (gold, XDR, XTS,
 * XXX, …) aren't money and are left out.
 */
const ACTIVE: Record<number, string> = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP
    CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD
    KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR
    PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU
    UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
  3: "BHD IQD JOD KWD LYD OMR TND",
  4: "CLF UYW",
};

/** Withdrawn since 2023, but still used in older statements. */
const WITHDRAWN = "ANG BGN CUC HRK SLL ZWL";

const DECIMALS = new Map<string, number>(
  [...Object.entries(ACTIVE), ["2", WITHDRAWN] as const].flatMap(([decimals, codes]) =>
    codes.split(/\s+/).map((code) => [code, Number(decimals)] as const),
  ),
);

export const CURRENCIES: readonly string[] = [...DECIMALS.keys()].sort();

/**
 * The decimals of the currency's minor unit: 2 for EUR, 0 for JPY, 3 for KWD. Undefined if the code
 * isn't in ISO 4217.
 */
export function decimalsOf(currency: string): number | undefined {
  return DECIMALS.get(currency);
}
