import { connect, type Socket } from "node:net";
import { type Ports, type Route, routeOf } from "../wire/index.ts";
import { AnswerReader } from "./answer-reader.ts";
import {
  BodyReader,
  errorAnswer,
  HeadBuffer,
  type HeldBytes,
  headerOf,
  LONGEST_HEAD,
  Reading,
  type RequestHead,
  readRequestHead,
  withoutExtensions,
  write,
  writeAndLetGo,
} from "./http/index.ts";
import type { IdleAgents } from "./idle-agents.ts";
import { type ProxyTokens, showsToken, withOwnHeader, withOwnToken } from "./own-token.ts";
import { ptyIdOf, sinceOf } from "./pty-call.ts";
import { Call, type Desk, type Ending, type Gate, tellPtyAgain, tellPtyEnd, tellRefusal } from "./record/index.ts";
import { RequestGate } from "./request-gate.ts";

/** So much may wait in a socket for each direction: enough that neither side stands still. */
export const SOCKET_BUFFERS = { highWaterMark: 256 * 1024 };
/** So much of what an agent sends ahead is kept; then it is read no further. */
const MOST_AHEAD = 1024 * 1024;
/** So long an agent has to close its side after an answer of ours. */
const LINGER_MS = 2000;

export interface ConnectionOptions {
  readonly desk: Desk;
  readonly gate: Gate | null;
  readonly tokens: ProxyTokens | undefined;
  readonly execd: { readonly host: string; readonly port: number };
  readonly ports: Ports;
  readonly held: HeldBytes;
  readonly idle: IdleAgents;
  readonly stallMs: number;
}

interface Exchange {
  readonly call: Call;
  /** Of a terminal's socket, how far its output had come when the call did. */
  readonly ptyPosition: number;
  readonly body: BodyReader;
  readonly answer: AnswerReader;
  readonly gate: RequestGate;
}

/** After 101: bytes that aren't HTTP any more. */
interface Tunnel {
  readonly fromAgent: (bytes: Buffer) => void;
  readonly fromExecd: (bytes: Buffer) => void;
  /** On execd's side. */
  readonly closed: () => void;
}

/**
 * An agent's connection and one of its own to execd, for as long as it lasts. Bytes pass as they are, so that what either side says about
 * the connection itself (`Connection`, `Keep-Alive`, `Upgrade`, `Expect`) is true on both. Requests are read strictly before they pass, answers
 * after they have passed.
 */
export class AgentConnection {
  readonly #agent: Socket;
  readonly #options: ConnectionOptions;
  readonly #head = new HeadBuffer();
  readonly #fromAgentOn: Reading;
  #fromExecdOn: Reading | null = null;
  #execd: Socket | null = null;
  #exchange: Exchange | null = null;
  #tunnel: Tunnel | null = null;
  #ahead: Buffer[] = [];
  #aheadBytes = 0;
  #hasAnswered = false;
  #isClosed = false;
  /** Nothing that the agent still sends is looked at. */
  #isDeaf = false;
  #endsAfterAnswer = false;

