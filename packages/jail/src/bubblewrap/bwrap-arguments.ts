import { isInside } from "@countersign/core/host/fs";
import type { JailView, PlaceStep } from "../plan/index.ts";

export interface BwrapSetting {
  /** Whether a network namespace was entered before; else the jail gets a network namespace with nothing in it. */
  readonly hasNetwork: boolean;
  /** Descriptor from which bwrap reads the seccomp program. */
  readonly seccompFd: number;
  /** Descriptor on which bwrap tells the child's pid and how it ended. */
  readonly statusFd: number;
  /** Descriptor on which it waits before it starts the command. */
  readonly gateFd?: number | undefined;
  /** Files whose content bwrap reads from a descriptor. */
  readonly code: readonly { readonly path: string; readonly mode: number; readonly fd: number }[];
  /** Where a path of the host stands for whoever runs bwrap. */
  sourceOf(path: string): string;
}

const NAMESPACES = [
  "--unshare-user",
  // A user namespace inside would give capabilities over mounts and networks of its own, and more kernel to attack.
  "--disable-userns",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
];

/** bwrap's arguments for a view, up to the command. What comes later lies over what came before. */
export function bwrapArguments(view: JailView, setting: BwrapSetting): string[] {
  const { sourceOf } = setting;
  const writes = view.kind === "workspace" || view.kind === "open";
  const inside = [
    view.home,
    view.cwd,
    ...view.roots,
    ...[...view.shown, ...view.steps, ...setting.code].map(({ path }) => path),
  ];
  const isUsed = (tree: string) => [...inside, ...view.scratch].some((path) => isInside(path, tree));
  const hidden = view.hidden.filter((path) => !view.scratch.includes(path));
  return [
    ...NAMESPACES,
    ...(setting.hasNetwork ? [] : ["--unshare-net"]),
    ...["--new-session", "--die-with-parent", "--cap-drop", "ALL"],
    ...["--seccomp", `${setting.seccompFd}`, "--json-status-fd", `${setting.statusFd}`],
    ...(setting.gateFd === undefined ? [] : ["--block-fd", `${setting.gateFd}`]),
    ...[view.kind === "open" ? "--bind" : "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    // The kernel's own: whoever writes to a control group there leaves the limits of the run.
    ...(view.kind === "open" ? ["--ro-bind-try", "/sys", "/sys"] : []),
    // bwrap's /dev may be as large as half of the memory, and written to.
    ...["--size", `${view.scratchBytes}`, "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    ...hidden.flatMap((path) => (isUsed(path) ? ["--tmpfs", path] : emptyAt(path))),
    ...view.scratch.flatMap((path) => ["--size", `${view.scratchBytes}`, "--perms", "1777", "--tmpfs", path]),
    // After those: it may lie in one of them.
    ...["--dir", view.home],
    ...view.shown.flatMap((one) => [bind(one.writable && writes), sourceOf(one.source ?? one.path), one.path]),
    ...view.roots.flatMap((root) => [bind(writes), sourceOf(root), root]),
    ...view.steps.flatMap((step) => stepArguments(step, sourceOf)),
    ...setting.code.flatMap(({ path, mode, fd }) => ["--perms", octal(mode), "--ro-bind-data", `${fd}`, path]),
    // Last, since everything inside had to be made first. What is written there would be lost without a word.
    ...hidden.filter(isUsed).flatMap((path) => ["--remount-ro", path]),
    ...["--chdir", view.cwd],
  ];
}

/**
 * Fifteen times as quick as a bind or a remount, for which bwrap reads the list of mounts again. What its owner opens it for
 * is lost.
 */
function emptyAt(path: string): string[] {
  return ["--size", "4096", "--perms", "0555", "--tmpfs", path];
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

function bind(writable: boolean): string {
  return writable ? "--bind" : "--ro-bind";
}

export function stepArguments(step: PlaceStep, sourceOf: BwrapSetting["sourceOf"]): string[] {
  const { path } = step;
  switch (step.do) {
    case "pin":
      return ["--bind", sourceOf(path), path];
    case "read-only":
      return ["--ro-bind", sourceOf(path), path];
    case "mask":
      return emptyAt(path);
    case "hide":
      // A device on a mount without devices can't be opened. An empty file could be taken for the real one and saved.
      return step.kind === "file"
        ? ["--ro-bind", "/dev/null", path]
        : ["--perms", "0000", "--tmpfs", path, "--remount-ro", path];
  }
}
