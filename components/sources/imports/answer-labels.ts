/** The labels of the answers to a preview's questions, by setting. */
const LABELS: Record<string, Record<string, string>> = {
  decimal_separator: { ",": "Comma", ".": "Point" },
  debit_sign: { plus: "Money in", minus: "Money out" },
  credit_sign: { plus: "Money out", minus: "Money in" },
  amount_sign: {
    own: "A minus is money out",
    inverted: "A minus is money in",
    repeats: "The column",
    reverses: "Both: a minus reverses the column",
  },
  fee_handling: { deducted: "Comes off the amount", included: "In the amount already" },
};

/** Answers that are lists: the first choice and the second. */
const IN_ORDER: Record<string, readonly string[]> = {
  status: ["Booked", "Not booked"],
  sign_values: ["Money out", "Money in"],
};

export function answerLabel(about: string, value: string, at: number): string {
  return LABELS[about]?.[value] ?? IN_ORDER[about]?.[at] ?? value;
}

/** Settings whose answers are given as JSON. */
export function answerValue(about: string, value: string): unknown {
  return about in IN_ORDER ? JSON.parse(value) : value;
}
