import { stackEnvironment } from "../../supervisor/stack-file.ts";

const NEEDED = [
  "SUPABASE_URL",
  "SUPABASE_PUBLISHABLE_KEY",
  "SUPABASE_SECRET_KEY",
  "SUPABASE_JWT_SECRET",
  "DATABASE_URL",
] as const;

/** How to reach a Supabase project. `directUrl` is DIRECT_URL, or else DATABASE_URL. */
export type Project = {
  url: string;
  publishableKey: string;
  secretKey: string;
  jwtSecret: string;
  directUrl: string;
  directName: "DIRECT_URL" | "DATABASE_URL";
  /** REQUEST_DATABASE_URL, or empty. */
  requestUrl: string;
  maxBytes: number;
  /** DATABASE_DISK, a path on the database's disk; empty if that is on another machine. */
  disk: string;
  /** EVIDENCE_BUCKET; empty if new files are stored in the database. */
  bucket: string;
};

/**
 * The project of the environment, else of the stack that runs on DATA_DIR; null if neither is
 * complete.
 */
export function projectFrom(env: NodeJS.ProcessEnv): Project | null {
  const variables = stackEnvironment(env);
  if (NEEDED.some((name) => !variables[name])) return null;
  const text = (name: string) => variables[name] ?? "";
  return {
    url: text("SUPABASE_URL").replace(/\/$/, ""),
    publishableKey: text("SUPABASE_PUBLISHABLE_KEY"),
    secretKey: text("SUPABASE_SECRET_KEY"),
    jwtSecret: text("SUPABASE_JWT_SECRET"),
    directUrl: text("DIRECT_URL") || text("DATABASE_URL"),
    directName: variables.DIRECT_URL ? "DIRECT_URL" : "DATABASE_URL",
    requestUrl: text("REQUEST_DATABASE_URL"),
    maxBytes: Number(variables.DATABASE_MAX_BYTES || 0),
    disk: text("DATABASE_DISK"),
    bucket: text("EVIDENCE_BUCKET"),
  };
}
