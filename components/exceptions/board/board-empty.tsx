"use client";

import { Inbox } from "lucide-react";
import Link from "next/link";
import { useTenantId } from "#components/kit/member.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { CommandLine } from "#components/ui/command-line.tsx";
import { Notice } from "#components/ui/notice.tsx";

/** The empty board, which shows how to report the first exception. */
export function BoardEmpty({ origin }: { origin: string }) {
  const tenantId = useTenantId();
  const curl = [
    `curl ${origin}/v1/exceptions \\`,
    '  -H "Authorization: Bearer <key_id>.<key_secret>" \\',
    `  -H "X-Tenant-Id: ${tenantId}" \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d '{"title": "Payout 4711 has no bank line", "severity": "high"}'`,
  ].join("\n");
  return (
    <Notice
      icon={Inbox}
      title="No open exceptions"
      action={
        <Link href={`/${tenantId}/exceptions/import`} className={buttonClass()}>
          Import a file
        </Link>
      }
    >
      <p>
        Exceptions appear here as soon as your systems report them. Report one with an API key that
        has the write:exceptions scope:
      </p>
      <div className="mt-4">
        <CommandLine text={curl} />
      </div>
    </Notice>
  );
}
