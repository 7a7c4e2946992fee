"use client";

import { Card } from "#components/kit/card.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { daysUntil } from "#components/ui/format-duration.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { useServerTime } from "#components/ui/server-clock.ts";
import { Day } from "#components/ui/time.tsx";
import type { Overview } from "#lib/overview/contract.ts";
import { apiKey, callsOf, webhooksOf } from "./links.ts";
import { Count, EmptyCard, NumberCell, NumberRow, NumberTable } from "./parts.tsx";

/** Calls by API key, and keys that expire. */
export function KeysCard({
  keys: { calls, expiring, since },
  asOf,
}: {
  keys: NonNullable<Overview["keys"]>;
  asOf: string;
}) {
  const tenant = useTenantId();
  return (
    <Card
      title="API keys"
      hint={
        <>
          Calls since <Day iso={since} />, including refused ones
        </>
      }
    >
      {calls.length === 0 ? (
        <EmptyCard>
          No keys used in the last 7 days.{" "}
          <PrefetchLink
            href={`/${tenant}/api-keys`}
            className="text-accent-text underline underline-offset-2"
          >
            See all keys
          </PrefetchLink>
        </EmptyCard>
      ) : (
        <NumberTable caption="Calls by API key" columns={["Key", "Calls", "Refused"]}>
          {calls.map(({ id, name, call_count, refused_count }) => (
            <NumberRow
              key={id}
              name={
                <PrefetchLink
                  href={apiKey(tenant, id)}
                  className="underline-offset-2 hover:underline"
                >
                  {name}
                </PrefetchLink>
              }
            >
              <NumberCell>
                <Count
                  value={call_count}
                  href={callsOf(tenant, id, since, asOf)}
                  label={`calls by ${name}`}
                />
              </NumberCell>
              <NumberCell>
                <Count
                  value={refused_count}
                  href={callsOf(tenant, id, since, asOf, "refused")}
                  label={`refused calls by ${name}`}
                  className="text-danger-text"
                />
              </NumberCell>
            </NumberRow>
          ))}
        </NumberTable>
      )}
      {expiring.length > 0 && (
        <section aria-labelledby="expiring">
          <h3 id="expiring" className="text-sm font-medium">
            Expiring soon
          </h3>
          <ul className="text-sm">
            {expiring.map(({ id, name, expires_at }) => (
              <li key={id} className="flex justify-between gap-3 py-1">
                <PrefetchLink
                  href={apiKey(tenant, id)}
                  className="min-w-0 truncate underline-offset-2 hover:underline"
                >
                  {name}
                </PrefetchLink>
                <span className="shrink-0 text-muted">
                  <Until iso={expires_at} asOf={asOf} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Card>
  );
}

function Until({ iso, asOf }: { iso: string; asOf: string }) {
  const days = useServerTime((now) => daysUntil(iso, now), asOf);
  return (
    <>
      in {days} {days === 1 ? "day" : "days"}, <Day iso={iso} />
    </>
  );
}

/** Webhooks by health. */
export function WebhooksCard({
  webhooks: { active_count, disabled_count, items },
}: {
  webhooks: NonNullable<Overview["webhooks"]>;
}) {
  const tenant = useTenantId();
  return (
    <Card
      title="Webhooks"
      hint="Attempts in the last 24 hours"
      aside={
        items.length > 0 && (
          <p className="flex gap-3 text-sm">
            <span>
              <Count value={active_count} href={webhooksOf(tenant, "active")} /> active
            </span>
            <span>
              <Count value={disabled_count} href={webhooksOf(tenant, "disabled")} /> disabled
            </span>
          </p>
        )
      }
    >
      {items.length === 0 ? (
        <EmptyCard>
          No webhooks yet.{" "}
          <PrefetchLink
            href={`/${tenant}/webhooks?new=true`}
            className="text-accent-text underline underline-offset-2"
          >
            Register a webhook
          </PrefetchLink>
        </EmptyCard>
      ) : (
        <NumberTable caption="Webhooks" columns={["Webhook", "Attempts", "Failed"]}>
          {items.map(({ id, url, status, failing_since, attempt_count, failure_count }) => (
            <NumberRow
              key={id}
              name={
                <>
                  <PrefetchLink
                    href={`/${tenant}/webhooks/${id}`}
                    className="underline-offset-2 hover:underline"
                  >
                    {url.replace(/^https?:\/\//, "")}
                  </PrefetchLink>
                  {status === "disabled" ? (
                    <span className="ml-2 text-xs text-muted">Disabled</span>
                  ) : (
                    failing_since && (
                      <span className="ml-2 text-xs font-medium text-danger-text">Failing</span>
                    )
                  )}
                </>
              }
            >
              <NumberCell>
                <Count
                  value={attempt_count}
                  href={`/${tenant}/webhooks/${id}`}
                  label={`attempts to ${url}`}
                />
              </NumberCell>
              <NumberCell>
                <Count
                  value={failure_count}
                  href={`/${tenant}/webhooks/${id}`}
                  label={`failed attempts to ${url}`}
                  className="text-danger-text"
                />
              </NumberCell>
            </NumberRow>
          ))}
        </NumberTable>
      )}
    </Card>
  );
}
