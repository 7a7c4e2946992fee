/**
 * Drills that take minutes, each on its own stack. What they show is in docs/decisions/0014.
 *
 *   node bench/faults.ts idle [rounds]         interruptions of Postgres that leave a worker idle
 *   node bench/faults.ts orphans [rounds]      kill -9 of the supervisor under 150 calls a second
 *   node bench/faults.ts revocation [rounds]   calls accepted with a key that was just revoked
 *   node bench/faults.ts lanes [rounds]        another tenant's list while one tenant searches and exports
 *                                              250,000 exceptions and sends costly requests;
 *                                              [rounds] <pressure>…: only these
 */
import { idle } from "./faults/idle.ts";
import { lanes } from "./faults/lanes.ts";
import { orphans } from "./faults/orphans.ts";
import { revocation } from "./faults/revocation.ts";

const DRILLS: Record<
  string,
  { run: (rounds: number, only: string[]) => Promise<void>; rounds: number }
> = {
  idle: { run: idle, rounds: 10 },
  orphans: { run: orphans, rounds: 12 },
  revocation: { run: revocation, rounds: 400 },
  lanes: { run: lanes, rounds: 2 },
};

const [name = "", rounds, ...only] = process.argv.slice(2);
const drill = DRILLS[name];
if (!drill) throw new Error(`Name a drill: ${Object.keys(DRILLS).join(", ")}.`);
await drill.run(Number(rounds ?? drill.rounds), only);
process.exit(0);
