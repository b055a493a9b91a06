import type { Command } from "commander";
import { type Finish, subcommand } from "../base/index.ts";

/** `countersign install`, `uninstall`, `doctor`, `coverage`, `service`. */
export function addAgents(program: Command, finish: Finish): void {
  const agent = "claude-code, codex, gemini, cursor or opencode";
  const install = placed(
    subcommand(program, "install", "Have an agent ask before it uses a tool", "countersign install claude-code"),
  ).argument("<agent>", agent);
  install.action(async (name: string) =>
    finish(await (await import("../commands/install.ts")).install(name, install.optsWithGlobals())),
  );
  const uninstall = placed(
    subcommand(program, "uninstall", "Take our lines out of an agent's settings", "countersign uninstall claude-code"),
  ).argument("<agent>", agent);
  uninstall.action(async (name: string) =>
    finish(await (await import("../commands/install.ts")).uninstall(name, uninstall.optsWithGlobals())),
  );
  const doctor = subcommand(
    program,
    "doctor",
    "Look at everything that has to hold, and fire canaries through each connected agent's hook. Exits 3 where a denial would not be enforced",
    "countersign doctor",
  );
  doctor.action(async () => finish(await (await import("../doctor/doctor.ts")).doctor(doctor.optsWithGlobals())));
  const coverage = subcommand(
    program,
    "coverage",
    "Hold what agents' own transcripts tell against the record; needs no hub. Exits 1 where a call has no receipt, or can't be read",
    "countersign coverage --since 7d",
  ).option("--since <time>", "2h, 7d, 2026-01-31 (its midnight here) or 2026-01-31T12:00", "24h");
  coverage.action(async () =>
    finish(await (await import("../coverage/coverage.ts")).coverage(coverage.optsWithGlobals())),
  );
  addService(program, finish);
}

function addService(program: Command, finish: Finish): void {
  const service = subcommand(
    program,
    "service",
    "Have systemd keep the hub running, so that a reboot doesn't leave agents denied",
    "countersign service install",
  )
    .usage("[options] <command>")
    .helpCommand(false);
  const install = subcommand(
    service,
    "install",
    "Write a unit of this user's, and start it",
    "countersign service install",
  ).option("--print", "show what would be written, and write nothing");
  install.action(async () =>
    finish(await (await import("../service/service.ts")).installService(install.optsWithGlobals())),
  );
  const uninstall = subcommand(service, "uninstall", "Stop it, and remove the unit", "countersign service uninstall");
  uninstall.action(async () =>
    finish(await (await import("../service/service.ts")).uninstallService(uninstall.optsWithGlobals())),
  );
  const status = subcommand(service, "status", "Whether it is there and runs", "countersign service status");
  status.action(async () =>
    finish(await (await import("../service/service.ts")).serviceStatus(status.optsWithGlobals())),
  );
}

function placed(command: Command): Command {
  return command
    .option("--project", "in this project's settings (here), instead of this user's")
    .option("--managed", "in the machine's settings, which a user can't override; needs root, and --home")
    .option("--print", "show what would be written, and write nothing");
}
