/**
 * SQLSTATE codes that we distinguish.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export const SQLSTATES = {
  /**
   * Raised by `private.refuse`: our error code in the message, the sentence in details, invalid
   * fields in hint.
   */
  refused: "TO001",
  /** Cancelled by `statement_timeout` or by an administrator. */
  canceled: "57014",
  diskFull: "53100",
} as const;
