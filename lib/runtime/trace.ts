import { AsyncLocalStorage } from "node:async_hooks";
import { singleton } from "./singleton.ts";

export type Attributes = Record<string, string | number>;

/**
 * A step of the work for a request. One trace is one request: its ID is the trace's, so whoever knows the request ID, in another process and
 * minutes later, adds to the same trace. Null: the step belongs to no request, and begins a trace of its own. Left out: it belongs to the
 * step in which it is done.
 */
export type Step = {
  requestId?: string | null;
  name: string;
  kind: "server" | "client" | "consumer" | "internal";
  attributes?: Attributes;
  /** The request's own first step, which the others are below; `caller`: its `traceparent` (W3C Trace Context), linked to and not believed. */
  first?: { caller: string | null };
};

/** `traceparent`: how what comes next names this step. */
type Under = { traceparent: string; end: (failed: boolean, attributes?: Attributes) => void };
/** `within`: the `traceparent` of the step in which it begins. */
export type Tracer = { begin: (step: Step, within: string | undefined) => Under };

const kept = () =>
  singleton("tracer", (): { tracer: Tracer | null; within: AsyncLocalStorage<string> } => ({
    tracer: null,
    within: new AsyncLocalStorage(),
  }));

export function traceWith(tracer: Tracer): void {
  kept().tracer = tracer;
}

/** The `traceparent` of the step in which the caller is, for who goes on with it elsewhere. */
export function presentStep(): string | undefined {
  return kept().within.getStore();
}

/** Goes on with a step that began in another thread. */
export function goOnIn<Result>(traceparent: string | undefined, work: () => Result): Result {
  return traceparent ? kept().within.run(traceparent, work) : work();
}

/** Does the work as a step, where steps are traced. `outcome`: what is known of it only then. */
export async function traced<Result>(
  step: () => Step,
  work: (traceparent: string | null) => PromiseLike<Result>,
  outcome: (result: Result) => { failed: boolean; attributes?: Attributes } = () => ({
    failed: false,
  }),
): Promise<Result> {
  const { tracer, within } = kept();
  if (!tracer) return work(null);
  const under = tracer.begin(step(), within.getStore());
  try {
    const result = await within.run(under.traceparent, () => work(under.traceparent));
    const { failed, attributes } = outcome(result);
    under.end(failed, attributes);
    return result;
  } catch (error) {
    under.end(true, { "error.type": (error as Error).name });
    throw error;
  }
}
