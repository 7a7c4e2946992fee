import { serviceDb } from "../db/client.ts";
import { toStorableText } from "../db/storable-text.ts";
import type { Json } from "../db/types.gen.ts";
import { unwrap } from "../db/unwrap.ts";
import { maskSecrets } from "../runtime/mask-secrets.ts";
import type { CREDENTIALS } from "./contract.ts";

/** An event that only the server observed, and no database function recorded. */
export type NewSecurityEvent = {
  /** Null if the event belongs to no tenant. */
  tenant_id: string | null;
  /**
   * Records the event for every tenant of the Supabase Auth member with this address, instead of
   * `tenant_id`. The address is not stored.
   */
  email?: string;
  /**
   * Whether to record the event without a tenant if its tenant does not exist; otherwise it is
   * dropped.
   */
  elsewhere: boolean;
  type: string;
  actor: string;
  actor_issuer?: string;
  actor_subject?: string;
  credential: (typeof CREDENTIALS)[number];
  home_tenant_id?: string | null;
  cross_tenant?: boolean;
  operation?: string | null;
  target?: string | null;
  address: string | null;
  request_id: string | null;
  reason?: string | null;
  details?: Record<string, Json>;
  /** Events of the same bucket are counted together for a minute; without it, each is recorded. */
  bucket?: string;
  count?: number;
};

/** @throws ApiError `unavailable` or `internal` if nothing was stored. */
export async function writeEvents(events: NewSecurityEvent[]): Promise<void> {
  const storableEvents = JSON.parse(
    JSON.stringify(events, (_key, value) =>
      typeof value === "string" ? toStorableText(maskSecrets(value)) : value,
    ),
  ) as Json;
  unwrap(
    await serviceDb("the audit log is written even for refused calls").rpc(
      "record_security_events",
      { events: storableEvents },
    ),
  );
}
