import type { ReceiptLine } from "@countersign/receipts";
import { CliError, EXIT, readDuration } from "../../base/index.ts";

/** As they are given. */
export interface FilterOptions {
  readonly from?: string;
  readonly to?: string;
  readonly session?: string;
  readonly chain?: string;
  readonly sandbox?: string;
  readonly type?: string;
  readonly risk?: string;
  readonly by?: string;
}

export interface Filter extends Omit<FilterOptions, "from" | "to"> {
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** Out of a command's options. */
export function filterOf({ from, to, session, chain, sandbox, type, risk, by }: FilterOptions): FilterOptions {
  const given = Object.entries({ from, to, session, chain, sandbox, type, risk, by });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

export function readFilter({ from, to, ...rest }: FilterOptions, nowMs = Date.now()): Filter {
  return {
    ...rest,
    ...(from === undefined ? {} : { fromMs: readTime("--from", from, nowMs) }),
    ...(to === undefined ? {} : { toMs: readTime("--to", to, nowMs) }),
  };
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?$/;

/** `2h`, `7d` ago; a day, which begins at midnight here; or a time. */
function readTime(option: string, text: string, nowMs: number): number {
  const ms = TIME.test(text) ? Date.parse(text) : readDuration(text, { nowMs, sign: -1 });
  if (ms !== undefined && !Number.isNaN(ms)) return ms;
  const message = `${option} ${JSON.stringify(text)} is no time. Give 2h, 7d, 2026-01-31 or 2026-01-31T12:00.`;
  throw new CliError("FAILED", message, { exitCode: EXIT.usage });
}

export function isSelective(filter: Filter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

/** From `from` on, up to but not including `to`. */
export function matches(view: ReceiptLine, filter: Filter): boolean {
  const {
    fromMs = Number.NEGATIVE_INFINITY,
    toMs = Number.POSITIVE_INFINITY,
    session,
    chain,
    sandbox,
    type,
    risk,
    by,
  } = filter;
  const atMs = Date.parse(view.at);
  return (
    atMs >= fromMs &&
    atMs < toMs &&
    (session === undefined || view.session === session) &&
    (chain === undefined || view.chainId === chain) &&
    (sandbox === undefined || view.sandbox === sandbox) &&
    (type === undefined || view.type === type || view.action === type) &&
    (risk === undefined || view.risk === risk || view.riskLevel === risk) &&
    (by === undefined || [view.by, view.person, view.device].includes(by))
  );
}
