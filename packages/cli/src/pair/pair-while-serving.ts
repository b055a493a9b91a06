import type { PairingApprover } from "@countersign/hub";
import { printLines } from "../terminal/index.ts";
import { pairDevice } from "./pair-device.ts";
import { TerminalLines } from "./terminal-lines.ts";

/** What `serve` shows of a link, before anybody is asked anything. */
export interface ServingPairing {
  readonly lines: readonly string[];
  /** Lets browsers in until `gone`, one link after the other. */
  run(gone: AbortSignal): Promise<void>;
}

/** Undefined without a terminal: a link is never written to a pipe or a log. */
export async function pairWhileServing(desk: PairingApprover, url: string): Promise<ServingPairing | undefined> {
  if (!TerminalLines.canBeHad()) return undefined;
  const first = await desk.start();
  return {
    lines: linkLines(url, first.code),
    async run(gone) {
      const typed = new TerminalLines();
      const terminal = { print: printLines, next: (signal: AbortSignal) => typed.next(signal) };
      try {
        for (let started = first; !gone.aborted; ) {
          const ended = await pairDevice(desk, started, { terminal, gone });
          if (ended === "ended") return;
          printLines([ended === "expired" ? `The link has expired. ${ANOTHER}` : ANOTHER]);
          while ((await nextOrEnd(typed, gone)) !== "p") if (gone.aborted) return;
          started = await desk.start();
          printLines(linkLines(url, started.code));
        }
      } finally {
        typed.close();
      }
    },
  };
}

const ANOTHER = "p and Enter: a link for another browser.";

export function linkLines(url: string, code: string): string[] {
  return ["Open this within 2 minutes to pair a browser:", `  ${url}/#pair=${code}`];
}

async function nextOrEnd(typed: TerminalLines, gone: AbortSignal): Promise<string> {
  const line = await typed.next(gone);
  // Nothing will be typed any more: the hub goes on without.
  if (line === undefined && !gone.aborted) await new Promise((resolve) => gone.addEventListener("abort", resolve));
  return line?.toLowerCase() ?? "";
}
