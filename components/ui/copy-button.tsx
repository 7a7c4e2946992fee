"use client";

import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "./button.tsx";

const SHOWN_MS = 2000;

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);

  async function copy() {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  }

  return (
    <Button variant="ghost" size="icon" onClick={copy} aria-label={label} title={label}>
      {copied ? <Check aria-hidden className="size-4 text-accent-text" /> : <Copy aria-hidden className="size-4" />}
      <span role="status" className="sr-only">
        {copied && "Copied"}
      </span>
    </Button>
  );
}
