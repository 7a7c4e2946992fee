"use client";

import { useState } from "react";
import { TextArea } from "#components/ui/text-field.tsx";

type Json = Record<string, unknown>;

/** Edits a JSON object as text. `onChange` receives null while the text isn't an object. */
export function JsonField({
  label,
  value,
  rows,
  error,
  onChange,
}: {
  label: string;
  value: Json;
  rows: number;
  error?: string;
  onChange: (value: Json | null) => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const parsed = objectOf(text);
  return (
    <TextArea
      label={label}
      value={text}
      rows={rows}
      spellCheck={false}
      autoCapitalize="off"
      autoComplete="off"
      className="font-mono text-xs leading-5"
      error={parsed instanceof Error ? parsed.message : error}
      onChange={({ target }) => {
        setText(target.value);
        const next = objectOf(target.value);
        onChange(next instanceof Error ? null : next);
      }}
    />
  );
}

function objectOf(text: string): Json | Error {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
    return new Error("Enter a JSON object: { … }.");
  } catch (error) {
    return new Error(`Invalid JSON. ${(error as Error).message}`);
  }
}
