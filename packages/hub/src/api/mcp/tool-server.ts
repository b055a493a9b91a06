import { VERSION } from "@countersign/core/base";
import type { CalledTool, ToolStage } from "@countersign/protocol/hub";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import { toolDefinitions } from "../../agent/facade/index.ts";

/** Calls a tool, in this process or over the local socket. */
export interface ToolPort {
  call(
    call: { readonly tool: string; readonly input: unknown },
    how: { readonly signal: AbortSignal; onStage(stage: ToolStage): void },
  ): Promise<CalledTool>;
}

const INSTRUCTIONS = `Commands and file changes go through Countersign: a policy decides, and where it must, a person is asked first, which can take minutes.
A denial is final: don't reach the same effect another way. An unanswered question is no refusal: go on with other work.`;

/** Interval of progress messages. Clients give up after a minute of silence; some extend that at each progress. */
const PROGRESS_MS = 5_000;

/** Creates an MCP server with the hub's tools, for one client. Every call is a proposal. */
export function toolServer(port: ToolPort, { progressMs = PROGRESS_MS } = {}): Server {
  const server = new Server(
    { name: "countersign", title: "Countersign", version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  const definitions = toolDefinitions();
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: definitions.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: { ...inputSchema, type: "object" as const },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
    const { name: tool, arguments: input } = params;
    if (!definitions.some(({ name }) => name === tool)) {
      throw new McpError(ErrorCode.InvalidParams, `There's no tool ${JSON.stringify(tool.slice(0, 64))}`);
    }
    const progressToken = params._meta?.progressToken;
    const progress = new Progress((report) => {
      if (progressToken === undefined) return;
      const notification = { method: "notifications/progress", params: { progressToken, ...report } } as const;
      // Progress that can't be sent doesn't matter: the result follows, or the client has gone.
      sendNotification(notification).catch(() => undefined);
    }, progressMs);
    try {
      return resultOf(await port.call({ tool, input }, { signal, onStage: (stage) => progress.enter(stage) }));
    } finally {
      progress.end();
    }
  });
  return server;
}

function resultOf({ text, isError, outcome }: CalledTool): CallToolResult {
  const { kind, exitCode, receipt } = outcome ?? {};
  const known = Object.entries({ kind, exitCode, receipt }).filter(([, value]) => value !== undefined);
  return {
    content: [{ type: "text", text }],
    ...(isError ? { isError } : {}),
    ...(outcome ? { _meta: { "countersign.dev/outcome": Object.fromEntries(known) } } : {}),
  };
}

interface ProgressReport {
  readonly progress: number;
  readonly message: string;
}

const WORDS: Record<ToolStage, string> = {
  waiting: "Waiting for a person to answer",
  running: "Running",
};

/** Reports progress when the stage changes and then at intervals, each time with a higher number. */
class Progress {
  readonly #send: (report: ProgressReport) => void;
  readonly #fromMs = performance.now();
  readonly #timer: NodeJS.Timeout;
  #stage: ToolStage = "running";
  #count = 0;

  constructor(send: (report: ProgressReport) => void, everyMs: number) {
    this.#send = send;
    this.#timer = setInterval(() => this.#next(), everyMs);
    this.#timer.unref();
  }

  enter(stage: ToolStage): void {
    this.#stage = stage;
    this.#next();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #next(): void {
    this.#count += 1;
    const seconds = Math.round((performance.now() - this.#fromMs) / 1000);
    this.#send({ progress: this.#count, message: `${WORDS[this.#stage]} (${seconds} s)` });
  }
}
