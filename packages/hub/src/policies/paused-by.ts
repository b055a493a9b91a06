/** What keeps a proposal from running: everything is paused, or only its session is, after too many denials. */
export type PausedBy = "hub" | "session";

export const PAUSED: Record<PausedBy, { readonly name: string; readonly reason: string; readonly remedy: string }> = {
  hub: {
    name: "Countersign",
    reason: "Countersign is paused",
    remedy: "Countersign is paused: resume before you allow anything, or deny it.",
  },
  session: {
    name: "The session",
    reason: "This session is paused: too much of it was denied, and nobody has let it go on yet",
    remedy: "This session is paused after too many denials: resume it before you allow anything of it, or deny it.",
  },
};
