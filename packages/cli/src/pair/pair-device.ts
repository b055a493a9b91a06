import type { Claimant, PairingApprover } from "@countersign/hub";
import type { PairingStarted } from "@countersign/protocol/access";
import { visible } from "@countersign/protocol/text";
import { CliError } from "../base/index.ts";

/** Where a person is shown what a device claims, and answers. */
export interface PairingTerminal {
  print(lines: readonly string[]): void;
  /** Undefined when nothing will be typed any more. */
  next(gone: AbortSignal): Promise<string | undefined>;
}

export type Pairing = "paired" | "refused" | "expired" | "ended";

/** As long as a hub lets one wait at once. */
const WAIT_MS = 25_000;

/** From the link that was shown to the device that is let in, or isn't. */
export async function pairDevice(
  desk: PairingApprover,
  { code, expiresAtMs }: PairingStarted,
  { terminal, gone }: { readonly terminal: PairingTerminal; readonly gone: AbortSignal },
): Promise<Pairing> {
  const over = AbortSignal.any([gone, AbortSignal.timeout(Math.max(0, expiresAtMs - Date.now()))]);
  const claim = await waitForClaim(desk, code, over);
  if (claim === undefined) return gone.aborted ? "ended" : "expired";
  const { name, check } = claim;
  terminal.print([
    `${visible(name)} wants to be let in, to decide in your name. Its number: ${spaced(check)}`,
    "Does it show the same number? y or n, and Enter:",
  ]);
  for (;;) {
    const answer = await terminal.next(over);
    if (answer === undefined) return gone.aborted ? "ended" : "expired";
    if (/^n(o)?$/i.test(answer)) {
      await desk.refuse(code);
      terminal.print(["Not let in. The link is void."]);
      return "refused";
    }
    if (/^y(es)?$/i.test(answer)) {
      await desk.confirm(code, claim);
      terminal.print([`${visible(name)} is let in.`]);
      return "paired";
    }
    terminal.print(["y or n, and Enter:"]);
  }
}

async function waitForClaim(desk: PairingApprover, code: string, gone: AbortSignal): Promise<Claimant | undefined> {
  while (!gone.aborted) {
    try {
      const view = await desk.see(code, { waitMs: WAIT_MS, gone });
      if (view.state === "claimed") return view;
      if (view.state !== "open") return undefined;
    } catch (cause) {
      // Its time was up while we waited, or the hub has ended.
      if (gone.aborted || codeOf(cause) === "NOT_FOUND") return undefined;
      throw cause;
    }
  }
  return undefined;
}

function codeOf(cause: unknown): unknown {
  return cause instanceof CliError || (cause instanceof Error && "code" in cause) ? cause.code : undefined;
}

function spaced(check: string): string {
  return `${check.slice(0, 3)} ${check.slice(3)}`;
}
