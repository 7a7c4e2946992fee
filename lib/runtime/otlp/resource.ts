import { randomUUID } from "node:crypto";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { PRODUCT_ID } from "../../wire/product.ts";

/**
 * Names this process in telemetry. Two processes of a kind have different instance IDs, so their
 * metrics stay apart. https://opentelemetry.io/docs/specs/semconv/resource/
 */
export function resourceOf(part: string): Resource {
  return resourceFromAttributes({
    "service.name": process.env.OTEL_SERVICE_NAME ?? `${PRODUCT_ID}-${part}`,
    "service.instance.id": randomUUID(),
    "process.pid": process.pid,
  });
}
