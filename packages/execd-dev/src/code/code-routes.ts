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

/** Code of every language: kernels run interpreters, commands and sessions run bash. */
export function codeRoutes(
  kernels: Kernels,
  commands: Commands,
  sessions: Sessions,
  around: Surroundings,
  limits: LocalLimits,
): Route[] {
  /** Chooses by language. A request without one goes to the shell and ignores its context. */
  async function execute({ code, context }: CodeRequest, stream: EventStream): Promise<void> {
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
  async function run(exchange: Exchange): Promise<void> {
    const request = await readJson(exchange, codeRequest, limits.maxJsonBytes);
    if (request.code === "") throw invalid(requiredField("RunCodeRequest.Code", "Code"));
    const stream = new EventStream(exchange.response, limits.maxUnreadBytes);
    await execute(request, stream).catch(asAnswer("error running codes"));
    await stream.close(TAIL_MS);
  }
  async function create(exchange: Exchange): Promise<void> {
    const { language, cwd } = await readJson(exchange, contextRequest, limits.maxJsonBytes);
    const at = around.directory(cwd);
    const id =
      language === "bash"
        ? sessions.create({ cwd: at, env: around.env() }).id
        : (await kernels.create(language, at).catch(asAnswer("error creating code context."))).id;
    exchange.json({ id, language: language || undefined, cwd: cwd || undefined });
  }
  return [
    ["POST", "/code", run],
    ["POST", "/code/context", create],
    ["GET", "/code/contexts", (exchange) => list(exchange, kernels)],
    ["DELETE", "/code/contexts", (exchange) => removeAll(exchange, kernels)],
    ["GET", "/code/contexts/:contextId", (exchange) => tell(exchange, kernels)],
    ["DELETE", "/code/contexts/:contextId", (exchange) => remove(exchange, kernels)],
  ];
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
