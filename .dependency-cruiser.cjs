// Who may import whom (docs: "the way of a request"): app, worker → lib/<domain> → lib/db, and never back.

/** Everything under lib that is not plumbing is a domain: exceptions, api-keys, webhooks, … */
const DOMAIN = "^lib/(?!(?:auth|background|db|http|openapi|request|runtime|wire)/)([^/]+)/";
const CONTRACT =
  "^lib/(?:[^/]+/(?:(?:sla|filters|report|pauses|bulk|import|history|comments|deliveries|feed|rules|runs|periods|lines|bands|workbench|sign-off|balances|bundles|closing-board|statement-pdf)/)?contract|imports/formats/(?:mapping|skip-reasons)|records/surfaces/[^/]+)\\.ts$";
/** What a browser may load of lib: plain data about the wire. */
const WIRE =
  "^lib/wire/(?:access|conflicts|contract|csv-injection|currencies|errors|event-kinds|facts.gen|ip-range|outstanding-kinds|period-name|product|receiver-headers|reconciled-balances|sample-month|sandbox|schema|scopes|sdk-names).ts$";
/** An API key is a credential: who verifies credentials and counts their use asks its domain. */
const KEY_AS_CREDENTIAL = "^lib/api-keys/(?:credential-format|usage-meter|verify-api-key)\\.ts$";
/** What the pipeline sees of refusals and calls goes into the audit trail. */
const AUDIT = "^lib/security-events/(?:record-call|record-refusal)\\.ts$";
/** What it says of each call, whoever asked. */
const REQUEST_LOG = "^lib/request-log/(?:mask-messages|request-log)\\.ts$";
/** One guard decides where we connect to: alerts and connections go past it as deliveries do. */
const OUTBOUND =
  "^lib/webhooks/(?:connector|delivery-failure|receiver-address|require-receiver)\\.ts$";
/** What the pages of every domain are made of, from the bottom up: ui → kit → people. The shell and the design page stand above all. */
const UI = "^components/(?:ui|preferences)/";
const KIT = "^components/(?:kit/|api-client\\.ts$)";
const PEOPLE = "^components/people/";
/** The files kept with an exception, a match, a line or a period: four domains show them. */
const EVIDENCE = "^components/evidence/";
const COMPONENT_DOMAIN = "^components/(?!(?:ui|preferences|kit|people|shell|design)/)([^/]+)/";
const TEST = "\\.test(?:-support)?\\.tsx?$|^(?:e2e|bench|engine/judge)/";
const TOOLING = "^(?:bin|supervisor|server|e2e|bench|engine/judge|supabase)/";
/** The matching engine is pure; of it a contract may read the vocabulary of the rules. */
const ENGINE = "^engine/(?!judge/)";
const RULES = "^engine/rules\\.ts$";

