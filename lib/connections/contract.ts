import { z } from "zod";
import { sourceId } from "../sources/contract.ts";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { CONNECTION_FILES, CONNECTIONS } from "../wire/facts.gen.ts";
import {
  actor,
  id,
  page,
  pageQuery,
  SECRET_FORMAT,
  text,
  time,
  userReference,
} from "../wire/schema.ts";

/** The maximum number of names that a test lists. */
export const NAMES_LISTED = 10;

export const connectionId = id("con");
const noun = "connection";
const tag = "Connections";
const idempotency = { field: "idempotency_key", required: false } as const;
const clock = z
  .string()
  .length(5)
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "Give a time as HH:MM, for example 06:30.");

const schedule = z
  .strictObject({
    calendar_id: id("cal").nullable().meta({
      description: "The calendar whose open days are business days. Null: Monday to Friday.",
      example: null,
    }),
    at: clock.meta({
      description: "When it first checks for files on a business day.",
      example: "06:30",
    }),
    retry_until: clock.meta({
      description: "When the day's file is late and an exception is opened.",
      example: "10:00",
    }),
  })
  .refine(({ at, retry_until }) => at < retry_until, {
    path: ["retry_until"],
    error: "Must be later than at.",
  });

/** A folder on a server, below a connection's address. */
export const folderName = text(CONNECTIONS.move_to.max).regex(
  /^(?!\.{1,2}$)[^/\\]+$/,
  "Give the name of one folder.",
);

const settings = {
  address: z
    .string()
    .min(1)
    .max(CONNECTIONS.address.max)
    .meta({
      description:
        "https: the file's URL. s3: an https URL with endpoint, bucket and prefix. sftp: " +
        "host and folder. Only public addresses. mail: assigned by the server.",
      example: "sftp://sftp.bank.example/outgoing",
    }),
  allowed_senders: z
    .array(
      z
        .string()
        .max(320)
        .regex(/^[^\s@]*@[^\s@]+\.[^\s@]+$/, "Give an address, or @ and a domain."),
    )
    .max(50)
    .meta({
      description: "Only for mail: the accepted senders, as addresses or as @ and a domain.",
      example: [],
    }),
  auth: z.enum(CONNECTIONS.auth).meta({
    description:
      "How to sign in. signed_query: the credential is the query of a signed https URL. " +
      "access_key: for s3, with its ID as user_name.",
    example: "private_key",
  }),
  user_name: text(CONNECTIONS.user_name.max).nullable().meta({
    description: "The user's name, or the access key's ID.",
    example: "acme",
  }),
  region: z
    .string()
    .regex(/^[a-z0-9-]+$/, "Must be a region, for example eu-central-1.")
    .max(CONNECTIONS.region.max)
    .nullable()
    .meta({ description: "Only for s3.", example: null }),
  file_glob: text(CONNECTIONS.file_glob.max).meta({
    description: "A pattern for file names: * is any characters, ? is one.",
    example: "camt053-*.xml",
  }),
  schedule: schedule.nullable().meta({
    description: "In the source's time zone. Null: only on request.",
  }),
  afterwards: z.enum(CONNECTIONS.afterwards).meta({
    description: "What happens to a file on the server after its import.",
    example: "move",
  }),
  move_to: folderName.nullable().meta({
    description: "The subfolder to move files to, with afterwards: move.",
    example: "done",
  }),
  stable_seconds: z
    .int()
    .min(CONNECTIONS.stable_seconds.min)
    .max(CONNECTIONS.stable_seconds.max)
    .meta({
      description: "How long a file's size and time must stay the same before it is fetched.",
      example: 10,
    }),
  waits_for_marker: z.boolean().meta({
    description: "Whether a file waits for a second file with its name and .done.",
    example: false,
  }),
  assigned_to: userReference.nullable().meta({
    description: "Who gets the exception when a file is missing.",
    example: "user:ada",
  }),
  host_key: z
    .string()
    .length(50)
    .regex(/^SHA256:[A-Za-z0-9+/]+$/, "Give it as ssh-keygen -l shows it: SHA256:…")
    .nullable()
    .meta({
      description:
        "Only for sftp: the server's host key. Null: the first one that it presents is pinned.",
      example: "SHA256:uNiVztksCsDhcc0u9e8BrrQXVUpKZIDTMczCvj3tD2s",
    }),
};

