import type { z } from "zod";
import type { Problems } from "#components/kit/problems.ts";
import type { Connection, createConnectionContract } from "#lib/connections/contract.ts";
import { AUTHS_OF, CREDENTIAL_LABELS } from "./labels.ts";

type Input = Omit<z.input<NonNullable<typeof createConnectionContract.body>>, "source_id">;

/** Attributes of fields whose text isn't prose, and that no browser should fill. */
export const NO_AUTOFILL = { autoComplete: "off", spellCheck: false } as const;

/** The form's fields, as texts. */
export type ConnectionDraft = {
  kind: Connection["kind"];
  address: string;
  auth: Connection["auth"];
  user_name: string;
  region: string;
  credential: string;
  host_key: string;
  file_glob: string;
  /** One per line. */
  allowed_senders: string;
  isScheduled: boolean;
  calendar_id: string;
  at: string;
  retry_until: string;
  afterwards: Connection["afterwards"];
  move_to: string;
  stable_seconds: string;
  waits_for_marker: boolean;
  assigned_to: string;
};

export function draftOf(connection: Connection | undefined): ConnectionDraft {
  const schedule = connection?.schedule;
  return {
    kind: connection?.kind ?? "sftp",
    address: connection?.address ?? "",
    auth: connection?.auth ?? "private_key",
    user_name: connection?.user_name ?? "",
    region: connection?.region ?? "",
    credential: "",
    host_key: connection?.host_key ?? "",
    file_glob: connection?.file_glob ?? "*",
    allowed_senders: connection?.allowed_senders.join("\n") ?? "",
    isScheduled: connection === undefined || schedule !== null,
    calendar_id: schedule?.calendar_id ?? "",
    at: schedule?.at ?? "06:30",
    retry_until: schedule?.retry_until ?? "10:00",
    afterwards: connection?.afterwards ?? "leave",
    move_to: connection?.move_to ?? "done",
    stable_seconds: String(connection?.stable_seconds ?? 10),
    waits_for_marker: connection?.waits_for_marker ?? false,
    assigned_to: connection?.assigned_to?.replace(/^user:/, "") ?? "",
  };
}

/** The draft for another kind of server, with its usual way to sign in. */
export function defaultsForKind(kind: Connection["kind"]): Partial<ConnectionDraft> {
  return { kind, auth: AUTHS_OF[kind][0] ?? "none", afterwards: "leave", credential: "" };
}

/** Whether a way to sign in needs a user name with its credential. */
export function hasUser(auth: Connection["auth"]): boolean {
  return auth === "password" || auth === "private_key" || auth === "access_key";
}

/** Checks before anything is sent; the server does the rest. */
export function missingIn(draft: ConnectionDraft, isNew: boolean): Problems {
  const { kind, address, auth, credential, at, retry_until, isScheduled, stable_seconds } = draft;
  return {
    ...(kind !== "mail" && address.trim() === "" && { address: "Enter the address." }),
    ...(kind === "mail" &&
      sendersOf(draft).length === 0 && { allowed_senders: "Enter at least one." }),
    ...(hasUser(auth) && draft.user_name.trim() === "" && { user_name: "Enter a name." }),
    ...(isNew &&
      auth !== "none" &&
      credential === "" && {
        credential: `Enter the ${CREDENTIAL_LABELS[auth].toLowerCase()}.`,
      }),
    ...(isScheduled && at >= retry_until && { retry_until: "Must be later than the first fetch." }),
    ...(!/^\d+$/.test(stable_seconds) && { stable_seconds: "Enter a number of seconds." }),
  };
}

function sendersOf({ allowed_senders }: ConnectionDraft): string[] {
  return allowed_senders.split(/[\s,;]+/).filter(Boolean);
}

const textOrNull = (text: string) => text.trim() || null;

/** The request body, without the source. */
export function inputOf(draft: ConnectionDraft): Input {
  const { kind, auth, isScheduled, calendar_id, at, retry_until, afterwards } = draft;
  return {
    kind,
    ...(kind === "mail"
      ? { allowed_senders: sendersOf(draft) }
      : { address: draft.address.trim(), auth }),
    user_name: hasUser(auth) ? textOrNull(draft.user_name) : null,
    region: kind === "s3" ? textOrNull(draft.region) : null,
    ...(draft.credential !== "" && { credential: draft.credential }),
    host_key: kind === "sftp" ? textOrNull(draft.host_key) : null,
    file_glob: textOrNull(draft.file_glob) ?? "*",
    schedule: isScheduled ? { calendar_id: calendar_id || null, at, retry_until } : null,
    afterwards,
    move_to: afterwards === "move" ? textOrNull(draft.move_to) : null,
    stable_seconds: Number(draft.stable_seconds),
    waits_for_marker: draft.waits_for_marker,
    assigned_to: draft.assigned_to.trim() === "" ? null : `user:${draft.assigned_to.trim()}`,
  };
}
