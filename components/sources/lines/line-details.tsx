"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";
import { EvidenceList } from "#components/evidence/evidence-list.tsx";
import { DataFields } from "#components/kit/data-fields.tsx";
import { Fact, Facts, IdentifierFact } from "#components/kit/facts.tsx";
import { lineName } from "#components/kit/line-name.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelBody, PanelHead, PanelSection, PanelTitle } from "#components/kit/panel-parts.tsx";
import type { PageLink } from "#components/kit/use-search.ts";
import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import { Note } from "#components/ui/note.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Line } from "#lib/lines/contract.ts";
import { sourceById } from "../queries.ts";
import { LineBadge } from "./labels.tsx";
import { LineExclusions } from "./line-exclusions.tsx";
import { LineHistory } from "./line-history.tsx";
import { LineMatch } from "./line-match.tsx";

const LINK = "underline underline-offset-2 hover:text-accent-text";

/** A line with all of its data. */
export function LineDetails({
  line,
  linkTo,
}: {
  line: Line;
  linkTo: (to: { line: string }) => PageLink;
}) {
  const tenantId = useTenantId();
  const { data: source } = useQuery(sourceById(tenantId, line.source_id));
  const {
    reference,
    counterparty,
    description,
    group_key,
    external_id,
    booked_date,
    import_id,
    file_line,
    fee_minor,
  } = line;
  return (
    <PanelBody>
      <PanelHead>
        <LineBadge state={line.state} />
        <PanelTitle>{formatMoney(line.amount_minor, line.currency)}</PanelTitle>
        <p className="text-base text-muted wrap-anywhere">{lineName(line)}</p>
      </PanelHead>
      {line.exception_id && (
        <Note tone="warning">
          It stayed open past the grace period.{" "}
          <Link
            href={`/${tenantId}/exceptions?exception=${line.exception_id}`}
            className="font-medium underline underline-offset-2"
          >
            View the exception
          </Link>
        </Note>
      )}
      <LineExclusions lineId={line.id} />
      <Facts>
        <Fact name="Value date">{formatDay(line.value_date, "UTC")}</Fact>
        {booked_date && booked_date !== line.value_date && (
          <Fact name="Booking date">{formatDay(booked_date, "UTC")}</Fact>
        )}
        {fee_minor !== null && fee_minor !== 0 && (
          <>
            <Fact name="Fee">{formatMoney(fee_minor, line.currency)}</Fact>
            <Fact name="Paid out">{formatMoney(line.amount_minor - fee_minor, line.currency)}</Fact>
          </>
        )}
        {line.state === "partly_matched" && (
          <Fact name="Open">{formatMoney(line.open_minor, line.currency)}</Fact>
        )}
        <Text name="Counterparty">{counterparty}</Text>
        <Text name="Reference">{reference}</Text>
        <Text name="Description">{description}</Text>
        <Text name="Group">{group_key}</Text>
        <Text name="Own ID">{external_id}</Text>
        <Fact name="Source">
          <Link href={`/${tenantId}/sources/${line.source_id}`} className={LINK}>
            {source?.name ?? "Source"}
          </Link>
        </Fact>
        <Fact name="Added">
          <Time iso={line.created_at} />
          {import_id ? (
            <>
              {" by "}
              <Link
                href={`/${tenantId}/sources/${line.source_id}?import=${import_id}`}
                className={LINK}
              >
                an import
              </Link>
              {file_line !== null && `, line ${file_line.toLocaleString("en")} of the file`}
            </>
          ) : (
            " through the API"
          )}
        </Fact>
        <IdentifierFact name="ID" value={line.id} />
      </Facts>
      <PanelSection title="Evidence">
        <EvidenceList subjectId={line.id} />
      </PanelSection>
      {line.match_ids.length > 0 && (
        <PanelSection title={line.match_ids.length === 1 ? "Match" : "Matches"}>
          {line.match_ids.map((id) => (
            <LineMatch key={id} id={id} lineId={line.id} linkTo={linkTo} />
          ))}
        </PanelSection>
      )}
      {/* Data from the file or the caller beyond the fields. */}
      {Object.keys(line.details).length > 0 && (
        <PanelSection title="Details">
          <DataFields label="Details" value={line.details} currency={line.currency} />
        </PanelSection>
      )}
      <PanelSection title="History">
        <LineHistory line={line} />
      </PanelSection>
    </PanelBody>
  );
}

function Text({ name, children }: { name: string; children: string | null }): ReactNode {
  return (
    children !== null && (
      <Fact name={name}>
        <span className="wrap-anywhere whitespace-pre-line">{children}</span>
      </Fact>
    )
  );
}
