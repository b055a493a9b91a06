import type { LocalJail } from "@countersign/execd-dev";
import type { WorkspaceJail } from "@countersign/jail";

/** As bwrap reads it. */
const MOST_ID = 2 ** 31 - 1;

/** What a jail is to who asks for commands and files. */
export function insideOf(jail: WorkspaceJail): LocalJail {
  return {
    roots: jail.roots,
    starter: {
      async start({ uid, gid, ...request }) {
        if (uid === undefined && gid === undefined) return await jail.start(request);
        if ((uid ?? 0) > MOST_ID || (gid ?? 0) > MOST_ID) throw new Error(`uid and gid are at most ${MOST_ID} here`);
        return await jail.start({ ...request, ids: { uid, gid } });
      },
    },
  };
}
