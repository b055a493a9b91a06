import { join, relative } from "node:path";
import { isInside } from "@countersign/core/host/fs";
import type { JailView } from "../plan/index.ts";
import type { HiddenPath } from "../sensitive/index.ts";
import type { SessionRequest } from "./session-mount.ts";
import type { SessionNamespace } from "./session-namespace.ts";

/** A lasting jail whose inhabitant asked for more, or less, than the workspace as it is. */
export interface Session {
  readonly namespace: SessionNamespace;
  /** Of this tree it sees its own part; the rest isn't there. */
  readonly covered: string;
  readonly ids: SessionRequest["ids"];
}

interface Machine {
  /** What of the machine is hidden in these trees, among others. */
  hiddenIn(trees: readonly string[]): readonly HiddenPath[];
  /** Whether the jail's user can read what isn't in the namespace. */
  isReadable(path: string): boolean;
}

/** A lasting jail's view with its session's mounts. */
export function sessionView(view: JailView, { namespace }: Session, machine: Machine): JailView {
  const [, temporary, ...binds] = namespace.mounts;
  const isBound = ({ path }: { readonly path: string }) => binds.some((bind) => isInside(path, bind.path));
  const isThere = ({ path, source }: JailView["shown"][number]) => {
    const from = source ?? path;
    return from === temporary.source || namespace.lends(from) || machine.isReadable(from);
  };
  return {
    ...view,
    // What of them can only be read is so in the namespace.
    shown: [...view.shown.filter(isThere), ...standingAlone(namespace).map((path) => ({ path, writable: true }))],
    // What lies below a mount is another thing than the machine has by that name.
    steps: [...view.steps.filter((step) => !isBound(step)), ...binds.flatMap((bind) => hiddenBehind(bind, machine))],
  };
}

function hiddenBehind({ path, source }: SessionNamespace["mounts"][number], { hiddenIn }: Machine): HiddenPath[] {
  const inside = hiddenIn([source]).filter((hide) => isInside(hide.path, source));
  return inside.map((hide) => ({ ...hide, path: join(path, relative(source, hide.path)) }));
}

/** The mounts that bwrap puts where they are seen, since they are in no other; the workspace and /tmp besides. */
export function standingAlone({ mounts }: Pick<SessionNamespace, "mounts">): string[] {
  return mounts.slice(2).flatMap(({ path, inside }) => (inside === undefined ? [path] : []));
}

/** Arguments of bwrap. Whoever it is inside, outside it is the jail's one user, and it has no capability. */
export function idArguments({ uid, gid }: SessionRequest["ids"]): string[] {
  return [...(uid === undefined ? [] : ["--uid", `${uid}`]), ...(gid === undefined ? [] : ["--gid", `${gid}`])];
}
