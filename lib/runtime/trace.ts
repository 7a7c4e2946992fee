import { AsyncLocalStorage } from "node:async_hooks";
import { singleton } from "./singleton.ts";

export type Attributes = Record<string, string | number>;

/**
 * A step of a request's work, which becomes a span. One request is one trace: the trace ID is
 * derived from the request ID, so any process that knows it, even minutes later, adds to the same
 * trace. If `requestId` is null, the step starts its own trace; if it is omitted, the step belongs
 * to the current one.
 */
export type Step = {
  requestId?: string | null;
  name: string;
  kind: "server" | "client" | "consumer" | "internal";
  attributes?: Attributes;
  /**
   * Marks the first span of the request, the parent of the others. `caller` is the client's
   * `traceparent` (W3C Trace Context), which is linked to but not trusted.
   */
  first?: { caller: string | null };
};

/** A started span. `traceparent` identifies it to its children. */
type Under = { traceparent: string; end: (failed: boolean, attributes?: Attributes) => void };
/** `within` is the `traceparent` of the parent span. */
export type Tracer = { begin: (step: Step, within: string | undefined) => Under };

const state = () =>
  singleton("tracer", (): { tracer: Tracer | null; within: AsyncLocalStorage<string> } => ({
    tracer: null,
    within: new AsyncLocalStorage(),
  }));

export function traceWith(tracer: Tracer): void {
  state().tracer = tracer;
}

/** The `traceparent` of the current step, to continue it elsewhere. */
export function currentStep(): string | undefined {
  return state().within.getStore();
}

/** Continues a step that began in another thread. */
export function continueStep<Result>(traceparent: string | undefined, work: () => Result): Result {
  return traceparent ? state().within.run(traceparent, work) : work();
}

/**
 * Runs the work as a step if tracing is on. `outcome` adds attributes that depend on the result.
 */
export async function traced<Result>(
  step: () => Step,
  work: (traceparent: string | null) => PromiseLike<Result>,
  outcome: (result: Result) => { failed: boolean; attributes?: Attributes } = () => ({
    failed: false,
  }),
): Promise<Result> {
  const { tracer, within } = state();
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
