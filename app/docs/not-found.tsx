import { SearchX } from "lucide-react";
import Link from "next/link";
import { buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";

export default function NotFound() {
  return (
    <Notice
      icon={SearchX}
      level="h1"
      title="There is no such page in the documentation"
      action={
        <Link href="/docs" prefetch={false} className={buttonClass()}>
          All documentation
        </Link>
      }
    >
      The address may be mistyped. The search above finds operations, guides and errors.
    </Notice>
  );
}
