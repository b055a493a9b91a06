import assert from "node:assert/strict";
import { createExecdClient } from "@alibaba-group/opensandbox/internal";
import { type Surface, type SurfaceStep, until } from "./surface.ts";

/** The SDK has types for code, and no methods. */
function codeClient({ target, headers }: Surface) {
  return createExecdClient({ baseUrl: target.url, headers });
}

interface CodeRun {
  readonly stdout: string;
  readonly results: unknown[];
  readonly error?: { readonly ename: string; readonly evalue: string } | undefined;
  readonly complete: boolean;
}

async function runCode(
  surface: Surface,
  context: { id?: string; language: string } | undefined,
  code: string,
): Promise<CodeRun> {
  const body = context ? { context, code } : { code };
  const { data } = await codeClient(surface).POST("/code", { body, parseAs: "text" });
  const events = `${data}`
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Record<string, unknown>]));
  const of = (type: string) => events.filter((event) => event.type === type);
  return {
    stdout: of("stdout")
      .map(({ text }) => text)
      .join(""),
    results: of("result").map(({ results }) => results),
    error: of("error")[0]?.error as CodeRun["error"],
    complete: of("execution_complete").length === 1,
  };
}

async function createContext(surface: Surface, language: string): Promise<string> {
  const { data } = await codeClient(surface).POST("/code/context", { body: { language } });
  assert.equal(data?.language, language);
  return data?.id ?? "";
}

async function deleteAll(surface: Surface, language: string): Promise<void> {
  const client = codeClient(surface);
  for (let made = 0; made < 2; made += 1) await createContext(surface, language);
  const listed = async () => (await client.GET("/code/contexts", { params: { query: { language } } })).data?.length;
  assert.equal(await listed(), 2);
  const gone = await client.DELETE("/code/contexts", { params: { query: { language } } });
  assert.deepEqual([gone.response.status, await listed()], [200, 0]);
}

export const CODE: readonly SurfaceStep[] = [
  {
    name: "code: without a language it is the shell's",
    async run(surface) {
      const ran = await runCode(surface, undefined, "echo from the shell");
      assert.deepEqual(ran, { stdout: "from the shell", results: [], error: undefined, complete: true });
    },
  },
  ...["python", "javascript", "typescript"].map((language): SurfaceStep => {
    const isPython = language === "python";
    const typed = language === "typescript" ? ": string" : "";
    return {
      name: `code: ${language}, whose context keeps what was defined`,
      async run(surface) {
        const client = codeClient(surface);
        const id = await createContext(surface, language);
        const context = { id, language };
        const define = isPython
          ? "word = 'kept'\nprint('defined')"
          : `var word${typed} = 'kept'; console.log('defined')`;
        assert.deepEqual(await runCode(surface, context, define), {
          ...{ stdout: "defined\n", results: [], error: undefined, complete: true },
        });
        const used = await runCode(surface, context, isPython ? "word.upper()" : "word.toUpperCase()");
        assert.deepEqual(used.results, [{ text: "'KEPT'" }]);
        const failed = await runCode(surface, context, isPython ? "1/0" : "null.x");
        assert.equal(failed.error?.ename, isPython ? "ZeroDivisionError" : "TypeError");
        assert.equal(failed.complete, false);
        const listed = await client.GET("/code/contexts", { params: { query: { language } } });
        assert.ok(listed.data?.some((one) => one.id === id));
        const told = await client.GET("/code/contexts/{context_id}", { params: { path: { context_id: id } } });
        assert.deepEqual(told.data, { id, language });
        const gone = await client.DELETE("/code/contexts/{context_id}", { params: { path: { context_id: id } } });
        assert.equal(gone.response.status, 200);
        const again = await client.GET("/code/contexts/{context_id}", { params: { path: { context_id: id } } });
        assert.equal(again.response.status, 404);
        // Python's contexts are another step's too.
        if (!isPython) await deleteAll(surface, language);
      },
    };
  }),
  {
    name: "code: interrupt",
    async run(surface) {
      const id = await createContext(surface, "python");
      const path = `${await surface.directory("code-interrupt")}/begun`;
      const running = runCode(
        surface,
        { id, language: "python" },
        `open(${JSON.stringify(path)}, "w").close()\nimport time; time.sleep(60)`,
      );
      await until(async () =>
        (await surface.sdk.files.getFileInfo([path]).catch(() => undefined)) ? true : undefined,
      );
      await codeClient(surface).DELETE("/code", { params: { query: { id } } });
      assert.equal((await running).error?.ename, "KeyboardInterrupt");
      assert.deepEqual((await runCode(surface, { id, language: "python" }, "6 * 7")).results, [{ text: "42" }]);
    },
  },
  {
    name: "code: bash in a context",
    async run(surface) {
      const id = await createContext(surface, "bash");
      await runCode(surface, { id, language: "bash" }, "export WORD=kept");
      assert.equal((await runCode(surface, { id, language: "bash" }, "echo $WORD")).stdout, "kept");
    },
  },
  {
    name: "code: languages that need a server of their own",
    async run(surface) {
      for (const language of ["go", "java"]) {
        const { error, response } = await codeClient(surface).POST("/code/context", { body: { language } });
        assert.equal(response.status, 500);
        assert.match(`${error?.message}`, /no kernel specs found/);
        const { data } = await codeClient(surface).POST("/code", {
          ...{ body: { context: { language }, code: "1" }, parseAs: "text" as const },
        });
        assert.match(`${data}`, /language runtime server not configured/);
      }
    },
  },
  {
    name: "code: a language that nobody has",
    async run(surface) {
      const context = await codeClient(surface).POST("/code/context", { body: { language: "cobol" } });
      assert.equal(context.response.status, 500);
      const ran = await runCode(surface, { language: "cobol" }, "DISPLAY 'HI'.");
      assert.deepEqual(ran, { stdout: "", results: [], error: undefined, complete: false });
    },
  },
];
