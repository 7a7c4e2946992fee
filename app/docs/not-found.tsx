import { SearchX } from "lucide-react";
import Link from "next/link";
import { buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";

export default function NotFound() {
  return (
    <Notice
      icon={SearchX}
      level="h1"
      title="Page not found"
      action={
        <Link href="/docs" prefetch={false} className={buttonClass()}>
          All documentation
        </Link>
      }
    >
      The link may be wrong. Use the search above to find operations, guides and errors.
    </Notice>
  );
}
