import type { SpawnRequest } from "@countersign/native";
import type { Held } from "../held/index.ts";
import type { TerminalRequest } from "./attachment.ts";

/** A command line that starts a run, and what it needs besides. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where the first program starts; in a jail, where the command runs is among the arguments. */
  readonly cwd: string;
  /** Where and as whom it starts isn't the hub's to start from. */
  start?(request: SpawnRequest): Promise<number>;
  /** Present when the first program is bwrap, or becomes it. */
  readonly jail?: {
    /** Open descriptors that the child gets as 3, 4, …; closed once it was started. */
    readonly descriptors: readonly number[];
    /**
     * Asked, with the pid of its first process, while the jail waits before its command; undefined: not yet built. What isn't
     * sound is killed before anything has run in it.
     */
    isSound?(pid: number): boolean | undefined;
    /** Asked once it is sound: from then on what it holds is watched. Undefined if it isn't sound any more. Rejects with JailError. */
    readonly hold?: ((pid: number) => Promise<Held | undefined>) | undefined;
    /** Whether it tells something when it leaves, on a descriptor behind those. */
    readonly reports?: boolean;
    readonly terminal?: TerminalRequest & { readonly owner: number };
  };
}

/** bwrap tells how it goes on the descriptor after those that it is given. */
export function statusFd(descriptors: readonly number[]): number {
  return 3 + descriptors.length;
}

/** Behind that, it waits on one for the jail to be found sound. */
export function gateFd(descriptors: readonly number[]): number {
  return statusFd(descriptors) + 1;
}

/** And behind that, its shell tells where it stood when it left. */
export function shellReportFd(descriptors: readonly number[], { gated }: { readonly gated: boolean }): number {
  return gateFd(descriptors) + (gated ? 1 : 0);
}

/** One shell boundary: bash gets the command as one argument, and reads no file of anyone's first. */
export function shellWords(shell: string, command: string): string[] {
  return [shell, "--noprofile", "--norc", "-c", command];
}

export function unjailed(
  shell: string,
  { command, cwd, env }: { readonly command: string } & Pick<Launch, "cwd" | "env">,
): Launch {
  const [file, ...args] = shellWords(shell, command) as [string, ...string[]];
  return { file, args, env, cwd };
}
