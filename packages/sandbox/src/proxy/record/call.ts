import { randomUUID } from "node:crypto";
import type { ExecdFrame, FrameSink, UntoldCall } from "../../delivery/index.ts";
import { ACCESS_TOKEN_NAME, type Route } from "../../wire/index.ts";
import { BodyTap, type DecodeBudget, type Decoded, decodeCall, FormTap, queryValue } from "../decode/index.ts";
import type { Digests } from "../digest/index.ts";
import { type AnswerHead, type BegunIn, type Contexts, type Headers, headerOf } from "../http/index.ts";
import { AnswerTap } from "./answer-tap.ts";
import type { CallEnd, Denial } from "./before.ts";
import { decodeUpload } from "./decode-upload.ts";
import { ExecutionTap } from "./execution-tap.ts";
import type { FollowCommands } from "./follow-commands.ts";
import type { Voice } from "./frame-maker.ts";
import { KnownFiles } from "./known-files.ts";
import type { OwnCalls } from "./own-calls.ts";
import type { Ptys } from "./ptys.ts";
import { isDetached, tellCall } from "./tell-call.ts";
import type { Tellings } from "./tellings.ts";

/** What all calls share. */
export interface Desk {
  readonly sink: FrameSink;
  readonly voice: Voice;
  readonly contexts: Contexts;
  readonly begunIn: BegunIn;
  readonly ptys: Ptys;
  readonly followed: FollowCommands;
  readonly ownCalls: OwnCalls;
  readonly budget: DecodeBudget;
  readonly digests: Digests;
  readonly tellings: Tellings;
}

/** How a call came to its end at the proxy. */
export type Ending =
  | { readonly kind: "answered" }
  | { readonly kind: "cut"; readonly by: "agent" | "execd" }
  | { readonly kind: "unreachable"; readonly reason: string }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "denied"; readonly denial: Denial }
  | { readonly kind: "drained" };

const RUNS: readonly string[] = ["command.run", "session.run", "isolated.run", "code.run"];
const UPLOADS: readonly string[] = ["file.upload", "file.write"];

/** Of a frame, beside what came with the call: about so much. */
const FRAME_BYTES = 1024;

/** One call: reads along with what passes, and tells at its end what became of it. Nothing that passes waits for it. */
export class Call {
  readonly correlationId = randomUUID();
  readonly route: Route;
  readonly headers: Headers;
  readonly body: BodyTap;
  readonly form: FormTap | null;
  readonly knownFiles: KnownFiles;
  answer: AnswerHead | null = null;
  answerTap: AnswerTap | ExecutionTap;
  /** When its first byte went to execd. */
  startedAt: string | undefined;
  /** Of what the gate has let pass. */
  onEnd: ((end: CallEnd) => void) | undefined;
  readonly #desk: Desk;
  #decoded: Decoded | null = null;
  #isTold = false;
  /** What its frames may hold of its body. */
  #readBytes = 0;
  #untold: UntoldCall | undefined;

