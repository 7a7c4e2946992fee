/** The same two payments as their bank and their ledger export them. */

/** Its days can be read as day and month or as month and day, so an import asks. */
export const BANK_CSV = `Date;Name;Amount;Reference
03/04/2026;Hansen GmbH;1200,00;INV-1
05/04/2026;Vogel;80,50;INV-2
`;

export const LEDGER_CSV = `value_date,amount,reference
2026-04-03,1200.00,INV-1
2026-04-05,80.50,INV-2
`;
