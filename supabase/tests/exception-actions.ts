import type { ActionContext, RecordedAction } from "./exception-recorder.ts";
import { TENANT } from "./exception-recorder.ts";

const WEBHOOK = `insert into public.webhooks (tenant_id, url, events) values ($1, 'https://receiver.example/',
  '{exception.created,exception.updated,exception.resolved,exception.paused,exception.resumed,exception.sla.at_risk,exception.sla.breached}')`;
const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
/** Open at any time, so that nothing depends on when the test runs. */
const ALWAYS = {
  weekly: DAYS.map((day) => ({ day, from: "00:00", to: "00:00" })),
  special_days: [],
};
const POLICY = {
  minutes_to_resolve: { critical: 200, high: 480, medium: 1440, low: 4320 },
  at_risk_thresholds: [240, 60],
  dry_run: false,
};
const RULES = {
  max_minutes: 600,
  max_count: 3,
  rules: [{ status: "in_review", reason_code: "waiting" }],
};

const dueIn = async ({ sql }: ActionContext, minutes: number, seconds = 0) =>
  (
    await sql(
      "select private.iso(clock_timestamp() + make_interval(mins => $1, secs => $2)) as at",
      [minutes, seconds],
    )
  )[0]?.at;
const create = (context: ActionContext, title: string, more: object) =>
  context.call("create_exception", { title, severity: "low", ...more });
const edit = (context: ActionContext, title: string, patch: object) =>
  context.call("update_exception", { id: context.id(title), patch });
const pause = (context: ActionContext, title: string, until: unknown = null) =>
  context.call("pause_exception", { id: context.id(title), reason: "Waiting for the bank", until });
const policy = (context: ActionContext, change: object) =>
  context.call("put_sla_policy", { ...POLICY, ...change });
const tick = ({ sql }: ActionContext) => sql("select private.tick_sla_clock()");
const wait = ({ sql }: ActionContext, seconds: number) => sql("select pg_sleep($1)", [seconds]);
const ids = (context: ActionContext, ...titles: string[]) =>
  titles.map((title) => context.id(title));