export const connection = z
  .object({
    id: connectionId,
    source_id: sourceId,
    kind: z.enum(CONNECTIONS.kind).meta({ example: "sftp" }),
    ...settings,
    status: z.enum(CONNECTIONS.status).meta({
      description: "stopped: the server presented a different host key.",
      example: "active",
    }),
    next_look_at: time.nullable().meta({ description: "Null: only on request." }),
    last_look_at: time.nullable().meta({ description: "When it last checked for files." }),
    last_outcome: z.enum(CONNECTIONS.last_outcome).nullable().meta({
      description: "The result of the last check.",
      example: "fetched",
    }),
    last_error: z.string().max(CONNECTIONS.last_error.max).nullable().meta({
      description: "Why the last check or a file failed.",
      example: null,
    }),
    failing_since: time.nullable().meta({ example: null }),
    created_at: time,
    created_by: actor,
    updated_at: time,
  })
  .meta({ id: "Connection" });
export type Connection = z.output<typeof connection>;

const verdict = z.string().max(20);
const senderChecks = z.object({
  dkim: z.string().max(255).nullable().meta({
    description: "The domain of a valid signature.",
    example: "bank.example",
  }),
  spf: verdict.meta({
    description: "Whether the server may send mail for the domain.",
    example: "pass",
  }),
  dmarc: verdict.meta({ description: "The result of the domain's policy.", example: "pass" }),
});
export type SenderChecks = z.output<typeof senderChecks>;

export const connectionFile = z
  .object({
    id: id("cfl"),
    path: z.string().max(CONNECTION_FILES.path.max).meta({ example: "camt053-20261105.xml" }),
    bytes: z.int().min(0).nullable().meta({
      description: "Null: the server doesn't state it.",
      example: 182_044,
    }),
    modified_at: time.nullable().meta({ description: "Null: the server doesn't state it." }),
    sha256: z.string().length(64).nullable().meta({
      description: "The hash of its content.",
      example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    }),
    sender: z.string().max(CONNECTION_FILES.sender.max).nullable().meta({
      description: "Sent by mail: the From address.",
      example: null,
    }),
    sender_checks: senderChecks.nullable().meta({
      description: "Sent by mail: what verified the From address.",
      example: null,
    }),
    outcome: z.enum(CONNECTION_FILES.outcome).meta({
      description: "duplicate: the source already has the same content under another name.",
      example: "imported",
    }),
    import_id: id("imp").nullable(),
    line_count: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: "Lines that were new.", example: 211 }),
    error: z.string().max(CONNECTION_FILES.error.max).nullable().meta({
      description: "Why it failed.",
      example: null,
    }),
    created_at: time,
    tried_at: time.meta({ description: "When it was last tried." }),
    taken_at: time.nullable().meta({ description: "When it was moved or deleted.", example: null }),
  })
  .meta({ id: "ConnectionFile" });
export type ConnectionFile = z.output<typeof connectionFile>;

export const connectionTest = z
  .object({
    error: z.string().max(CONNECTIONS.last_error.max).nullable().meta({
      description: "Why it can't be reached.",
      example: null,
    }),
    host_key: z.string().max(100).nullable().meta({
      description: "Only for sftp: the host key that the server presents.",
      example: "SHA256:uNiVztksCsDhcc0u9e8BrrQXVUpKZIDTMczCvj3tD2s",
    }),
    names: z
      .array(z.string().max(CONNECTION_FILES.path.max))
      .max(NAMES_LISTED)
      .meta({
        description: "The first files that match the glob.",
        example: ["camt053-20261105.xml"],
      }),
    total_count: z.int().min(0).meta({ description: "How many files match the glob.", example: 1 }),
  })
  .meta({ id: "ConnectionTest" });
export type ConnectionTest = z.output<typeof connectionTest>;

