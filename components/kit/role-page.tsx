"use client";

import { ShieldAlert } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { type Access, needs } from "#lib/wire/access.ts";
import { useMember } from "./member.tsx";
import { Page } from "./page.tsx";
import { useIsAllowed } from "./permissions.ts";
import { roleNames } from "./role-names.ts";

/** `refusal` says what the page is for and who can use it; `remedy` says what to ask an admin for. */
type Props = {
  access: Access;
  title: string;
  refusal: { title: string; reason: string; remedy: string };
  children: ReactNode;
};

/**
 * A page for roles that meet `access`. Other users see why they can't use it, and which role to ask
 * for.
 */
export function RolePage({ access, title, refusal, children }: Props) {
  const { tenant, roles } = useMember();
  const hasHome = useIsAllowed(needs("read:overview"));
  if (useIsAllowed(access)) return children;
  return (
    <Page title={title}>
      <Notice
        icon={ShieldAlert}
        title={refusal.title}
        action={
          hasHome && (
            <Link href={`/${tenant.id}`} className={buttonClass()}>
              Go to the overview
            </Link>
          )
        }
      >
        {refusal.reason} You are signed in as {roleNames(roles)}. {refusal.remedy}
      </Notice>
    </Page>
  );
}
