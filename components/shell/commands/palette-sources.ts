"use client";

import {
  Bookmark,
  BookOpen,
  KeyRound,
  type LucideIcon,
  Rows3,
  Scale,
  TimerReset,
  User,
  Webhook,
} from "lucide-react";
import { createSerializer } from "nuqs/server";
import { callApi } from "#components/api-client.ts";
import { type Entry as DocsEntry, search } from "#components/docs/search/search.ts";
import { boardSearch } from "#components/exceptions/board/search.ts";
import { searchOfView } from "#components/exceptions/views/filters-of-view.ts";
import type { Member } from "#components/kit/member.tsx";
import { may } from "#components/kit/permissions.ts";
import { nameOf, surfaceOf } from "#components/records/surface.ts";
import { surfaceIcon } from "#components/records/surface-icon.ts";
import { formatMoney } from "#components/ui/money.ts";
import { listApiKeysContract } from "#lib/api-keys/contract.ts";
import { listExceptionsContract, listSlaExceptionsContract } from "#lib/exceptions/contract.ts";
import { listLinesContract } from "#lib/lines/contract.ts";
import { listMembersContract } from "#lib/members/contract.ts";
import { listReconciliationsContract } from "#lib/reconciliations/contract.ts";
import { listViewsContract } from "#lib/views/contract.ts";
import { listWebhooksContract } from "#lib/webhooks/contract.ts";
import type { SurfaceLink } from "../sections.ts";

export const RESULTS_MAX = 5;
/** For lists without text search: filters their first page here. */
const SCANNED_MAX = 250;

type Item = { id: string; title: string; note?: string; place?: string; href: string };
/** A list that the palette searches. */
export type Source = {
  name: string;
  icon: LucideIcon;
  key: readonly unknown[];
  find: (signal: AbortSignal) => Promise<Item[]>;
};

/** The lists of a tenant that the member may read. */
export function ownSources(tenant: string, roles: Member["roles"], text: string): Source[] {
  const all = { limit: SCANNED_MAX };
  return [
    {
      name: "Exceptions",
      icon: TimerReset,
      key: ["exceptions", text],
      async find(signal) {
        const query = { q: text, limit: RESULTS_MAX };
        // Open ones first, by deadline; then everything else.
        const [open, any] = await Promise.all([
          callApi(listSlaExceptionsContract, { tenant, query, signal }),
          callApi(listExceptionsContract, { tenant, query, signal }),
        ]);
        const items = [
          ...new Map([...open.items, ...any.items].map((item) => [item.id, item])).values(),
        ];
        return items.map(({ id, title, status }) => ({
          id,
          title,
          note: status.replace("_", " "),
          href: `/${tenant}/exceptions?exception=${id}`,
        }));
      },
    },
    ...(may(roles, listViewsContract.access) ? [viewSource(tenant)] : []),
    {
      name: "Reconciliations",
      icon: Scale,
      key: ["reconciliations"],
      async find(signal) {
        const { items } = await callApi(listReconciliationsContract, {
          tenant,
          query: all,
          signal,
        });
        return items.map(({ id, name, status }) => ({
          id,
          title: name,
          note: status.replace("_", " "),
          href: `/${tenant}/reconciliations/${id}`,
        }));
      },
    },
    {
      name: "Lines",
      icon: Rows3,
      key: ["lines", text],
      async find(signal) {
        const { items } = await callApi(listLinesContract, {
          tenant,
          query: { q: text, limit: RESULTS_MAX },
          signal,
        });
        return items.map(
          ({ id, reference, description, counterparty, amount_minor, currency, value_date }) => ({
            id,
            title: reference ?? description ?? counterparty ?? id,
            note: `${formatMoney(amount_minor, currency)}, ${value_date}`,
            href: `/${tenant}/lines?line=${id}`,
          }),
        );
      },
    },
    ...(may(roles, listApiKeysContract.access) ? [apiKeySource(tenant, text)] : []),
    ...(may(roles, listWebhooksContract.access) ? [webhookSource(tenant)] : []),
    {
      name: "Members",
      icon: User,
      key: ["members", text],
      async find(signal) {
        const { items } = await callApi(listMembersContract, {
          tenant,
          query: { q: text, limit: RESULTS_MAX },
          signal,
        });
        return items.map(({ name, user }) => ({
          id: user,
          title: name,
          note: "open exceptions",
          href: `/${tenant}/exceptions?assigned_to=${encodeURIComponent(user)}`,
        }));
      },
    },
  ];
}

