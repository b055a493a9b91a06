import { useState } from "preact/hooks";
import { ApiError } from "../hub/index.ts";

/** One thing at a time that the hub is asked to change: whether it is under way, and why it didn't work. */
export function useChange() {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const change = async (work: () => Promise<void>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setProblem(cause.message);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, change };
}
