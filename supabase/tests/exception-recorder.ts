import type { Client } from "pg";

/** What actions use: calls as a person of the tenant, and statements as the database's owner. */
export type ActionContext = {
  call: (verb: string, input: object) => Promise<unknown>;
  sql: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;
  /** The id of the exception with this title when it was created. */
  id: (title: string) => string;
};
export type RecordedAction = { name: string; run: (context: ActionContext) => Promise<unknown> };

export const TENANT = "acme";
const OPERATIONS: Record<string, string> = {
  put_sla_policy: "putSlaPolicy",
  create_calendar: "createCalendar",
  put_calendar: "putCalendar",
};
const CLAIMS = {
  tenant_id: TENANT,
  role: "authenticated",
  principal_type: "user",
  principal_id: "user:ada",
  sub: "ada",
  issuer: "tieout",
  actor: "user:ada",
  roles: ["tenant_admin"],
  scopes: [],
};

type Row = Record<string, unknown>;
type Refusal = { code?: string; message: string; detail?: string; hint?: string };

const EVENT_FIELDS = ["status", "due_at", "minutes_to_breach", "breach_risk", "paused_at"];
/** Minutes are rounded to this; the actions take far less, even on a slow machine. */
const COARSE_MINUTES = 20;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const ID = /\b(?:exc_[0-9a-f]{32}|(?:cal|evt|rcn|mat|lin)_[0-9a-f]{32})\b/g;
const MINUTES = ["minutes_to_breach", "business_minutes_remaining"];

const STATE = `select to_jsonb(e)
    - '{tenant_id,due_open_ms,paused_ms,calendar_no,pair_no,line_id}'::text[]
  || jsonb_build_object('counts_by_calendar', e.due_open_ms is not null, 'was_paused',
    e.paused_ms > 0) as state
  from public.exceptions e where e.tenant_id = $1 order by e.id`;
const LEDGER = `select to_jsonb(l) - '{tenant_id,calendar_no}'::text[]
    || jsonb_build_object('has_calendar', l.calendar_no is not null) as row
  from public.exception_ledger l where l.tenant_id = $1 and l.id > $2
  order by l.exception_id, l.id`;
const HISTORY = `select to_jsonb(h) - 'tenant_id' as row from public.exception_history h
  where h.tenant_id = $1
     and h.id > $2 order by h.exception_id, h.id`;
const EVENTS = `select jsonb_build_object('id', e.id, 'type', e.type, 'data', e.data, 'once',
    e.once_key is not null, 'request_id', e.request_id,
    'deliveries', (select jsonb_agg(d.status) from public.webhook_deliveries d
      where d.tenant_id = e.tenant_id and d.event_id = e.id)) as row,
    e.position::text as place
  from public.events e where e.tenant_id = $1 and e.type like 'exception.%'
    and e.position > $2::bigint order by e.position`;
const CLOCKS = `select c.exception_id, c.due_at, c.position, c.next_at is not null as is_armed,
    c.held_position,
    (select jsonb_agg(jsonb_build_object('minutes', w.minutes, 'waits', w.at = 'infinity')
      order by w.minutes) from private.business_warnings w
      where w.tenant_id = c.tenant_id and w.exception_id = c.exception_id) as warnings
  from private.exception_clocks c where c.tenant_id = $1 order by c.exception_id`;
const COUNTERS = [
  `select sum(breached) as breached, sum(at_risk) as at_risk, sum(on_track) as on_track
   from private.sla_counts where tenant_id = $1`,
  `select due_from = 'infinity' as paused, sum(open_count) as open, sum(amount_minor) as minor
   from private.open_by_deadline where tenant_id = $1 group by 1 order by 1`,
  `select assigned_to, currency, sum(open_count) as open, sum(amount_minor) as minor
   from private.open_by_assignee where tenant_id = $1 group by 1, 2 having sum(open_count) <> 0
   order by 1, 2`,
  `select reconciliation_id <> '' as reconciled, currency, sum(open_count) as open,
     sum(amount_minor) as minor
   from private.open_by_reconciliation where tenant_id = $1 group by 1, 2
   having sum(open_count) <> 0 order by 1, 2`,
];

/**
 * Performs the actions one after another. @returns the rows that each changed, one per line, with
 * names for IDs and rounded minutes for times
 */
