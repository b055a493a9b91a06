import { tooSmall } from "./layout.ts";
import { type Decided, type Now, type Step, selectedOf, type WatchState } from "./state.ts";

/** Undefined when it may be decided; "" when there's nothing to decide, which needs no words. */
export function whyNotDeny(state: WatchState, now: Now): string | undefined {
  const selected = selectedOf(state);
  return selected?.ended === undefined ? whyNotYet(state, now) : "It has ended already.";
}

function whyNotYet(state: WatchState, { monoMs }: Now): string | undefined {
  if (!selectedOf(state)) return "";
  if (tooSmall(state)) return "The window is too small.";
  if (monoMs < state.deadUntilMs) return "Too soon: the card has just changed.";
  if (state.underWay) return "An answer is on its way to the hub.";
  return state.link.up ? undefined : "There's no connection to the hub.";
}

export function whyNotAllow(state: WatchState, now: Now): string | undefined {
  return whyNotDeny(state, now) ?? whyNotLate(state, now);
}

/** The same for a card that has expired. */
export function whyNotLate(state: WatchState, now: Now): string | undefined {
  const why = whyNotYet(state, now);
  if (why !== undefined) return why;
  if (state.hub.paused) return "Paused: p resumes; then it can be allowed.";
  if (state.endSeen) return undefined;
  const what = selectedOf(state)?.card.subject === "policy" ? "change" : "command";
  return `Scroll to the ${what}'s end first (space).`;
}

/** More than once can be said of commands only. */
export function whyNotScope(state: WatchState, now: Now): string | undefined {
  const why = whyNotAllow(state, now);
  if (why !== undefined) return why;
  return selectedOf(state)?.card.subject === "policy" ? "A change of the policy is allowed or not." : undefined;
}

/** Only what the hub would run in a jail can be tried out first. */
export function whyNotPreview(state: WatchState, now: Now): string | undefined {
  const why = whyNotDeny(state, now);
  if (why !== undefined) return why;
  if (state.hub.paused) return "Paused: p resumes; then it can be tried out.";
  const card = selectedOf(state)?.card;
  if (card?.subject === "policy") return "A change of the policy can't be tried out.";
  return card?.enforcement === "jail" ? undefined : "It isn't run in a jail, so it can't be tried out.";
}

export function withRefusal(state: WatchState, why: string | undefined): WatchState | undefined {
  return why === undefined ? undefined : { ...state, notice: why === "" ? state.notice : why };
}

/** The way of every answer: dangerous ones are asked about once more. */
export function allowCard(state: WatchState, how: Pick<Decided, "scope" | "jail" | "times"> = {}): Step {
  const card = selectedOf(state)?.card;
  if (!card) return only(state);
  if (card.riskLevel === "dangerous") return only({ ...state, input: { kind: "yes", text: "", ...how } });
  return decideCard(state, allowing(how));
}

export function allowing({ scope, jail, times, command }: Omit<Decided, "decision" | "reason">): Decided {
  const held = {
    ...(jail === undefined ? {} : { jail }),
    ...(times === undefined ? {} : { times }),
    ...(command === undefined ? {} : { command }),
  };
  return scope === undefined ? { decision: "allow-once", ...held } : { decision: "allow-always", scope };
}

/** Another jail can be chosen where there is one. */
export function whyNotJail(state: WatchState, now: Now): string | undefined {
  const why = whyNotScope(state, now);
  if (why !== undefined) return why;
  return selectedOf(state)?.card.enforcement === "jail" ? undefined : "This wouldn't run in a jail of ours.";
}

export function decideCard(state: WatchState, decided: Decided): Step {
  const card = selectedOf(state)?.card;
  if (!card) return only(state);
  const underWay = { approvalId: card.approvalId, decision: decided.decision };
  return {
    state: { ...state, input: undefined, menu: undefined, underWay },
    wants: [{ kind: "decide", card, ...decided }],
  };
}

export function only(state: WatchState): Step {
  return { state, wants: [] };
}
