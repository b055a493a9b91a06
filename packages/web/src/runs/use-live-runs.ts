import { followRuns } from "@countersign/sdk";
import { useEffect, useState } from "preact/hooks";
import { useHub } from "../hub/index.ts";
import { endRow, type RunRow, updateRows } from "./run-rows.ts";

export interface LiveRuns {
  /** Undefined until the hub has told them. */
  readonly rows: readonly RunRow[] | undefined;
  readonly problem: string | undefined;
  /** Puts away those that have ended. */
  clear(): void;
}

/** What runs, as the hub tells it, and what has ended since this was looked at. */
export function useLiveRuns(): LiveRuns {
  const { client } = useHub();
  const [rows, setRows] = useState<readonly RunRow[]>();
  const [problem, setProblem] = useState<string>();
  useEffect(
    () =>
      followRuns(client, {
        onRuns: (runs) => setRows((before) => updateRows(before ?? [], runs, Date.now())),
        onEnded: (ended) => setRows((before) => before && endRow(before, ended, Date.now())),
        onError: ({ message }) => setProblem(message),
      }),
    [client],
  );
  return { rows, problem, clear: () => setRows((before) => before?.filter(({ end }) => end === undefined)) };
}
