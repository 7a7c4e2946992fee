import { editing } from "#e2e/exception-statements.ts";
import { type Answer, api, createTenant, sql, userToken } from "#e2e/fixtures.ts";
import type { Exception, SlaList } from "#lib/exceptions/contract.ts";

export type Event = {
  type: string;
  data: {
    exception: Exception;
    due_at: string;
    threshold_minutes?: number;
    threshold_kind?: string;
    next_threshold_minutes?: number;
  };
  at: Date;
};

/** A tenant with a lead, and the calls that tests of deadlines use. */
export async function tenantWithLead() {
  const tenant = await createTenant();
  const lead = await userToken(tenant, ["tenant_admin", "tenant_lead"], "leo");
  const call = (
    method: string,
    path: string,
    body?: object,
    query?: Record<string, string>,
  ): Promise<Answer> => api(method, path, { bearer: lead, tenant, body, query });
  return {
    tenant,
    lead,
    call,
    async create(body: object = {}): Promise<Exception> {
      const answer = await call("POST", "/v1/exceptions", {
        title: "Payout has no bank line",
        severity: "high",
        ...body,
      });
      if (answer.status !== 201) throw new Error(`Not created: ${answer.text}`);
      return answer.json as Exception;
    },
    async change(id: string, patch: object): Promise<Exception> {
      const answer = await call("PATCH", `/v1/exceptions/${id}`, patch);
      if (answer.status !== 200) throw new Error(`Not changed: ${answer.text}`);
      return answer.json as Exception;
    },
    async board(query: Record<string, string> = {}): Promise<SlaList> {
      const answer = await call("GET", "/v1/exceptions/sla", undefined, query);
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.json as SlaList;
    },
    /** The reported crossings of this tenant, in order: the threshold, or 0 for a breach. */
    async crossings(): Promise<number[]> {
      return (await slaEvents(tenant)).map(({ type, data }) =>
        type === "exception.sla.breached" ? 0 : (data.threshold_minutes ?? -1),
      );
    },
  };
}

export function slaEvents(tenant: string): Promise<Event[]> {
  return sql<Event>(
    `select type, data, at from public.events where tenant_id = $1 and type like 'exception.sla.%'
     order by id`,
    [tenant],
  );
}

/** The moment this many minutes (and seconds) after the database's now. */
export async function dueIn(minutes: number, seconds = 0): Promise<string> {
  const [row] = await sql<{ at: Date }>(
    "select clock_timestamp() + make_interval(mins => $1, secs => $2) as at",
    [minutes, seconds],
  );
  if (!row) throw new Error("no clock");
  return row.at.toISOString();
}

/**
 * Moves a deadline to this time from now, computed in the statement that moves it, and returns it.
 * A test prepares everything before that, so the deadline can't pass early if the machine stalls.
 */
export async function dueSoon(id: string, minutes: number, seconds: number): Promise<string> {
  const [row] = await sql<{ due_at: Date }>(
    editing(`'due_at', clock_timestamp() + make_interval(mins => $2, secs => $3)`, `id = $1`),
    [id, minutes, seconds],
  );
  if (!row) throw new Error(`no exception ${id}`);
  return row.due_at.toISOString();
}
