import { PRODUCT } from "#lib/wire/product.ts";
import "./code.css";
import { Menu } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import type { ReactNode } from "react";
import { DocsNavigation, type NavigationGroup } from "#components/docs/docs-navigation.tsx";
import { EVENTS_PATH } from "#components/docs/reference/reference.ts";
import { SearchButton } from "#components/docs/search/search-button.tsx";
import { ThemeMenu } from "#components/docs/theme-menu.tsx";
import { Brand } from "#components/kit/brand.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { Toaster } from "#components/ui/toaster.tsx";
import { ERROR_CODES } from "#lib/wire/errors.ts";
import { guideGroups } from "./guides.ts";
import { reference } from "./reference.ts";

export const metadata: Metadata = {
  title: { default: `Documentation · ${PRODUCT}`, template: `%s · ${PRODUCT} docs` },
  description: `The ${PRODUCT} API: guides, reference and errors.`,
  robots: { index: true },
};

const REFERENCE: NavigationGroup = {
  title: "API reference",
  pages: [
    { href: "/docs/reference", title: "Overview" },
    ...reference().resources.map(({ href, title, operations }) => ({
      href,
      title,
      children: operations.map((operation) => ({
        href: operation.href,
        title: operation.contract.summary,
      })),
    })),
    {
      href: EVENTS_PATH,
      title: "Webhook events",
      children: reference().events.map(({ href, kind }) => ({ href, title: kind, code: true })),
    },
    {
      href: "/docs/errors",
      title: "Errors",
      children: ERROR_CODES.map((code) => ({
        href: `/docs/errors/${code}`,
        title: code,
        code: true,
      })),
    },
  ],
};

export default async function DocsLayout({ children }: { children: ReactNode }) {
  const guides = (await guideGroups()).map(({ title, guides }) => ({
    title,
    pages: guides.map(({ href, title }) => ({ href, title })),
  }));
  return (
    <>
      <a
        href="#content"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-2 font-medium text-on-accent focus:translate-y-0"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-30 flex h-14 items-center gap-2 border-b border-line bg-canvas px-2 sm:px-4">
        <button
          type="button"
          popoverTarget="docs-navigation"
          aria-label="Open navigation"
          className={`${buttonClass({ variant: "ghost", size: "touch" })} lg:hidden`}
        >
          <Menu aria-hidden className="size-5" />
        </button>
        <Link href="/docs" prefetch={false} className="flex items-center gap-2 rounded-md">
          <Brand />
          <span className="text-muted max-sm:sr-only">Docs</span>
        </Link>
        <div className="ml-auto flex items-center gap-1">
          <SearchButton />
          <ThemeMenu />
          <Link
            href="/"
            prefetch={false}
            className={`${buttonClass({ size: "sm" })} max-sm:hidden`}
          >
            Dashboard
          </Link>
        </div>
      </header>
      <div className="mx-auto lg:grid lg:max-w-[96rem] lg:grid-cols-[15rem_minmax(0,1fr)]">
        <div
          id="docs-navigation"
          popover="auto"
          className="fixed inset-y-0 left-0 m-0 h-dvh max-h-none w-72 max-w-[85vw] overflow-y-auto overscroll-contain border-r border-line bg-canvas p-3 pb-10 text-ink shadow-overlay backdrop:bg-shade lg:sticky lg:top-14 lg:block lg:h-[calc(100dvh-3.5rem)] lg:w-auto lg:shadow-none"
        >
          <DocsNavigation groups={[...guides, REFERENCE]} />
        </div>
        <main
          id="content"
          tabIndex={-1}
          className="min-h-[calc(100dvh-3.5rem)] min-w-0 bg-surface px-4 py-8 outline-none sm:px-8 lg:px-12 lg:py-10"
        >
          {children}
        </main>
      </div>
      <Toaster />
    </>
  );
}
