import assert from "node:assert/strict";
import { rootProgram } from "./root-program.ts";

const NSENTER = "/usr/bin/nsenter";

/** What stands before bwrap on a run's command line. Empty when there's nothing to enter and nobody to drop to. */
export function enterNamespaces(
  namespaces: Namespaces,
  droppedUser: { readonly uid: number; readonly gid: number } | undefined,
): readonly string[] {
  const { mount, net, user } = namespaces;
  const entered = [
    ...(user === undefined ? [] : [`--user=${user}`]),
    ...(mount === undefined ? [] : [`--mount=${mount}`]),
    ...(net === undefined ? [] : [`--net=${net}`]),
  ];
  if (droppedUser) {
    // In another user namespace these ids would be other users.
    assert(user === undefined && droppedUser.uid !== 0 && droppedUser.gid !== 0);
    // With --setgid nsenter drops the hub's supplementary groups, too.
    entered.push(`--setuid=${droppedUser.uid}`, `--setgid=${droppedUser.gid}`);
  } else if (entered.length > 0) {
    // Otherwise it would set ids to 0, which an ordinary user's namespace doesn't have to know.
    entered.push("--preserve-credentials");
  }
  return entered.length === 0 ? [] : [rootProgram(NSENTER), ...entered, "--"];
}

/** Namespaces that a run enters before bwrap, each a path to an open namespace file. */
export interface Namespaces {
  readonly mount?: string;
  readonly net?: string;
  readonly user?: string;
}
