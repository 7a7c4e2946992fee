"use client";

import { useQuery } from "@tanstack/react-query";
import { FileArchive } from "lucide-react";
import { downloadFromApi } from "#components/api-client.ts";
import { useExport } from "#components/kit/export.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ActorName } from "#components/people/actor-name.tsx";
import { Button } from "#components/ui/button.tsx";
import { getStatementBundleContract } from "#lib/matching/bundles/contract.ts";
import type { Signature } from "#lib/matching/periods/contract.ts";
import { signedStatementsOf } from "../queries.ts";
import { Signatures } from "../sign-off/signatures.tsx";

/**
 * Each close of the period, with the bundle that proves it; renders nothing if it was never closed.
 * `name`: the bundles', before their number.
 */
export function SignedStatements({ id, name }: { id: string; name: string }) {
  const { data } = useQuery(signedStatementsOf(useTenantId(), id));
  if (!data || data.items.length === 0) return null;
  return (
    <section aria-label="Signed statements" className="flex flex-col gap-2 print:hidden">
      <h2 className="text-base font-semibold">Signed statements</h2>
      <p className="text-muted">
        A bundle holds a statement with all that proves it, and a verifier that checks it offline.
      </p>
      <ul className="border-t border-line">
        {data.items.map((signed) => (
          <SignedStatementItem key={signed.number} id={id} name={name} signed={signed} />
        ))}
      </ul>
    </section>
  );
}

function SignedStatementItem({
  id,
  name,
  signed,
}: {
  id: string;
  name: string;
  signed: Signature;
}) {
  const tenant = useTenantId();
  const { number, closed_at, closed_by, reopened_at, reopened_by, reason, signatures } = signed;
  const { start, isPending } = useExport({ failed: "Couldn't download the bundle" });
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 border-b border-line py-3">
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <p>
          <span className="font-medium">Statement {number}</span>, closed{" "}
          <ActorName iso={closed_at} actor={closed_by} />
        </p>
        {reopened_at && (
          <p className="text-muted wrap-anywhere">
            Reopened <ActorName iso={reopened_at} actor={reopened_by} />: {reason}
          </p>
        )}
        <Signatures signatures={signatures} />
      </div>
      <Button
        size="sm"
        disabled={isPending}
        onClick={() =>
          start({
            name: `${name}-${number}.zip`,
            load: () =>
              downloadFromApi(getStatementBundleContract, {
                tenant,
                params: { id, number },
              }),
          })
        }
      >
        <FileArchive aria-hidden className="size-4 text-muted" />
        {isPending ? "Preparing…" : "Download bundle"}
      </Button>
    </li>
  );
}
