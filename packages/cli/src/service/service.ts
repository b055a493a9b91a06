import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { prepareHome } from "@countersign/core/config";
import { quoteWord, visible } from "@countersign/protocol/text";
import { readSettings, thisMachine, writeSettings } from "../agents/index.ts";
import { CliError, EXIT, type GlobalOptions, homeDirOf } from "../base/index.ts";
import { isListening } from "../connect/index.ts";
import { printJson, printLines } from "../terminal/index.ts";
import { startWords, type Unit, writeUnit } from "./unit.ts";

const NAME = "countersign.service";
const BIN = fileURLToPath(new URL("../../bin/countersign.js", import.meta.url));

export interface ServiceOptions extends GlobalOptions {
  readonly print?: boolean;
}

/** `countersign service install`: the hub starts with this user's session, so that a reboot doesn't leave agents denied. */
export async function installService(options: ServiceOptions): Promise<number> {
  const path = unitPath();
  if (BIN.includes("/_npx/"))
    throw new CliError("FAILED", `npx may delete this copy. Install Countersign first: npm install -g countersign.`);
  const dir = homeDirOf(options);
  const home = options.print ? dir : prepareHome(dir).dir;
  const unit = { node: process.execPath, bin: BIN, home };
  const text = writeUnit(unit);
  if (options.print) {
    printLines([`# ${visible(path)}`, ...text.trimEnd().split("\n").map(visible)]);
    return EXIT.ok;
  }
  const running = await isListening(home).catch(() => false);
  mkdirSync(dirname(path), { recursive: true });
  const file = readSettings(path);
  const changed = file.text !== text;
  if (changed) writeSettings(file, text);
  const started = startUnit({ running });
  if (options.json) printJson({ unit: path, changed, ...started });
  else
    printLines([
      `${changed ? "Wrote" : "There is already"} ${visible(path)}.`,
      ...startedLines(started, unit, running),
    ]);
  return EXIT.ok;
}

/** `countersign service uninstall`: stops and forgets it. */
export async function uninstallService(options: ServiceOptions): Promise<number> {
  const path = unitPath();
  const there = existsSync(path);
  if (there) systemctl("disable", "--now", NAME);
  rmSync(path, { force: true });
  if (there) systemctl("daemon-reload");
  if (options.json) printJson({ unit: path, changed: there });
  else printLines([there ? `Stopped, and removed ${visible(path)}.` : `There was no ${visible(path)}.`]);
  return EXIT.ok;
}

/** `countersign service status`. Exits 0 where a hub runs, 1 where none does. */
export async function serviceStatus(options: ServiceOptions): Promise<number> {
  const path = unitPath();
  const home = homeDirOf(options);
  const [installed, running] = [existsSync(path), await isListening(home).catch(() => false)];
  const enabled = systemctl("is-enabled", NAME)?.ok ?? false;
  const active = systemctl("is-active", NAME)?.ok ?? false;
  const current =
    installed && readFileSync(path, "utf8") === writeUnit({ node: process.execPath, bin: BIN, home: realHome(home) });
  if (options.json) printJson({ unit: path, installed, current, enabled, active, lingers: lingers(), running });
  else
    printLines([
      installed
        ? `${visible(path)}: ${enabled ? "starts with your session" : "isn't enabled"}, ${active ? "runs" : "doesn't run"}.`
        : "There's no service. Next: countersign service install",
      ...(installed && !current
        ? ["It starts another Node, copy or home than this one. Next: countersign service install"]
        : []),
      ...(installed && !lingers() ? [lingerHint()] : []),
      running ? "A hub is running." : "No hub is running: what connected agents propose is denied.",
    ]);
  return running ? EXIT.ok : EXIT.failed;
}

interface Started {
  /** Undefined: systemd can't be reached from here. */
  readonly enabled: boolean | undefined;
  readonly active: boolean;
  readonly lingers: boolean;
}

/** A hub that somebody started by hand holds the home: the unit takes over after that. */
function startUnit({ running }: { readonly running: boolean }): Started {
  const reloaded = systemctl("daemon-reload");
  if (!reloaded?.ok) return { enabled: undefined, active: false, lingers: false };
  const enabled = systemctl("enable", ...(running ? [] : ["--now"]), NAME)?.ok ?? false;
  return { enabled, active: systemctl("is-active", NAME)?.ok ?? false, lingers: lingers() };
}

function startedLines({ enabled, active, lingers: stays }: Started, unit: Unit, running: boolean): string[] {
  if (enabled === undefined) {
    const words = startWords(unit).map(quoteWord).join(" ");
    return [
      "systemd can't be reached from here. In a session of yours: systemctl --user enable --now countersign",
      `Without systemd, have your session or cron start it: @reboot ${visible(words)}`,
    ];
  }
  return [
    ...(enabled ? [] : ["It could not be enabled: systemctl --user status countersign tells why."]),
    ...(running && !active
      ? ["A hub runs already, started by hand. Stop it, then: systemctl --user start countersign"]
      : []),
    ...(active ? ["The hub runs, and starts with your session."] : []),
    ...(stays ? [] : [lingerHint()]),
  ];
}

function lingerHint(): string {
  return "To have it from boot on, also while you aren't logged in: loginctl enable-linger";
}

function lingers(): boolean {
  return existsSync(join("/var/lib/systemd/linger", userInfo().username));
}

function unitPath(): string {
  const { userHome, env, platform } = thisMachine();
  if (platform !== "linux")
    throw new CliError("FAILED", "Only systemd is supported. Make your system start `countersign serve` at login.");
  const config = env.XDG_CONFIG_HOME ?? (userHome && join(userHome, ".config"));
  if (config) return join(config, "systemd", "user", NAME);
  throw new CliError("NO_HOME", "This user has no home directory for the service file. Set HOME.", {
    exitCode: EXIT.usage,
  });
}

function realHome(home: string): string {
  return existsSync(home) ? realpathSync(home) : home;
}

/** Undefined where there's no such program, or no session to speak to. */
function systemctl(...args: readonly string[]): { readonly ok: boolean } | undefined {
  const { error, status } = spawnSync("systemctl", ["--user", ...args], { timeout: 30_000, stdio: "ignore" });
  return error === undefined ? { ok: status === 0 } : undefined;
}
