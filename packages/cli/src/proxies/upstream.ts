import type { CliError } from "../base/index.ts";

/** How a server ended. */
export interface Ended {
  readonly exitCode: number;
  /** In brackets behind "ended": `exit code 3`. */
  readonly how: string;
}

/** The server that a proxy stands before, wherever it runs. */
export interface Upstream {
  /** Takes one line without its end; resolves when there is room for more. */
  send(line: string): Promise<void>;
  /** Hands on line after line, no faster than they are taken; resolves at the end, with what was wrong where something was. */
  receive(take: (line: Buffer) => Promise<void>): Promise<CliError | undefined>;
  readonly ended: Promise<Ended>;
  /** Asks it to end, and then makes it. */
  stop(): Promise<void>;
}
