import { Figure, Figures } from "#components/kit/figures.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { formatDuration, formatRate } from "./labels.ts";

type Performance = Webhook["last_24h"];

/** A receiver's success rate and response times. */
export function WebhookFigures({ webhook: { last_24h, last_7d } }: { webhook: Webhook }) {
  return (
    <Figures>
      <Figure name="Success, 24 h" value={formatRate(last_24h.success_rate)}>
        {attemptsOf(last_24h)}
      </Figure>
      <Figure name="Success, 7 d" value={formatRate(last_7d.success_rate)}>
        {attemptsOf(last_7d)}
      </Figure>
      <Figure name="Response time, 24 h" value={formatDuration(last_24h.p50_ms)}>
        {last_24h.p95_ms === null
          ? "No responses yet"
          : `Median; p95 ${formatDuration(last_24h.p95_ms)}`}
      </Figure>
      <Figure name="Response time, 7 d" value={formatDuration(last_7d.p50_ms)}>
        {last_7d.p95_ms === null
          ? "No responses yet"
          : `Median; p95 ${formatDuration(last_7d.p95_ms)}`}
      </Figure>
    </Figures>
  );
}

function attemptsOf({ attempts, failures }: Performance): string {
  if (attempts === 0) return "No attempts";
  return `${pluralize(attempts, "attempt")}, ${failures.toLocaleString("en")} failed`;
}