const byId = z.strictObject({ id: connectionId });
const credential = z
  .string()
  .min(1)
  .max(10_000)
  .meta({
    description:
      "The token, query, password, private key (OpenSSH or PEM, without a passphrase) or " +
      "secret access key. Stored encrypted and never returned. If omitted in a change, the " +
      "stored value stays.",
    example: "b7c1e0d9be7a84c5f",
    override: { format: SECRET_FORMAT },
  });

export const listConnectionsContract = contract({
  operationId: "listConnections",
  method: "GET",
  path: "/v1/connections",
  tag,
  noun,
  summary: "List connections, newest first",
  access: needs("read:reconciliations"),
  query: z.strictObject({ ...pageQuery, source_id: sourceId.optional() }),
  response: page(connection),
  errors: ["not_found"],
});

export const createConnectionContract = contract({
  operationId: "createConnection",
  method: "POST",
  path: "/v1/connections",
  tag,
  noun,
  summary: "Connect a source",
  description:
    "Fetches the source's files from a server on business days, each once, and imports them " +
    "with the source's mapping. With kind mail, it creates an address that accepts files by " +
    "mail. A source has at most one connection.",
  access: needs("write:connections"),
  idempotency,
  body: z.strictObject({
    source_id: sourceId,
    kind: connection.shape.kind,
    ...z.object(settings).partial().shape,
    credential: credential.optional(),
  }),
  response: connection,
  resource: "versioned",
  status: 201,
  errors: ["not_found", "conflict"],
});

export const getConnectionContract = contract({
  operationId: "getConnection",
  method: "GET",
  path: "/v1/connections/{id}",
  tag,
  noun,
  summary: "Get a connection",
  access: needs("read:reconciliations"),
  params: byId,
  response: connection,
  resource: "versioned",
});

export const updateConnectionContract = contract({
  operationId: "updateConnection",
  method: "PATCH",
  path: "/v1/connections/{id}",
  tag,
  noun,
  summary: "Change a connection",
  description:
    "A new address or sign-in needs the credential again. Setting host_key resumes a " +
    "stopped connection.",
  access: needs("write:connections"),
  params: byId,
  body: z.strictObject({ ...settings, credential, status: z.enum(["active", "paused"]) }).partial(),
  response: connection,
  resource: "versioned",
});

export const deleteConnectionContract = contract({
  operationId: "deleteConnection",
  method: "DELETE",
  path: "/v1/connections/{id}",
  tag,
  noun,
  summary: "Delete a connection",
  description: "Its credential is destroyed. Imported lines stay.",
  access: needs("write:connections"),
  params: byId,
  response: z
    .object({ id: connectionId, deleted: z.literal(true) })
    .meta({ id: "DeletedConnection" }),
  resource: "versioned",
});

export const testConnectionContract = contract({
  operationId: "testConnection",
  method: "POST",
  path: "/v1/connections/{id}/test",
  tag,
  noun,
  summary: "Test a connection",
  description:
    "Signs in, shows the host key and lists files, without fetching or pinning anything.",
  access: needs("write:connections"),
  functions: ["open_connection_test", "finish_connection_test"],
  idempotency,
  dryRun: "always",
  params: byId,
  response: connectionTest,
});

export const fetchConnectionContract = contract({
  operationId: "fetchConnection",
  method: "POST",
  path: "/v1/connections/{id}/fetch",
  tag,
  noun,
  summary: "Fetch now",
  description:
    "Checks for files in the background, also outside the schedule, and retries failed " +
    "and undone ones. The list of files shows the result.",
  access: needs("write:connections"),
  idempotency,
  params: byId,
  response: connection,
  status: 202,
  errors: ["conflict"],
});

export const listConnectionFilesContract = contract({
  operationId: "listConnectionFiles",
  method: "GET",
  path: "/v1/connections/{id}/files",
  tag,
  noun,
  summary: "List what a connection found, newest first",
  access: needs("read:reconciliations"),
  params: byId,
  query: z.strictObject(pageQuery),
  response: page(connectionFile),
});
