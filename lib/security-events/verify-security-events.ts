import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { singleton } from "../runtime/singleton.ts";
import type { ChainedEvent } from "./chain.ts";
import type { ChainVerification } from "./contract.ts";
import { type ChainState, verifyChain } from "./verify-chain.ts";

const PAGE_EVENTS = 2000;

/** Verifications in progress, by tenant and position: concurrent callers share one. */
const walks = () => singleton("chain-walks", () => new Map<string, Promise<ChainVerification>>());

export async function verifySecurityEvents(ctx: Context): Promise<ChainVerification> {
  const state = await read<ChainState>(ctx, "open_security_event_chain", {});
  const key = `${ctx.tenantId} ${state.head?.seq}`;
  const walk =
    walks().get(key) ??
    verifyChain(state, (after, through) =>
      read<ChainedEvent[]>(ctx, "walk_security_event_chain", {
        after,
        through,
        limit: PAGE_EVENTS,
      }),
    );
  walks().set(key, walk);
  return walk.finally(() => walks().delete(key));
}
