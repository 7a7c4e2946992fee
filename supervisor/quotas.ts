import { withConnection } from "./check-connection.ts";

/** The maximum number per tenant of each kind in private.quotas. */
const DEFAULTS = {
  api_keys: 1_000,
  webhooks: 250,
  reconciliations: 10_000,
  sources: 1_000,
  records: 1_000_000,
  exceptions: 5_000_000,
  lines: 100_000_000,
  members: 1_000,
  evidence_mib: 10_240,
};

export type Quotas = Partial<Record<keyof typeof DEFAULTS, number>>;

/**
 * Reads QUOTA_API_KEYS and the other variables; 0 means no quota.
 * @throws Error with the name of a variable that is not a whole number
 */
export function readQuotas(variables: Record<string, string | undefined>): Quotas {
  const quotas = Object.entries(DEFAULTS).map(([kind, max]) => {
    const name = `QUOTA_${kind.toUpperCase()}`;
    const value = variables[name] || String(max);
    if (!/^\d{1,15}$/.test(value))
      throw new Error(`${name} is "${value}", which is not a whole number; 0 is no quota.`);
    return [kind, Number(value)] as const;
  });
  return Object.fromEntries(quotas.filter(([, max]) => max > 0));
}

/** Stores the quotas in the database, which enforces them for every tenant. */
export async function storeQuotas(connectionString: string, quotas: Quotas): Promise<void> {
  await withConnection(connectionString, (client) =>
    client.query(
      `with quotas as (select key as kind, value::bigint as maximum from jsonb_each_text($1)),
         removed as (
           delete from private.quotas q
           where not exists (select from quotas w where w.kind = q.kind)
         )
       insert into private.quotas as q (kind, maximum) select kind, maximum from quotas
       on conflict (kind) do update set maximum = excluded.maximum
         where q.maximum <> excluded.maximum`,
      [JSON.stringify(quotas)],
    ),
  );
}
