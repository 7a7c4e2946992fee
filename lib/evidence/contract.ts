import { z } from "zod";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { actor, id, page, pageQuery, text, time } from "../wire/schema.ts";

export const EVIDENCE_MAX_BYTES = 10 * 1024 ** 2;
export const EVIDENCE_SUBJECTS = ["exception", "match", "line", "reconciliation"] as const;

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** The accepted types of evidence, detected from the content. No browser executes them. */
export const EVIDENCE_TYPES = [
  "application/pdf",
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/tiff",
  "image/heic",
  XLSX,
  "text/csv",
  "message/rfc822",
  "text/plain",
] as const;
export type EvidenceType = (typeof EVIDENCE_TYPES)[number];

const evidenceId = id("evd");
const subjectId = z
  .string()
  .max(44)
  .regex(
    /^(?:exc|mat|lin|rcn)_[0-9a-z]{20,40}$/,
    "Give the id of an exception, match, line or period.",
  )
  .meta({
    description: "An exception, a match, a line or a reconciliation, which is a period.",
    example: "rcn_019a9f4be2c04d6f8a1b3c5d7e9f0a2b",
  });

export const evidence = z
  .object({
    id: evidenceId,
    subject_type: z.enum(EVIDENCE_SUBJECTS).meta({
      description: "The kind of object that the file is attached to.",
      example: "reconciliation",
    }),
    subject_id: subjectId,
    file_name: z.string().meta({ example: "credit-note-4711.pdf" }),
    media_type: z.enum(EVIDENCE_TYPES).meta({
      description: "Detected from the content, whatever the upload or the name said.",
      example: "application/pdf",
    }),
    bytes: z.int().min(1).max(EVIDENCE_MAX_BYTES).meta({
      description: "The size of the content.",
      example: 48_213,
    }),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .meta({
        description: "The hash of the content, also in the audit log and in signed statements.",
        example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      }),
    supersedes: evidenceId.nullable().meta({
      description: "The older file that it replaced.",
      example: null,
    }),
    superseded_by: evidenceId.nullable().meta({
      description: "The newer file that replaced it.",
      example: null,
    }),
    is_signed: z.boolean().meta({
      description: "Whether a signed statement lists it. If so, it can't be removed.",
      example: false,
    }),
    created_at: time,
    created_by: actor,
  })
  .meta({ id: "Evidence" });
export type Evidence = z.output<typeof evidence>;

const tag = "Evidence";
const byId = z.strictObject({ id: evidenceId });

export const addEvidenceContract = contract({
  operationId: "addEvidence",
  method: "POST",
  path: "/v1/evidence",
  tag,
  summary: "Add a file of evidence",
  description:
    "The file is the body: PDF, an image (PNG, JPEG, GIF, WebP, TIFF, HEIC), an Excel " +
    "workbook (.xlsx), CSV, an email (.eml) or plain text, at most 10 MiB. The type is " +
    "detected from the content; other types, such as HTML and SVG, are refused. The name " +
    "gets the extension of the type. At most 50 files for one subject. For an exception, a " +
    "key also needs write:exceptions.",
  access: needs("write:evidence"),
  functions: ["open_evidence", "add_evidence"],
  idempotency: { field: "idempotency_key", required: false },
  query: z.strictObject({
    subject_id: subjectId,
    file_name: text(240).meta({ example: "credit-note-4711.pdf" }),
    supersedes: evidenceId.optional().meta({
      description: "A file of the same subject that this one replaces.",
    }),
  }),
  upload: ["application/octet-stream", ...EVIDENCE_TYPES],
  uploadExample: "Date;Approved by;Amount\n2026-10-14;Eva;12.50\n",
  bodyMaxBytes: EVIDENCE_MAX_BYTES,
  response: evidence,
  status: 201,
  resource: "versioned",
  errors: ["not_found", "conflict"],
});

export const listEvidenceContract = contract({
  operationId: "listEvidence",
  method: "GET",
  path: "/v1/evidence",
  tag,
  summary: "List the evidence of a subject, newest first",
  description: "A file that was superseded stays in the list, a removed one doesn't.",
  access: needs("read:evidence"),
  query: z.strictObject({ ...pageQuery, subject_id: subjectId }),
  response: page(evidence),
});

export const getEvidenceContract = contract({
  operationId: "getEvidence",
  method: "GET",
  path: "/v1/evidence/{id}",
  tag,
  summary: "Get a file of evidence",
  access: needs("read:evidence"),
  params: byId,
  response: evidence,
  resource: "versioned",
});

export const getEvidenceContentContract = contract({
  operationId: "getEvidenceContent",
  method: "GET",
  path: "/v1/evidence/{id}/content",
  tag,
  summary: "Download a file of evidence",
  description: "Byte for byte as it was added, always as a download, never shown as a page.",
  access: needs("read:evidence"),
  functions: ["open_evidence_content", "read_evidence_part"],
  params: byId,
  response: z.string(),
  download: {
    type: "application/octet-stream",
    description: "The file.",
    example: "%PDF-1.7",
  },
  errors: ["not_found"],
});

export const removeEvidenceContract = contract({
  operationId: "removeEvidence",
  method: "DELETE",
  path: "/v1/evidence/{id}",
  tag,
  summary: "Remove a file of evidence",
  description:
    "Its content is deleted; its hash and the reason stay in the audit log. What a signed " +
    "statement lists can't be removed: add a file that supersedes it. Removing one revokes the " +
    "signatures of its open period.",
  access: needs("write:evidence"),
  params: byId,
  body: z.strictObject({
    reason: text(500).meta({ example: "Belongs to another invoice" }),
  }),
  response: evidence,
  resource: "versioned",
  errors: ["conflict"],
});
