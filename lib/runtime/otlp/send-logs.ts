import { type LogAttributes, SeverityNumber } from "@opentelemetry/api-logs";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-http";
import type { Resource } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { PRODUCT_ID } from "../../wire/product.ts";
import { addLogSink } from "../log.ts";
import { requestContext } from "./span-ids.ts";

const SEND_EVERY_MS = 1_000;
const SEVERITIES: Record<string, SeverityNumber> = {
  trace: SeverityNumber.TRACE,
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
};

type Line = { level: string; time: string; msg?: string; request_id?: string };

/**
 * Sends each line of this process's log, which still goes to stdout. Lines with a request ID are
 * linked to its trace.
 */
export function sendLogs(resource: Resource): () => Promise<void> {
  const processor = new BatchLogRecordProcessor({
    exporter: new OTLPLogExporter(),
    scheduledDelayMillis: SEND_EVERY_MS,
  });
  const provider = new LoggerProvider({ resource, processors: [processor] });
  const logger = provider.getLogger(PRODUCT_ID);
  addLogSink((line) => {
    const { level, time, msg, ...attributes } = JSON.parse(line) as Line & LogAttributes;
    logger.emit({
      timestamp: new Date(time),
      severityText: level,
      severityNumber: SEVERITIES[level] ?? SeverityNumber.UNSPECIFIED,
      body: msg ?? "",
      attributes,
      context: requestContext(attributes.request_id),
    });
  });
  return () => provider.shutdown();
}
