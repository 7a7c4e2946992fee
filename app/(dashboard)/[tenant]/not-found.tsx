"use client";

import { SearchX } from "lucide-react";
import Link from "next/link";
import { useParams } from "next/navigation";
import { buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";

export default function NotFound() {
  const { tenant } = useParams<{ tenant: string }>();
  return (
    <Notice
      icon={SearchX}
      level="h1"
      title="Page not found"
      action={
        <Link href={`/${tenant}`} className={buttonClass()}>
          Go to the overview
        </Link>
      }
    >
      The link may be wrong, or the page was removed.
    </Notice>
  );
}
