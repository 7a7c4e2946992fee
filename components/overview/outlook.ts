/** `due`: deadlines from now until then; `breaching`: how many of these will pass. */
export type Step = { due_before: string; due: number; breaching: number };

type Outlook = {
  closed_per_hour: number;
  hours: readonly { due_before: string; due_count: number }[];
};

/**
 * The exceptions that breach if closing continues at the same rate, in the order of deadlines, and
 * nothing is added or moved. No other order loses fewer (Jackson 1955): by hour h at least max over
 * j ≤ h of due(j) − rate × j.
 */
export function burnDown({ closed_per_hour, hours }: Outlook, nowMs: number): Step[] {
  let due = 0;
  let breaching = 0;
  return hours.map(({ due_before, due_count }) => {
    due += due_count;
    const closed = Math.floor(
      (closed_per_hour * Math.max(0, Date.parse(due_before) - nowMs)) / 3_600_000,
    );
    breaching = Math.max(breaching, due - closed);
    return { due_before, due, breaching };
  });
}
