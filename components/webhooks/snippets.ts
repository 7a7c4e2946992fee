/**
 * Examples that verify a signature: the files of docs/webhooks, which tests run against real
 * deliveries.
 */
export const SNIPPETS = [
  {
    language: "Node",
    file: "verify.mjs",
    load: () => import("../../docs/webhooks/verify.mjs?text"),
  },
  {
    language: "Python",
    file: "verify.py",
    load: () => import("../../docs/webhooks/verify.py?text"),
  },
  { language: "Go", file: "verify.go", load: () => import("../../docs/webhooks/verify.go?text") },
  { language: "Ruby", file: "verify.rb", load: () => import("../../docs/webhooks/verify.rb?text") },
  {
    language: "PHP",
    file: "verify.php",
    load: () => import("../../docs/webhooks/verify.php?text"),
  },
  {
    language: "Java",
    file: "Verify.java",
    load: () => import("../../docs/webhooks/Verify.java?text"),
  },
  {
    language: "openssl",
    file: "verify.sh",
    load: () => import("../../docs/webhooks/verify.sh?text"),
  },
] as const;
