import { join, resolve } from "node:path";
import { visible } from "@countersign/protocol/text";
import {
  type Address,
  CaError,
  type HubGate,
  openDelivery,
  type RecordingProxy,
  startProxy,
} from "@countersign/sandbox";
import { CliError, EXIT, type GlobalOptions, homeDirOf, onSignals } from "../base/index.ts";
import { printJson, printLines } from "../terminal/index.ts";
import { type GateOptions, openGate, readTokens } from "./open-gate.ts";
import { stderrLog } from "./stderr-log.ts";
import { tailMsOf } from "./tail-ms.ts";

export interface ProxyOptions extends GlobalOptions, GateOptions {
  readonly listen: Address;
  readonly execd: string;
  readonly relay: string;
  readonly bundle: string;
  readonly sandboxId?: string;
  readonly state?: string;
  readonly opensandboxVersion?: string;
}

/** The recording proxy, until a signal ends it: then it lets go what is under way, and delivers what it has told. Holds no signing key. */
export async function proxy(options: ProxyOptions): Promise<number> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const signals = onSignals(() => stop());
  const sandboxId = sandboxIdOf(options);
  const execd = urlOf(options.execd, "http:", "--execd");
  const gate = await openGate(options, { sandboxId, execd });
  const started = await start(options, { sandboxId, execd, gate });
  const { address, port } = started.address;
  const url = `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
  if (options.json) {
    const gated = gate && { gate: options.gate, enforcement: gate.enforcement };
    printJson({ url, execd: execd.href, relay: options.relay, sandbox: sandboxId, pid: process.pid, ...gated });
  } else {
    printLines([
      `The recording proxy of ${visible(sandboxId)} answers on ${url}`,
      `  execd  ${visible(execd.href)}`,
      `  relay  ${visible(options.relay)}`,
      ...(gate
        ? [`  gate   ${visible(options.gate ?? "")}, ${gate.enforcement}: see docs/opensandbox.md for what that says`]
        : []),
    ]);
  }
  await stopped;
  await started.close();
  await gate?.close();
  signals.off();
  return EXIT.ok;
}

async function start(
  options: ProxyOptions,
  { sandboxId, execd, gate }: { readonly sandboxId: string; readonly execd: URL; readonly gate: HubGate | undefined },
): Promise<RecordingProxy> {
  const { listen } = options;
  const relay = urlOf(options.relay, "https:", "--relay");
  const state = resolve(options.state ?? join(homeDirOf(options), "execd-proxy"));
  const opensandboxVersion = options.opensandboxVersion ?? process.env.OPENSANDBOX_VERSION;
  try {
    const sink = await openDelivery({ relay, bundle: resolve(options.bundle), sandboxId, state, log: stderrLog() });
    return await startProxy({
      listen,
      execd,
      sandboxId,
      sink,
      opensandboxVersion,
      tailMs: tailMsOf(process.env),
      tokens: readTokens(options),
      ...(gate && { gate, enforcement: gate.enforcement }),
    });
  } catch (cause) {
    if (cause instanceof CaError) {
      throw new CliError({ server: cause.code }, `${cause.message} (${cause.code})`, { cause });
    }
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    const remedy = code === "EADDRINUSE" ? "Give another address with --listen." : "Fix that, or give another.";
    throw new CliError("FAILED", `The proxy can't start: ${message}. ${remedy}`, { cause });
  }
}

function sandboxIdOf({ sandboxId }: ProxyOptions): string {
  const id = sandboxId ?? process.env.OPENSANDBOX_ID ?? "";
  if (id !== "") return id;
  throw new CliError("FAILED", "Which sandbox is this? Give --sandbox-id, or set OPENSANDBOX_ID.", {
    exitCode: EXIT.usage,
  });
}

function urlOf(text: string, protocol: "http:" | "https:", option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === protocol && url.pathname === "/" && url.search === "" && url.username === "") return url;
  const example = protocol === "http:" ? "http://127.0.0.1:44772" : "https://10.0.0.1:44780";
  throw new CliError("URL_REFUSED", `${option} is an address like ${example}.`, { exitCode: EXIT.usage });
}
