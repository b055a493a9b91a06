import { connect, type Socket } from "node:net";
import { type SocketRequest, socketResponseSchema } from "@countersign/sdk";
import { CliError } from "../cli-error.ts";
import { homeFiles } from "./home-files.ts";
import { noHub } from "./no-hub.ts";
import { parseAnswer, readAnswer, type Schema } from "./read-answer.ts";

/** Twice the largest output that a hub can be configured to keep, and room for its JSON. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

const NEWLINE = 0x0a;

/** One question over the hub's local socket. Waits as long as a person takes to answer. */
export async function askSocket<T>(homeDir: string, request: SocketRequest, schema: Schema<T>): Promise<T> {
  const socket = await open(homeDir);
  try {
    socket.write(`${JSON.stringify(request)}\n`);
    const response = readAnswer(parseAnswer(await readLine(socket)), socketResponseSchema);
    if (!response.ok) throw new CliError(response.error.code, response.error.message);
    return readAnswer(response.payload, schema);
  } finally {
    socket.destroy();
  }
}

/** Whether a hub holds this home's socket. Only this user can have made that file, so nobody else can pose as it. */
export async function isListening(homeDir: string): Promise<boolean> {
  try {
    (await open(homeDir)).destroy();
    return true;
  } catch (cause) {
    if (cause instanceof CliError && cause.code === "NO_HUB") return false;
    throw cause;
  }
}

function open(homeDir: string): Promise<Socket> {
  const { socket: path } = homeFiles(homeDir);
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", (cause: NodeJS.ErrnoException) => {
      if (cause.code === "EACCES" || cause.code === "EPERM") {
        const message = `${path} belongs to another user. Use that user's account, or --url with a token.`;
        reject(new CliError("UNREACHABLE", message, { cause }));
      } else {
        reject(noHub(homeDir, cause));
      }
    });
  });
}

function readLine(socket: Socket): Promise<string> {
  const gone = (cause?: unknown) =>
    new CliError("HUB_GONE", "The hub ended before it answered. Its ledger says whether the command ran.", { cause });
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (chunk.includes(NEWLINE)) resolve(Buffer.concat(chunks).toString("utf8").trimEnd());
      else if (bytes > MAX_ANSWER_BYTES)
        reject(new CliError("LIMIT", `The answer is longer than ${MAX_ANSWER_BYTES} bytes.`));
    });
    socket.once("error", (cause) => reject(gone(cause)));
    socket.once("close", () => reject(gone()));
  });
}
