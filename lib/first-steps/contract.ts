import { z } from "zod";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";

export const FIRST_STEPS = ["create_key", "call_api", "register_webhook", "receive_event"] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

export const firstSteps = z
  .object({
    steps: z.array(z.object({ step: z.enum(FIRST_STEPS), done: z.boolean() })).meta({
      description: "In the recommended order.",
      example: FIRST_STEPS.map((step) => ({ step, done: false })),
    }),
    key_id: z
      .string()
      .nullable()
      .meta({ description: "The newest API key that is not revoked.", example: null }),
    webhook_id: z.string().nullable().meta({ description: "The newest webhook.", example: null }),
    dismissed: z.boolean().meta({ description: "Whether you've dismissed them.", example: false }),
  })
  .meta({ id: "FirstSteps" });
export type FirstSteps = z.output<typeof firstSteps>;

const tag = "Tenant";

export const getFirstStepsContract = contract({
  operationId: "getFirstSteps",
  audience: "dashboard",
  method: "GET",
  path: "/v1/first-steps",
  tag,
  summary: "Get onboarding progress: first key, first call, first webhook, first event received",
  access: needs("read:first-steps"),
  response: firstSteps,
  resource: "versioned",
});

export const putFirstStepsContract = contract({
  operationId: "putFirstSteps",
  audience: "dashboard",
  method: "PUT",
  path: "/v1/first-steps",
  tag,
  summary: "Dismiss or restore the first steps",
  description: "Only for you: other admins of the tenant still see them.",
  access: needs("write:first-steps"),
  body: z.strictObject({ dismissed: z.boolean() }),
  response: firstSteps,
  resource: "versioned",
});
