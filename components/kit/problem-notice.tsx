"use client";

import { CloudOff, FileQuestion, LogIn, ShieldAlert, TriangleAlert } from "lucide-react";
import { ApiProblem } from "#components/api-client.ts";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { PRODUCT } from "#lib/wire/product.ts";

/** Shown instead of content that /v1 failed to return. */
export function ProblemNotice({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const problem = error instanceof ApiProblem ? error : null;
  const requestId = problem?.requestId ? (
    <>
      Request {problem.requestId} ·{" "}
      <a href={`/docs/errors/${problem.code}`} className="underline underline-offset-2">
        {problem.code}
      </a>
    </>
  ) : undefined;
  if (problem?.status === 401) {
    return (
      <Notice
        icon={LogIn}
        title="Your session has ended"
        action={
          <a
            href={`/sign-in?callbackUrl=${encodeURIComponent(window.location.pathname + window.location.search)}`}
            className={buttonClass({ variant: "primary" })}
          >
            Sign in again
          </a>
        }
      >
        You'll return to this page after signing in.
      </Notice>
    );
  }
  if (problem?.code === "tenant_forbidden") {
    return (
      <Notice
        icon={ShieldAlert}
        title="You no longer have access to this tenant"
        action={
          <a href="/" className={buttonClass()}>
            Go to your tenants
          </a>
        }
        footnote={requestId}
      >
        Ask an admin of the tenant if you think this is a mistake.
      </Notice>
    );
  }
  if (problem?.status === 403) {
    return (
      <Notice icon={ShieldAlert} title="Your role doesn't allow this" footnote={requestId}>
        {problem.message}
      </Notice>
    );
  }
  if (problem?.status === 404) {
    return (
      <Notice icon={FileQuestion} title="Not found" footnote={requestId}>
        {problem.message}
      </Notice>
    );
  }
  if (problem?.code === "unreachable") {
    return (
      <Notice
        icon={CloudOff}
        title={`${PRODUCT} can't be reached`}
        action={<Button onClick={onRetry}>Try again</Button>}
      >
        Check your connection. This page updates automatically once you're back online.
      </Notice>
    );
  }
  return (
    <Notice
      icon={TriangleAlert}
      title="Couldn't load this"
      action={<Button onClick={onRetry}>Try again</Button>}
      footnote={requestId}
    >
      {problem?.message ?? "Something went wrong on this page."}
    </Notice>
  );
}
