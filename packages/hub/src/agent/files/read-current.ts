import { sha256Hex } from "@countersign/core/base";
import { type CallResult, type Place, ToolError, type ToolHost } from "../tools/index.ts";
import { hashCommand } from "./read-commands.ts";

/** Largest file that is edited or replaced. Reading, comparing and writing it takes a moment. */
export const MAX_COMPARED_BYTES = 512 * 1024;

export interface Current {
  /** SHA-256 (hex) of the bytes on disk. */
  readonly hash: string;
  /** Undefined if the output isn't the whole file: it is too large, not text, or was redacted. */
  readonly text: string | undefined;
}

/**
 * Reads a file through the hub, as an agent does. The output is redacted and capped; the hash, computed in the jail,
 * tells whether it is complete.
 */
export async function readCurrent(
  { operand, workspace, stat }: Place,
  host: ToolHost,
): Promise<{ readonly current: Current } | { readonly stopped: CallResult }> {
  const small = (stat?.size ?? 0) <= MAX_COMPARED_BYTES;
  const called = await host.propose({
    command: hashCommand(operand, small ? "and content" : "alone"),
    cwd: workspace,
  });
  const { kind, exitCode, stdout = "", truncated } = called.outcome;
  if (kind !== "exited" || exitCode !== 0) return { stopped: called };
  const [, hash, text] = HASHED.exec(stdout) ?? [];
  if (hash === undefined) throw new ToolError("NOT_SHOWN", `${operand}: its hash could not be read`);
  const whole = small && !truncated && text !== undefined && !text.includes("\0") && sha256Hex(text) === hash;
  return { current: { hash, text: whole ? text : undefined } };
}

const HASHED = /^([0-9a-f]{64}) {2}-\n(.*)$/s;
