import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "#e2e/until.ts";
import { Receiver } from "#e2e/webhooks/receiver.ts";
import { Collector } from "./collector.ts";
import { freshDataDir } from "./data-dir.ts";
import { Project } from "./project.ts";
import { Supervisor } from "./supervisor.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const CALLER = { trace: "0af7651916cd43dd8448eb211c80319c", span: "b7ad6b7169203331" };
const TOKEN = "prometheus-reads-this-and-nobody-else";

const DATA_DIR = freshDataDir();
let collector: Collector;
let receiver: Receiver;
let stack: Supervisor;
let project: Project;

beforeAll(async () => {
  [collector, receiver] = await Promise.all([Collector.start(), Receiver.start()]);
  stack = await Supervisor.ready({
    DATA_DIR,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_METRIC_EXPORT_INTERVAL: "1000",
    METRICS_TOKEN: TOKEN,
    WEBHOOK_ALLOW_HOSTS: "127.0.0.1",
  });
  project = new Project(stack, DATA_DIR);
});
afterAll(async () => {
  await receiver.stop();
  await stack.end("SIGTERM");
  collector.stop();
});

const spansOf = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);

/** @returns the trace of a request of acme's admin. */
async function send(path: string, contentType: string, body: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${stack.port}${path}`, {
    method: "POST",
    headers: {
      ...(await project.headers()),
      "Content-Type": contentType,
      traceparent: `00-${CALLER.trace}-${CALLER.span}-01`,
    },
    body,
  });
  expect(response.ok, await response.text()).toBe(true);
  return (response.headers.get("x-request-id") ?? "").replace("req_", "");
}

test("one trace leads from a request to the receipt of its webhook", async () => {
  await receiver.behave("/traced", { secrets: [SECRET] });
  await project.call("POST", "/v1/webhooks", {
    url: receiver.url("/traced"),
    events: ["exception.created"],
    secret: SECRET,
  });
  const traceId = await send(
    "/v1/exceptions",
    "application/json",
    JSON.stringify({ title: "Traced", severity: "low" }),
  );
  const [received] = await receiver.gets("/traced", 1);
  await until("the three steps to be recorded", () => spansOf(traceId).length >= 3);

  const spans = spansOf(traceId).sort(
    (left, right) => Number(Boolean(left.parentSpanId)) - Number(Boolean(right.parentSpanId)),
  );
  const [request, ...below] = spans;
  expect([request?.service, request?.name, request?.parentSpanId ?? ""]).toEqual([
    "tieout-web",
    "createException",
    "",
  ]);
  // The caller's trace is only linked, because it may be forged.
  expect(request?.links).toMatchObject([{ traceId: CALLER.trace, spanId: CALLER.span }]);
  expect(
    below.map(({ service, name, parentSpanId }) => [service, name, parentSpanId]).sort(),
  ).toEqual([
    ["tieout-web", "create_exception", request?.spanId],
    ["tieout-worker", "webhook exception.created", request?.spanId],
  ]);
  const attempt = below.find(({ service }) => service === "tieout-worker");
  expect(received?.headers.traceparent).toBe(`00-${traceId}-${attempt?.spanId}-01`);
  // Spans contain no data of tenants.
  expect(JSON.stringify(spans)).not.toContain("Traced");
});

test("the trace of a file covers import, match, exception and webhook", async () => {
  await receiver.behave("/lines", { secrets: [SECRET] });
  await project.call("POST", "/v1/webhooks", {
    url: receiver.url("/lines"),
    events: ["exception.created"],
    secret: SECRET,
  });
  const source = (name: string) =>
    project.call<{ id: string }>("POST", "/v1/sources", {
      name,
      kind: "ledger",
      currency: "EUR",
      grace_days: 0,
    });
  const [left, right] = [await source("Traced bank"), await source("Traced ledger")];
  await project.call("POST", `/v1/sources/${left.id}/lines`, {
    lines: [
      { external_id: "l1", amount_minor: 1234, value_date: "2020-01-10", reference: "INV-1" },
    ],
  });
  const period = await project.call<{ id: string }>("POST", "/v1/reconciliations", {
    name: "Traced",
    period_start: "2020-01-01",
    period_end: "2020-01-31",
    left_source_id: left.id,
    right_source_id: right.id,
  });
  const file = "value_date,amount,reference\n2020-01-10,12.34,INV-1\n2020-01-11,99.99,INV-2\n";
  const traceId = await send(`/v1/sources/${right.id}/imports`, "text/csv", file);
  const received = () =>
    receiver.received.filter(
      ({ path, headers }) => path === "/lines" && headers.traceparent?.includes(traceId),
    );
  await until("the exception to be received", () => received().length === 1);
  const isRecorded = (step: string) => spansOf(traceId).some(({ name }) => name === step);
  // The webhook of the previous test receives the exception's event, too.
  const isReceipt = ({ service, spanId }: { service: string; spanId: string }) =>
    service === "tieout-worker" &&
    received()[0]?.headers.traceparent === `00-${traceId}-${spanId}-01`;
  await until(
    "the run and the receipt to be recorded",
    () => isRecorded("job match_pair") && spansOf(traceId).some(isReceipt),
  );
  // Each process exports its spans at its own pace.
  await until(
    "the web process to record its steps",
    () => isRecorded("createImport") && isRecorded("open_import"),
  );
  const matches = await project.call<{ items: object[] }>(
    "GET",
    `/v1/reconciliations/${period.id}/matches?state=confirmed`,
  );
  expect(matches.items).toHaveLength(1);

  const spans = spansOf(traceId);
  const nameOf = (spanId: string | undefined) =>
    spans.find((span) => span.spanId === spanId)?.name ?? "";
  const steps = spans.map(
    ({ service, name, parentSpanId }) => `${service}: ${nameOf(parentSpanId)} > ${name}`,
  );
  expect([...new Set(steps)].sort()).toEqual([
    "tieout-matcher: createImport > job match_pair",
    "tieout-matcher: createImport > job read_import",
    "tieout-matcher: job match_pair > decide new lines",
    "tieout-matcher: job match_pair > finish_run",
    "tieout-matcher: job match_pair > match lines",
    "tieout-matcher: job match_pair > open_line_exceptions",
    "tieout-matcher: job match_pair > read lines",
    "tieout-matcher: job match_pair > run_totals",
    "tieout-matcher: job match_pair > save_matches",
    "tieout-matcher: job read_import > finish_import",
    "tieout-matcher: job read_import > read file",
    "tieout-web:  > createImport",
    "tieout-web: createImport > create_import",
    "tieout-web: createImport > keep_import_chunk",
    "tieout-web: createImport > open_import",
    "tieout-worker: createImport > webhook exception.created",
  ]);
  expect(JSON.stringify(spans)).not.toContain("INV-");
});

test("a scheduled job has its own trace", async () => {
  await until("it to be done", await project.giveJob("purge_imports"));
  await until("it to be recorded", () =>
    collector.spans.some(({ name }) => name === "job purge_imports"),
  );
  const span = collector.spans.find(({ name }) => name === "job purge_imports");
  expect([span?.parentSpanId ?? "", spansOf(span?.traceId ?? "").length]).toEqual(["", 1]);
});

test("metrics are those of a scrape, by the same names, of each process", async () => {
  await project.call("GET", "/v1/me");
  const scraped = await fetch(`http://127.0.0.1:${stack.port}/metrics`, {
    headers: { Authorization: `Bearer ${TOKEN}` },
  });
  const types = [...(await scraped.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(
    ([, name = "", type = ""]) => `${name} ${type}`,
  );
  const typeOf = (name: string) => {
    const metric = collector.metric("tieout-web", name);
    return metric?.histogram
      ? "histogram"
      : metric?.sum?.isMonotonic
        ? "counter"
        : metric?.gauge
          ? "gauge"
          : "";
  };
  await until("all of them to be sent", () =>
    types.every((type) => `${type.split(" ")[0]} ${typeOf(type.split(" ")[0] ?? "")}` === type),
  );
  expect(types.length).toBeGreaterThan(30);

  const run = () =>
    collector
      .metric("tieout-matcher", "tieout_job_duration_seconds")
      ?.histogram?.dataPoints.find(({ attributes }) =>
        attributes.some(({ value }) => value.stringValue === "match_pair"),
      );
  await until("the run to be measured", () => Number(run()?.count) > 0);
  const { bucketCounts = [], explicitBounds = [], count, sum } = run() ?? {};
  expect([bucketCounts.length, bucketCounts.reduce((all, item) => all + Number(item), 0)]).toEqual([
    explicitBounds.length + 1,
    Number(count),
  ]);
  expect(sum).toBeGreaterThan(0);
  await until(
    "the worker's to be sent",
    () => collector.metric("tieout-worker", "tieout_webhook_attempt_seconds") !== undefined,
  );
  expect(new Set(collector.metrics.map(({ instance }) => instance)).size).toBeGreaterThanOrEqual(3);
});