  constructor(agent: Socket, options: ConnectionOptions) {
    this.#agent = agent;
    this.#fromAgentOn = new Reading(agent);
    this.#options = options;
    agent.setNoDelay(true);
    agent.on("data", (chunk) => this.#fromAgent(chunk));
    agent.on("drain", () => this.#fromExecdOn?.goOn("room"));
    // Half closed: execd is told, and may still answer.
    agent.on("end", () => this.#agentEnded());
    agent.on("error", () => agent.destroy());
    agent.on("close", () => this.#close({ kind: "cut", by: "agent" }));
    options.idle.speaks(this);
  }

  get isIdle(): boolean {
    return this.#exchange === null;
  }

  /** No further call: at once where none is under way. */
  endSoon(): void {
    this.#endsAfterAnswer = true;
    if (this.isIdle) this.#endDeaf();
  }

  /** Nothing has been under way for too long, or others need the place. */
  endIdle(): void {
    if (this.#head.length > 0) this.#refuse("its head didn't come in time", 408, "REQUEST_TIMEOUT");
    else this.#endWithin(LINGER_MS);
  }

  /** The time is over: what is under way is told as it stands. */
  drainNow(): void {
    this.#close({ kind: "drained" });
  }

  #fromAgent(chunk: Buffer): void {
    if (this.#isDeaf) return;
    if (this.#tunnel) {
      this.#toExecd(chunk);
      this.#tunnel.fromAgent(chunk);
    } else if (!this.#exchange) this.#readHead(chunk);
    else if (this.#exchange.body.done) this.#keepAhead(chunk);
    else this.#readBody(this.#exchange, chunk);
  }

  #readHead(chunk: Buffer): void {
    const { held, idle } = this.#options;
    const before = this.#head.length;
    const read = this.#head.push(chunk);
    if (!read) {
      if (before === 0) idle.speaks(this);
      const isWithin = held.take(chunk.length);
      if (this.#head.length > LONGEST_HEAD) this.#refuse("the head is too long", 431);
      else if (!isWithin) this.#refuse("agents hold as many bytes as they may", 503, "PROXY_BUSY");
      return;
    }
    held.give(before);
    idle.isBusy(this);
    const head = readRequestHead(read.head.toString("latin1", 0, read.head.length - 4));
    if (typeof head === "string") return this.#refuse(head);
    const { tokens, ports } = this.#options;
    const route = routeOf(head.method, head.target, ports);
    // Go's server answers 400 to it: nothing is lost by not finding out whether all do.
    if (!route) return this.#refuse("the target can't be read");
    if (route.leadsBack) return this.#refuse("it leads through execd back to this proxy", 508, "PROXY_LOOP");
    if (tokens === undefined) this.#begin(route, head, read.head);
    else if (!showsToken(head.headers, tokens)) return this.#refuse("the access token is wrong or missing", 401);
    else this.#begin(route, { ...head, headers: withOwnHeader(head.headers, tokens) }, withOwnToken(read.head, tokens));
    if (read.rest.length > 0) this.#fromAgent(read.rest);
  }

  #begin(route: Route, head: RequestHead, bytes: Buffer): void {
    const { desk, gate, held, stallMs } = this.#options;
    const call = new Call(desk, route, head.headers);
    const exchange: Exchange = {
      ...{ call, ptyPosition: desk.ptys.position(ptyIdOf(call)) },
      body: new BodyReader(head.framing, (content) => call.requestContent(content)),
      answer: new AnswerReader(head.method, call),
      gate: new RequestGate({
        ...{ call, gate, held, stallMs },
        pass: (passed) => this.#toExecd(passed, call.keepsRequest ? write : writeAndLetGo),
        deny: (denial) => this.#deny(exchange, denial),
        wait: (isWaiting) => (isWaiting ? this.#fromAgentOn.stop("gate") : this.#fromAgentOn.goOn("gate")),
      }),
    };
    this.#exchange = exchange;
    this.#hasAnswered = false;
    exchange.gate.head(route.operation === "pty.socket" ? withoutExtensions(bytes) : bytes);
    if (exchange.body.done) this.#requestDone(exchange);
  }

  #readBody(exchange: Exchange, chunk: Buffer): void {
    const used = exchange.body.push(chunk);
    const { fault, done } = exchange.body;
    if (fault !== null) return this.#cutRequest(exchange, fault);
    if (done) void exchange.call.requestEnd();
    if (exchange.call.isRequestBehind) this.#waitForHashes(this.#fromAgentOn);
    exchange.gate.body(used === chunk.length ? chunk : chunk.subarray(0, used), done);
    if (done) this.#requestDone(exchange);
    if (used < chunk.length) this.#fromAgent(chunk.subarray(used));
  }

  #requestDone(exchange: Exchange): void {
    if (exchange.body.done) exchange.gate.whole();
    this.#settle();
  }

  /** Sent before the last answer was there: it is looked at when that is. */
  #keepAhead(chunk: Buffer): void {
    this.#ahead.push(chunk);
    this.#aheadBytes += chunk.length;
    const isWithin = this.#options.held.take(chunk.length);
    if (this.#aheadBytes > MOST_AHEAD || !isWithin) this.#fromAgentOn.stop("ahead");
  }

  /** Bytes pass no faster than they are hashed, but for a few blocks of them: else they would have to be kept. */
  #waitForHashes(reading: Reading): void {
    if (reading.isStopped("hash")) return;
    reading.stop("hash");
    void this.#options.desk.digests.drained().then(() => reading.goOn("hash"));
  }

  #toExecd(bytes: Buffer, send = write): void {
    this.#execd ??= this.#dial();
    if (!send(this.#execd, bytes)) this.#fromAgentOn.stop("room");
  }

  #dial(): Socket {
    const execd = connect({ ...this.#options.execd, noDelay: true, allowHalfOpen: true, ...SOCKET_BUFFERS });
    this.#fromExecdOn = new Reading(execd);
    execd.on("drain", () => this.#fromAgentOn.goOn("room"));
    execd.on("data", (chunk) => this.#fromExecd(chunk));
    execd.on("end", () => this.#execdEnded());
    execd.on("error", (error) => this.#execdFailed(error));
    execd.on("close", () => {
      this.#execdEnded();
      this.#agent.destroySoon();
    });
    return execd;
  }

  #fromExecd(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#hasAnswered = true;
    const exchange = this.#exchange;
    // First the agent, then the record; but a command's end is on record before the agent can know of it.
    const isRun = exchange?.call.isRun === true && !this.#tunnel;
    const restOfRun = isRun ? this.#readRun(exchange, chunk) : undefined;
    const send = (exchange?.call.keepsAnswer ?? true) ? write : writeAndLetGo;
    if (!send(this.#agent, chunk)) this.#fromExecdOn?.stop("room");
    if (this.#tunnel) this.#tunnel.fromExecd(chunk);
    else this.#answered(exchange, isRun ? restOfRun : exchange?.answer.push(chunk));
    if (exchange?.call.isAnswerBehind && this.#fromExecdOn) this.#waitForHashes(this.#fromExecdOn);
  }

  /** What isn't of its answer any more. */
  #readRun({ answer, body, call }: Exchange, chunk: Buffer): Buffer | undefined {
    const rest = answer.push(chunk);
    if (body.done) call.endRun();
    return rest;
  }

  /** After bytes of its answer have passed. */
  #answered(exchange: Exchange | null, rest: Buffer | undefined): void {
    // To another protocol no call could be read any more, and none be decided.
    if (exchange?.answer.isUpgraded && this.#options.gate && exchange.call.route.operation !== "pty.socket")
      return this.#close({ kind: "refused", reason: "the gate lets nothing but terminals change the protocol" });
    if (exchange?.answer.isUpgraded) this.#openTunnel(exchange, rest ?? Buffer.alloc(0));
    // Nobody asked for it: which answer is whose isn't known any more.
    else if (!exchange || (rest && rest.length > 0)) this.#endsAfterAnswer = true;
    this.#settle();
  }

  #openTunnel({ call, ptyPosition }: Exchange, rest: Buffer): void {
    if (call.route.operation === "pty.socket") {
      this.#tunnel = this.#openPty(call, ptyPosition);
      // That somebody is at it is told at once; what passes, when the terminal ends.
      call.end({ kind: "answered" });
    } else {
      const fromExecd = (bytes: Buffer) => call.answerContent(bytes);
      this.#tunnel = { fromAgent: () => undefined, fromExecd, closed: () => undefined };
    }
    if (rest.length > 0) this.#tunnel.fromExecd(rest);
    this.#takeAhead();
  }

  #openPty(call: Call, asked: number): Tunnel {
    const { desk, gate } = this.#options;
    const id = ptyIdOf(call);
    const about = { route: call.route, desk, id };
    const wish = { since: sinceOf(call.route.rawQuery), asked };
    const { visit, closed } = desk.ptys.attach(id, wish, {
      onExit: (exitCode) => gate?.ptyEnded?.(id, exitCode),
      tellEnd: (end) => tellPtyEnd(about, end),
      tellAgain: (input) => tellPtyAgain(about, input),
      cut: () => this.#close({ kind: "cut", by: "execd" }),
    });
    const { fromAgent, fromExecd } = visit;
    return { fromAgent: (bytes) => fromAgent.push(bytes), fromExecd: (bytes) => fromExecd.push(bytes), closed };
  }

  /** Both sides of a call are through: the next one may begin. */
  #settle(): void {
    const exchange = this.#exchange;
    if (!exchange?.answer.done || !exchange.body.done || this.#tunnel) return;
    this.#exchange = null;
    this.#hasAnswered = false;
    exchange.call.end({ kind: "answered" });
    if (this.#endsAfterAnswer) this.#endDeaf();
    else this.#rest();
  }

  /** The next call may begin, and may have come already. */
  #rest(): void {
    this.#options.idle.rests(this);
    this.#takeAhead();
  }

  #takeAhead(): void {
    if (this.#aheadBytes === 0) return;
    const ahead = Buffer.concat(this.#ahead);
    this.#letGoAhead();
    this.#fromAgentOn.goOn("ahead");
    this.#fromAgent(ahead);
  }

  #letGoAhead(): void {
    this.#options.held.give(this.#aheadBytes);
    this.#ahead = [];
    this.#aheadBytes = 0;
  }

  #refuse(reason: string, status = 400, code = "INVALID_REQUEST"): void {
    tellRefusal(this.#options.desk, reason);
    this.#answerAndEnd(errorAnswer({ status, code, message: `refused by the recording proxy: ${reason}` }));
  }

  #cutRequest({ call, gate }: Exchange, reason: string): void {
    gate.abandon();
    call.end({ kind: "refused", reason });
    this.#execd?.destroy();
    this.#answerAndEnd(
      errorAnswer({ status: 400, code: "INVALID_REQUEST", message: `refused by the recording proxy: ${reason}` }),
    );
  }

  #deny({ call, body }: Exchange, denial: Parameters<typeof errorAnswer>[0]): void {
    call.end({ kind: "denied", denial: { kind: "denial", ...denial } });
    const wantsClose = /\bclose\b/i.test(headerOf(call.headers, "connection") ?? "");
    const keeps = body.done && !this.#execdHasBytes() && !wantsClose;
    if (!keeps) return this.#answerAndEnd(errorAnswer(denial));
    this.#exchange = null;
    this.#agent.write(errorAnswer(denial, true));
    this.#rest();
  }

  /** Whether a part of the call has gone to execd already. Its end hasn't, so nothing has come of it. */
  #execdHasBytes(): boolean {
    return this.#exchange?.gate.hasPassed ?? false;
  }

  #answerAndEnd(answer: Buffer): void {
    this.#exchange = null;
    this.#execd?.removeAllListeners("close").destroy();
    if (this.#hasAnswered) return void this.#agent.destroy();
    this.#endWithin(LINGER_MS, answer);
  }

  #endWithin(ms: number, answer?: Buffer): void {
    this.#endDeaf(answer);
    const agent = this.#agent;
    setTimeout(() => agent.destroy(), ms).unref();
  }

  /** What the agent still sends is read and left: with it unread, a close could take the answer away again. */
  #endDeaf(answer?: Buffer): void {
    this.#isDeaf = true;
    this.#options.idle.isBusy(this);
    this.#fromAgentOn.goOnAnyway();
    if (answer) this.#agent.end(answer);
    else this.#agent.end();
  }

  #agentEnded(): void {
    if (this.#exchange?.gate.isHolding) this.#agent.destroy();
    else if (this.#execd) this.#execd.end();
    else this.#agent.end();
  }

  #execdEnded(): void {
    this.#tunnel?.closed();
    this.#exchange?.answer.end();
    this.#settle();
    if (this.#exchange && !this.#tunnel) this.#finish({ kind: "cut", by: "execd" });
    else this.#finish({ kind: "answered" });
    if (!this.#agent.writableEnded) this.#agent.end();
  }

  #execdFailed(error: Error): void {
    const { code } = error as NodeJS.ErrnoException;
    const exchange = this.#exchange;
    if (!exchange || this.#hasAnswered || this.#isClosed) return void this.#execd?.destroy();
    exchange.gate.abandon();
    exchange.call.end({ kind: "unreachable", reason: code ?? error.message });
    const message = `the recording proxy can't reach execd (${code ?? error.message}): is it running, and is --execd its address?`;
    this.#answerAndEnd(errorAnswer({ status: 502, code: "EXECD_UNREACHABLE", message }));
  }

  #close(ending: Ending): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.idle.isBusy(this);
    this.#options.held.give(this.#head.length);
    this.#letGoAhead();
    this.#tunnel?.closed();
    this.#finish(this.#tunnel && ending.kind === "cut" ? { kind: "answered" } : ending);
    this.#execd?.destroy();
    this.#agent.destroy();
  }

  #finish(ending: Ending): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    this.#exchange = null;
    exchange.gate.abandon();
    exchange.call.end(exchange.answer.done ? { kind: "answered" } : ending);
  }
}
