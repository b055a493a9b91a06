import { requiredField } from "../commands/index.ts";
import { EventStream, type Exchange, type LocalLimits, type Route, readJson, TAIL_MS } from "../http/index.ts";
import type { Surroundings } from "../places/index.ts";
import { type IsolatedSessions, notThere } from "./isolated-sessions.ts";
import type { Isolator } from "./isolator.ts";
import { createRequest, invalid, planOf, refuseTooMany, runRequest, unsupported } from "./read-request.ts";

const AT = "/v1/isolated/session/:sessionId";
const NONE = "it runs without a jail, and has no isolator";
const NO_CHANGES = "what an overlay has changed is neither told nor kept";

/** Sessions with a jail of their own, as newer builds have them. Each session also answers the routes in `files`. */
export function isolatedRoutes(
  isolator: Isolator,
  sessions: IsolatedSessions,
  around: Surroundings,
  limits: LocalLimits,
  files: readonly Route[],
): Route[] {
  const sessionOf = (exchange: Exchange) => sessions.get(exchange.param("sessionId"));
  return [
    ["GET", "/v1/isolated/capabilities", (exchange) => capabilities(exchange, isolator)],
    [
      "GET",
      "/v1/isolated/sessions",
      (exchange) => exchange.json({ sessions: sessions.list().map(({ state }) => state) }),
    ],
    ["POST", "/v1/isolated/session", (exchange) => create(exchange, isolator, sessions, around, limits)],
    ["GET", AT, (exchange) => state(exchange, sessions)],
    ["DELETE", AT, (exchange) => remove(exchange, sessions)],
    ["POST", `${AT}/run`, (exchange) => run(exchange, sessions, limits)],
    ["GET", `${AT}/diff`, () => refuse(NO_CHANGES)],
    ["POST", `${AT}/commit`, () => refuse(NO_CHANGES)],
    ...files.map(
      ([method, path]): Route => [
        method,
        `${AT}${path}`,
        async (exchange) => await sessionOf(exchange).handler(method, path)(exchange),
      ],
    ),
  ];
}

/** Answered as by one whose image has no isolator. */
export function noIsolatedRoutes(): Route[] {
  const missing = (exchange: Exchange) => {
    throw notThere(exchange.param("sessionId"));
  };
  const none = { available: false, message: NONE, commit_supported: false, diff_supported: false };
  return [
    ["GET", "/v1/isolated/capabilities", (exchange) => exchange.json(none)],
    ["GET", "/v1/isolated/sessions", (exchange) => exchange.json({ sessions: [] })],
    ["POST", "/v1/isolated/session", () => refuse(NONE)],
    ["GET", AT, missing],
    ["DELETE", AT, missing],
    ["POST", `${AT}/run`, missing],
  ];
}

function capabilities(exchange: Exchange, { name }: Isolator): void {
  exchange.json({
    ...{ available: true, isolator: name, setpriv_available: true, userns_available: true },
    ...{ commit_supported: false, diff_supported: false },
  });
}

async function create(
  exchange: Exchange,
  isolator: Isolator,
  sessions: IsolatedSessions,
  around: Surroundings,
  limits: LocalLimits,
): Promise<void> {
  const asked = await readJson(exchange, createRequest, limits.maxJsonBytes);
  if (asked.workspace.path === "") throw invalid(requiredField("CreateIsolatedSessionRequest.Workspace.Path", "Path"));
  refuseTooMany(asked, limits.maxIsolatedMounts);
  const plan = planOf(asked, (path) => pathOf(path, around), isolator);
  const session = await sessions.create(plan, around.env());
  const { session_id, created_at } = session.state;
  exchange.json({ session_id, created_at, ...session.plan }, 201);
}

function pathOf(asked: string, around: Surroundings): string {
  try {
    return around.path(asked);
  } catch (cause) {
    throw invalid((cause as Error).message);
  }
}

function state(exchange: Exchange, sessions: IsolatedSessions): void {
  const { state: now, plan } = sessions.get(exchange.param("sessionId"));
  const { session_id: _, ...rest } = now;
  exchange.json({ ...rest, ...plan });
}

async function remove(exchange: Exchange, sessions: IsolatedSessions): Promise<void> {
  await sessions.delete(exchange.param("sessionId"));
  exchange.done();
}

async function run(exchange: Exchange, sessions: IsolatedSessions, limits: LocalLimits): Promise<void> {
  const { code, cwd, envs, background, timeout_seconds } = await readJson(exchange, runRequest, limits.maxJsonBytes);
  if (code === "") throw invalid(requiredField("IsolatedRunRequest.Code", "Code"));
  if (timeout_seconds < 0) throw invalid("timeout_seconds must not be negative");
  const strange = [...envs.keys()].find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (strange !== undefined) throw invalid(`envs: ${JSON.stringify(strange)} is no variable's name`);
  if (background) throw unsupported("an isolated session runs nothing in the background");
  const session = sessions.get(exchange.param("sessionId"));
  const at = cwd === "" ? undefined : session.directory(cwd);
  const stream = new EventStream(exchange.response, limits.maxUnreadBytes);
  await session.run({ command: code, cwd: at, timeoutMs: timeout_seconds * 1_000, envs }, stream);
  await stream.close(TAIL_MS);
}

function refuse(why: string): never {
  throw unsupported(why);
}
