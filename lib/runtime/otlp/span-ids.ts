import { createHash } from "node:crypto";
import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  TraceFlags,
  trace,
} from "@opentelemetry/api";

/** `req_` and 32 hexadecimal digits: a trace's ID is as long. */
export const traceIdOf = (requestId: string | null | undefined) =>
  /^req_([0-9a-f]{32})$/.exec(requestId ?? "")?.[1];

/** Of a request's first step: other processes can compute it. */
export const firstSpanOf = (traceId: string) =>
  createHash("sha256").update(traceId).digest("hex").slice(0, 16);

/** Below a request's first step, or below none. */
export function belowRequest(requestId: string | null | undefined): Context {
  const traceId = traceIdOf(requestId);
  return traceId === undefined
    ? ROOT_CONTEXT
    : trace.setSpanContext(ROOT_CONTEXT, remote(traceId, firstSpanOf(traceId)));
}

/** Below the step of a `traceparent` of ours, or below none. */
export function belowStep(traceparent: string): Context {
  const context = contextOf(traceparent);
  return context ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT;
}

export function linkTo(traceparent: string): Link[] {
  const context = contextOf(traceparent);
  return context ? [{ context }] : [];
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
function contextOf(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId] =
    /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/.exec(traceparent) ?? [];
  return traceId && spanId ? remote(traceId, spanId) : undefined;
}

function remote(traceId: string, spanId: string): SpanContext {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}