module.exports = {
  forbidden: [
    { name: "no-circles", severity: "error", from: {}, to: { circular: true } },
    { name: "resolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "declared-packages",
      comment: "A package that package.json does not list is there by luck.",
      severity: "error",
      from: {},
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    },
    {
      name: "no-dev-packages-in-the-product",
      severity: "error",
      from: {
        path: "^(?:app|components|engine|lib|server|supervisor|worker|supabase)/",
        pathNot: TEST,
      },
      to: {
        dependencyTypes: ["npm-dev"],
        dependencyTypesNot: ["type-only"],
        pathNot: "node_modules/@types/",
      },
    },
    {
      name: "product-imports-no-tooling",
      comment:
        "The application has no branch for the local stack and knows nothing of how it is started or tested.",
      severity: "error",
      from: { path: "^(?:app|components|engine|lib|worker)/", pathNot: TEST },
      to: { path: TOOLING },
    },
    {
      name: "engine-is-pure",
      comment:
        "The matching engine imports nothing but itself and the table of currencies: no input, no output, no clock.",
      severity: "error",
      from: { path: ENGINE, pathNot: TEST },
      to: { pathNot: [ENGINE, "^lib/wire/currencies\\.ts$"] },
    },
    {
      name: "lib-is-below",
      severity: "error",
      from: { path: "^lib/", pathNot: TEST },
      to: { path: "^(?:app|components|engine|worker)/", pathNot: [RULES, ENGINE] },
    },
    {
      name: "engine-for-matching",
      comment: "Of the web, the domain of matching asks the engine.",
      severity: "error",
      from: { path: "^(?:lib|app|components)/", pathNot: ["^lib/matching/", TEST] },
      to: { path: ENGINE, pathNot: RULES },
    },
    {
      name: "app-through-domains",
      comment:
        "Pages and routes call verbs; a verb calls the database. The matcher copies rows itself.",
      severity: "error",
      from: { path: "^(?:app|worker)/", pathNot: [TEST, "^worker/matcher/"] },
      to: { path: "^lib/db/" },
    },
    {
      name: "routes-show-nothing",
      severity: "error",
      from: { path: "^app/v1/" },
      to: { path: "^components/|^node_modules/(?:react|react-dom)/" },
    },
    {
      name: "worker-without-web",
      severity: "error",
      from: { path: "^worker/", pathNot: TEST },
      to: {
        path: "^(?:app|components|lib/(?:http|openapi))/|^node_modules/(?:next|next-auth|react|react-dom)/",
      },
    },
    {
      name: "components-know-the-wire-only",
      comment:
        "Of lib, a component imports contract files and the wire's vocabulary, the rest it asks of /v1.",
      severity: "error",
      from: { path: "^components/", pathNot: TEST },
      to: { path: "^(?:lib|engine|worker|app)/", pathNot: [CONTRACT, WIRE, RULES] },
    },
    {
      name: "ui-knows-no-data",
      comment: "Primitives show what they are given.",
      severity: "error",
      from: { path: UI, pathNot: TEST },
      to: { path: "^components/|^lib/|^node_modules/@tanstack/react-query/", pathNot: UI },
    },
    {
      name: "kit-knows-no-domain",
      comment:
        "What every page is made of: queries, forms, panels, lists. The transport knows no page, and no dialog.",
      severity: "error",
      from: { path: KIT, pathNot: TEST },
      to: { path: "^components/", pathNot: [UI, KIT] },
    },
    {
      name: "people-above-the-kit",
      severity: "error",
      from: { path: PEOPLE, pathNot: TEST },
      to: { path: "^components/", pathNot: [UI, KIT, PEOPLE] },
    },
    {
      name: "domains-of-pages-stand-apart",
      comment:
        "A domain's components know the kit, people, evidence and contracts. What two domains show together, a page of app/ composes.",
      severity: "error",
      from: { path: COMPONENT_DOMAIN, pathNot: TEST },
      to: { path: "^components/", pathNot: [UI, KIT, PEOPLE, EVIDENCE, "^components/$1/"] },
    },
    {
      name: "contracts-are-data",
      comment: "A contract loads in the browser: zod, the wire's vocabulary and other contracts.",
      severity: "error",
      from: { path: [CONTRACT, WIRE], pathNot: TEST },
      to: { pathNot: [CONTRACT, WIRE, RULES, "^node_modules/(?:zod|ipaddr\\.js)/"] },
    },
    {
      name: "domain-without-http",
      comment: "A verb serves pages, routes and workers alike.",
      severity: "error",
      from: { path: DOMAIN, pathNot: TEST },
      to: { path: "^lib/(?:http|openapi)/|^node_modules/(?:next|next-auth|react|react-dom)/" },
    },
    {
      name: "domain-outside-only",
      comment: "Another domain is known by its contract.",
      severity: "error",
      from: { path: DOMAIN, pathNot: TEST },
      to: { path: DOMAIN, pathNot: ["^lib/$1/", CONTRACT, OUTBOUND] },
    },
    {
      name: "plumbing-knows-no-domain",
      severity: "error",
      from: {
        path: "^lib/(?:auth|background|db|http|openapi|request|runtime|wire)/",
        pathNot: TEST,
      },
      to: { path: DOMAIN, pathNot: [CONTRACT, KEY_AS_CREDENTIAL, AUDIT, REQUEST_LOG] },
    },
    {
      name: "lib-has-rooms",
      comment:
        "No loose pile: what is no domain's lies in wire, request, http, openapi, auth, db or runtime.",
      severity: "error",
      from: {},
      to: { path: "^lib/[^/]+$" },
    },
    {
      name: "wire-and-runtime-are-the-ground",
      comment:
        "The wire's vocabulary knows contracts alone, and the runtime knows nothing of requests.",
      severity: "error",
      from: { path: "^lib/(?:wire|runtime)/", pathNot: TEST },
      to: { path: "^lib/(?:auth|db|http|openapi|request)/" },
    },
    {
      name: "description-without-pipeline",
      comment:
        "OpenAPI follows from contracts; of the pipeline it knows the limits and forms that it describes.",
      severity: "error",
      from: { path: "^lib/openapi/", pathNot: TEST },
      to: { path: "^lib/http/", pathNot: "^lib/http/(?:export|idempotency|input)\\.ts$" },
    },
    {
      name: "database-without-http",
      severity: "error",
      from: { path: "^lib/(?:auth|db|request)/", pathNot: TEST },
      to: { path: "^lib/(?:http|openapi)/" },
    },
    {
      name: "no-test-code-in-the-product",
      severity: "error",
      from: { pathNot: TEST },
      to: { path: TEST },
    },
    {
      name: "no-barrels",
      comment: "Only the entry of a package gathers what it exports.",
      severity: "error",
      from: {},
      to: {
        path: "(?:^|/)index\\.(?:ts|tsx|mts|js|mjs)$",
        pathNot: "^(?:node_modules/|sdk/typescript/src/index\\.ts$)",
      },
    },
    ...["from", "to"].map((side) => ({
      name: `named-for-what-it-does-${side}`,
      comment:
        "A file or folder called utils, helpers, common or manager says nothing, and gathers everything.",
      severity: "error",
      from: {},
      to: {},
      [side]: {
        path: "(?:^|/)(?:utils?|helpers?|common|managers?|misc)(?:/|\\.tsx?$)",
        pathNot: "^node_modules/",
      },
    })),
  ],
  options: {
    // The SDK is developed with the packages of the repository.
    combinedDependencies: true,
    // TypeScript 7 has no compiler API for dependency-cruiser; swc reads the sources, type imports included.
    parser: "swc",
    tsPreCompilationDeps: true,
    preserveSymlinks: true,
    moduleSystems: ["es6", "cjs"],
    doNotFollow: { path: "^node_modules" },
    // bench/peers is a package of its own, which the bench alone installs.
    exclude: { path: "(?:^|/)\\.next/|^\\.data/|^bench/peers/|^sdk/[^/]+/dist/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".tsx", ".mjs", ".js", ".json"],
    },
  },
};
