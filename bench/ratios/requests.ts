import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Principal } from "#lib/auth/principal.ts";
import { claimsOf } from "#lib/db/claims.ts";
import { callDirectly } from "#lib/db/direct/call-directly.ts";
import { bytesOf, type Call, calling, type Hot, hotCalls, newException, polling } from "./calls.ts";
import { type Rate, rates, type Side } from "./rates.ts";
import { type Finding, ratioOf, type Section } from "./report.ts";
import { type Server, startBare, startService } from "./server.ts";

const OPEN = 60;

/** The hottest calls against handlers of the same bytes, and a write against its SQL alone. */
export async function requests(): Promise<Section> {
  const hot = await hotCalls(OPEN);
  const ours = await startService();
  const bare = await startBare(await bodiesOf(ours, [hot.me, hot.board, hot.create]));
  try {
    const findings: Finding[] = [];
    for (const [what, call, min] of [
      ["`GET /v1/me` by key", hot.me, 0.7],
      ["`GET /v1/exceptions/sla`, 50 items, by JWT", hot.board, 0.6],
    ] as const) {
      const [service, handler] = (await rates(pair(ours, bare, call))) as [Rate, Rate];
      findings.push(ratioOf(what, service, handler, min));
    }
    const polls = [polling("service", ours, hot.board), calling("bare handler", bare, hot.board)];
    const [poll, answer] = (await rates(polls)) as [Rate, Rate];
    findings.push(ratioOf("the same with nothing new, 304", poll, answer, null));
    const [service, handler, transaction] = (await rates([
      ...pair(ours, bare, hot.create),
      inSql(hot),
    ])) as [Rate, Rate, Rate];
    findings.push(ratioOf("`POST /v1/exceptions` by key", service, handler, null));
    findings.push(ratioOf("`POST /v1/exceptions` by key", service, transaction, 0.5));
    return {
      title: "1. The hottest calls",
      how:
        "16 calls at once over kept connections. The bare handlers are " +
        "route handlers of Next in its production server, started " +
        "likewise, that send the same bytes from memory and log nothing.",
      findings,
    };
  } finally {
    await Promise.all([ours.stop(), bare.stop()]);
  }
}

function pair(ours: Server, bare: Server, call: Call): Side[] {
  return [calling("service", ours, call), calling("bare handler", bare, call)];
}

/**
 * Creates an exception without HTTP: calls the same function in the same way as the web process.
 */
function inSql({ tenant, keyId }: Hot): Side {
  const key: Principal = {
    type: "api_key",
    issuer: "",
    sessionId: null,
    id: keyId,
    lineageId: keyId,
    name: "bench",
    roles: [],
    scopes: ["write:exceptions"],
  };
  const claims = claimsOf(key, tenant);
  return {
    name: "its SQL transaction",
    async once() {
      const request = {
        operation: "createException",
        request_id: "req_bench",
        address: "127.0.0.1",
      };
      const { error } = await callDirectly(claims, "create_exception", {
        input: newException(),
        request,
      });
      if (error) throw new Error(error.message);
    },
  };
}

async function bodiesOf(ours: Server, calls: Call[]): Promise<string> {
  const bodies: Record<string, string> = {};
  for (const call of calls) bodies[`${call.method} ${call.path}`] = await bytesOf(ours, call);
  const file = join(mkdtempSync(join(tmpdir(), "tieout-bench-")), "bodies.json");
  writeFileSync(file, JSON.stringify(bodies));
  return file;
}
