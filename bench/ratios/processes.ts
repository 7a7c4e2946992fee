import { calling, hotCalls } from "./calls.ts";
import { type Rate, rates } from "./rates.ts";
import { ratioOf, type Section } from "./report.ts";
import { startService } from "./server.ts";

const OPEN = 60;

/** What more web processes on one port add. */
export async function processes(): Promise<Section> {
  const hot = await hotCalls(OPEN);
  const counts = [1, 2, 4];
  const servers = await Promise.all(
    counts.map((count) => startService({ WEB_CONCURRENCY: String(count) })),
  );
  try {
    const sides = servers.map((server, index) =>
      calling(`${counts[index]} processes`, server, hot.me),
    );
    const measured = await rates(sides);
    const [first, ...more] = measured as [Rate, ...Rate[]];
    return {
      title: "8. More web processes",
      how:
        "`GET /v1/me` by key, 16 calls at once. The callers and Postgres take their share of " +
        "the same cores: what a second process adds is what they leave.",
      findings: more.map((rate) =>
        ratioOf("`WEB_CONCURRENCY`", rate, { ...first, name: "1 process" }, null),
      ),
    };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}
