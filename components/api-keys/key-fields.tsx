"use client";

import { TextArea, TextField } from "#components/ui/text-field.tsx";
import { API_KEYS } from "#lib/wire/facts.gen.ts";
import { AllowlistField } from "./allowlist-field.tsx";
import type { Draft, Problems } from "./draft.ts";
import { ExpiryField } from "./expiry-field.tsx";
import { ScopePicker } from "./scope-picker.tsx";

export type Fields = {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  problems: Problems;
  /** The reader's own address as the server sees it. */
  address: string | null;
};

/** What a key is, to fill in. `keeps`: its expiry so far, where it has one to keep. */
export function KeyFields({ draft, onChange, problems, address, keeps }: Fields & { keeps?: string | null }) {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        value={draft.name}
        maxLength={API_KEYS.name.most}
        placeholder="Nightly ledger export"
        autoComplete="off"
        error={problems.name}
        onChange={(event) => onChange({ name: event.target.value })}
        required
      />
      <ScopePicker scopes={draft.scopes} onChange={(scopes) => onChange({ scopes })} error={problems.scopes} />
      <ExpiryField draft={draft} onChange={onChange} error={problems.expires_at} keeps={keeps} />
      <AllowlistField
        value={draft.allowlist}
        onChange={(allowlist) => onChange({ allowlist })}
        error={problems.ip_allowlist}
        address={address}
      />
      <TextArea
        label="Description (optional)"
        name="description"
        value={draft.description}
        maxLength={API_KEYS.description.most}
        error={problems.description}
        onChange={(event) => onChange({ description: event.target.value })}
      />
    </>
  );
}
