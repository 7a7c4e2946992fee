import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ValidationSeverity, validate } from "dockerfile-utils";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { HEAP } from "../../supervisor/heap-sizes.ts";
import { backgroundEnv, webEnv } from "../../supervisor/process-env.ts";

const ROOT = join(import.meta.dirname, "../..");
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");

type Container = {
  name: string;
  args: string[];
  resources: { requests?: Record<string, string>; limits?: Record<string, string> };
  securityContext: Record<string, unknown>;
  startupProbe?: object;
  livenessProbe?: object;
  readinessProbe?: object;
};
type Pod = {
  securityContext: Record<string, unknown>;
  automountServiceAccountToken: boolean;
  containers: Container[];
};
type Labels = Record<string, string>;
type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: {
    replicas?: number;
    minAvailable?: number;
    selector?: { matchLabels: Labels } & Labels;
    template?: { metadata: { labels: Labels }; spec: Pod };
  };
};
type Service = {
  command?: string[];
  environment?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  healthcheck?: object;
  mem_limit?: string;
  image: string;
};

const MANIFESTS = readdirSync(join(ROOT, "ops/kubernetes"))
  .filter((file) => file !== "kustomization.yaml")
  .flatMap((file) =>
    parseAllDocuments(textOf(`ops/kubernetes/${file}`)).map(
      (document) => document.toJS() as Manifest,
    ),
  );
const DEPLOYMENTS = MANIFESTS.filter(({ kind }) => kind === "Deployment");
const COMPOSE = parse(textOf("ops/compose/compose.yaml"), { merge: true }) as {
  services: Record<string, Service>;
};
const OURS = Object.entries(COMPOSE.services).filter(([, { image }]) => image === "tieout");

/** The file that a command of the image runs. */
const entryOf = (args: readonly string[]) => args.find((arg) => !arg.startsWith("-")) ?? "";

describe("the image", () => {
  test("has a valid Dockerfile", () => {
    const faults = validate(textOf("Dockerfile"), {
      instructionWorkdirRelative: ValidationSeverity.ERROR,
    });
    expect(faults.map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual([]);
  });

  test("contains what its processes load, and doesn't run as root", () => {
    const copied = [...textOf("Dockerfile").matchAll(/^COPY --from=build .* \.\/([\w.-]*)$/gm)].map(
      ([, folder]) => folder,
    );
    for (const entry of [
      "server",
      "worker",
      "bin",
      "engine",
      "lib",
      "server",
      "worker",
      "supabase",
      "supervisor",
      "app",
      "docs",
      ".next",
      "node_modules",
    ])
      expect(copied).toContain(entry);
    expect(textOf("Dockerfile")).toMatch(/^USER nonroot$/m);
    const ignored = textOf(".dockerignore").split("\n");
    for (const included of ["supabase", "docs", "bin", "supervisor"])
      expect(ignored).not.toContain(included);
    for (const secret of [".data", ".git"]) expect(ignored).toContain(secret);
  });
});

describe("the manifests for Kubernetes", () => {
  test("run two of each kind, keep one through a disruption, and select their pods", () => {
    expect(DEPLOYMENTS.map(({ metadata }) => metadata.name).sort()).toEqual([
      "tieout-matcher",
      "tieout-web",
      "tieout-worker",
    ]);
    for (const { metadata, spec } of DEPLOYMENTS) {
      expect(spec.replicas).toBe(2);
      expect(spec.template?.metadata.labels).toMatchObject(
        spec.selector?.matchLabels ?? { no: "selector" },
      );
      const budget = MANIFESTS.find(
        ({ kind, metadata: { name } }) => kind === "PodDisruptionBudget" && name === metadata.name,
      );
      expect(budget?.spec.minAvailable).toBe(1);
      expect(budget?.spec.selector?.matchLabels).toEqual(spec.selector?.matchLabels);
    }
    const service = MANIFESTS.find(({ kind }) => kind === "Service");
    expect(
      DEPLOYMENTS.find(({ metadata }) => metadata.name === "tieout-web")?.spec.template?.metadata
        .labels,
    ).toMatchObject(service?.spec.selector ?? { no: "selector" });
  });

  test.each(DEPLOYMENTS.map((deployment) => [deployment.metadata.name, deployment] as const))(
    "%s has probes and limits, and minimal privileges",
    (_, { spec }) => {
      const pod = spec.template?.spec;
      if (!pod) throw new Error("There is no pod.");
      const { securityContext, automountServiceAccountToken, containers } = pod;
      expect([securityContext.runAsNonRoot, automountServiceAccountToken]).toEqual([true, false]);
      for (const container of containers) {
        expect(container).toMatchObject({
          securityContext: {
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ["ALL"] },
          },
          resources: {
            requests: { cpu: expect.any(String), memory: expect.any(String) },
            limits: { memory: expect.any(String) },
          },
        });
        for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"] as const)
          expect(container[probe], probe).toBeDefined();
        // The heap must be collected before the kernel kills the process.
        const heap = Number(/--max-old-space-size=(\d+)/.exec(container.args.join(" "))?.[1]);
        expect(heap * 1.2).toBeLessThan(
          Number.parseInt(container.resources.limits?.memory ?? "", 10),
        );
      }
    },
  );
});

