/** Says whether a figure was reached; a bench that missed one ends with exit code 1. */
export function reach(measured: number, most: number): string {
  if (measured <= most) return `to reach: ${most.toLocaleString("en")}`;
  process.exitCode = 1;
  return `MISSED, to reach: ${most.toLocaleString("en")}`;
}
