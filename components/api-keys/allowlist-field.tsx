"use client";

import { Plus } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { Note } from "#components/ui/note.tsx";
import { TextArea } from "#components/ui/text-field.tsx";
import { isInRanges, normaliseRange } from "#lib/wire/ip-range.ts";
import { allowsEveryAddress, rangesOf } from "./draft.ts";

/** The addresses from which a key can be used. */
export function AllowlistField({
  value,
  onChange,
  error,
  address,
}: {
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  address: string | null;
}) {
  const ranges = rangesOf(value);
  const valid = ranges.map(normaliseRange).filter((range) => range !== null);
  return (
    <div className="flex flex-col gap-2">
      <TextArea
        label="Allowed addresses"
        name="ip_allowlist"
        value={value}
        rows={2}
        placeholder="203.0.113.0/24"
        hint="IPv4/IPv6 addresses or CIDR ranges, one per line."
        className="min-h-18 font-mono text-sm"
        spellCheck={false}
        autoComplete="off"
        error={error}
        onChange={(event) => onChange(event.target.value)}
      />
      {address && !isInRanges(address, valid) && (
        <Button
          size="sm"
          className="self-start"
          onClick={() => onChange([...ranges, address].join("\n"))}
        >
          <Plus aria-hidden className="size-4 text-muted" />
          Add my address, {address}
        </Button>
      )}
      <div role="status" className="empty:hidden">
        {allowsEveryAddress(ranges) ? (
          <Note tone="warning">
            A /0 range covers the whole internet: anyone with the secret can use the key from
            anywhere.
          </Note>
        ) : (
          ranges.length === 0 && (
            <Note tone="warning">
              With no addresses, anyone with the secret can use the key from anywhere.
            </Note>
          )
        )}
      </div>
    </div>
  );
}
