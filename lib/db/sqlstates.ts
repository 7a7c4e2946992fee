/** Codes of errors that we distinguish. https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const SQLSTATES = {
  /** `private.refuse` of ours: the code in message, the sentence in details, the fields in hint. */
  refused: "TO001",
  /** By `statement_timeout`, or by hand. */
  canceled: "57014",
  diskFull: "53100",
} as const;