  constructor(desk: Desk, route: Route, headers: Headers) {
    this.#desk = desk;
    this.route = route;
    this.headers = headers;
    this.body = new BodyTap(desk.budget, desk.digests);
    this.answerTap = new AnswerTap(desk.digests);
    const contentType = headerOf(headers, "content-type") ?? "";
    this.knownFiles = new KnownFiles(desk.ownCalls, route.filesAt, this.token);
    const isForm =
      route.operation === "file.upload" || (route.operation === "file.write" && /^multipart\//i.test(contentType));
    this.form = isForm ? new FormTap(contentType, desk.digests, (path) => this.knownFiles.look(path)) : null;
    if (UPLOADS.includes(route.operation) && queryValue(route.rawQuery, "path").length > 0)
      this.knownFiles.look(this.queryPath);
  }

  get token(): string | undefined {
    return headerOf(this.headers, ACCESS_TOKEN_NAME);
  }

  get queryPath(): string {
    return queryValue(this.route.rawQuery, "path").toString();
  }

  /** Before its first byte goes to execd: from here on it isn't lost silently, whatever becomes of the proxy. */
  passOn(): void {
    this.startedAt ??= new Date().toISOString();
    this.#untold ??= this.#desk.sink.begin();
  }

  /** All that is told of it, in its turn. */
  tell(frames: readonly ExecdFrame[]): void {
    const emit = () => {
      if (this.#untold) this.#untold.tell(frames);
      else for (const frame of frames) this.#desk.sink.emit(frame);
    };
    this.#desk.tellings.tell(null, emit, this.#readBytes + frames.length * FRAME_BYTES);
  }

  requestContent(bytes: Buffer): void {
    (this.form ?? this.body).content(bytes);
  }

  /** Whether the chunks of its request are read again after they have passed. A form copies the little that it keeps. */
  get keepsRequest(): boolean {
    return this.form === null;
  }

  /** Whether what has come of its request waits to be hashed, so that no more of it should. */
  get isRequestBehind(): boolean {
    return (this.form ?? this.body).isBehind;
  }

  /** After its last byte, or where no more of it comes. null: its hashes are known, so that it can be decoded. */
  requestEnd(): Promise<void> | null {
    // A form's body has nothing in it.
    const ofBody = this.body.end();
    return this.form?.end() ?? ofBody;
  }

  /** What it asks for, as far as its body has come. Final once asked for: what has a body is asked when `requestEnd` is over. */
  decoded(): Decoded {
    if (this.#decoded) return this.#decoded;
    void this.requestEnd();
    const decoded = UPLOADS.includes(this.route.operation)
      ? decodeUpload(this)
      : decodeCall(this.route, this.body, this.#desk);
    this.#decoded = withMade(decoded, this.#desk.begunIn);
    return this.#decoded;
  }

  answerHead(head: AnswerHead): void {
    this.answer = head;
    if (head.status === 200 && this.isRun) this.answerTap = new ExecutionTap();
  }

  /** Its answer is a run's events: those are read before they pass. */
  get isRun(): boolean {
    return RUNS.includes(this.route.operation);
  }

  /**
   * Tells a command as soon as its events say that it has ended, and not when execd closes the stream, up to a second later: the agent can know of
   * it from then on. In its turn, as `end`: at once, unless a call before it still waits for its hash. Code is told when its stream closes.
   */
  endRun(): void {
    const { answerTap: tap } = this;
    if (this.#isTold || !(tap instanceof ExecutionTap) || !tap.hasEnded || this.requestEnd() !== null) return;
    const decoded = this.decoded();
    if (decoded.kind === "command" && !isDetached(this.route, decoded)) this.end({ kind: "answered" });
  }

  answerContent(bytes: Buffer): void {
    this.answerTap.content(bytes);
  }

  /** Whether the next chunk of its answer may be read again after it has passed. */
  get keepsAnswer(): boolean {
    return this.answerTap.keeps;
  }

  get isAnswerBehind(): boolean {
    return this.answerTap.isBehind;
  }

  /**
   * Once; later endings say nothing new. It is told when its hashes are known: at once, where it is small. Then only its frames wait for others', since the
   * next call may rest on what is learned from this one: a terminal, a context.
   */
  end(ending: Ending): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const hashing = [this.requestEnd(), this.answerTap.end()].filter((end) => end !== null);
    const tell = () => {
      const decoded = this.decoded();
      this.#readBytes = this.body.heldBytes;
      this.body.release();
      tellCall({ call: this, decoded, ending, desk: this.#desk });
    };
    if (hashing.length === 0) tell();
    else this.#desk.tellings.tell(Promise.all(hashing), tell);
  }
}

/** What is done in an isolated session goes with what that was made with. */
function withMade(decoded: Decoded, begunIn: BegunIn): Decoded {
  if (decoded.kind === "command" && decoded.isIsolated && decoded.session !== undefined)
    return { ...decoded, made: begunIn.madeOf(decoded.session) };
  if (decoded.kind === "paths" && decoded.isolated !== undefined)
    return { ...decoded, from: begunIn.directoryOf(decoded.isolated), made: begunIn.madeOf(decoded.isolated) };
  return decoded;
}
