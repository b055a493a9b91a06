import { type Problem, problemSchema } from "@countersign/protocol/proposals";
import * as z from "zod";

/** `code` is the hub's, or one of the page's own: UNREACHABLE, no answer came; BAD_ANSWER, the answer isn't in the wire format. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: Problem["code"] | "UNREACHABLE" | "BAD_ANSWER";

  constructor(code: ApiError["code"], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

export interface ApiOptions {
  /** Replaces `:id` and other parameters in the path. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

const failedSchema = z.object({ error: problemSchema });

/** Calls the HTTP API. `where` is method and path as in the table of operations: `GET /api/v1/approvals/:id`. */
export async function callApi<T>(
  token: string | undefined,
  schema: z.ZodType<T>,
  where: string,
  options: ApiOptions = {},
): Promise<T> {
  const response = await fetchApi(token, where, options);
  const answer = schema.safeParse(await jsonOf(response));
  if (answer.success) return answer.data;
  throw new ApiError(
    "BAD_ANSWER",
    "The hub's answer can't be read: the page and the hub may have different versions.",
    {
      cause: answer.error,
    },
  );
}

/** Returns the raw response, for streams and downloads. Throws an ApiError unless it is a success. */
export async function fetchApi(token: string | undefined, where: string, options: ApiOptions = {}): Promise<Response> {
  const { signal, body } = options;
  const [method = "GET", path = "/"] = where.split(" ");
  const headers = {
    // Sent without a body too: the hub rejects a page's changes without this header.
    ...(method === "GET" ? {} : { "content-type": "application/json" }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const sent = method === "GET" ? {} : { body: JSON.stringify(body ?? {}) };
  const url = addressOf(path, options);
  const response = await fetch(url, {
    method,
    headers,
    cache: "no-store",
    credentials: "omit",
    ...sent,
    ...(signal ? { signal } : {}),
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw new ApiError("UNREACHABLE", "The hub doesn't answer.", { cause });
  });
  if (response.ok) return response;
  const failed = failedSchema.safeParse(await jsonOf(response));
  if (failed.success) throw new ApiError(failed.data.error.code, failed.data.error.message);
  throw new ApiError("BAD_ANSWER", `The hub answered ${response.status}.`);
}

function addressOf(path: string, { params = {}, query = {} }: ApiOptions): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, `${value}`);
  return search.size === 0 ? filled : `${filled}?${search}`;
}

async function jsonOf(response: Response): Promise<unknown> {
  return await response.json().catch(() => undefined);
}
