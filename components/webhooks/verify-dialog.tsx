"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Dialog, DialogBody } from "#components/ui/dialog.tsx";
import { InertText } from "#components/ui/inert-text.tsx";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { SNIPPETS } from "./snippets.ts";

const LANGUAGES = SNIPPETS.map(({ language }) => ({ value: language, label: language }));

/** How a receiver verifies signatures, by language. */
export function VerifyDialog({ onClose }: { onClose: () => void }) {
  const [language, setLanguage] = useState<(typeof SNIPPETS)[number]["language"]>("Node");
  const { file, load } = SNIPPETS.find((snippet) => snippet.language === language) ?? SNIPPETS[0];
  const { data, error, refetch } = useQuery({
    queryKey: ["webhook-snippets", file],
    queryFn: async () => (await load()).default,
    staleTime: Number.POSITIVE_INFINITY,
    networkMode: "always",
  });
  return (
    <Dialog
      onClose={onClose}
      title="Verify signatures"
      description="Standard Webhooks: HMAC-SHA256 over the ID, timestamp and raw body. No package needed."
    >
      <DialogBody>
        <RadioGroup legend="Language" value={language} options={LANGUAGES} onChange={setLanguage} />
        {data !== undefined ? (
          <div className="flex min-w-0 flex-col gap-1.5">
            <div className="flex items-center justify-between">
              <code className="font-mono text-xs text-muted">{file}</code>
              <CopyButton text={data} label={`Copy ${file}`} />
            </div>
            <InertText label={file} text={data.trimEnd()} wraps={false} />
          </div>
        ) : error ? (
          <ProblemNotice error={error} onRetry={() => refetch()} />
        ) : (
          <Skeleton className="h-80 w-full" />
        )}
        <p className="text-sm text-muted">
          Pass the raw request body, before any parsing, and the webhook’s signing secret. Respond
          with a 2xx within 15 seconds, and ignore any{" "}
          <code className="font-mono text-xs">webhook-id</code> you've already seen. See{" "}
          <a
            href="/docs/guides/webhooks"
            target="_blank"
            rel="noreferrer"
            className="text-accent-text underline underline-offset-2"
          >
            the webhooks guide<span className="sr-only"> (opens in a new tab)</span>
          </a>
          .
        </p>
      </DialogBody>
    </Dialog>
  );
}
