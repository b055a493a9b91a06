import type { HashField, LostHash } from "../digest/index.ts";
import type { Beginning } from "../http/index.ts";

/** One file, directory or pair of them: what goes on record of it. */
export interface PathItem {
  readonly actionType: string;
  readonly input: { readonly [field: string]: unknown };
  /** Of what was written. */
  readonly bytes?: number;
  /** What else execd does with it, for who decides about it. */
  readonly details?: { readonly [name: string]: string | number };
}

/** What a call asks execd to do, read as execd reads it. */
export type Decoded = DecodedCall & {
  /** Something in it that isn't known here. execd, as it is known, passes it over; nobody can say so of every build. */
  readonly strange?: string;
};

type DecodedCall =
  | {
      readonly kind: "command";
      readonly input: {
        readonly command?: string;
        readonly argv?: readonly string[];
        readonly env?: { readonly [name: string]: string };
      };
      readonly cwd: string;
      readonly isBackground: boolean;
      /** As whom, where the call says so. */
      readonly uid?: number;
      readonly gid?: number;
      /** The shell's whose state it changes, and may have been changed by. */
      readonly session?: string;
      /** That session has files of its own. */
      readonly isIsolated?: true;
      /** Where the session began: undefined where it was made out of sight. */
      readonly from?: string | undefined;
      /** What an isolated one was made with, likewise. */
      readonly made?: string | undefined;
      readonly timeoutMs?: number;
    }
  | {
      readonly kind: "code";
      readonly code: string;
      /** Empty: the language's own. */
      readonly context: string;
      /** The language that the call names. */
      readonly named: string;
      readonly cwd: string;
      readonly from?: string | undefined;
      readonly input: { readonly code_hash: string; readonly language: string };
    }
  | {
      readonly kind: "paths";
      readonly items: readonly PathItem[];
      /** Why it isn't known what is written. */
      readonly unhashed?: LostHash;
      /** The session whose files they are, where those aren't the sandbox's. */
      readonly isolated?: string;
      /** Where that began, which is where its paths begin, and what it was made with: undefined where it was made out of sight. */
      readonly from?: string | undefined;
      readonly made?: string | undefined;
    }
  | { readonly kind: "pty-open"; readonly input: { readonly command: string }; readonly cwd: string }
  | { readonly kind: "pty-socket" | "pty-delete"; readonly id: string }
  /** `begins`: what a session or a context that it makes begins with. */
  | { readonly kind: "control"; readonly input: { readonly [field: string]: unknown }; readonly begins?: Beginning }
  /** Not what execd would read, or more than we do: told with a hash of what passed, never left out. */
  | {
      readonly kind: "undecoded";
      readonly actionType: string;
      readonly input: { readonly undecoded: string; readonly bytes: number } & HashField<"body_hash">;
    };
