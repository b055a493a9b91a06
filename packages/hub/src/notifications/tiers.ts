import type { Configured } from "./configured.ts";
import type { ChannelTier } from "./notifier.ts";
import type { Push } from "./push/index.ts";

/** Delay before a phone is called. */
export const PHONE_AFTER_MS = 30_000;
/** Delay from one tier at the computer to the next. */
const STEP_MS = 5_000;
/** Minimum time between calls. A phone is looked at less often, so its time is longer. */
const BURST_MS = 10_000;
const PHONE_BURST_MS = 60_000;

interface Reachable {
  readonly bell: Configured["bell"];
  readonly desktop: Configured["desktop"];
  readonly channels: Configured["channels"];
  readonly push: Pick<Push, "has" | "channel">;
  /** Whether a terminal already rings for approvals. */
  readonly watched: boolean;
}

/**
 * Returns the tiers in order: terminal, desktop and browser, each a step after the one before and the first of them at
 * once, then the phone. Channels of the configuration have delays of their own.
 */
export function tiersOf({ bell, desktop, channels, push, watched }: Reachable): ChannelTier[] {
  const near = [
    ...(bell && !watched ? [{ name: "bell", channel: bell }] : []),
    ...("channel" in desktop && desktop.channel ? [{ name: "desktop", channel: desktop.channel }] : []),
    ...(push.has("desk") ? [{ name: "browser", channel: push.channel("desk") }] : []),
  ];
  // A watching terminal counts as the first tier, and rings without being called.
  const before = watched ? 1 : 0;
  const phone = { name: "phone", afterMs: PHONE_AFTER_MS, againMs: PHONE_BURST_MS };
  return [
    ...near.map((tier, index) => ({ ...tier, afterMs: (index + before) * STEP_MS, againMs: BURST_MS })),
    ...(push.has("phone") ? [{ ...phone, channel: push.channel("phone") }] : []),
    ...channels.map(({ name, config: { afterSeconds }, channel }) => {
      return { name: `channel:${name}`, afterMs: afterSeconds * 1_000, againMs: BURST_MS, channel };
    }),
  ];
}
