import { cliExample } from "./cli-example.ts";
import { inputOf, shellQuoted, shellWord, targetOf } from "./example-input.ts";
import { pythonExample } from "./python-example.ts";
import type { Operation } from "./reference.ts";
import { sdkExample } from "./sdk-example.ts";

export type Example = { language: "curl" | "CLI" | "TypeScript" | "Python"; code: string };

/** Requests to copy, for the origin that serves the page. */
export function examplesOf(operation: Operation, origin: string): Example[] {
  return [
    { language: "curl", code: curl(operation, origin) },
    { language: "CLI", code: cliExample(operation) },
    { language: "TypeScript", code: sdkExample(operation, origin) },
    { language: "Python", code: pythonExample(operation, origin) },
  ];
}

function curl(operation: Operation, origin: string): string {
  const { contract, body } = operation;
  const input = inputOf(operation);
  const headers = [
    "Authorization: Bearer $TIEOUT_TOKEN",
    "X-Tenant-Id: acme",
    ...(body ? [`Content-Type: ${body.mediaTypes[0] ?? "application/json"}`] : []),
    ...(contract.idempotency ? ["Idempotency-Key: $(openssl rand -hex 16)"] : []),
  ];
  const sent = input.body?.upload ?? JSON.stringify(input.body?.json, null, 2);
  const verb = contract.method === "GET" ? "" : `-X ${contract.method} `;
  return [
    `curl ${verb}${shellWord(origin + targetOf(operation, input))}`,
    ...headers.map((header) => `-H "${header}"`),
    ...(sent === undefined ? [] : [`--data-binary ${shellQuoted(sent)}`]),
  ].join(" \\\n  ");
}
