"use client";

import { useQuery } from "@tanstack/react-query";
import { FileUp, Inbox, Pencil, Rows3 } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { isRefusal } from "#components/api-client.ts";
import { Fact, Facts, IdentifierFact } from "#components/kit/facts.tsx";
import { FormPanel } from "#components/kit/form-panel.tsx";
import { ListBody } from "#components/kit/list-body.tsx";
import { ListSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { ReadOnly } from "#components/kit/read-only.tsx";
import { SOURCE_KIND_LABELS } from "#components/kit/source-kinds.ts";
import { useList } from "#components/kit/use-list.ts";
import { useSearch } from "#components/kit/use-search.ts";
import { ActorName } from "#components/people/actor-name.tsx";
import { zoneName } from "#components/preferences/time-zone.ts";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { type Source, updateSourceContract } from "#lib/sources/contract.ts";
import { BalanceSection } from "./balances/balance-section.tsx";
import { ConnectionSection } from "./connection/connection-section.tsx";
import { ImportPanel } from "./imports/import-panel.tsx";
import { ImportTable } from "./imports/import-table.tsx";
import { importPages } from "./imports/queries.ts";
import { SIGN_LABELS } from "./labels.ts";
import { LineTable } from "./lines/line-table.tsx";
import { latestLines } from "./lines/queries.ts";
import { sourceById } from "./queries.ts";
import { sourcePageSearch } from "./search.ts";
import { Section, SectionNotice } from "./section.tsx";
import { SourceForm } from "./source-form.tsx";
import { SourceMapping } from "./source-mapping.tsx";
import { SourceSkeleton } from "./source-skeletons.tsx";

export function SourcePage({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(sourceById(useTenantId(), id));
  const isShown = data && !(error && isRefusal(error));
  return (
    <Page
      parent={{ name: "Sources", path: "sources" }}
      title={data?.name ?? "Source"}
      actions={isShown && <Actions source={data} />}
    >
      {isShown ? (
        <SourceContent source={data} />
      ) : error ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : (
        <SourceSkeleton />
      )}
    </Page>
  );
}

function Actions({ source }: { source: Source }) {
  const mayWrite = useIsAllowed(updateSourceContract.access);
  const [editing, setEditing] = useState(false);
  const stop = () => setEditing(false);
  if (!mayWrite) return <ReadOnly />;
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => setEditing(true)}>
        <Pencil aria-hidden className="size-4 text-muted" />
        Edit
      </Button>
      <ImportLink sourceId={source.id} />
      <FormPanel open={editing} label={`Edit ${source.name}`} onClose={stop}>
        <SourceForm initial={source} onDone={stop} />
      </FormPanel>
    </div>
  );
}

function ImportLink({ sourceId }: { sourceId: string }) {
  return (
    <Link
      href={`/${useTenantId()}/sources/${sourceId}/import`}
      className={buttonClass({ variant: "primary" })}
    >
      <FileUp aria-hidden className="size-4" />
      Import a file
    </Link>
  );
}

function SourceContent({ source }: { source: Source }) {
  const { search, set, linkTo } = useSearch(sourcePageSearch);
  return (
    <div className="flex flex-col gap-8">
      <div className="grid gap-x-10 gap-y-6 @4xl:grid-cols-2">
        <Section title="Details">
          <Facts>
            <Fact name="Kind">{SOURCE_KIND_LABELS[source.kind]}</Fact>
            <Fact name="Currency">{source.currency}</Fact>
            <Fact name="Signs">{SIGN_LABELS[source.sign]}</Fact>
            <Fact name="Time zone">{zoneName(source.time_zone)}</Fact>
            <Fact name="Grace period">{pluralize(source.grace_days, "business day")}</Fact>
            <Fact name="Created">
              <ActorName iso={source.created_at} actor={source.created_by} />
            </Fact>
            <IdentifierFact name="ID" value={source.id} />
          </Facts>
        </Section>
        <Section title="Mapping of CSV files">
          <SourceMapping source={source} />
        </Section>
      </div>
      <ConnectionSection source={source} linkTo={linkTo} />
      <Imports source={source} linkTo={linkTo} />
      <BalanceSection source={source} />
      {source.line_count > 0 && <LatestLines source={source} />}
      <ImportPanel
        id={search.import}
        currency={source.currency}
        onClose={() => set({ import: null })}
      />
    </div>
  );
}

function Imports({
  source,
  linkTo,
}: {
  source: Source;
  linkTo: Parameters<typeof ImportTable>[0]["linkTo"];
}) {
  const list = useList(importPages(useTenantId(), source.id));
  const mayWrite = useIsAllowed(updateSourceContract.access);
  return (
    <Section title="Imports">
      <ListBody
        list={list}
        skeleton={
          <ListSkeleton
            label="Loading imports"
            count={3}
            row="h-15.5 gap-4 px-4"
            cells={["w-1/3", "w-24", "ml-auto w-16"]}
          />
        }
        bare={
          <SectionNotice
            icon={Inbox}
            title="No imports yet"
            action={mayWrite && <ImportLink sourceId={source.id} />}
          >
            {source.line_count > 0
              ? "This source's lines came through the API. " +
                "Files work as well: CSV, camt, MT940, BAI2 or OFX."
              : "Import a CSV, camt, MT940, BAI2 or OFX file. " +
                "Lines that are there already are skipped."}{" "}
            {!mayWrite && "An admin or a lead can import one."}
          </SectionNotice>
        }
      >
        {() => <ImportTable items={list.items} linkTo={linkTo} />}
      </ListBody>
    </Section>
  );
}

function LatestLines({ source }: { source: Source }) {
  const tenantId = useTenantId();
  const { data, error, refetch } = useQuery(latestLines(tenantId, source.id));
  const all = `/${tenantId}/lines?source_id=${source.id}`;
  return (
    <Section
      title="Latest lines"
      action={
        <Link href={all} className={buttonClass({ size: "sm" })}>
          <Rows3 aria-hidden className="size-4 text-muted" />
          View{" "}
          {source.line_count === 1
            ? "the line"
            : `all ${source.line_count.toLocaleString("en")} lines`}
        </Link>
      }
    >
      {data ? (
        <LineTable
          caption="Latest lines"
          items={data.items}
          linkTo={({ line }) => `${all}&line=${line}`}
          total={data.items.length}
        />
      ) : error ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : (
        <ListSkeleton
          label="Loading lines"
          count={8}
          row="h-11.25 gap-4 px-4"
          cells={["w-1/3", "w-24", "ml-auto w-16"]}
        />
      )}
    </Section>
  );
}
