import { SearchX } from "lucide-react";
import Link from "next/link";
import { buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";

export default function NotFound() {
  return (
    <main id="content" className="flex min-h-dvh flex-col justify-center">
      <Notice
        icon={SearchX}
        level="h1"
        title="Page not found"
        action={
          <Link href="/" className={buttonClass()}>
            Go to the overview
          </Link>
        }
      >
        The link may be wrong, or the page belongs to a tenant you're not a member of.
      </Notice>
    </main>
  );
}
