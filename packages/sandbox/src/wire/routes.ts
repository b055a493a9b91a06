import { readTarget } from "./target.ts";

/** What a call does. `control` is everything that isn't one of the others. */
export type Operation =
  | "command.run"
  | "session.create"
  | "session.run"
  | "isolated.create"
  | "isolated.run"
  | "code.run"
  | "context.create"
  | "context.get"
  | "context.list"
  | "file.download"
  | "file.look"
  | "file.upload"
  | "file.write"
  | "file.replace"
  | "file.permissions"
  | "file.move"
  | "file.delete"
  | "directory.list"
  | "directory.create"
  | "directory.delete"
  | "pty.open"
  | "pty.socket"
  | "pty.delete"
  | "control";

export interface Route {
  readonly operation: Operation;
  /** `/command`, `/code`, `/files`, `/directories`, `/pty`; for others, the first part of their path. */
  readonly family: string;
  /** `POST /session/:sessionId/run`. Of what isn't known, the path as it was asked for. */
  readonly name: string;
  readonly parameters: { readonly [name: string]: string };
  readonly rawQuery: string;
  /** Under which path execd has the files of the same world: those of an isolated session are others. */
  readonly filesAt: string;
  /** What stood in the request line, where that isn't the route's plain form: a trick, or a way round through `/proxy`. */
  readonly sentAs?: string;
  /** Through execd back to this proxy: it would be told twice, and go round for ever if it is nested. */
  readonly leadsBack?: true;
}

/** What `/proxy/<port>` leads to, as far as that is known. */
export interface Ports {
  readonly execd: readonly number[];
  /** The proxy's. */
  readonly own?: number | undefined;
}

const TABLE: readonly (readonly [method: string, pattern: string, operation: Operation, family: string])[] = [
  ["POST", "/command", "command.run", "/command"],
  ["DELETE", "/command", "control", "/command"],
  ["GET", "/command/status/:id", "control", "/command"],
  ["GET", "/command/:id/logs", "control", "/command"],
  ["GET", "/command/:id/resume", "control", "/command"],
  ["POST", "/session", "session.create", "/command"],
  ["POST", "/session/:sessionId/run", "session.run", "/command"],
  ["DELETE", "/session/:sessionId", "control", "/command"],
  ["POST", "/code", "code.run", "/code"],
  ["DELETE", "/code", "control", "/code"],
  ["POST", "/code/context", "context.create", "/code"],
  ["GET", "/code/contexts", "context.list", "/code"],
  ["DELETE", "/code/contexts", "control", "/code"],
  ["GET", "/code/contexts/:contextId", "context.get", "/code"],
  ["DELETE", "/code/contexts/:contextId", "control", "/code"],
  ["GET", "/files/download", "file.download", "/files"],
  ["GET", "/files/info", "file.look", "/files"],
  ["GET", "/files/search", "file.look", "/files"],
  ["POST", "/files/upload", "file.upload", "/files"],
  ["POST", "/files/replace", "file.replace", "/files"],
  ["POST", "/files/permissions", "file.permissions", "/files"],
  ["POST", "/files/mv", "file.move", "/files"],
  ["DELETE", "/files", "file.delete", "/files"],
  // The forms of ADR-0027, which no execd has so far.
  ["GET", "/files", "file.download", "/files"],
  ["POST", "/files", "file.write", "/files"],
  ["PUT", "/files", "file.write", "/files"],
  ["GET", "/directories", "directory.list", "/directories"],
  ["GET", "/directories/list", "directory.list", "/directories"],
  ["POST", "/directories", "directory.create", "/directories"],
  ["DELETE", "/directories", "directory.delete", "/directories"],
  ["POST", "/pty", "pty.open", "/pty"],
  ["GET", "/pty/:sessionId", "control", "/pty"],
  ["DELETE", "/pty/:sessionId", "pty.delete", "/pty"],
  ["GET", "/pty/:sessionId/ws", "pty.socket", "/pty"],
  ["POST", "/v1/isolated/session", "isolated.create", "/command"],
  ["GET", "/v1/isolated/session/:sessionId", "control", "/command"],
  ["DELETE", "/v1/isolated/session/:sessionId", "control", "/command"],
  ["POST", "/v1/isolated/session/:sessionId/run", "isolated.run", "/command"],
  ["GET", "/v1/isolated/session/:sessionId/diff", "control", "/command"],
  ["POST", "/v1/isolated/session/:sessionId/commit", "control", "/command"],
  ["GET", "/v1/isolated/session/:sessionId/runs/:runId", "control", "/command"],
  ["GET", "/v1/isolated/session/:sessionId/runs/:runId/logs", "control", "/command"],
];

