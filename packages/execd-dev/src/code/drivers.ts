/**
 * Programs that run code, one piece after the other, in one place: what a piece leaves is there for the next. Pieces come as lines of JSON on descriptor 3. What code
 * writes goes to standard output and error as it is; between it stand our own words, behind a NUL and a mark that is new for each driver: a line of JSON each, the last one on both.
 */
const PYTHON = `
import ast, json, os, signal, sys, traceback
mark = b"\\0" + os.environ.pop("EXECD_MARK").encode()
asked = os.fdopen(3, "rb")
scope = {"__name__": "__main__", "__builtins__": __builtins__}
count = 0
def tell(event, fd=1):
    line = mark + json.dumps(event).encode() + b"\\n"
    while line:
        line = line[os.write(fd, line):]
def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
def run(code):
    tree = ast.parse(code, "<code>")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<code>", "exec"), scope)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), "<code>", "eval"), scope)
        if value is not None:
            scope["_"] = value
            flush()
            tell({"event": "result", "text": repr(value), "count": count})
signal.signal(signal.SIGINT, signal.SIG_IGN)
tell({"event": "ready"})
for line in asked:
    count += 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        run(json.loads(line)["code"])
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        flush()
    except BaseException as cause:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        flush()
        lines = traceback.format_exception(type(cause), cause, cause.__traceback__)
        shown = [part for part in lines if '"<string>"' not in part]
        tell({"event": "error", "ename": type(cause).__name__, "evalue": str(cause), "traceback": shown})
    tell({"event": "done", "count": count}, 2)
    tell({"event": "done", "count": count})
`;

const NODE = `
const { writeSync, createReadStream } = require("node:fs");
const { createInterface } = require("node:readline");
const { createRequire, stripTypeScriptTypes } = require("node:module");
const { inspect } = require("node:util");
const vm = require("node:vm");
const mark = "\\0" + process.env.EXECD_MARK;
const typed = process.env.EXECD_TYPED === "1";
delete process.env.EXECD_MARK;
delete process.env.EXECD_TYPED;
if (typed && !stripTypeScriptTypes) process.exit(1);
let count = 0;
let stop = () => {};
const tell = (event, fd = 1) => writeSync(fd, mark + JSON.stringify(event) + "\\n");
globalThis.require = createRequire(process.cwd() + "/");
process.on("SIGINT", () => stop(new Error("interrupted")));
const run = (code) => {
  const options = { filename: "<code>", breakOnSigint: true };
  try {
    return vm.runInThisContext(code, options);
  } catch (cause) {
    if (!(cause instanceof SyntaxError) || !/\\bawait\\b/.test(code)) throw cause;
    return vm.runInThisContext("(async () => {" + code + "\\n})()", options);
  }
};
const main = async () => {
  tell({ event: "ready" });
  for await (const line of createInterface({ input: createReadStream(null, { fd: 3 }) })) {
    count += 1;
    try {
      const interrupted = new Promise((_, reject) => { stop = reject; });
      interrupted.catch(() => {});
      const { code } = JSON.parse(line);
      const value = await Promise.race([run(typed ? stripTypeScriptTypes(code) : code), interrupted]);
      if (value !== undefined) tell({ event: "result", text: inspect(value), count });
    } catch (cause) {
      const { name = "Error", message = String(cause), stack = "" } = Object(cause);
      tell({ event: "error", ename: String(name), evalue: String(message), traceback: String(stack).split("\\n") });
    }
    tell({ event: "done", count }, 2);
    tell({ event: "done", count });
  }
};
main();
`;

export interface Driver {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

const READ_APART = "exec 3<&0 0</dev/null;";

/**
 * By execd's names for languages; what isn't here this execd doesn't have. `ours` is a node that reads types: PATH's may be too old to, and serves only where ours can't be
 * seen, as in a jail that hides where it is installed. Then there may be no kernel for TypeScript.
 */
export function driverOf(language: string, ours = process.execPath): Driver | undefined {
  if (language === "python") return { command: `${READ_APART} exec python3 -u -c ${quote(PYTHON)}`, env: {} };
  const node = `${READ_APART} node=${quote(ours)}; [ -x "$node" ] || node=node; exec "$node" --no-warnings -e ${quote(NODE)}`;
  if (language === "javascript") return { command: node, env: {} };
  if (language === "typescript") return { command: node, env: { EXECD_TYPED: "1" } };
  return undefined;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}
