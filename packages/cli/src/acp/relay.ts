import { uuidv7 } from "uuidv7";
import {
  type Ends,
  errorResponse,
  hasTwinOf,
  idKey,
  isObject,
  lineOf,
  type Message,
  type Relay,
  readMessage,
} from "../proxies/index.ts";
import { type AcpEvent, askGate, type GateAnswer } from "./hub-gate.ts";
import { askedCommand, type CallEnd, OpenCalls } from "./open-calls.ts";
import { allowOnce, CANCELLED, rejectWith } from "./permission-answer.ts";
import { Sessions } from "./sessions.ts";

type Params = Readonly<Record<string, unknown>>;

interface Waiting {
  readonly sessionId: string;
  readonly withdraw: AbortController;
}

/** A request of the agent's that the editor has: what its answer tells us. */
interface Passed {
  readonly method: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly params: Params;
  /** What a terminal may run once a person has allowed it. */
  readonly asked?: ReturnType<typeof askedCommand>;
}

const PERMISSION = "session/request_permission";
const GATED = new Set([PERMISSION, "terminal/create", "fs/read_text_file", "fs/write_text_file"]);
/** Their answers say how a terminal's command ended. */
const TERMINAL_ENDS = new Set(["terminal/output", "terminal/wait_for_exit", "terminal/release"]);
const TOP = ["jsonrpc", "id", "method", "params", "result", "error"];
const MAX_WAITING = 256;
const MAX_PASSED = 4_000;
/** Of the range that is left to implementations, and none that the protocol uses. */
const DENIED = -32_050;

/**
 * Stands between an editor and its agent. Everything passes, in both directions; only what the agent wants done has to be allowed first:
 * permissions, terminals, files. What can't be read here never reaches the editor: it might read it as such a request.
 */
export class AcpRelay implements Relay {
  readonly #homeDir: string;
  readonly #ends: Ends;
  readonly #sessions = new Sessions();
  readonly #open = new OpenCalls();
  readonly #waiting = new Map<string, Waiting>();
  readonly #passed = new Map<string, Passed>();
  readonly #told = new Set<Promise<void>>();
  /** Ids of requests come again with the next process. */
  readonly #run = uuidv7();

  constructor(homeDir: string, ends: Ends) {
    this.#homeDir = homeDir;
    this.#ends = ends;
  }

  async fromClient(line: Buffer): Promise<void> {
    const { value } = readMessage(line) ?? {};
    if (isObject(value)) this.#hearClient(value);
    await this.#ends.toServer(line.toString("utf8"));
  }

  async fromServer(line: Buffer): Promise<void> {
    if (line.toString("latin1").trim() === "") return;
    const incoming = readMessage(line);
    if (!incoming || !isObject(incoming.value) || hasTwinOf(TOP, incoming.value)) {
      return this.#ends.warn("A line of the agent's isn't a message and was left out.");
    }
    const message: Message = incoming.value;
    this.#hearAgent(message);
    if (GATED.has(String(message.method))) {
      if (message.id !== undefined) return this.#gate(message);
      return this.#ends.warn("The agent asked for something without an id, so it couldn't be answered: left out.");
    }
    await this.#ends.toClient(lineOf(incoming.exact));
  }

  async serverEnded(): Promise<void> {
    await this.end("The agent ended");
  }

  async end(reason: string): Promise<void> {
    for (const { withdraw } of this.#waiting.values()) withdraw.abort(reason);
    await Promise.allSettled(this.#told);
  }

  #hearClient(message: Message): void {
    const { id, method, params } = message;
    if (method === undefined) return this.#heardFromEditor(message);
    this.#sessions.heardRequest(message);
    if (method !== "session/cancel" || id !== undefined || !isObject(params)) return;
    for (const { sessionId, withdraw } of this.#waiting.values()) {
      if (sessionId === params.sessionId) withdraw.abort();
    }
  }

  #hearAgent(message: Message): void {
    const { id, method } = message;
    const params = isObject(message.params) ? message.params : {};
    if (method === undefined) return this.#sessions.heardAnswer(message);
    const key = idKey(id);
    const sessionId = String(params.sessionId);
    if (method === "$/cancel_request") this.#waiting.get(idKey(params.requestId) ?? "")?.withdraw.abort();
    if (method === "session/update" && isObject(params.update)) this.#heardUpdate(sessionId, params.update);
    if (TERMINAL_ENDS.has(String(method)) && key !== undefined) {
      this.#pass(key, { method: String(method), sessionId, callId: "", params });
    }
  }

