"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { useTenantId } from "#components/kit/member.tsx";
import { Button } from "#components/ui/button.tsx";
import { CommandLine } from "#components/ui/command-line.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { Note } from "#components/ui/note.tsx";
import { useStore } from "#components/ui/store.ts";
import { apiKeysKey } from "./cache-key.ts";
import { type IssuedSecret, issuedSecret } from "./issued-secret.ts";

/**
 * Shows a secret once. Rendered outside the pages, so that navigation doesn't remove it before it's
 * stored.
 */
export function RevealedKey() {
  const secret = useStore(issuedSecret, null);
  return secret && <Reveal key={secret.key.id} issued={secret} />;
}

const forget = () => issuedSecret.set(null);

function Reveal({ issued: { key, rotated } }: { issued: IssuedSecret }) {
  const tenantId = useTenantId();
  const cache = useQueryClient();
  const id = useId();
  const tick = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState(false);
  const [ticked, setTicked] = useState(false);
  const [warned, setWarned] = useState(false);
  const stored = copied || ticked;
  const credential = `${key.key_id}.${key.key_secret}`;

  useEffect(() => {
    if (stored) return;
    const confirmUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", confirmUnload);
    return () => window.removeEventListener("beforeunload", confirmUnload);
  }, [stored]);

  useEffect(() => {
    // The browser may keep the page in its back/forward cache.
    window.addEventListener("pagehide", forget);
    return () => window.removeEventListener("pagehide", forget);
  }, []);

  function close() {
    if (!stored) {
      setWarned(true);
      tick.current?.focus();
      return;
    }
    forget();
    cache.invalidateQueries({ queryKey: apiKeysKey(tenantId) });
  }

  return (
    <Dialog
      keepsOpen={!stored}
      onClose={close}
      title={rotated ? `${key.name} rotated` : `${key.name} created`}
      description="The secret is shown only once. Store it where your server keeps its secrets."
    >
      <DialogBody>
        <section className="flex flex-col gap-2" aria-labelledby={`${id}-credential`}>
          <h3 id={`${id}-credential`} className="text-sm font-medium">
            Credential
          </h3>
          <code
            onCopy={() =>
              document.getSelection()?.toString().includes(key.key_secret) && setCopied(true)
            }
            className="rounded-md border border-line bg-canvas p-3 font-mono text-sm break-all select-all"
          >
            {credential}
          </code>
          <div className="flex flex-wrap items-center gap-3">
            <CopyButton
              text={credential}
              label="Copy the credential"
              worded
              onCopied={() => setCopied(true)}
            />
            {copied && <p className="text-sm text-muted">Copied. You can close this now.</p>}
          </div>
        </section>
        <section className="flex flex-col gap-2" aria-labelledby={`${id}-try`}>
          <h3 id={`${id}-try`} className="text-sm font-medium">
            Try it
          </h3>
          <CommandLine
            text={curlOf(credential, key.scopes, tenantId)}
            onCopied={() => setCopied(true)}
          />
          {key.ip_allowlist.length > 0 && (
            <p className="text-sm text-muted">Works only from {key.ip_allowlist.join(", ")}.</p>
          )}
        </section>
        <div className="flex flex-col gap-2">
          <label className="flex min-h-8 w-fit items-center gap-2.5 font-medium">
            <input
              ref={tick}
              type="checkbox"
              checked={ticked}
              onChange={(event) => setTicked(event.target.checked)}
              className="size-4.5 accent-accent"
            />
            I've stored it
          </label>
          <div role="alert">
            {warned && !stored && (
              <Note tone="warning">
                Copy the credential, or confirm you've stored it. It can't be shown again.
              </Note>
            )}
          </div>
        </div>
      </DialogBody>
      <DialogActions>
        <Button variant={stored ? "primary" : "secondary"} onClick={close}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function curlOf(credential: string, scopes: readonly string[], tenantId: string): string {
  const path = scopes.includes("read:reconciliations") ? "/v1/reconciliations" : "/v1/me";
  return [
    `curl ${window.location.origin}${path} \\`,
    `  -H "Authorization: Bearer ${credential}" \\`,
    `  -H "X-Tenant-Id: ${tenantId}"`,
  ].join("\n");
}
