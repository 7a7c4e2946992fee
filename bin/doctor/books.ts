import { withDirectClient } from "./database.ts";
import type { Project } from "./project.ts";
import { type Check, ok, problem } from "./run-checks.ts";

const MAX_LISTED = 20;

type Pair = { tenant_id: string; pair_no: number; names: string };
type Difference = { what: string; subject: string; computed: string | null; shown: string | null };

/** `npm run doctor -- --books` only reads and takes no locks. */
export const bookChecks: readonly Check[] = [{ name: "Books", run: checkBooks }];

/**
 * Recomputes every pair from its lines, decisions and closings, and compares it with what is shown.
 */
async function checkBooks(project: Project) {
  return withDirectClient(project, async (client) => {
    await client.query("begin isolation level repeatable read read only");
    const { rows: pairs } = await client.query<Pair>(
      `select p.tenant_id, p.pair_no, l.name || ' and ' || r.name as names from public.pairs p
       join public.sources l on l.tenant_id = p.tenant_id and l.source_no = p.left_source_no
       join public.sources r on r.tenant_id = p.tenant_id and r.source_no = p.right_source_no
       order by 1, 2`,
    );
    const found: string[] = [];
    for (const { tenant_id, pair_no, names } of pairs) {
      const { rows } = await client.query<Difference>(
        "select * from private.books_differences($1, $2)",
        [tenant_id, pair_no],
      );
      found.push(
        ...rows.map(
          ({ what, subject, computed, shown }) =>
            `${tenant_id}, ${names}: ${what} of ${subject} is ` +
            `${computed ?? "none"}, shown as ${shown ?? "none"}`,
        ),
      );
    }
    if (found.length === 0)
      return ok(`the totals of ${pairs.length} pairs agree with their lines and decisions`);
    const listed = found.slice(0, MAX_LISTED);
    if (found.length > listed.length) listed.push(`and ${found.length - listed.length} more`);
    return problem(
      `${found.length} values differ from a recount of lines and decisions:\n  ${listed.join("\n  ")}`,
      "Don't close these periods. Keep a copy of the database, and report this with the " +
        "lines above.",
    );
  });
}
