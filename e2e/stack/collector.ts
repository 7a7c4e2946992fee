/** Receives OTLP/HTTP in its JSON form: https://opentelemetry.io/docs/specs/otlp/#otlphttp */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

type Value = { stringValue?: string; intValue?: number };
type Attribute = { key: string; value: Value };
type Point = {
  attributes: Attribute[];
  asDouble?: number;
  asInt?: number;
  count?: number;
  sum?: number;
  bucketCounts?: number[];
  explicitBounds?: number[];
};
type Of<Name extends string, Content> = { resource: { attributes: Attribute[] } } & Record<
  Name,
  Content[]
>;
type Sent = {
  resourceSpans?: Of<"scopeSpans", { spans: Span[] }>[];
  resourceMetrics?: Of<"scopeMetrics", { metrics: Metric[] }>[];
  resourceLogs?: Of<"scopeLogs", { logRecords: LogRecord[] }>[];
};

export type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Attribute[];
  links?: { traceId: string; spanId: string }[];
  status?: { code?: number };
};
export type Metric = {
  name: string;
  gauge?: { dataPoints: Point[] };
  sum?: { dataPoints: Point[]; isMonotonic: boolean };
  histogram?: { dataPoints: Point[] };
};
export type LogRecord = {
  body: Value;
  severityText: string;
  traceId?: string;
  spanId?: string;
  attributes: Attribute[];
};

type From = { service: string; instance: string };

const textOf = (attributes: readonly Attribute[], name: string) =>
  attributes.find(({ key }) => key === name)?.value.stringValue ?? "";

export class Collector {
  readonly spans: (Span & From)[] = [];
  readonly metrics: (Metric & From)[] = [];
  readonly logs: (LogRecord & From)[] = [];
  readonly #server = createServer(async (request, response) => {
    this.#take((await json(request)) as Sent);
    response.setHeader("Content-Type", "application/json").end("{}");
  });

  static async start(): Promise<Collector> {
    const collector = new Collector();
    collector.#server.listen(0, "127.0.0.1");
    await once(collector.#server, "listening");
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The latest value of a metric from a kind of process. */
  metric(service: string, name: string): Metric | undefined {
    return this.metrics.findLast((metric) => metric.service === service && metric.name === name);
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #take({ resourceSpans = [], resourceMetrics = [], resourceLogs = [] }: Sent): void {
    const from = ({ attributes }: { attributes: Attribute[] }): From => ({
      service: textOf(attributes, "service.name"),
      instance: textOf(attributes, "service.instance.id"),
    });
    for (const { resource, scopeSpans } of resourceSpans)
      this.spans.push(
        ...scopeSpans.flatMap(({ spans }) => spans).map((span) => ({ ...span, ...from(resource) })),
      );
    for (const { resource, scopeMetrics } of resourceMetrics)
      this.metrics.push(
        ...scopeMetrics
          .flatMap(({ metrics }) => metrics)
          .map((metric) => ({ ...metric, ...from(resource) })),
      );
    for (const { resource, scopeLogs } of resourceLogs)
      this.logs.push(
        ...scopeLogs
          .flatMap(({ logRecords }) => logRecords)
          .map((record) => ({ ...record, ...from(resource) })),
      );
  }
}