export async function recordExceptions(
  client: Client,
  actions: readonly RecordedAction[],
): Promise<string> {
  const names = new Map<string, string>();
  const nameOf = (id: string) => {
    if (!names.has(id)) names.set(id, `${id.slice(0, 4)}${names.size}`);
    return names.get(id) ?? "";
  };
  const sql: ActionContext["sql"] = async (text, values = []) =>
    (await client.query(text, values)).rows;
  const seen = { ledger: "0", history: "0", event: "0" };
  let before = new Map<string, Row>();
  const lines: string[] = [];
  for (const { name, run } of actions) {
    lines.push("", `# ${name}`);
    await run({
      sql,
      call: async (verb, input) => {
        try {
          const answer = await call(client, verb, input);
          if (verb === "create_exception") names.set(answer.id as string, answer.title as string);
          return answer;
        } catch (error) {
          lines.push(`refused ${verb}: ${refusal(error as Refusal)}`);
        }
      },
      id: (title) => [...names].find(([, known]) => known === title)?.[0] ?? title,
    });
    const states = (await sql(STATE, [TENANT])).map(({ state }) => state as Row);
    const created = new Map(states.map((state) => [state.id, state.created_at as string]));
    for (const { id, title } of states)
      if (!names.has(id as string)) names.set(id as string, title as string);
    const record = (kind: string, rows: [id: unknown, row: Row][]) => {
      const named = rows.map(([id, { id: _, exception_id, ...row }]) => ({
        owner: nameOf(id as string),
        row: coarse(row, created.get(id) ?? "", nameOf),
      }));
      const byOwner = named.sort((a, b) => (a.owner < b.owner ? -1 : Number(a.owner > b.owner)));
      for (const { owner, row } of byOwner) lines.push(`${kind} ${owner}: ${JSON.stringify(row)}`);
    };
    const now = new Map(
      states.map((state) => [
        state.id as string,
        coarse(state, state.created_at as string, nameOf) as Row,
      ]),
    );
    record(
      "row",
      states
        .map(
          (state) =>
            [
              state.id,
              differences(before.get(state.id as string), now.get(state.id as string) ?? {}),
            ] as [unknown, Row],
        )
        .filter(([, changed]) => Object.keys(changed).length > 0),
    );
    before = now;
    const ledger = (await sql(LEDGER, [TENANT, seen.ledger])).map(({ row }) => row as Row);
    record(
      "ledger",
      ledger.map((row) => [row.exception_id, row]),
    );
    seen.ledger = greatest(seen.ledger, ledger);
    const history = (await sql(HISTORY, [TENANT, seen.history])).map(({ row }) => row as Row);
    record(
      "history",
      history.map((row) => [row.exception_id, row]),
    );
    seen.history = greatest(seen.history, history);
    const events = (await sql(EVENTS, [TENANT, seen.event])).map(({ row, place }) => ({
      row: row as Row,
      place: place as string,
    }));
    record(
      "event",
      events.map(({ row }) => eventOf(row)),
    );
    seen.event = events.at(-1)?.place ?? seen.event;
  }
  lines.push("", "# clocks and counters after all of them");
  const clocks = (await sql(CLOCKS, [TENANT])).map(
    ({ exception_id: id, due_at, ...rest }) =>
      `clock ${nameOf(id as string)}: ${JSON.stringify({ is_held: typeof due_at === "number", ...rest })}`,
  );
  lines.push(...clocks.sort());
  for (const counter of COUNTERS) lines.push(JSON.stringify(await sql(counter, [TENANT])));
  return `${lines.join("\n").trim()}\n`;
}

/** The parts of an event's exception that an action changes. */
function eventOf({ data, ...row }: Row): [id: unknown, row: Row] {
  const { exception, ...rest } = data as { exception: Row };
  const fields = Object.fromEntries(EVENT_FIELDS.map((field) => [field, exception[field]]));
  return [exception.id, { ...row, exception: fields, ...rest }];
}

function differences(before: Row | undefined, now: Row): Row {
  return Object.fromEntries(
    Object.entries(now).filter(
      ([key, value]) => JSON.stringify(before?.[key]) !== JSON.stringify(value),
    ),
  );
}

async function call(client: Client, verb: string, input: object): Promise<Row> {
  await client.query("begin");
  try {
    await client.query(
      `select set_config('role', 'authenticated', true),
         set_config('request.jwt.claims', $1, true)`,
      [JSON.stringify(CLAIMS)],
    );
    const operation =
      OPERATIONS[verb] ?? verb.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const { rows } = await client.query(`select public.${verb}($1, $2) as answer`, [
      input,
      { operation, request_id: `req_${verb}` },
    ]);
    await client.query("commit");
    return rows[0].answer.body ?? rows[0].answer;
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/**
 * Refusals of the database itself have no details here, since every layer above reports them as
 * internal.
 */
function refusal({ code, message, detail, hint }: Refusal): string {
  return [code, message, ...(code === "TO001" ? [detail, hint] : [])].filter(Boolean).join(" | ");
}

function greatest(last: string, rows: Row[]): string {
  return rows.reduce(
    (max, { id }) => (BigInt(id as number) > BigInt(max) ? String(id) : max),
    last,
  );
}

/**
 * Replaces times by rounded minutes since the exception's creation and IDs by names, so that every
 * run gives the same text.
 */
function coarse(value: unknown, since: string, nameOf: (id: string) => string): unknown {
  if (typeof value === "string") {
    if (value === "infinity") return value;
    return TIME.test(value)
      ? `+${rounded((Date.parse(value) - Date.parse(since)) / 60_000)} min`
      : value.replace(ID, (id) => nameOf(id));
  }
  if (Array.isArray(value)) return value.map((item) => coarse(item, since, nameOf));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      MINUTES.includes(key) && typeof item === "number"
        ? rounded(item)
        : coarse(item, since, nameOf),
    ]),
  );
}

function rounded(minutes: number): number {
  return Math.round(minutes / COARSE_MINUTES) * COARSE_MINUTES + 0;
}
