import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "@countersign/core/base";
import { linkTo } from "./link-to.ts";
import type { Channel } from "./notice.ts";
import { type ShowOptions, wordsOf } from "./notice.ts";

interface DesktopOptions {
  readonly log: Log;
  readonly env: NodeJS.ProcessEnv;
  /** Base address of the page as people reach it. */
  readonly page: string | undefined;
  /** Directories that are searched for the programs. */
  readonly places?: readonly string[];
}

/** Not PATH: a directory in it that others can write to could hold a program of theirs. */
const PLACES = ["/usr/bin", "/usr/local/bin", "/bin"];
const PASSED = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY", "LANG", "HOME"];
const SLOW_MS = 5_000;
const BRIEFLY_MS = 1;
const NOTIFICATIONS = "org.freedesktop.Notifications";
const CLOSING = [
  ...["call", "--session", `--dest=${NOTIFICATIONS}`, "--object-path=/org/freedesktop/Notifications"],
  `--method=${NOTIFICATIONS}.CloseNotification`,
];

export type Desktop = { readonly program: string } | { readonly problem: string };

/** Returns the program that shows notifications on this machine's desktop, or why there is none. */
export function findDesktop({
  env,
  places = PLACES,
}: {
  readonly env: NodeJS.ProcessEnv;
  readonly places?: readonly string[];
}): Desktop {
  const program = findProgram("notify-send", places);
  if (program === undefined) return { problem: "notify-send isn't installed here" };
  const { DBUS_SESSION_BUS_ADDRESS: bus, XDG_RUNTIME_DIR: runtime } = env;
  if (!bus && !(runtime && existsSync(join(runtime, "bus"))))
    return { problem: "the hub wasn't started from a desktop's session" };
  return { program };
}

/**
 * Shows one notification with `notify-send`, and changes it. A click does nothing there, so its text holds the link to
 * the page.
 */
export function openDesktop(
  program: string,
  show: ShowOptions,
  { log, env, page, places = PLACES }: DesktopOptions,
): Channel & { close(): void } {
  const passed = Object.fromEntries(PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  const closer = findProgram("gdbus", places);
  let id: string | undefined;
  let turn: Promise<void> = Promise.resolve();
  let child: ChildProcess | undefined;
  const run = async (file: string, args: readonly string[]): Promise<string | undefined> => {
    child = spawn(file, args, {
      env: passed,
      stdio: ["ignore", "pipe", "ignore"],
      timeout: SLOW_MS,
      killSignal: "SIGKILL",
    });
    const said = await outputOf(child);
    child = undefined;
    return said;
  };
  const display = async (args: readonly string[]): Promise<void> => {
    const replaced = id === undefined ? [] : [`--replace-id=${id}`];
    const said = await run(program, ["--app-name=Countersign", "--print-id", ...replaced, ...args]);
    if (said === undefined) return log.warn({}, "a desktop notification could not be shown");
    id = /^\d{1,10}/.exec(said)?.[0];
  };
  const takeBack = async (shown: string): Promise<void> => {
    if (closer !== undefined && (await run(closer, [...CLOSING, shown])) !== undefined) return;
    // notify-send can't withdraw a notification, so it is replaced by one that disappears at once.
    await display(["--urgency=low", `--expire-time=${BRIEFLY_MS}`, "--", "Answered", ""]);
  };
  return {
    raise(notice) {
      const { title, body, approvalId } = wordsOf(notice, show);
      const link = linkTo(page, approvalId);
      const text = link === undefined ? body : `${body}\n${link}`;
      const urgency = notice.alert ? "normal" : "low";
      // Some desktops read a subset of HTML here.
      turn = turn.then(() => display([`--urgency=${urgency}`, "--", escapeMarkup(title), escapeMarkup(text)]));
    },
    withdraw() {
      turn = turn.then(async () => {
        if (id !== undefined) await takeBack(id);
        id = undefined;
      });
    },
    close() {
      child?.kill("SIGKILL");
    },
  };
}

function outputOf(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      if (said.length < 64) said += chunk.toString("latin1");
    });
    child.once("error", () => resolve(undefined));
    child.once("close", (status) => resolve(status === 0 ? said : undefined));
  });
}

function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function findProgram(name: string, places: readonly string[]): string | undefined {
  return places.map((place) => join(place, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
