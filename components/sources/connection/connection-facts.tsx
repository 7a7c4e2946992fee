"use client";

import { Fact, Facts } from "#components/kit/facts.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Note } from "#components/ui/note.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Connection, ConnectionTest } from "#lib/connections/contract.ts";
import { AFTERWARDS_LABELS, AUTH_LABELS, KIND_LABELS } from "./labels.ts";

export function ConnectionFacts({ connection }: { connection: Connection }) {
  const { kind, address, auth, user_name, file_glob, schedule } = connection;
  return (
    <Facts>
      <Fact name={KIND_LABELS[kind]}>
        <span className="-my-1.5 flex min-h-8 items-center">
          <code className="font-mono text-xs break-all">{address}</code>
          {kind === "mail" && <CopyButton text={address} label="Copy the address" />}
        </span>
      </Fact>
      {kind === "mail" ? (
        <Fact name="Allowed senders">{connection.allowed_senders.join(", ")}</Fact>
      ) : (
        <Fact name="Sign-in">
          {AUTH_LABELS[auth]}
          {user_name && `, ${user_name}`}
        </Fact>
      )}
      {connection.host_key && (
        <Fact name="Host key">
          <code className="font-mono text-xs break-all">{connection.host_key}</code>
        </Fact>
      )}
      {kind !== "https" && (
        <Fact name="Files">
          <code className="font-mono text-xs">{file_glob}</code>
          {kind !== "mail" && ` · ${afterwardsOf(connection)}`}
        </Fact>
      )}
      <Fact name="Schedule">
        {schedule
          ? `Business days ${schedule.at}, ${kind === "mail" ? "expected" : "retried"} until ${schedule.retry_until}`
          : kind === "mail"
            ? "No file is expected"
            : "Only by Fetch now"}
      </Fact>
      <Fact name={kind === "mail" ? "Last mail" : "Last fetch"}>
        {connection.last_look_at ? <Time iso={connection.last_look_at} /> : "Never"}
      </Fact>
      {(kind !== "mail" || connection.status === "paused") && (
        <Fact name="Next fetch">
          {connection.status === "paused" ? (
            "Paused"
          ) : connection.next_look_at ? (
            <Time iso={connection.next_look_at} />
          ) : (
            "None planned"
          )}
        </Fact>
      )}
    </Facts>
  );
}

function afterwardsOf({ afterwards, move_to }: Connection): string {
  if (afterwards === "move") return `Moved to ${move_to}`;
  return afterwards === "leave" ? "Left at the server" : AFTERWARDS_LABELS[afterwards];
}

/** Why a connection is stopped or fails. */
export function ConnectionNote({ connection }: { connection: Connection }) {
  const { status, last_error, failing_since, host_key } = connection;
  if (status === "stopped")
    return (
      <Note tone="danger">
        Stopped: the server showed another host key than {host_key}. Check the new key with the
        bank, then choose Edit connection to enter it.
      </Note>
    );
  if (!last_error) return null;
  return (
    <Note tone="warning">
      {last_error}
      {failing_since && (
        <>
          {" Failing since "}
          <Time iso={failing_since} />.
        </>
      )}
    </Note>
  );
}

/** The result of a test. */
export function TestResult({ result }: { result: ConnectionTest }) {
  const { error, host_key, names, total_count } = result;
  return (
    <Note tone={error ? "danger" : "info"}>
      {error ?? (total_count === 0 ? "It works. No file fits the pattern yet." : "It works.")}
      {names.length > 0 && (
        <ul aria-label="Files found" className="list-disc pt-1 pl-4 wrap-anywhere">
          {names.map((name) => (
            <li key={name}>{name}</li>
          ))}
          {total_count > names.length && (
            <li>and {(total_count - names.length).toLocaleString("en")} more</li>
          )}
        </ul>
      )}
      {host_key && (
        <p className="pt-1 wrap-anywhere">
          Host key: <code className="font-mono text-xs">{host_key}</code>
        </p>
      )}
    </Note>
  );
}
