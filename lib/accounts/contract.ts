/**
 * The calls of our own pages to /api/account, by which users manage their accounts; they are not
 * part of /v1. The token of a mailed link comes from the URL's fragment, which no server log and no
 * referrer contains.
 */
import { z } from "zod";
import { ROLES } from "../wire/access.ts";

/** NIST SP 800-63B asks for length only. bcrypt ignores everything after 72 bytes. */
export const PASSWORD = { min: 10, maxBytes: 72 } as const;
const EMAIL_MAX = 254;

export const newPassword = z
  .string()
  .min(PASSWORD.min, `Use at least ${PASSWORD.min} characters.`)
  .refine(
    (text) => new TextEncoder().encode(text).length <= PASSWORD.maxBytes,
    `Use at most ${PASSWORD.maxBytes} characters.`,
  )
  .refine((text) => !text.includes("\0") && text.isWellFormed(), "Use other characters.");

/** 256 random bits, base64url. */
const token = z
  .string()
  .regex(/^[\w-]{43}$/, "This link is incomplete. Open it from the mail again.");

/**
 * What an invited user must do next: `join` with the account they are signed in with, sign in to
 * it, or set a password for a new one.
 */
export const INVITED = ["join", "sign_in", "set_password"] as const;

export const ACCOUNT_CALLS = {
  /** The response and its time are the same whether or not the address has an account. */
  forgot: {
    body: z.strictObject({
      email: z
        .string()
        .trim()
        .toLowerCase()
        .max(EMAIL_MAX)
        .pipe(z.email("Enter an email address.")),
    }),
    response: z.object({}),
  },
  reset: { body: z.strictObject({ token, password: newPassword }), response: z.object({}) },
  invitation: {
    body: z.strictObject({ token }),
    response: z.object({
      tenant_name: z.string(),
      email: z.string(),
      roles: z.array(z.enum(ROLES)),
      invited_by: z.string(),
      expires_at: z.string(),
      next: z.enum(INVITED),
    }),
  },
  accept: {
    body: z.strictObject({ token, password: newPassword.optional() }),
    response: z.object({ tenant_id: z.string() }),
  },
  /** Null: the cookies don't say who asks. Answered after the session has ended, too. */
  membership: {
    body: z.strictObject({ tenant_id: z.string().max(100) }),
    response: z.object({ is_member: z.boolean().nullable() }),
  },
  password: {
    body: z.strictObject({ current: z.string().min(1).max(1024), password: newPassword }),
    response: z.object({}),
  },
} as const;

export type AccountCall = keyof typeof ACCOUNT_CALLS;
export type AccountInput<Call extends AccountCall> = z.output<(typeof ACCOUNT_CALLS)[Call]["body"]>;
export type AccountResponse<Call extends AccountCall> = z.output<
  (typeof ACCOUNT_CALLS)[Call]["response"]
>;
