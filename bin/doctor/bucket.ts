import { EVIDENCE_MAX_BYTES } from "#lib/evidence/contract.ts";
import type { Project } from "./project.ts";
import { type Check, ok, problem } from "./run-checks.ts";

const TIMEOUT_MS = 10_000;
const STORED_TYPE = "application/octet-stream";

export const bucketChecks: readonly Check[] = [{ name: "Evidence", run: checkBucket }];

/** A bucket as Supabase Storage describes it; its limit in bytes, null if it has none. */
type Bucket = {
  public: boolean;
  file_size_limit: number | null;
  allowed_mime_types: string[] | null;
};

async function checkBucket({ url, secretKey, bucket }: Project) {
  if (!bucket) return ok("new files are stored in the database");
  const response = await fetch(`${url}/storage/v1/bucket/${encodeURIComponent(bucket)}`, {
    headers: { apikey: secretKey, Authorization: `Bearer ${secretKey}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  // Storage returns 400 for a bucket that it doesn't know, with 404 in the body.
  if (response.status === 400 || response.status === 404)
    return problem(
      `Storage has no bucket ${bucket}`,
      "Create it as a private bucket (Storage, New bucket), or correct EVIDENCE_BUCKET.",
    );
  if (!response.ok)
    return problem(
      `Storage answers ${response.status}`,
      "Check that the project has Storage, and that SUPABASE_SECRET_KEY is its secret key.",
    );
  const found = (await response.json()) as Bucket;
  if (found.public)
    return problem(
      `anyone can read the bucket ${bucket}`,
      "Make it private at once (Storage, edit bucket): its files belong to tenants.",
    );
  const { file_size_limit: limit, allowed_mime_types: types } = found;
  if (limit !== null && limit < EVIDENCE_MAX_BYTES)
    return problem(
      `the bucket ${bucket} accepts files of at most ${limit} bytes`,
      `Raise its limit to ${EVIDENCE_MAX_BYTES} bytes (Storage, edit bucket).`,
    );
  if (types && !types.some((type) => type === "*/*" || type === STORED_TYPE))
    return problem(
      `the bucket ${bucket} refuses the type ${STORED_TYPE}`,
      "Allow it, as every file is stored with that type (Storage, edit bucket).",
    );
  return ok(`new files are stored in the private bucket ${bucket}`);
}
