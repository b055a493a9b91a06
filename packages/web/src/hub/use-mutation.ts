import { useState } from "preact/hooks";
import { describeProblem } from "./use-query.ts";

interface Mutation {
  readonly isBusy: boolean;
  /** Why the hub refused the last one. */
  readonly problem: string | undefined;
  mutate(work: () => Promise<unknown>): Promise<void>;
}

/** Runs changes that the hub is asked for, and exposes whether one is under way and why it failed. */
export function useMutation(): Mutation {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const mutate = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
    } catch (cause) {
      setProblem(describeProblem(cause));
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, mutate };
}
