"use client";

import { RefreshCw } from "lucide-react";
import { useState } from "react";
import type { Problems } from "#components/kit/problems.ts";
import type { Fields } from "#components/kit/use-form.ts";
import { Button } from "#components/ui/button.tsx";
import { CheckField } from "#components/ui/check-field.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { secretFault } from "#lib/webhooks/contract.ts";
import { PRODUCT } from "#lib/wire/product.ts";
import { newSecret } from "./new-secret.ts";

const SOURCES = [
  { value: "generated", label: "Generate" },
  { value: "own", label: "Use my own" },
] as const;

/**
 * A secret being set. Only the form and the request hold it. `stored` says whether the user has
 * saved it.
 */
export type SecretDraft = {
  source: "generated" | "own";
  generated: string;
  custom: string;
  stored: boolean;
};

export function newSecretDraft(): SecretDraft {
  return { source: "generated", generated: newSecret(), custom: "", stored: false };
}

export function secretOf({ source, generated, custom }: SecretDraft): string {
  return source === "generated" ? generated : custom;
}

/** Why a secret can't be sent yet. */
export function missingInSecret({ source, custom, stored }: SecretDraft): Problems {
  if (source === "own") {
    const fault = custom === "" ? "Enter your receiver's secret." : secretFault(custom);
    return fault === null ? {} : { secret: fault };
  }
  return stored
    ? {}
    : { secret: "Copy the secret, or confirm you've stored it. It can't be shown again." };
}

export function SecretField({ form }: { form: Fields<{ secret: SecretDraft }> }) {
  const draft = form.draft.secret;
  const error = form.problem("secret");
  const onChange = (secret: SecretDraft) => form.change({ secret });
  const [copied, setCopied] = useState(false);
  const store = () => {
    setCopied(true);
    onChange({ ...draft, stored: true });
  };
  return (
    <RadioGroup
      legend="Signing secret"
      value={draft.source}
      options={SOURCES}
      onChange={(source) => onChange({ ...draft, source })}
    >
      {draft.source === "own" ? (
        <TextField
          label="Secret"
          name="secret"
          value={draft.custom}
          autoComplete="off"
          spellCheck={false}
          className="font-mono text-sm"
          hint="8 to 256 characters. After whsec_, base64. Use at least 24 random bytes."
          error={error}
          onChange={(event) => onChange({ ...draft, custom: event.target.value })}
          required
        />
      ) : (
        <div className="flex flex-col gap-2">
          <div className="flex items-center gap-1 rounded-md border border-line bg-canvas py-1 pr-1 pl-3">
            <code
              data-secret
              onCopy={() =>
                document.getSelection()?.toString().includes(draft.generated) && store()
              }
              className="min-w-0 flex-1 py-1 font-mono text-xs break-all select-all"
            >
              {draft.generated}
            </code>
            <CopyButton text={draft.generated} label="Copy the secret" onCopied={store} />
            <Button
              variant="ghost"
              size="icon"
              aria-label="Generate another"
              title="Generate another"
              onClick={() => {
                setCopied(false);
                onChange({ ...draft, generated: newSecret(), stored: false });
              }}
            >
              <RefreshCw aria-hidden className="size-4" />
            </Button>
          </div>
          <p className="text-sm text-muted">
            Your receiver uses it to verify that requests come from {PRODUCT}. It's stored encrypted
            and shown only here: save it where your receiver keeps its secrets.
          </p>
          <CheckField
            label={copied ? "Copied: I've stored it" : "I've stored it"}
            checked={draft.stored}
            error={error}
            onChange={(event) => onChange({ ...draft, stored: event.target.checked })}
          />
        </div>
      )}
    </RadioGroup>
  );
}
