"use client";

import type { Fields } from "#components/kit/use-form.ts";
import { TextArea, TextField } from "#components/ui/text-field.tsx";
import { API_KEYS } from "#lib/wire/facts.gen.ts";
import { AllowlistField } from "./allowlist-field.tsx";
import type { Draft } from "./draft.ts";
import { ExpiryField } from "./expiry-field.tsx";
import { ScopePicker } from "./scope-picker.tsx";

/**
 * `address` is the user's own, as the server sees it. `keeps` is the key's current expiry, if it
 * has one.
 */
type Props = { form: Fields<Draft>; address: string | null; keeps?: string | null };

/** The fields of a key. */
export function KeyFields({ form: { draft, change, problem, text }, address, keeps }: Props) {
  return (
    <>
      <TextField
        label="Name"
        maxLength={API_KEYS.name.max}
        placeholder="Nightly ledger export"
        autoComplete="off"
        {...text("name")}
        required
      />
      <ScopePicker
        scopes={draft.scopes}
        onChange={(scopes) => change({ scopes })}
        error={problem("scopes")}
      />
      <ExpiryField
        value={draft.expires_at}
        onChange={(expires_at) => change({ expires_at })}
        error={problem("expires_at")}
        keeps={keeps}
      />
      <AllowlistField
        value={draft.ip_allowlist}
        onChange={(ip_allowlist) => change({ ip_allowlist })}
        error={problem("ip_allowlist")}
        address={address}
      />
      <TextArea
        label="Description (optional)"
        maxLength={API_KEYS.description.max}
        {...text("description")}
      />
    </>
  );
}
