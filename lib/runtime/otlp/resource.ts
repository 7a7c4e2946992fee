import { randomUUID } from "node:crypto";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";

/** This process, as what it sends names it: two of a kind have figures of their own. https://opentelemetry.io/docs/specs/semconv/resource/ */
export function resourceOf(part: string): Resource {
  return resourceFromAttributes({
    "service.name": process.env.OTEL_SERVICE_NAME ?? `tieout-${part}`,
    "service.instance.id": randomUUID(),
    "process.pid": process.pid,
  });
}