describe("the compose file", () => {
  test("runs two of each kind behind a proxy, with health checks and a read-only file system", () => {
    const background = OURS.filter(([name]) => name !== "migrate");
    expect(background.map(([name]) => name).sort()).toEqual([
      "matcher-1",
      "matcher-2",
      "web-1",
      "web-2",
      "worker-1",
      "worker-2",
    ]);
    for (const [, service] of background)
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        healthcheck: expect.any(Object),
        mem_limit: expect.any(String),
      });
    const proxied = textOf("ops/compose/Caddyfile");
    for (const web of ["web-1:3000", "web-2:3000", "health_uri /readyz"])
      expect(proxied).toContain(web);
  });

  test("names only variables that docs/configuration.md explains", () => {
    const readme = textOf("docs/configuration.md");
    const named = [...textOf("ops/compose/example.env").matchAll(/^([A-Z_]+)=/gm)].map(
      ([, name = ""]) => name,
    );
    const platform = ["DOMAIN", "POSTGRES_PASSWORD"];
    expect(
      named.filter((name) => !platform.includes(name) && !readme.includes(`\`${name}\``)),
    ).toEqual([]);
  });
});

test("every deployed command starts an existing file with the supervisor's heap limits", () => {
  const pods = MANIFESTS.flatMap(({ spec }) => spec.template?.spec.containers ?? []);
  const image = JSON.parse(/^CMD (.*)$/m.exec(textOf("Dockerfile"))?.[1] ?? "[]") as string[];
  const commands = [
    image,
    ...pods.map(({ args }) => args),
    ...OURS.map(([, { command = [] }]) => command),
  ];
  expect([...new Set(commands.map(entryOf))].sort()).toEqual([
    "bin/db.ts",
    "server/main.ts",
    "worker/main.ts",
    "worker/matcher/main.ts",
  ]);
  for (const command of commands) {
    const entry = entryOf(command);
    expect(existsSync(join(ROOT, entry)), entry).toBe(true);
    const heap = {
      "bin/db.ts": [],
      "server/main.ts": HEAP.web,
      "worker/main.ts": HEAP.worker,
      "worker/matcher/main.ts": HEAP.matcher,
    }[entry];
    expect(command.slice(0, command.indexOf(entry)), entry).toEqual(heap);
  }
});

/** Variables that give access to the database, a session, a webhook's secret or the audit log. */
const SECRETS = [
  "AUDIT_SIGNING_KEY",
  "AUTH_JWT_SECRET",
  "DATABASE_URL",
  "DIRECT_URL",
  "ENCRYPTION_KEYS",
  "METRICS_TOKEN",
  "NEXTAUTH_SECRET",
  "POSTGRES_PASSWORD",
  "REQUEST_DATABASE_URL",
  "SMTP_URL",
  "SUPABASE_JWT_SECRET",
  "SUPABASE_SECRET_KEY",
];

describe("each process gets only its own secrets, however it is started:", () => {
  const everything = Object.fromEntries(SECRETS.map((name) => [name, "x"]));
  // The local stack's Postgres has no password that reaches a process.
  delete everything.POSTGRES_PASSWORD;
  const supervised = {
    web: webEnv(everything),
    worker: backgroundEnv(everything, "worker"),
    matcher: backgroundEnv(everything, "matcher"),
  };

  test.each(["web", "worker", "matcher"] as const)("%s", (part) => {
    const bySupervisor = SECRETS.filter((name) => name in supervised[part]);
    const { environment = [] } = COMPOSE.services[`${part}-1`] ?? {};
    const byCompose = environment.map((entry) => entry.split("=", 1)[0] ?? "");
    expect(byCompose.filter((name) => SECRETS.includes(name)).sort()).toEqual(bySupervisor);
    const [comment = ""] = /^(?:#.*\n)+/.exec(textOf(`ops/kubernetes/${part}.yaml`)) ?? [];
    const byManifest = SECRETS.filter((name) => new RegExp(`\\b${name}\\b`).test(comment));
    expect(byManifest).toEqual(bySupervisor);
  });

  test("no service of ours reads the whole environment file", () => {
    for (const [name, service] of OURS) {
      expect(JSON.stringify(service), name).not.toContain('"env_file":".env"');
      expect(service.environment, name).toBeDefined();
    }
  });
});
