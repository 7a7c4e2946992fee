import { Braces, CircleAlert, FileJson, Radio } from "lucide-react";
import type { Metadata } from "next";
import { DocsLink } from "#components/docs/docs-link.tsx";
import { GuideGroups } from "#components/docs/guide-groups.tsx";
import { EVENTS_PATH } from "#components/docs/reference/reference.ts";
import { SearchButton } from "#components/docs/search/search-button.tsx";
import { PRODUCT } from "#lib/wire/product.ts";
import { guideGroups } from "./guides.ts";

export const metadata: Metadata = { title: { absolute: `${PRODUCT} documentation` } };

const PLACES = [
  {
    href: "/docs/reference",
    name: "API reference",
    about: "Every operation, with a request to copy.",
    icon: Braces,
  },
  {
    href: EVENTS_PATH,
    name: "Webhook events",
    about: "What is sent to your receiver, and when.",
    icon: Radio,
  },
  {
    href: "/docs/errors",
    name: "Errors",
    about: "What each code means and what to do.",
    icon: CircleAlert,
  },
] as const;

export default async function DocsPage() {
  return (
    <article className="flex max-w-4xl flex-col gap-10">
      <header className="flex flex-col gap-5">
        <h1 className="text-2xl font-semibold tracking-tight">{PRODUCT} documentation</h1>
        <p className="max-w-prose text-lg text-pretty text-muted">
          Reconcile two sets of records, and track the exceptions and their deadlines. Start with
          the{" "}
          <DocsLink
            href="/docs/guides/quickstart"
            className="text-accent-text underline underline-offset-2"
          >
            quickstart
          </DocsLink>
          : three minutes to your first response.
        </p>
        <SearchButton variant="page" />
        <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
          {PLACES.map(({ href, name, about, icon: Icon }) => (
            <li key={href}>
              <DocsLink href={href} className={CARD}>
                <Icon aria-hidden className="size-5 text-accent-text" />
                <span className="font-medium">{name}</span>
                <span className="text-sm text-muted">{about}</span>
              </DocsLink>
            </li>
          ))}
          <li>
            <a href="/v1/openapi.json" className={CARD}>
              <FileJson aria-hidden className="size-5 text-accent-text" />
              <span className="font-medium">openapi.json</span>
              <span className="text-sm text-muted">OpenAPI 3.1, for your generator.</span>
            </a>
          </li>
        </ul>
      </header>
      <GuideGroups groups={await guideGroups()} />
    </article>
  );
}

const CARD = "flex h-full flex-col gap-1.5 rounded-lg border border-line p-4 hover:bg-hover";
