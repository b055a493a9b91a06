import { CliError } from "../base/index.ts";

/** What starts the hub, and where. */
export interface Unit {
  readonly node: string;
  /** Our own bin. */
  readonly bin: string;
  readonly home: string;
}

/**
 * A user's unit: it starts with the user's session, or at boot where the user lingers. Its directory is none that an agent works in, since `serve`'s is
 * the workspace of those who name none.
 */
export function writeUnit(unit: Unit): string {
  const { home } = unit;
  for (const path of [unit.node, unit.bin, home]) refuseControls(path);
  return [
    "# Written by `countersign service install`; `countersign service uninstall` removes it.",
    "[Unit]",
    "Description=Countersign: decides, asks and records what agents run",
    "",
    "[Service]",
    "Type=exec",
    `ExecStart=${startWords(unit).map(quoteForSystemd).join(" ")}`,
    `WorkingDirectory=${home.replaceAll("%", "%%")}/run`,
    "Restart=on-failure",
    "RestartSec=2",
    "UMask=0077",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");
}

/** A line end in a path would be the end of a setting, and what follows another one. */
function refuseControls(path: string): void {
  if (!/\p{Cc}/u.test(path)) return;
  throw new CliError("FAILED", `${JSON.stringify(path)} can't be written to a service file: it isn't a plain path.`);
}

export function startWords({ node, bin, home }: Unit): string[] {
  return [node, "--max-semi-space-size=8", "--heap-growing-percent=40", bin, "serve", "--home", home];
}

/** systemd.service(5), "Command lines": C escapes in double quotes; `%` and `$` are its own. */
export function quoteForSystemd(word: string): string {
  const escaped = word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%").replaceAll("$", "$$$$");
  return `"${escaped}"`;
}
