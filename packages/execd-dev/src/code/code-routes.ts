import { goString, goStruct } from "@countersign/sandbox";
import { type Commands, invalid, requiredField } from "../commands/index.ts";
import {
  EventStream,
  type Exchange,
  ExecdError,
  type LocalLimits,
  type Route,
  readJson,
  TAIL_MS,
} from "../http/index.ts";
import { goErrno, type Surroundings } from "../places/index.ts";
import type { Sessions } from "../sessions/index.ts";
import type { Kernels } from "./kernels.ts";

const contextRequest = goStruct({ language: goString, cwd: goString });
const codeRequest = goStruct({
  context: goStruct({ id: goString, language: goString, cwd: goString }),
  code: goString,
});
type CodeRequest = ReturnType<typeof codeRequest.zero>;

interface Rooms {
  readonly kernels: Kernels;
  readonly commands: Commands;
  readonly sessions: Sessions;
  readonly around: Surroundings;
  readonly limits: LocalLimits;
}

export function codeRoutes(rooms: Rooms): Route[] {
  const { kernels } = rooms;
  return [
    ["POST", "/code", (exchange) => run(exchange, rooms)],
    ["POST", "/code/context", (exchange) => create(exchange, rooms)],
    ["GET", "/code/contexts", (exchange) => list(exchange, kernels)],
    ["DELETE", "/code/contexts", (exchange) => removeAll(exchange, kernels)],
    ["GET", "/code/contexts/:contextId", (exchange) => tell(exchange, kernels)],
    ["DELETE", "/code/contexts/:contextId", (exchange) => remove(exchange, kernels)],
  ];
}

async function create(exchange: Exchange, { kernels, sessions, around, limits }: Rooms): Promise<void> {
  const { language, cwd } = await readJson(exchange, contextRequest, limits.maxJsonBytes);
  const at = around.directory(cwd);
  const id =
    language === "bash"
      ? sessions.create({ cwd: at, env: around.env() }).id
      : (await kernels.create(language, at).catch(asAnswer("error creating code context."))).id;
  exchange.json({ id, language: language || undefined, cwd: cwd || undefined });
}

async function run(exchange: Exchange, rooms: Rooms): Promise<void> {
  const request = await readJson(exchange, codeRequest, rooms.limits.maxJsonBytes);
  if (request.code === "") throw invalid(requiredField("RunCodeRequest.Code", "Code"));
  const stream = new EventStream(exchange.response, rooms.limits.maxUnreadBytes);
  await execute(request, stream, rooms).catch(asAnswer("error running codes"));
  await stream.close(TAIL_MS);
}

/** By language: one that isn't named is the shell's, whatever the context. */
async function execute({ code, context }: CodeRequest, stream: EventStream, rooms: Rooms): Promise<void> {
  const { kernels, commands, sessions, around } = rooms;
  const plan = () => ({ command: code, cwd: around.directory(""), env: around.env(), timeoutMs: 0 });
  switch (context.language) {
    case "":
    case "command":
      return await commands.runForeground(plan(), stream);
    case "background-command":
      return await commands.runBackground(plan(), stream);
    case "bash": {
      const session = sessions.get(context.id);
      if (!session) throw new Error("context not found");
      return await session.run({ command: code, cwd: undefined, timeoutMs: 0 }, stream);
    }
    case "python":
    case "javascript":
    case "typescript":
      return await kernels.run(code, { ...context, cwd: around.directory(context.cwd) }, stream);
    case "java":
    case "go":
    case "sql":
      throw new Error("language runtime server not configured, please check your image runtime");
    default:
      throw new Error(`unknown language: ${context.language}`);
  }
}

function list(exchange: Exchange, kernels: Kernels): void {
  const language = exchange.query.get("language") ?? "";
  if (["command", "background-command", "sql"].includes(language)) {
    throw new ExecdError(500, "RUNTIME_ERROR", `unsupported language context operation: ${language}`);
  }
  exchange.json(kernels.list(language));
}

function tell(exchange: Exchange, kernels: Kernels): void {
  const id = exchange.param("contextId");
  const kernel = kernels.get(id);
  if (!kernel) throw new ExecdError(404, "CONTEXT_NOT_FOUND", `context ${id} not found`);
  exchange.json({ id, language: kernel.language });
}

function remove(exchange: Exchange, kernels: Kernels): void {
  const id = exchange.param("contextId");
  if (!kernels.delete(id)) throw new ExecdError(404, "CONTEXT_NOT_FOUND", `context ${id} not found`);
  exchange.done();
}

function removeAll(exchange: Exchange, kernels: Kernels): void {
  for (const { id } of kernels.list(exchange.required("language"))) kernels.delete(id);
  exchange.done();
}

function asAnswer(said: string): (cause: unknown) => never {
  return (cause) => {
    if (cause instanceof ExecdError) throw cause;
    throw new ExecdError(500, "RUNTIME_ERROR", `${said} ${goErrno(cause)}`, { cause });
  };
}
