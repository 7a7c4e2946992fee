import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import type { Resource } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { PRODUCT_ID } from "../../wire/product.ts";
import type { Step, Tracer } from "../trace.ts";
import { firstSpanOf, linkTo, requestContext, stepContext, traceIdOf } from "./span-ids.ts";

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};
const SEND_EVERY_MS = 1_000;

/**
 * Generates random IDs, except for the first span of a request, whose IDs are derived from the
 * request ID.
 */
class SpanIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  next: { traceId: string; spanId: string } | null = null;

  generateTraceId(): string {
    return this.next?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.next?.spanId ?? this.#random.generateSpanId();
  }
}

export function sendSpans(resource: Resource): { tracer: Tracer; stop: () => Promise<void> } {
  const idGenerator = new SpanIds();
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter(),
    scheduledDelayMillis: SEND_EVERY_MS,
  });
  const provider = new TracerProvider({ resource, idGenerator, spanProcessors: [processor] });
  const tracer = provider.getTracer(PRODUCT_ID);

  const begin = (
    { requestId, name, kind, attributes, first }: Step,
    within: string | undefined,
  ) => {
    const traceId = traceIdOf(requestId);
    const parentContext =
      requestId === undefined && within
        ? stepContext(within)
        : requestContext(first ? null : requestId);
    idGenerator.next = first && traceId ? { traceId, spanId: firstSpanOf(traceId) } : null;
    const allAttributes = requestId
      ? { ...attributes, "tieout.request_id": requestId }
      : attributes;
    const links = first?.caller ? linkTo(first.caller) : [];
    const span = tracer.startSpan(
      name,
      { kind: KINDS[kind], attributes: allAttributes ?? {}, links },
      parentContext,
    );
    idGenerator.next = null;
    const context = span.spanContext();
    return {
      traceparent: `00-${context.traceId}-${context.spanId}-01`,
      end(failed: boolean, more: Step["attributes"] = {}) {
        span.setAttributes(more);
        if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  };
  return { tracer: { begin }, stop: () => provider.shutdown() };
}
