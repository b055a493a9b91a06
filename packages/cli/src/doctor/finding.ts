/**
 * `open`: a denial would not be enforced. `fail`: something doesn't work, and what it guards is denied. `warn`: it works, and somebody
 * should know. `skip`: it couldn't be looked at.
 */
export type State = "ok" | "warn" | "skip" | "fail" | "open";

/** One line of `doctor`. */
export interface Finding {
  /** What was looked at. */
  readonly check: string;
  readonly state: State;
  readonly says: string;
  /** What to do; on everything that isn't in order. */
  readonly remedy?: string;
}

export function ok(check: string, says: string): Finding {
  return { check, state: "ok", says };
}

export function not(
  state: Exclude<State, "ok">,
  check: string,
  { says, remedy }: { readonly says: string; readonly remedy: string },
): Finding {
  return { check, state, says, remedy };
}
