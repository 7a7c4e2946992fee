import { type HrTime, ValueType } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import type { Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import type { Registry } from "prom-client";
import { PRODUCT_ID } from "../../wire/product.ts";

/**
 * The specified default:
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#periodic-exporting-metricreader
 */
const SEND_EVERY_MS = 60_000;
const STARTED = hrTimeOf(performance.timeOrigin);

type Labels = Record<string, string | number>;
type Sample = { value: number; labels: Labels; metricName?: string };
type PrometheusMetric = { name: string; help: string; type: unknown; values: Sample[] };

/**
 * Sends the same metrics as a scrape of /metrics, every minute or every OTEL_METRIC_EXPORT_INTERVAL
 * milliseconds.
 */
export function sendMetrics(
  resource: Resource,
  figures: () => Promise<Registry>,
): () => Promise<void> {
  const scope = { name: PRODUCT_ID };
  const collect = async () => {
    const metrics = (await (await figures()).getMetricsAsJSON()) as unknown as PrometheusMetric[];
    return {
      resourceMetrics: {
        resource,
        scopeMetrics: [{ scope, metrics: metrics.map((metric) => metricOf(metric)) }],
      },
      errors: [],
    };
  };
  const everyMs = Number(process.env.OTEL_METRIC_EXPORT_INTERVAL) || SEND_EVERY_MS;
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(),
    exportIntervalMillis: everyMs,
    exportTimeoutMillis: Math.min(everyMs, 30_000),
    metricProducers: [{ collect }],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return () => provider.shutdown();
}

/**
 * Converts a Prometheus metric to OpenTelemetry:
 * https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/
 */
function metricOf({ name, help, type, values }: PrometheusMetric): MetricData {
  const common = {
    descriptor: {
      name,
      description: help,
      unit: name.endsWith("_seconds") ? "s" : "",
      valueType: ValueType.DOUBLE,
    },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const endTime = hrTimeOf(Date.now());
  if (type === "histogram")
    return {
      ...common,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: histogramsOf(values, endTime),
    };
  const dataPoints = values.map(({ value, labels }) => ({
    startTime: STARTED,
    endTime,
    attributes: labels,
    value,
  }));
  if (type === "counter")
    return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
  return { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Prometheus buckets are cumulative; OpenTelemetry counts the values between two bounds. */
function histogramsOf(values: readonly Sample[], endTime: HrTime) {
  const series = new Map<
    string,
    { attributes: Labels; bounds: number[]; below: number[]; sum: number; count: number }
  >();
  for (const { value, labels, metricName = "" } of values) {
    const { le, ...attributes } = labels;
    const key = JSON.stringify(Object.entries(attributes).sort());
    const one = series.get(key) ?? { attributes, bounds: [], below: [], sum: 0, count: 0 };
    series.set(key, one);
    if (metricName.endsWith("_sum")) one.sum = value;
    else if (metricName.endsWith("_count")) one.count = value;
    else if (le !== "+Inf") {
      one.bounds.push(Number(le));
      one.below.push(value);
    }
  }
  return [...series.values()].map(({ attributes, bounds, below, sum, count }) => ({
    startTime: STARTED,
    endTime,
    attributes,
    value: {
      buckets: {
        boundaries: bounds,
        counts: [...below, count].map((all, at) => all - (below[at - 1] ?? 0)),
      },
      sum,
      count,
    },
  }));
}

function hrTimeOf(epochMs: number): HrTime {
  return [Math.floor(epochMs / 1_000), Math.round((epochMs % 1_000) * 1_000_000)];
}
