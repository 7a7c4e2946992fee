import { SearchX } from "lucide-react";
import Link from "next/link";
import { buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";

export default function NotFound() {
  return (
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
      The address may be mistyped, or what it names is gone.
    </Notice>
  );
}
