import { createHash } from "node:crypto";
import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  TraceFlags,
  trace,
} from "@opentelemetry/api";

/** A request ID is `req_` and 32 hexadecimal digits, the length of a trace ID. */
export const traceIdOf = (requestId: string | null | undefined) =>
  /^req_([0-9a-f]{32})$/.exec(requestId ?? "")?.[1];

/** The ID of a request's first span, which other processes can compute, too. */
export const firstSpanOf = (traceId: string) =>
  createHash("sha256").update(traceId).digest("hex").slice(0, 16);

/** A context below the request's first span, or a root context without a request. */
export function requestContext(requestId: string | null | undefined): Context {
  const traceId = traceIdOf(requestId);
  return traceId === undefined
    ? ROOT_CONTEXT
    : trace.setSpanContext(ROOT_CONTEXT, remote(traceId, firstSpanOf(traceId)));
}

/**
 * A context below the span that one of our `traceparent`s names, or a root context if it is
 * invalid.
 */
export function stepContext(traceparent: string): Context {
  const context = contextOf(traceparent);
  return context ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT;
}

export function linkTo(traceparent: string): Link[] {
  const context = contextOf(traceparent);
  return context ? [{ context }] : [];
}

/** Parses https://www.w3.org/TR/trace-context/#traceparent-header */
function contextOf(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId] =
    /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/.exec(traceparent) ?? [];
  return traceId && spanId ? remote(traceId, spanId) : undefined;
}

function remote(traceId: string, spanId: string): SpanContext {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}