const PEOPLE: RecordedAction[] = [
  {
    name: "create: by policy or deadline, within thresholds, breached, in review, closed, refused",
    run: async (context) => {
      await context.sql("select private.create_tenant($1, 'Acme')", [TENANT]);
      await context.sql(WEBHOOK, [TENANT]);
      await create(context, "Policy", {
        severity: "critical",
        amount_minor: 1200,
        currency: "EUR",
        details: { bank: { iban: "DE1" }, n: 1 },
      });
      await create(context, "Far", {
        due_at: await dueIn(context, 6000),
        assigned_to: "user:leo",
        amount_minor: 5,
        currency: "USD",
      });
      await create(context, "Near", { due_at: await dueIn(context, 45), reason_code: "late" });
      await create(context, "Past", { due_at: await dueIn(context, -45) });
      await create(context, "Review", { status: "in_review" });
      await create(context, "Closed", { status: "resolved" });
      await create(context, "No currency", { amount_minor: 5 });
      await create(context, "Unknown", { reconciliation_id: "rcn_none" });
      await create(context, "Unknown severity", { severity: "none" });
    },
  },
  {
    name: "import",
    run: (context) =>
      context.call("import_exceptions", {
        rows: [
          { line: 1, title: "Import 1", severity: "high", amount_minor: 100, currency: "EUR" },
          { line: 2, title: "Import 2", severity: "low", reconciliation_id: "rcn_none" },
          { line: 3, title: "Import 3", severity: "medium", assigned_to: "user:zoe" },
        ],
      }),
  },
  {
    name: "edit: texts, details, amounts, nothing, an unknown one",
    run: async (context) => {
      await edit(context, "Policy", {
        title: "Renamed",
        details: { bank: { bic: "X" }, n: null },
        severity: "high",
      });
      await edit(context, "Policy", { amount_minor: 900, currency: "USD" });
      await edit(context, "Policy", { currency: null });
      await edit(context, "Policy", { severity: "high" });
      await edit(context, "Policy", { reconciliation_id: "rcn_none" });
      await edit(context, "Policy", { details: { long: "x".repeat(25_000) } });
      await edit(context, "No such", { title: "None" });
    },
  },
  {
    name: "edit: the deadline nearer, beyond a threshold, and away",
    run: async (context) => {
      await edit(context, "Far", { due_at: await dueIn(context, 200) });
      await edit(context, "Far", { due_at: await dueIn(context, 6000) });
      await edit(context, "Past", { due_at: await dueIn(context, 300) });
    },
  },
  {
    name: "assign and unassign",
    run: async (context) => {
      await edit(context, "Near", { assigned_to: "user:mia" });
      await edit(context, "Far", { assigned_to: null });
      await edit(context, "Far", { assigned_to: "mia" });
    },
  },
  {
    name: "pause, and what a paused one refuses",
    run: async (context) => {
      await pause(context, "Far");
      await pause(context, "Far");
      await edit(context, "Far", { due_at: await dueIn(context, 100) });
      await edit(context, "Far", { title: "Far and paused", assigned_to: "user:leo" });
      await pause(context, "Near", await dueIn(context, -1));
      await pause(context, "Near", await dueIn(context, 120));
    },
  },
  {
    name: "resume",
    run: async (context) => {
      await context.call("resume_exception", { id: context.id("Far") });
      await context.call("resume_exception", { id: context.id("Far") });
    },
  },
  {
    name: "a pause that is over, ended by the worker",
    run: async (context) => {
      await pause(context, "Past", await dueIn(context, 0, 1));
      await wait(context, 1.2);
      await tick(context);
    },
  },
  {
    name: "a pause that is over, ended by the next change",
    run: async (context) => {
      await pause(context, "Past", await dueIn(context, 0, 1));
      await wait(context, 1.2);
      await edit(context, "Past", { title: "Past and over" });
      await pause(context, "Past", await dueIn(context, 0, 1));
      await wait(context, 1.2);
      await pause(context, "Past");
    },
  },
  {
    name: "a breached one can't be paused",
    run: async (context) => {
      await create(context, "Breached", { due_at: await dueIn(context, -45) });
      await pause(context, "Breached");
    },
  },
  {
    name: "close: refused, resolved, dismissed, and while it is paused",
    run: async (context) => {
      await edit(context, "Review", { status: "resolved" });
      await edit(context, "Review", { resolution: "Booked." });
      await edit(context, "Review", { status: "resolved", resolution: "Booked." });
      await edit(context, "Import 1", { status: "dismissed", resolution: "Noise." });
      await edit(context, "Near", { status: "resolved", resolution: "Found while it was paused." });
      await edit(context, "Breached", { status: "resolved", resolution: "Late." });
    },
  },
  {
    name: "a closed one: refused to move, edited, its deadline moved",
    run: async (context) => {
      await edit(context, "Review", { status: "in_review" });
      await edit(context, "Review", { status: "dismissed" });
      await pause(context, "Review");
      await edit(context, "Review", { resolution: "Booked twice." });
      await edit(context, "Breached", { due_at: await dueIn(context, -200) });
    },
  },
  {
    name: "reopen",
    run: async (context) => {
      await edit(context, "Review", { status: "open" });
      await edit(context, "Near", { status: "open" });
      await edit(context, "Breached", { status: "open" });
      await edit(context, "Review", { status: "in_review" });
    },
  },
  {
    name: "many at once: changed, refused, paused, resumed, by a filter",
    run: async (context) => {
      await context.call("update_exceptions", {
        ids: ids(context, "Policy", "Far", "Import 3"),
        patch: { severity: "medium", assigned_to: "user:kim" },
      });
      await context.call("update_exceptions", {
        ids: ids(context, "Policy", "Import 1"),
        patch: { status: "in_review" },
      });
      await context.call("update_exceptions", {
        ids: ids(context, "Policy", "None"),
        patch: { status: "in_review" },
      });
      await context.call("update_exceptions", {
        ids: ids(context, "Policy", "Far", "Past"),
        pause: { reason: "All wait", until: null },
      });
      await context.call("update_exceptions", {
        ids: ids(context, "Policy", "Far"),
        pause: { reason: "All wait", until: null },
      });
      await context.call("update_exceptions", {
        ids: ids(context, "Far", "Past"),
        patch: { due_at: await dueIn(context, 500) },
      });
      await context.call("update_exceptions", { ids: ids(context, "Far", "Past"), resume: true });
      await context.call("update_exceptions", {
        filter: { severity: ["low"] },
        expected_count: 4,
        patch: { reason_code: "sorted" },
      });
      await context.call("update_exceptions", {
        filter: {},
        expected_count: 7,
        pause: { reason: "By filter", until: null },
      });
      await context.call("update_exceptions", {
        filter: { assigned_to: ["user:kim"] },
        expected_count: 3,
        patch: { status: "resolved", resolution: "All of them." },
      });
      await context.call("update_exceptions", {
        ids: ids(context, "Policy", "Import 3"),
        patch: { status: "open" },
      });
    },
  },
];

