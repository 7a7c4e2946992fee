/**
 * Measures one run in a separate process, so that its memory can be measured, too. `node
 * engine/judge/speed.ts <case> <lines per side>` prints the figures as a line of JSON.
 */
import { type Result, run } from "../engine.ts";
import { checkInvariants } from "../invariants.ts";
import { type Line, Lines } from "../lines.ts";
import { DEFAULT_RULES } from "../rules.ts";
import { Random } from "./datasets/random.ts";

type Add = (side: "left" | "right", line: Omit<Line, "handle" | "identity">) => void;

const DAY = 20_513;
const NAMES = Array.from(
  { length: 5000 },
  (_, at) => `${["Nord", "Süd", "West", "Ost", "Alt", "Neu"][at % 6]}werk ${at} GmbH`,
);

/** Each case adds about `size` lines per side, one at a time, as if read from a database. */
export const CASES: Record<string, (size: number, random: Random, add: Add) => void> = {
  "90 % exact": (size, random, add) => mixed(size, random, add, 0.9),
  "10,000 new against 100,000 open": (size, random, add) => arriving(size, random, add),
  "few exact, all at once": (size, random, add) => mixed(size, random, add, 0.05),
  "equal amounts, nothing else": (size, random, add) => {
    for (let at = 0; at < size; at++) {
      for (const side of ["left", "right"] as const)
        add(side, { amount_minor: 1000, currency: "EUR", value_date: DAY + random.between(0, 30) });
    }
  },
  "equal amounts, each its own text": (size, random, add) => {
    for (let at = 0; at < size; at++) {
      add("left", {
        amount_minor: 1000,
        currency: "EUR",
        value_date: DAY + (at % 30),
        reference: `L${at}`,
        counterparty: NAMES[at % 5000],
      });
      add("right", {
        amount_minor: 1000,
        currency: "EUR",
        value_date: DAY + random.between(0, 30),
        reference: `R${at}`,
        description: "card",
      });
    }
  },
  "one connected group": (size, random, add) => {
    for (let at = 0; at < size; at++) {
      for (const side of ["left", "right"] as const) {
        add(side, {
          amount_minor: 100_000 + random.between(0, 2000),
          currency: "EUR",
          value_date: DAY + random.between(0, 5),
          counterparty: "One customer",
        });
      }
    }
  },
  "sums with astronomically many solutions": (size, random, add) => {
    for (let at = 0; at < size; at++) {
      add("left", {
        amount_minor: 100 * random.between(1, 50),
        currency: "EUR",
        value_date: DAY + (at % 5),
        counterparty: "One customer",
      });
      if (at % 10 === 0)
        add("right", {
          amount_minor: 100 * random.between(500, 900),
          currency: "EUR",
          value_date: DAY + 6,
          description: "One customer",
        });
    }
  },
  "amounts at the edge of what is safe": (size, random, add) => {
    for (let at = 0; at < size; at++) {
      const amount = (at % 2 === 0 ? 1 : -1) * (Number.MAX_SAFE_INTEGER - random.between(0, 40));
      for (const side of ["left", "right"] as const)
        add(side, {
          amount_minor: amount,
          currency: "EUR",
          value_date: DAY + (at % 9),
          group_key: `k${at % 50}`,
        });
    }
  },
};

function mixed(size: number, random: Random, add: Add, exact: number): void {
  for (let at = 0; at < size; at++) {
    const amount = Math.round(500 * Math.exp(random.next() * 8)) * (random.chance(0.3) ? -1 : 1);
    const name = NAMES[random.between(0, 4999)] as string;
    const reference = `INV-${1_000_000 + at * 3 + random.between(0, 2)}`;
    const day = DAY + random.between(0, 30);
    const left = {
      amount_minor: amount,
      currency: "EUR",
      value_date: day,
      reference,
      counterparty: name,
      description: "Invoice",
    };
    const dice = random.next();
    if (dice < exact) {
      add("left", left);
      add("right", { ...left, description: `SEPA CREDIT ${name}` });
      continue;
    }
    const rest = (dice - exact) / (1 - exact);
    const bank = {
      amount_minor: amount,
      currency: "EUR",
      value_date: day + random.between(0, 3),
      counterparty: name.toUpperCase(),
    };
    if (rest < 0.55) {
      add("left", left);
      add("right", { ...bank, description: `Credit ${reference} ${name}` });
    } else if (rest < 0.7) {
      add("left", left);
      add("right", {
        ...bank,
        amount_minor: Math.round(amount * 0.986),
        description: `Credit ${reference}`,
      });
    } else if (rest < 0.8) {
      const part = Math.round(amount / 2);
      add("left", left);
      add("right", { ...bank, amount_minor: part, description: `First ${reference}` });
      add("right", { ...bank, amount_minor: amount - part, description: `Second ${reference}` });
    } else if (rest < 0.9) add("left", left);
    else add("right", { ...bank, description: `Credit ${reference}` });
  }
}

/**
 * New lines on the right against many open lines on the left. Only a tenth of the right lines are
 * added, so most left lines stay open.
 */
function arriving(size: number, random: Random, add: Add): void {
  mixed(
    size,
    random,
    (side, line) => {
      if (side === "left" || random.chance(0.1)) add(side, line);
    },
    0.05,
  );
}

if (process.argv[1]?.endsWith("speed.ts")) {
  const [name = "", size = "1000"] = process.argv.slice(2);
  const lines = { left: new Lines("left", Number(size)), right: new Lines("right", Number(size)) };
  let next = 0;
  const startedAt = performance.now();
  const fill = CASES[name];
  if (!fill) throw new Error(`no such case: ${name}`);
  fill(Number(size), new Random(7), (side, line) =>
    lines[side].add({ ...line, handle: next, identity: `x${next++}` }),
  );
  const filledAt = performance.now();
  const cpu = process.cpuUsage();
  const { result, longest } = runMeasured({ ...lines, rules: DEFAULT_RULES });
  const used = process.cpuUsage(cpu);
  const doneAt = performance.now();
  const violations = checkInvariants(result);
  console.log(
    JSON.stringify({
      name,
      left: lines.left.length,
      right: lines.right.length,
      fill_s: (filledAt - startedAt) / 1000,
      run_s: (doneAt - filledAt) / 1000,
      cpu_s: (used.user + used.system) / 1e6,
      rss_mb: process.resourceUsage().maxRSS / 1024,
      longest_pause_ms: longest,
      matched: result.confirmed.length,
      suggested: result.suggested.length,
      open: result.waterfall.open_count,
      violations: violations.length,
      rules: result.waterfall.rules.map(({ name, matches, suggested }) => [
        name,
        matches,
        suggested,
      ]),
    }),
  );
}

function runMeasured(input: Parameters<typeof run>[0]): { result: Result; longest: number } {
  const running = run(input);
  let longest = 0;
  for (let before = performance.now(); ; ) {
    const step = running.next();
    const now = performance.now();
    longest = Math.max(longest, now - before);
    before = now;
    if (step.done) return { result: step.value, longest };
  }
}
