import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { MemberProvider } from "#components/kit/member.tsx";
import type { EventKind } from "#lib/wire/event-kinds.ts";
import { FilterCounts } from "./filter-preview.tsx";
import { webhookFilterPreview } from "./queries.ts";

const body = { events: ["exception.created" as EventKind], filters: {} };
const member = {
  tenant: { id: "acme", name: "Acme" },
  name: "Ada",
  self: "user:ada",
  roles: [],
  tenants: ["acme"],
  sandboxId: null,
};

function shownOf(counts: { total_count: number; matched_count: number; complete: boolean }) {
  const client = new QueryClient();
  const times = { since: "2026-11-21T09:00:00.000Z", as_of: "2026-11-28T09:00:00.000Z" };
  client.setQueryData(webhookFilterPreview("acme", body).queryKey, {
    ...times,
    ...counts,
    by_type: [],
  } as never);
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <MemberProvider member={member}>
        <FilterCounts {...body} />
      </MemberProvider>
    </QueryClientProvider>,
  )
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll("&#x27;", "'");
}

test("a preview of all events counts those that pass", () => {
  expect(shownOf({ total_count: 214, matched_count: 12, complete: true })).toBe(
    "12 of 214 events in the last 7 days would have been sent.",
  );
});

test("a preview that stopped before the end says which events it left out", () => {
  expect(shownOf({ total_count: 20_000, matched_count: 1_200, complete: false })).toBe(
    "1,200 of the newest 20,000 events would have been sent. " +
      "Older events of the last 7 days weren't checked.",
  );
});
