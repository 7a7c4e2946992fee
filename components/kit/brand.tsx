import { PRODUCT } from "#lib/wire/product.ts";

/** The logo: two columns of figures, ruled off and tied out. */
export function Brand({ className }: { className?: string }) {
  return (
    <span
      className={`inline-flex items-center gap-2 font-semibold tracking-tight ${className ?? ""}`}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true" className="size-5 shrink-0">
        <rect width="20" height="20" rx="5" className="fill-accent" />
        <path
          d="M5 6h4M5 9h4M11 6h4M11 9h4M5 13.25h10M5 15.25h10"
          className="stroke-on-accent"
          strokeWidth="1.4"
          strokeLinecap="round"
        />
      </svg>
      {PRODUCT}
    </span>
  );
}
