import type { Command } from "commander";
import { type Finish, subcommand } from "../base/index.ts";

/** `countersign install`, `uninstall`, `doctor`, `coverage`, `service`. */
export function addAgents(program: Command, finish: Finish): void {
  const agent = "claude-code, codex, gemini, cursor or opencode";
  const install = placed(
    subcommand(
      program,
      "install",
      "Make an agent ask Countersign before it uses a tool",
      "countersign install claude-code",
    ),
  ).argument("<agent>", agent);
  install.action(async (name: string) =>
    finish(await (await import("../commands/install.ts")).install(name, install.optsWithGlobals())),
  );
  const uninstall = placed(
    subcommand(
      program,
      "uninstall",
      "Remove Countersign from an agent's settings",
      "countersign uninstall claude-code",
    ),
  ).argument("<agent>", agent);
  uninstall.action(async (name: string) =>
    finish(await (await import("../commands/install.ts")).uninstall(name, uninstall.optsWithGlobals())),
  );
  const doctor = subcommand(
    program,
    "doctor",
    "Check the installation and test each connected agent's hook",
    "countersign doctor",
  );
  doctor.action(async () => finish(await (await import("../doctor/doctor.ts")).doctor(doctor.optsWithGlobals())));
  const coverage = subcommand(
    program,
    "coverage",
    "Find tool calls in agents' transcripts that have no receipt",
    "countersign coverage --since 7d",
  ).option("--since <time>", "start: 2h, 7d, 2026-01-31 (local midnight) or 2026-01-31T12:00", "24h");
  coverage.action(async () =>
    finish(await (await import("../coverage/coverage.ts")).coverage(coverage.optsWithGlobals())),
  );
  addService(program, finish);
}

function addService(program: Command, finish: Finish): void {
  const service = subcommand(program, "service", "Run the hub as a systemd user service", "countersign service install")
    .usage("[options] <command>")
    .helpCommand(false);
  const install = subcommand(
    service,
    "install",
    "Install the service and start it",
    "countersign service install",
  ).option("--print", "print what would be written, and write nothing");
  install.action(async () =>
    finish(await (await import("../service/service.ts")).installService(install.optsWithGlobals())),
  );
  const uninstall = subcommand(service, "uninstall", "Stop the service and remove it", "countersign service uninstall");
  uninstall.action(async () =>
    finish(await (await import("../service/service.ts")).uninstallService(uninstall.optsWithGlobals())),
  );
  const status = subcommand(
    service,
    "status",
    "Show whether the service is installed and running",
    "countersign service status",
  );
  status.action(async () =>
    finish(await (await import("../service/service.ts")).serviceStatus(status.optsWithGlobals())),
  );
}

function placed(command: Command): Command {
  return command
    .option("--project", "in this project's settings instead of the user's")
    .option("--managed", "in the machine's settings, which users can't override; needs root and --home")
    .option("--print", "print what would be written, and write nothing");
}
