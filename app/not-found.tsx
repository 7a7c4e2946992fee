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
        title="There is no such page"
        action={
          <Link href="/" className={buttonClass()}>
            Go to your board
          </Link>
        }
      >
        The address may be mistyped, or the page belongs to a tenant that you are not a member of.
      </Notice>
    </main>
  );
}