const boardAt = createSerializer(boardSearch);

function viewSource(tenant: string): Source {
  return {
    name: "Saved views",
    icon: Bookmark,
    key: ["views"],
    async find(signal) {
      const { items } = await callApi(listViewsContract, {
        tenant,
        query: { limit: SCANNED_MAX },
        signal,
      });
      return items.map((view) => ({
        id: view.id,
        title: view.name,
        note:
          view.open_count === null
            ? "open exceptions"
            : `${view.open_count.toLocaleString("en")} open`,
        href: boardAt(`/${tenant}/exceptions`, searchOfView(view)),
      }));
    },
  };
}

function apiKeySource(tenant: string, q: string): Source {
  return {
    name: "API keys",
    icon: KeyRound,
    key: ["api-keys", q],
    async find(signal) {
      const { items } = await callApi(listApiKeysContract, {
        tenant,
        params: { id: tenant },
        query: { q, limit: RESULTS_MAX },
        signal,
      });
      return items.map(({ id, name, key_id }) => ({
        id,
        title: name,
        note: key_id,
        href: `/${tenant}/api-keys?key=${id}`,
      }));
    },
  };
}

function webhookSource(tenant: string): Source {
  return {
    name: "Webhooks",
    icon: Webhook,
    key: ["webhooks"],
    async find(signal) {
      const { items } = await callApi(listWebhooksContract, {
        tenant,
        query: { limit: SCANNED_MAX },
        signal,
      });
      return items.map(({ id, url, status }) => ({
        id,
        title: url,
        note: status,
        href: `/${tenant}/webhooks/${id}`,
      }));
    },
  };
}

export function recordSource(tenant: string, { path, title }: SurfaceLink, q: string): Source {
  return {
    name: title,
    icon: surfaceIcon(path),
    key: ["records", path, q],
    async find(signal) {
      const { surface, contracts } = surfaceOf(path);
      const { items } = await callApi(contracts.list, {
        tenant,
        query: { q, limit: RESULTS_MAX },
        signal,
      });
      return items.map((record) => ({
        id: record.id,
        title: nameOf(surface, record),
        href: `/${tenant}/${path}?record=${record.id}`,
      }));
    },
  };
}

/** The index is fetched once. */
let docs: Promise<readonly DocsEntry[]> | undefined;

export function docsSource(text: string): Source {
  return {
    name: "Documentation",
    icon: BookOpen,
    key: ["docs", text],
    async find() {
      docs ??= fetch("/docs/search.json").then((response) => {
        if (!response.ok) throw new Error(`${response.status}`);
        return response.json();
      });
      try {
        const found = search(await docs, text);
        return found
          .slice(0, RESULTS_MAX)
          .map(({ title, kind, place, href }) => ({ id: href, title, note: kind, place, href }));
      } catch (error) {
        docs = undefined;
        throw error;
      }
    },
  };
}

/** Lists with text search are already filtered; the others are filtered here by the same rule. */
export function matches(text: string, source: string): (found: Item) => boolean {
  if (!["Reconciliations", "Saved views", "Webhooks"].includes(source)) return () => true;
  const words = text.toLowerCase().split(/\s+/);
  return ({ id, title, note = "" }) =>
    words.every((word) => `${title} ${note} ${id}`.toLowerCase().includes(word));
}
