// An ACP agent for tests, made with the official SDK: its prompt is JSON that says what it is to ask its editor for, one after the other, and
// what came back is in its answer.
import { Readable, Writable } from "node:stream";
import { type AgentContext, agent, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

type Params = Readonly<Record<string, unknown>>;
type Step =
  | { readonly request: string; readonly params?: Params }
  | { readonly notify: string; readonly params: Params }
  | { readonly terminal: { readonly command: string; readonly args?: string[] } };

const cancelled = new Set<string>();

async function take(step: Step, sessionId: string, client: AgentContext): Promise<unknown> {
  try {
    if ("request" in step) return await client.request(step.request, { sessionId, ...step.params });
    if ("notify" in step) return await client.notify(step.notify, { sessionId, ...step.params });
    await using terminal = await client.createTerminal({ sessionId, ...step.terminal });
    const { exitCode } = await terminal.waitForExit();
    const { output } = await terminal.currentOutput();
    return { exitCode, output };
  } catch (cause) {
    const { code, message } = cause as { code?: number; message: string };
    return { error: { code, message } };
  }
}

agent({ name: "scripted" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: {},
    agentInfo: { name: "scripted", version: "1.0.0" },
  }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: "session-1" }))
  .onNotification(methods.agent.session.cancel, ({ params }) => {
    cancelled.add(params.sessionId);
  })
  .onRequest(
    "_example/echo",
    (params: unknown) => params,
    ({ params }) => ({ params }),
  )
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const { sessionId, prompt } = params;
    const [part] = prompt;
    const steps = JSON.parse(part?.type === "text" ? part.text : "[]") as Step[];
    const said: unknown[] = [];
    for (const step of steps) said.push((await take(step, sessionId, client)) ?? null);
    return { stopReason: cancelled.has(sessionId) ? "cancelled" : "end_turn", _meta: { said } };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
