"use client";

import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "./button.tsx";
import { toastFailure } from "./toast.ts";

const SHOWN_MS = 2000;

export function CopyButton({
  text,
  label,
  worded = false,
  onCopied,
}: {
  /** Or a function that returns it. */
  text: string | (() => string);
  label: string;
  /** Whether to show the label, for a primary action. */
  worded?: boolean;
  onCopied?: () => void;
}) {
  const [copied, setCopied] = useState(false);

  async function copy() {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
    } catch {
      return toastFailure(
        "Couldn't copy",
        "Your browser blocked it. Select the text and copy it manually.",
      );
    }
    setCopied(true);
    onCopied?.();
    setTimeout(() => setCopied(false), SHOWN_MS);
  }

  return (
    <Button
      variant={worded ? "primary" : "ghost"}
      size={worded ? "md" : "icon"}
      onClick={copy}
      aria-label={label}
      title={worded ? undefined : label}
    >
      {copied ? (
        <Check aria-hidden className={worded ? "size-4" : "size-4 text-accent-text"} />
      ) : (
        <Copy aria-hidden className="size-4" />
      )}
      {worded && label}
      <span role="status" className="sr-only">
        {copied && "Copied"}
      </span>
    </Button>
  );
}
