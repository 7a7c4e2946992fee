type SampleLine = { day: number; counterparty: string; reference?: string; amount_minor: number };

/**
 * The lines of a bank and of a ledger that match but for a fee and a payment without an invoice.
 */
export const SAMPLE_LINES: { bank: readonly SampleLine[]; ledger: readonly SampleLine[] } = {
  bank: [
    { day: 5, counterparty: "Hansen & Söhne", reference: "RG-1001", amount_minor: 125_000 },
    { day: 8, counterparty: "Bäckerei Vogel", reference: "RG-1002", amount_minor: 48_050 },
    { day: 12, counterparty: "Atelier Weiß", reference: "RG-1003", amount_minor: 99_750 },
    { day: 19, counterparty: "Lindt Logistik KG", reference: "RG-1004", amount_minor: 231_000 },
    { day: 27, counterparty: "Café Morgenrot", amount_minor: 7_500 },
  ],
  ledger: [
    { day: 2, counterparty: "Hansen & Söhne", reference: "RG-1001", amount_minor: 125_000 },
    { day: 6, counterparty: "Bäckerei Vogel", reference: "RG-1002", amount_minor: 48_050 },
    { day: 10, counterparty: "Atelier Weiß", reference: "RG-1003", amount_minor: 100_000 },
    { day: 15, counterparty: "Lindt Logistik KG", reference: "RG-1004", amount_minor: 231_000 },
  ],
};
