import { serviceDb } from "../db/client.ts";
import { storable } from "../db/storable-text.ts";
import type { Json } from "../db/types.gen.ts";
import { unwrap } from "../db/unwrap.ts";
import { maskSecrets } from "../runtime/mask-secrets.ts";
import type { CREDENTIALS } from "./contract.ts";

/** An event that the server saw and no function of the database did. */
export type NewSecurityEvent = {
  /** Null: of no tenant. */
  tenant_id: string | null;
  /** Instead of a tenant: all those of the member of Supabase Auth who signs in with it. It is not kept. */
  email?: string;
  /** Whether an event of a tenant that does not exist belongs to no tenant; else it is nobody's. */
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
  /** What is counted together within a minute; without it each is its own event. */
  bucket?: string;
  count?: number;
};

/** @throws ApiError `unavailable`, `internal`: nothing of it was kept then. */
export async function writeEvents(events: NewSecurityEvent[]): Promise<void> {
  const kept = JSON.parse(
    JSON.stringify(events, (_key, value) =>
      typeof value === "string" ? storable(maskSecrets(value)) : value,
    ),
  ) as Json;
  unwrap(
    await serviceDb("the audit log is written even for refused calls").rpc(
      "record_security_events",
      { events: kept },
    ),
  );
}