test("the logs of each process are exported, with the trace of each request", async () => {
  const traceId = await send(
    "/v1/exceptions",
    "application/json",
    JSON.stringify({ title: "Logged", severity: "low" }),
  );
  const line = () => collector.logs.find((record) => record.traceId === traceId);
  await until("the request's line to be sent", () => line() !== undefined);
  expect(line()).toMatchObject({
    service: "tieout-web",
    severityText: "info",
    body: { stringValue: "request" },
  });
  await until("the request's span to be sent", () =>
    spansOf(traceId).some(({ service }) => service === "tieout-web"),
  );
  expect(line()?.spanId).toBe(
    spansOf(traceId).find(({ name }) => name === "createException")?.spanId,
  );
  await until("the others' to be sent", () =>
    ["worker", "matcher"].every((value) =>
      collector.logs.some(({ service }) => service === `tieout-${value}`),
    ),
  );
});

test("without an endpoint, no OpenTelemetry code is loaded", async () => {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ resolve: (name, context, next) => (name.includes("opentelemetry") && loaded.push(name), next(name, context)) });
    const { startTelemetry } = await import("./lib/runtime/start-telemetry.ts");
    await startTelemetry("web", () => {});
    console.log(JSON.stringify(loaded.length));
    process.exit();`;
  const run = async (env: Record<string, string>) => {
    const options = {
      cwd: new URL("../..", import.meta.url),
      env: { PATH: process.env.PATH, ...env } as unknown as NodeJS.ProcessEnv,
    };
    return Number(
      (
        await promisify(execFile)(
          process.execPath,
          ["--input-type=module", "--eval", script],
          options,
        )
      ).stdout,
    );
  };
  expect(await run({})).toBe(0);
  expect(await run({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" })).toBeGreaterThan(0);
});