  #heardUpdate(sessionId: string, update: Params): void {
    if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") return;
    const { sessionUpdate: _, ...call } = update;
    this.#sessions.heardCall(sessionId, call);
    if (call.status === "completed") this.#tellEnd(sessionId, call.toolCallId, {});
    if (call.status === "failed") {
      this.#tellEnd(sessionId, call.toolCallId, { failed: "The agent says that it failed" });
    }
  }

  /** Answers when it is decided; whatever else the agent says meanwhile passes. */
  #gate(message: Message): void {
    const key = idKey(message.id);
    const params = isObject(message.params) ? message.params : {};
    const sessionId = typeof params.sessionId === "string" ? params.sessionId : "";
    if (key === undefined || this.#waiting.has(key) || this.#waiting.size >= MAX_WAITING) {
      const why = key === undefined ? "an id must be a string or a number" : `more than ${MAX_WAITING} requests wait`;
      return this.#tell(this.#refuse(message, why));
    }
    const waiting = { sessionId, withdraw: new AbortController() };
    this.#waiting.set(key, waiting);
    const decided = this.#decide(message, { key, params, waiting }).finally(() => this.#waiting.delete(key));
    this.#tell(decided);
  }

  #refuse({ id }: Message, why: string): Promise<void> {
    return this.#ends.toServer(
      errorResponse(id, DENIED, `Countersign couldn't decide, so this isn't allowed: ${why}.`),
    );
  }

  async #decide(
    message: Message,
    { key, params, waiting }: { readonly key: string; readonly params: Params; readonly waiting: Waiting },
  ): Promise<void> {
    const method = String(message.method);
    const { sessionId, withdraw } = waiting;
    const cwd = this.#sessions.cwdOf(sessionId);
    const permitted = method === "terminal/create" ? this.#open.takeFor(sessionId, params, cwd) : undefined;
    if (permitted) return await this.#toEditor(message, key, { method, sessionId, callId: permitted.callId, params });
    const whole = method === PERMISSION ? this.#wholeQuestion(sessionId, params) : params;
    const callId = method === PERMISSION ? toolCallIdOf(whole) : `${this.#run}/${key}`;
    const event = { method, sessionId, callId, cwd, params: whole };
    const answer = await this.#ask(event, withdraw.signal);
    if (withdraw.signal.aborted) return await this.#cancelled(message);
    await this.#act(message, { key, event, answer });
  }

  /** The agent may have told before what it now asks about by its id alone. */
  #wholeQuestion(sessionId: string, params: Params): Params {
    return isObject(params.toolCall)
      ? { ...params, toolCall: this.#sessions.heardCall(sessionId, params.toolCall) }
      : params;
  }

  async #ask(event: AcpEvent, signal: AbortSignal): Promise<GateAnswer> {
    try {
      return await askGate(this.#homeDir, event, signal);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message.replace(/\.$/, "") : String(cause);
      return { kind: "deny", words: `Countersign couldn't decide, so this isn't allowed: ${why}.` };
    }
  }

  async #act(
    message: Message,
    { key, event, answer }: { readonly key: string; readonly event: AcpEvent; readonly answer: GateAnswer },
  ): Promise<void> {
    const { method, sessionId, callId, params } = event;
    if (answer.kind === "deny") return await this.#deny(message, answer.words);
    if (method === PERMISSION) {
      const toolCall = isObject(params.toolCall) ? params.toolCall : {};
      const asked = answer.judged === "shell" ? askedCommand(toolCall) : undefined;
      const result = answer.kind === "allow" ? allowOnce(message.params) : undefined;
      this.#open.add({ sessionId, callId, asked: result ? asked : undefined });
      if (result) return await this.#answer(message, result);
      return await this.#toEditor(message, key, { method, sessionId, callId, params, asked });
    }
    this.#open.add({ sessionId, callId });
    const command = answer.kind === "allow" ? answer.command : undefined;
    const passed = command === undefined ? message : { ...message, params: { ...params, ...runnerOf(command) } };
    await this.#toEditor(passed, key, { method, sessionId, callId, params });
  }

  async #deny(message: Message, words: string): Promise<void> {
    const result = message.method === PERMISSION ? rejectWith(message.params, words) : undefined;
    if (result) return await this.#answer(message, result);
    await this.#ends.toServer(errorResponse(message.id, DENIED, words));
  }

  /** The turn is over, so the agent is told as the protocol has it. */
  async #cancelled(message: Message): Promise<void> {
    if (message.method === PERMISSION) return await this.#answer(message, CANCELLED);
    await this.#ends.toServer(errorResponse(message.id, DENIED, "Withdrawn before it ran: the turn was cancelled."));
  }

  async #answer({ id }: Message, result: object): Promise<void> {
    await this.#ends.toServer(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }

  async #toEditor(message: Message, key: string, passed: Passed): Promise<void> {
    this.#pass(key, passed);
    await this.#ends.toClient(JSON.stringify(message));
  }

  #pass(key: string, passed: Passed): void {
    const oldest = this.#passed.keys().next();
    if (this.#passed.size >= MAX_PASSED && !oldest.done) this.#passed.delete(oldest.value);
    this.#passed.set(key, passed);
  }

  /** What the editor answered to something that went by here. */
  #heardFromEditor({ id, result, error }: Message): void {
    const key = idKey(id) ?? "";
    const passed = this.#passed.get(key);
    if (!passed) return;
    this.#passed.delete(key);
    const { method, sessionId, callId, params } = passed;
    const said = isObject(result) ? result : {};
    const failure = isObject(error) ? { failed: String(error.message) } : undefined;
    if (method === PERMISSION) return this.#heardAnswerOfPerson(passed, said);
    if (TERMINAL_ENDS.has(method)) return this.#heardTerminal(method, { sessionId, params, said });
    if (failure || method !== "terminal/create") return this.#tellEnd(sessionId, callId, failure ?? { exitCode: 0 });
    const open = this.#open.find(sessionId, callId);
    if (open && typeof said.terminalId === "string") open.terminalId = said.terminalId;
  }

  #heardAnswerOfPerson({ sessionId, callId, params, asked }: Passed, { outcome }: Params): void {
    const optionId = isObject(outcome) ? outcome.optionId : undefined;
    const options = Array.isArray(params.options) ? params.options.filter(isObject) : [];
    const kind = options.find((option) => option.optionId === optionId)?.kind;
    if (kind !== "allow_once" && kind !== "allow_always")
      return this.#tellEnd(sessionId, callId, { rejected: "Rejected in the editor" });
    const open = this.#open.find(sessionId, callId);
    if (open) open.asked = asked;
  }

  #heardTerminal(
    method: string,
    { sessionId, params, said }: { readonly sessionId: string; readonly params: Params; readonly said: Params },
  ): void {
    const open = this.#open.atTerminal(sessionId, params.terminalId);
    if (!open) return;
    const status = method === "terminal/output" ? said.exitStatus : said;
    if (method === "terminal/release")
      return this.#tellEnd(sessionId, open.callId, { aborted: "Released by the agent" });
    if (!isObject(status)) return;
    const output = typeof said.output === "string" ? { output: said.output } : {};
    if (typeof status.exitCode === "number")
      this.#tellEnd(sessionId, open.callId, { exitCode: status.exitCode, ...output });
    else if (typeof status.signal === "string") {
      this.#tellEnd(sessionId, open.callId, { failed: `Ended by ${status.signal}`, ...output });
    }
  }

  /** What we ran ourselves has its end on record already; the hub knows. */
  #tellEnd(sessionId: string, callId: unknown, end: Partial<CallEnd>): void {
    const open = this.#open.find(sessionId, callId);
    if (!open) return;
    this.#open.close(open);
    const event = { method: "ended", sessionId, callId: open.callId, cwd: undefined, params: end };
    this.#tell(
      askGate(this.#homeDir, event, new AbortController().signal).then(
        () => undefined,
        (cause) => this.#ends.warn(`How a use of a tool ended isn't on record: ${String(cause)}`),
      ),
    );
  }

  #tell(told: Promise<void>): void {
    this.#told.add(told);
    told.finally(() => this.#told.delete(told)).catch(() => undefined);
  }
}

function toolCallIdOf({ toolCall }: Params): string {
  return isObject(toolCall) && typeof toolCall.toolCallId === "string" ? toolCall.toolCallId : uuidv7();
}

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/**
 * The words of our runner, which come quoted, one by one. Some editors start a program with its arguments and some join them for a shell:
 * what needs no quotes is the same to either.
 */
function runnerOf(command: string): Params {
  const [, quoted] = /^\/usr\/bin\/env -i "TERM=\$\{TERM-\}" '(.*)'$/s.exec(command) ?? [];
  const words = quoted === undefined ? [] : ["-i", "TERM=xterm-256color", ...quoted.split("' '")];
  const plain = words.length > 0 && words.every((word) => PLAIN_WORD.test(word));
  return plain
    ? { command: "/usr/bin/env", args: words, env: [] }
    : { command: "/bin/sh", args: ["-c", command], env: [] };
}
