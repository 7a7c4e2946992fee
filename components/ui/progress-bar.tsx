/** A progress bar, with the numbers as text next to it. */
export function ProgressBar({
  label,
  value,
  max,
  className = "w-full",
}: {
  label: string;
  value: number;
  max: number;
  className?: string;
}) {
  return (
    <progress
      aria-label={label}
      value={value}
      max={max}
      className={`h-2 appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent [&::-webkit-progress-value]:transition-[inline-size] ${className}`}
    />
  );
}