const POLICIES: RecordedAction[] = [
  {
    name: "recalculate: other minutes and pause rules",
    run: async (context) => {
      await create(context, "Low", {});
      await create(context, "Low and paused", {});
      await pause(context, "Low and paused");
      await create(context, "Low with its own due date", { due_at: await dueIn(context, 9000) });
      await policy(context, {
        minutes_to_resolve: { ...POLICY.minutes_to_resolve, low: 220 },
        pause: RULES,
      });
      await policy(context, { pause: RULES });
    },
  },
  {
    name: "pauses by a rule: begun, kept, ended, closed, created with it, beyond the policy's count",
    run: async (context) => {
      await edit(context, "Low", { status: "in_review", reason_code: "waiting" });
      await edit(context, "Low", { title: "Low, still waiting" });
      await edit(context, "Low", { reason_code: "answered" });
      await edit(context, "Low", { reason_code: "waiting" });
      await edit(context, "Low", { status: "resolved", resolution: "While it waited." });
      await edit(context, "Low", { status: "open" });
      await edit(context, "Low", { status: "in_review" });
      await context.call("resume_exception", { id: context.id("Low") });
      await pause(context, "Low");
      await create(context, "Waiting", { status: "in_review", reason_code: "waiting" });
      await create(context, "Waiting and breached", {
        status: "in_review",
        reason_code: "waiting",
        due_at: await dueIn(context, -45),
      });
      await pause(context, "Low with its own due date", await dueIn(context, 1200));
      await pause(context, "Low with its own due date");
    },
  },
  {
    name: "recalculate: by a calendar",
    run: async (context) => {
      const calendar = (await context.call("create_calendar", {
        name: "Always",
        time_zone: "UTC",
        ...ALWAYS,
      })) as { id: string };
      await policy(context, { pause: RULES, calendar_id: calendar.id });
      await create(context, "By calendar", { severity: "high" });
      await create(context, "By calendar and due", { due_at: await dueIn(context, 700) });
      await edit(context, "By calendar and due", { due_at: await dueIn(context, 100) });
      await pause(context, "By calendar");
      await context.call("put_calendar", {
        id: calendar.id,
        name: "Always",
        time_zone: "Asia/Tokyo",
        ...ALWAYS,
        apply_to: "open",
        dry_run: true,
      });
      await context.call("put_calendar", {
        id: calendar.id,
        name: "Always",
        time_zone: "Asia/Tokyo",
        ...ALWAYS,
        apply_to: "open",
        dry_run: false,
      });
      await context.call("resume_exception", { id: context.id("By calendar") });
      await edit(context, "By calendar", { status: "resolved", resolution: "Counted." });
      await edit(context, "By calendar", { status: "open" });
    },
  },
  {
    name: "recalculate: the time zone has changed",
    run: async (context) => {
      await context.sql(
        "update private.calendar_coverage set zone_print = '', zone_checked_at = '-infinity'",
      );
      // As if the previous release had counted an hour less.
      await context.sql(
        `update public.sla_policies set high_minutes = high_minutes + 60 where tenant_id = $1`,
        [TENANT],
      );
      await context.sql("select private.rebuild_calendars()");
      await context.sql(
        `update public.sla_policies set high_minutes = high_minutes - 60 where tenant_id = $1`,
        [TENANT],
      );
    },
  },
  {
    name: "warnings in business minutes, and other thresholds",
    run: async (context) => {
      await policy(context, {
        pause: RULES,
        at_risk_business_thresholds: [300, 120],
        at_risk_thresholds: [90],
      });
      await create(context, "Warned", { due_at: await dueIn(context, 100) });
      await create(context, "To be warned", { due_at: await dueIn(context, 2000) });
      await edit(context, "To be warned", { due_at: await dueIn(context, 200) });
      await pause(context, "To be warned");
      await context.call("resume_exception", { id: context.id("To be warned") });
      await edit(context, "To be warned", { status: "dismissed", resolution: "Enough." });
      await policy(context, { pause: RULES, at_risk_business_thresholds: [] });
    },
  },
  {
    name: "cross: the worker reports what passed, and so does a change before it",
    run: async (context) => {
      await create(context, "Crosses", { due_at: await dueIn(context, 0, 1) });
      await create(context, "Crosses and is closed", { due_at: await dueIn(context, 0, 1) });
      await create(context, "Crosses and is moved", { due_at: await dueIn(context, 0, 1) });
      await wait(context, 1.2);
      await edit(context, "Crosses and is closed", { status: "resolved", resolution: "Too late." });
      await edit(context, "Crosses and is moved", { due_at: await dueIn(context, 1000) });
      await tick(context);
      await tick(context);
    },
  },
];

