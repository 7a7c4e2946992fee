import type { EventKind, ListedEvent } from "../../../typescript/src/generated/types.gen.ts";
import { sign } from "../../../typescript/src/index.ts";
import { connect, type GlobalOptions } from "../connection.ts";
import { CliError, EXIT } from "../failure.ts";
import { requireAddress } from "../input.ts";
import { note, print } from "../output.ts";
import { newListenSecret } from "../profiles.ts";

const TIMEOUT_MS = 15_000;
const HOUR_MS = 3_600_000;

type ListenOptions = GlobalOptions & {
  forward: string;
  events?: string[];
  since?: string;
  replay?: string[];
};

/** Forwards events to a receiver on this machine, signed as deliveries are. */
export async function listen(options: ListenOptions): Promise<void> {
  const { replay, events, since } = options;
  // An address such as localhost:8080 is meant without TLS.
  const forward = options.forward.includes("://") ? options.forward : `http://${options.forward}`;
  requireAddress("--forward", forward);
  const { tieout, profile } = await connect(options);
  const secret = profile.listen_secret ?? newListenSecret();
  // A receiver can't verify events without the secret, so a script gets it, too.
  if (options.json) console.error(JSON.stringify({ signing_secret: secret }));
  else note(options, `Signing secret: ${secret}`);
  const send = async (event: ListedEvent) => {
    const result = await deliver(event, forward, secret);
    const { id, type, status, failure, duration_ms } = result;
    print(options, result, `${status ?? failure}  ${type}  ${id}  ${duration_ms} ms`);
    return status !== undefined && status >= 200 && status < 300;
  };
  if (replay) {
    let missed = 0;
    for (const id of replay) if (!(await send(await tieout.events.get(id)))) missed += 1;
    if (missed > 0)
      throw new CliError(EXIT.failed, `The receiver didn't accept ${missed} of ${replay.length}.`);
    return;
  }
  const query = { test: true, types: events as EventKind[] | undefined };
  // No event is later than the next hour, so this position is after all existing ones.
  const start = since ?? new Date(Date.now() + HOUR_MS).toISOString();
  const first = await tieout.events.list({ ...query, since: start }).page();
  note(options, `Ready. Events go to ${forward}`);
  for (const event of first.items) await send(event);
  for await (const event of tieout.events.poll({ ...query, cursor: first.resume_cursor }))
    await send(event as ListedEvent);
}

async function deliver(
  { id, type, timestamp, test, data }: ListedEvent,
  url: string,
  secret: string,
) {
  const body = JSON.stringify({ type, timestamp, test, data });
  const startedAt = performance.now();
  const outcome = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(await sign(body, secret, { id })) },
    body,
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).then(
    async ({ status, body }) => {
      // An unread body would keep its connection open.
      await body?.cancel();
      return { status, failure: undefined };
    },
    ({ message, cause }) => ({ status: undefined, failure: String(cause?.code ?? message) }),
  );
  return { id, type, ...outcome, duration_ms: Math.round(performance.now() - startedAt) };
}

/** Sends a test event to all listeners. */
export async function trigger(type: string, options: GlobalOptions): Promise<void> {
  const { tieout } = await connect(options);
  const event = await tieout.events.createTest({ type: type as never });
  print(options, event, `${event.type}  ${event.id}`);
}
