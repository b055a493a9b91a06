import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { silentLog } from "@countersign/core/base";
import { type LocalExecdOptions, startLocalExecd } from "@countersign/execd-dev";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { type ExecdFrame, type HubGateOptions, openHubGate, type ProxyTokens, startProxy } from "@countersign/sandbox";
import { plainIsolator } from "../../packages/execd-dev/test/plain-isolator.ts";
import { openServer, type TestServer } from "../../packages/hub/test/support/open-server.ts";
import { sinkInto } from "../../packages/sandbox/test/sink-into.ts";

export const TOKEN = "a token of the tests";

type Context = Pick<TestContext, "after">;

export interface GatedExecd {
  readonly server: TestServer;
  /** The proxy's. */
  readonly url: string;
  readonly directory: string;
  readonly frames: readonly ExecdFrame[];
  /** The proxy's end, and the gate's: then all is told. */
  readonly close: () => Promise<void>;
}

/** A hub, a local execd, and a proxy that asks the one before it passes anything on to the other. */
export async function openGated(
  t: Context,
  { tokens, local, ...more }: Partial<HubGateOptions> & { tokens?: ProxyTokens; local?: LocalExecdOptions } = {},
): Promise<GatedExecd> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "countersign-gated-")));
  const server = await openServer(t as TestContext);
  const execd = await startLocalExecd({ port: 0, token: TOKEN, isolator: plainIsolator(directory), ...local });
  const { token } = await server.makeToken("agent", "box-agent");
  const gate = await openHubGate({
    ...{
      hub: new URL(server.url),
      token,
      sandboxId: "box-1",
      execd: new URL(execd.url),
      enforcement: "advisory",
      log: silentLog,
    },
    ...more,
  });
  const frames: ExecdFrame[] = [];
  const sink = sinkInto(frames);
  const { enforcement } = gate;
  const listen = { host: "127.0.0.1", port: 0 };
  const proxy = await startProxy({
    listen,
    execd: new URL(execd.url),
    sandboxId: "box-1",
    sink,
    gate,
    enforcement,
    tokens,
    tailMs: 200,
  });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= proxy.close().then(() => gate.close()));
  t.after(async () => {
    await close();
    await execd.close();
    rmSync(directory, { recursive: true });
  });
  return { server, url: `http://127.0.0.1:${proxy.address.port}`, directory, frames, close };
}

/** What waits now. */
export async function cards(server: TestServer): Promise<ExecApprovalRequestPayload[]> {
  return (await server.api("GET", "/api/v1/approvals")).body as ExecApprovalRequestPayload[];
}

/** Resolves once somebody is asked. */
export async function card(server: TestServer): Promise<ExecApprovalRequestPayload> {
  for (;;) {
    const [first] = await cards(server);
    if (first) return first;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export async function answer(server: TestServer, decision: object): Promise<ExecApprovalRequestPayload> {
  const shown = await card(server);
  await server.api("POST", `/api/v1/approvals/${shown.approvalId}/decision`, decision);
  return shown;
}

/** A person who allows whatever is asked, once each, until they are stopped. */
export function allowAll(server: TestServer): { readonly asked: string[]; stop(): Promise<void> } {
  const asked: string[] = [];
  let isOver = false;
  const work = (async () => {
    while (!isOver) {
      for (const { approvalId, command } of await cards(server)) {
        asked.push(command);
        await server.api("POST", `/api/v1/approvals/${approvalId}/decision`, { decision: "allow-once" });
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  return {
    asked,
    async stop() {
      isOver = true;
      await work;
    },
  };
}