const MATCH = (n: number) => `00000000-0000-0000-0000-00000000000${n}`;
const PERIOD = [TENANT, "rcn_00000000000000000000000000000001", "run_1", 1];
const LINES: RecordedAction[] = [
  {
    name: "create: of lines past grace, alone and of a suggestion",
    run: async ({ sql }) => {
      await sql(LINES_OF_TWO_SOURCES.replaceAll("$1", `'${TENANT}'`));
      const [{ of: line_nos } = {}] = await sql(
        `select array_agg(line_no::integer order by line_no) as of from public.lines
         where tenant_id = $1`,
        [TENANT],
      );
      const [first, second, third, fourth] = line_nos as number[];
      await sql("select private.open_line_exceptions($1, $2, $3, $4, $5)", [
        ...PERIOD,
        JSON.stringify([
          {
            line_nos: [first],
            title: "Line 1",
            severity: "high",
            reason_code: "no_counterpart",
            amount_minor: 100,
            currency: "EUR",
            details: { side: "left" },
          },
          {
            line_nos: [second],
            title: "Line 2",
            severity: "low",
            reason_code: "no_counterpart",
            amount_minor: 200,
            currency: "EUR",
            details: { side: "left" },
          },
          {
            match_id: MATCH(1),
            line_nos: [third, fourth],
            title: "Lines 3 and 4",
            severity: "low",
            assigned_to: "user:leo",
            reason_code: "amount_differs",
            amount_minor: null,
            currency: null,
            details: { lines: [] },
          },
        ]),
      ]);
    },
  },
  {
    name: "edit: pointed at a suggestion, which is deleted",
    run: async ({ sql }) => {
      await sql(
        `insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape,
           method, currency, amount_minor, created_by)
         select tenant_id, $2, pair_no, id, 'suggested', '1:1', 'rule', 'EUR', 100, 'system'
         from public.reconciliations where tenant_id = $1`,
        [TENANT, MATCH(2)],
      );
      await sql(
        `insert into public.match_members (tenant_id, match_id, pair_no, line_no, side,
           allocated_minor)
         select o.tenant_id, $2, o.pair_no, o.line_no, o.side, o.open_minor
         from private.open_lines o where o.tenant_id = $1 order by o.line_no limit 2`,
        [TENANT, MATCH(2)],
      );
      await sql("select private.link_exceptions_to_suggestions($1, $2, $3, $4)", PERIOD);
      await sql("select private.delete_matches($1, array[$2::uuid])", [TENANT, MATCH(1)]);
    },
  },
  {
    name: "edit and close: put together, one merged into the other",
    run: async (context) => {
      const [{ of: line_nos } = {}] = await context.sql(
        `select array_agg(line_no::integer order by line_no) as of from public.lines
         where tenant_id = $1`,
        [TENANT],
      );
      const [first, second] = line_nos as number[];
      await edit(context, "Line 1", { title: "Line 1, as ada calls it" });
      await context.sql("select private.regroup_exceptions($1, $2, $3, $4, $5)", [
        ...PERIOD,
        JSON.stringify([
          {
            exception_id: context.id("Line 1"),
            merged: [context.id("Line 2")],
            match_id: MATCH(2),
            line_nos: [first, second],
            title: "Lines 1 and 2",
            severity: "medium",
            reason_code: "amount_differs",
            amount_minor: 20,
            currency: "EUR",
            details: { lines: [{ side: "left" }] },
          },
        ]),
      ]);
    },
  },
  {
    name: "close by matching, and reopen where that is undone",
    run: async ({ sql }) => {
      const pair = "(select pair_no from public.pairs where tenant_id = $1)";
      const lines = "(select array_agg(line_no) from public.lines where tenant_id = $1)";
      const taken = await sql(
        `delete from private.open_lines where tenant_id = $1
         returning to_jsonb(open_lines) as line`,
        [TENANT],
      );
      await sql(`select private.resolve_matched_exceptions($1, ${pair}, array[$2::uuid])`, [
        TENANT,
        MATCH(2),
      ]);
      await sql(
        `select private.resolve_line_exceptions($1, ${pair}, ${lines}, 'Excluded: not ours.')`,
        [TENANT],
      );
      await sql(
        `insert into private.open_lines select x.*
         from jsonb_populate_recordset(null::private.open_lines, $1) x`,
        [JSON.stringify(taken.map(({ line }) => line))],
      );
      await sql(`select private.reopen_line_exceptions($1, ${pair}, ${lines})`, [TENANT]);
    },
  },
];

