import { TriangleAlert } from "lucide-react";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

/** The error boundary's page. The digest is in the server's log with the cause. */
export function PageFailed({ error, retry }: { error: unknown; retry: () => void }) {
  const digest = error instanceof Error && "digest" in error ? String(error.digest) : undefined;
  return (
    <Notice
      icon={TriangleAlert}
      level="h1"
      title="This page couldn't be displayed"
      action={<Button onClick={retry}>Try again</Button>}
      footnote={digest && `Reference ${digest}`}
    >
      Something went wrong on our side. It has been logged.
    </Notice>
  );
}
