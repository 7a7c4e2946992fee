import {
  CircleCheck,
  CircleSlash,
  CircleX,
  Copy,
  Download,
  LoaderCircle,
  type LucideIcon,
} from "lucide-react";
import type { Tone } from "#components/ui/badge.tsx";
import type { Connection, ConnectionFile } from "#lib/connections/contract.ts";

export const KIND_LABELS: Record<Connection["kind"], string> = {
  sftp: "SFTP",
  s3: "S3 bucket",
  https: "HTTPS",
  mail: "Mail",
};

export const AUTH_LABELS: Record<Connection["auth"], string> = {
  none: "No sign-in",
  bearer: "Bearer token",
  signed_query: "Signed address",
  password: "User name and password",
  private_key: "Private key",
  access_key: "Access key",
};

/** The ways to sign in to each kind of server, the usual one first. */
export const AUTHS_OF: Record<Connection["kind"], readonly Connection["auth"][]> = {
  sftp: ["private_key", "password"],
  s3: ["access_key"],
  https: ["bearer", "signed_query", "password", "none"],
  mail: ["none"],
};

export const CREDENTIAL_LABELS: Record<Connection["auth"], string> = {
  none: "",
  bearer: "Token",
  signed_query: "Query of the address",
  password: "Password",
  private_key: "Private key",
  access_key: "Secret access key",
};

export const ADDRESS_EXAMPLES: Record<Connection["kind"], string> = {
  sftp: "sftp://sftp.bank.example/outgoing",
  s3: "https://s3.eu-central-1.amazonaws.com/bucket/folder/",
  https: "https://files.bank.example/statement.xml",
  mail: "",
};

export const AFTERWARDS_LABELS: Record<Connection["afterwards"], string> = {
  leave: "Leave it there",
  move: "Move it to a folder",
  delete: "Delete it",
};

export const OUTCOMES: Record<
  ConnectionFile["outcome"],
  { label: string; tone: Tone; icon: LucideIcon }
> = {
  fetching: { label: "Fetching", tone: "info", icon: Download },
  importing: { label: "Importing", tone: "info", icon: LoaderCircle },
  imported: { label: "Imported", tone: "good", icon: CircleCheck },
  duplicate: { label: "Duplicate", tone: "neutral", icon: Copy },
  failed: { label: "Failed", tone: "danger", icon: CircleX },
  undone: { label: "Undone", tone: "neutral", icon: CircleSlash },
};
