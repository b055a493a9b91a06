import type { PairingApprover } from "@countersign/hub";
import { CliError, EXIT, onSignals, ourName } from "../base/index.ts";
import { printLines } from "../terminal/index.ts";
import { pairDevice } from "./pair-device.ts";
import { TerminalLines } from "./terminal-lines.ts";

/** One device, from a link to its end. `show` says what stands on the terminal for a code. */
export async function runPairing(desk: PairingApprover, show: (code: string) => readonly string[]): Promise<number> {
  refuseWithoutTerminal();
  const gone = new AbortController();
  const signals = onSignals(() => gone.abort());
  const typed = new TerminalLines();
  try {
    const started = await desk.start();
    printLines(show(started.code));
    const terminal = { print: printLines, next: (signal: AbortSignal) => typed.next(signal) };
    const ended = await pairDevice(desk, started, { terminal, gone: gone.signal });
    if (ended === "paired") return EXIT.ok;
    if (ended === "ended") await desk.refuse(started.code);
    if (ended === "expired") throw new CliError("FAILED", "The link has expired. Run this again for another.");
    return EXIT.failed;
  } finally {
    typed.close();
    signals.off();
  }
}

function refuseWithoutTerminal(): void {
  if (TerminalLines.canBeHad()) return;
  const message = `A link that lets a device in is shown on a terminal only, where somebody can confirm it. Without one: ${ourName()} token create`;
  throw new CliError("FAILED", message, { exitCode: EXIT.usage });
}
