import { type PolicyPage, policyPageSchema } from "@countersign/protocol/policy";
import { ExecApprovalResolvedAction, PolicyChangedAction } from "@countersign/protocol/proposals";
import { useRef } from "preact/hooks";
import { useHub, useLookup } from "../hub/index.ts";

/** Answers may allow something for a while, which isn't the policy's. */
const NEWS: ReadonlySet<string> = new Set([PolicyChangedAction, ExecApprovalResolvedAction]);

export interface Place {
  readonly profile: string | undefined;
  readonly cwd: string | undefined;
}

export interface LoadedPolicy {
  readonly page: PolicyPage | undefined;
  readonly problem: string | undefined;
  /** How often it was looked up. */
  readonly loads: number;
  /** After something was changed here. */
  reload(): Promise<void>;
}

/** What applies there; looked up again when the connection is back, when it changes, and when the page is looked at again. */
export function usePolicy({ profile, cwd }: Place): LoadedPolicy {
  const hub = useHub();
  const count = useRef(0);
  const look = async (signal: AbortSignal) => {
    const page = await hub.api(policyPageSchema, "GET /api/v1/policy", { query: { profile, cwd }, signal });
    count.current += 1;
    return { page, loads: count.current };
  };
  const about = JSON.stringify([profile, cwd]);
  const { answer, problem, again } = useLookup(about, look, { news: NEWS, whenSeen: true });
  return { page: answer?.page, loads: answer?.loads ?? 0, problem, reload: again };
}
