import { expect } from "vitest";
import { type Answer, stack } from "#e2e/fixtures.ts";
import { closed, pointerTo, validatorOf } from "#e2e/openapi-validator.ts";
import { openApiDocument } from "#lib/openapi/document.ts";
import type { Contract } from "#lib/wire/contract.ts";
import { ERRORS, type ErrorCode } from "#lib/wire/errors.ts";

const NDJSON = "application/x-ndjson";

type Documented = { $ref?: string; content?: Record<string, unknown> };

const document = JSON.parse(JSON.stringify(openApiDocument()));
const faultsAt = validatorOf(closed(document));

/** Every way in which a response deviates from the OpenAPI document of its operation. */
export function faultsOf(
  { path, method }: Contract,
  { status, headers, json, text }: Answer,
): unknown[] {
  const at = ["paths", path, method.toLowerCase(), "responses", `${status}`];
  const documented: Documented | undefined =
    document.paths[path][method.toLowerCase()].responses[status];
  if (!documented) return [`${status} is not documented: ${text.slice(0, 500)}`];
  const target = documented.$ref ? documented.$ref.split("/").slice(1) : at;
  const { content = {} }: Documented = target.reduce((part, key) => part[key], document);
  const mediaType = headers.get("content-type")?.split(";")[0] ?? "none";
  if (!(mediaType in content)) return [`${status} as ${mediaType} is not documented.`];
  return [
    ...faultsAt(
      pointerTo(...target, "content", mediaType, "schema"),
      mediaType.endsWith("json") && mediaType !== NDJSON ? json : text,
    ),
    ...(/^req_[0-9a-f]{32}$/.test(headers.get("x-request-id") ?? "")
      ? []
      : ["X-Request-Id is missing."]),
    ...(headers.get("cache-control") === "no-store" ? [] : ["Cache-Control is not no-store."]),
  ];
}

export function expectConforms(contract: Contract, answer: Answer): void {
  expect(
    faultsOf(contract, answer),
    `${contract.operationId} → ${answer.status} ${answer.text.slice(0, 500)}`,
  ).toEqual([]);
}

/**
 * Expects an error in the one documented form with this code. If an operation is given, the error
 * must be documented for it.
 */
export function expectProblem(answer: Answer, code: ErrorCode, contract?: Contract): void {
  const { status, title } = ERRORS[code];
  const requestId = answer.headers.get("x-request-id");
  expect(answer.json, answer.text).toEqual({
    type: `${stack.url}/docs/errors/${code}`,
    title,
    status,
    detail: expect.stringMatching(/^[A-Z].*\.$/s),
    code,
    request_id: requestId,
    ...(hasErrors(answer) && { errors: expect.any(Array) }),
    ...(code === "conflict" && { reason: expect.any(String), retryable: expect.any(Boolean) }),
  });
  expect(answer.status).toBe(status);
  if (code === "conflict") {
    const { retryable } = answer.json as { retryable: boolean };
    expect(answer.headers.has("retry-after")).toBe(retryable);
  }
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(requestId).toMatch(/^req_[0-9a-f]{32}$/);
  expect(answer.text).not.toMatch(/at [^"]+:\d+:\d+|select |insert into|PGRST|pg_catalog/);
  expect(faultsAt("#/components/schemas/Problem", answer.json)).toEqual([]);
  if (contract) expectConforms(contract, answer);
}

/** Expects two responses to be equal byte for byte, except for the request ID. */
export function expectSameResponse(left: Answer, right: Answer): void {
  const anonymous = ({ text, headers }: Answer) =>
    text.replaceAll(headers.get("x-request-id") ?? "", "");
  expect(anonymous(right)).toBe(anonymous(left));
  expect(right.status).toBe(left.status);
}

/** Whether a problem has `errors`: only codes about invalid fields have it. */
function hasErrors({ json }: Answer): boolean {
  return typeof json === "object" && json !== null && "errors" in json;
}