const ISOLATED = ["v1", "isolated", "session", ":sessionId"];

/** An isolated session has the files' and the directories' routes once more, below it. */
const ROUTES = [
  ...TABLE.map(([method, pattern, operation, family]) => ({ method, parts: partsOf(pattern), operation, family })),
  ...TABLE.filter(([, , , family]) => family === "/files" || family === "/directories").map(
    ([method, pattern, operation, family]) => ({
      method,
      parts: [...ISOLATED, ...partsOf(pattern)],
      operation,
      family,
    }),
  ),
];

const LONGEST_NAME = 200;
const LONGEST_SENT_AS = 1024;
/** A request line is never so long that there could be more. */
const MOST_REENTRIES = 100_000;

/**
 * What a request does at execd. gin (with the settings that execd leaves alone) matches the path after one round of percent-decoding, and is
 * exact about the rest: `/%63ommand` runs a command, `//command` is 404, `/command/` is answered with a redirect. We read at the widest: whatever
 * some router could take for a route is that route here, and the answer's status tells that nothing came of it.
 * null: Go's own server answers 400.
 */
export function routeOf(method: string, target: string, ports: Ports): Route | null {
  const read = readTarget(target);
  if (!read) return null;
  const path = throughProxy(read.path, ports.execd);
  const parts = plainParts(path);
  const question = target.indexOf("?");
  const sentPath = question === -1 ? target : target.slice(0, question);
  // What is left goes to another port, whatever `..` would make of it: no router of execd looks at those.
  const isElsewhere = /^\/+proxy(?:\/|$)/.test(path);
  for (const { method: wanted, parts: pattern, operation, family } of isElsewhere ? [] : ROUTES) {
    const parameters = wanted === method ? match(pattern, parts) : null;
    if (!parameters) continue;
    const isolated = pattern.length > 4 && pattern[1] === "isolated";
    return {
      ...{ operation, family, parameters, rawQuery: read.rawQuery, name: `${method} /${pattern.join("/")}` },
      filesAt: isolated ? `/v1/isolated/session/${encodeURIComponent(parameters.sessionId ?? "")}/files` : "/files",
      ...(isPlain(sentPath, pattern) ? {} : { sentAs: sentPath.slice(0, LONGEST_SENT_AS) }),
    };
  }
  const name = `${method} ${sentPath}`.slice(0, LONGEST_NAME);
  const family = isElsewhere ? "/proxy" : `/${parts[0] ?? ""}`.slice(0, LONGEST_NAME);
  const leadsBack = ports.own !== undefined && proxiedPort(path) === ports.own;
  return {
    ...{ operation: "control", family, name, parameters: {}, rawQuery: read.rawQuery, filesAt: "/files" },
    ...(leadsBack ? { leadsBack } : {}),
  };
}

const PROXIED = /^\/+proxy\/+(\d+)(\/.*|)$/s;

function proxiedPort(path: string): number | undefined {
  const port = PROXIED.exec(path)?.[1];
  return port === undefined ? undefined : Number(port);
}

/** `/proxy/44772/x` is `x` at execd itself, as often as it is nested. Leading zeros of a port are a port to Go. */
function throughProxy(path: string, execdPorts: readonly number[]): string {
  let inner = path;
  for (let round = 0; round < MOST_REENTRIES; round++) {
    const match = PROXIED.exec(inner);
    if (!match || !execdPorts.includes(Number(match[1]))) return inner;
    inner = match[2] || "/";
  }
  return inner;
}

function plainParts(path: string): readonly string[] {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts;
}

function partsOf(pattern: string): string[] {
  return pattern.split("/").slice(1);
}

function match(pattern: readonly string[], parts: readonly string[]): { readonly [name: string]: string } | null {
  if (pattern.length !== parts.length) return null;
  const parameters: { [name: string]: string } = {};
  for (const [index, wanted] of pattern.entries()) {
    const part = parts[index] as string;
    if (wanted.startsWith(":")) parameters[wanted.slice(1)] = part;
    else if (wanted !== part) return null;
  }
  return parameters;
}

function isPlain(sentPath: string, pattern: readonly string[]): boolean {
  const sent = sentPath.split("/").slice(1);
  return sentPath.startsWith("/") && sent.length === pattern.length && match(pattern, sent) !== null;
}
