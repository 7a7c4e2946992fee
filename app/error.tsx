"use client";

import { PageFailed } from "#components/ui/page-failed.tsx";

export default function ErrorPage(props: { error: unknown; retry: () => void }) {
  return (
    <main id="content" className="flex min-h-dvh flex-col justify-center">
      <PageFailed {...props} />
    </main>
  );
}
