import { FAULT_CODES, type Fault } from "../verify/index.ts";

/** Of several, the first thing wrong: by place, and at one place in the order of the codes. */
export function firstOf(faults: readonly (Fault | null)[]): Fault | null {
  const found = faults.filter((fault) => fault !== null);
  return found.sort((one, other) => one.index - other.index || rank(one) - rank(other))[0] ?? null;
}

function rank({ code }: Fault): number {
  return FAULT_CODES.indexOf(code);
}
