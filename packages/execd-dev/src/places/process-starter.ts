import type { Readable, Writable } from "node:stream";

/** How whatever is asked for becomes a process: a jail is one that is passed in. */
export interface ProcessStarter {
  /** Rejects where nothing was started; the message is what the client is told. */
  start(request: StartRequest): Promise<StartedProcess>;
}

export interface StartRequest {
  /** Run by `bash -c`. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  /** Otherwise its input is empty. */
  readonly input?: boolean;
  readonly terminal?: TerminalSize;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface StartedProcess {
  readonly pid: number;
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  /** None where a terminal joins both. */
  readonly stderr: Readable | undefined;
  /** Of the shell itself: others may still hold its output open. */
  readonly ended: Promise<ProcessEnd>;
  /** To it and all that it started and didn't leave its group. */
  signal(signal: NodeJS.Signals): void;
  resize(size: TerminalSize): void;
}

export type ProcessEnd = { readonly exitCode: number } | { readonly signal: NodeJS.Signals };