export const LINES_OF_TWO_SOURCES = `
  insert into public.sources (tenant_id, name, kind, currency)
  values ($1, 'Bank', 'bank_statement', 'EUR'), ($1, 'Ledger', 'ledger', 'EUR');
  insert into public.pairs (tenant_id, left_source_no, right_source_no)
  select $1, min(source_no), max(source_no) from public.sources where tenant_id = $1;
  insert into public.reconciliations (id, tenant_id, name, period_start, period_end, left_source,
    right_source, pair_no,
    left_source_id, right_source_id)
  select 'rcn_00000000000000000000000000000001', $1, 'September', '2026-09-01', '2026-09-30',
    'Bank', 'Ledger', p.pair_no, l.id, r.id
  from public.pairs p join public.sources l on l.source_no = p.left_source_no
  join public.sources r on r.source_no = p.right_source_no
  where p.tenant_id = $1;
  insert into public.runs (id, tenant_id, reconciliation_id, pair_no, status, attempt)
  select 'run_1', tenant_id, id, pair_no, 'running', 1 from public.reconciliations
  where tenant_id = $1;
  insert into public.lines (tenant_id, id, source_no, amount_minor, currency, value_date)
  select $1, ('00000000-0000-0000-0000-0000000000a' || n)::uuid, s.source_no, 100 * n, 'EUR',
    '2026-09-02'
  from generate_series(1, 4) n join public.sources s on s.tenant_id = $1
    and s.name = case when n < 4 then 'Bank' else 'Ledger' end order by n;
  insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor,
    open_minor, value_date)
  select $1, p.pair_no, l.line_no,
    case l.source_no when p.left_source_no then 'left' else 'right' end, 'EUR', l.amount_minor,
    l.amount_minor, l.value_date
  from public.lines l join public.pairs p on p.tenant_id = $1 where l.tenant_id = $1;
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method,
    currency, amount_minor, created_by)
  select $1, '00000000-0000-0000-0000-000000000001', pair_no, id, 'suggested', '1:1', 'rule',
    'EUR', 300, 'system' from public.reconciliations where tenant_id = $1`;

/** Every action on exceptions: by people, by the policy and the worker, by the matcher. */
export const ACTIONS: RecordedAction[] = [...PEOPLE, ...POLICIES, ...LINES];
