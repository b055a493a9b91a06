import assert from "node:assert/strict";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { openSignedIn } from "./open-page.ts";

/** Every way by which text becomes markup or code, tried inside of the page as a script of its own would. */
const TRY = () => {
  const element = document.createElement("div");
  const script = document.createElement("script");
  const frame = document.createElement("iframe");
  const types = (globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } })
    .trustedTypes;
  const ways: Record<string, () => unknown> = {
    innerHTML: () => {
      element.innerHTML = "<b>x</b>";
    },
    outerHTML: () => {
      document.body.appendChild(element).outerHTML = "<b>x</b>";
    },
    insertAdjacentHTML: () => element.insertAdjacentHTML("beforeend", "<b>x</b>"),
    setHTMLUnsafe: () => element.setHTMLUnsafe("<b>x</b>"),
    createContextualFragment: () => document.createRange().createContextualFragment("<b>x</b>"),
    parseFromString: () => new DOMParser().parseFromString("<b>x</b>", "text/html"),
    write: () => document.write("<b>x</b>"),
    "script.src": () => {
      script.src = "/assets/x.js";
    },
    "script.text": () => {
      script.text = "globalThis.evil = true";
    },
    srcdoc: () => {
      frame.srcdoc = "<b>x</b>";
    },
    onclick: () => element.setAttribute("onclick", "globalThis.evil = true"),
    eval: () => (globalThis as unknown as { eval(text: string): unknown }).eval("globalThis.evil = true"),
    Function: () => new Function("globalThis.evil = true")(),
    // A timer that is given text evaluates it.
    setTimeout: () => setTimeout("globalThis.evil = true" as unknown as () => void),
    Worker: () => new Worker("/sw.js"),
    "a policy of another name": () => types.createPolicy("other", { createHTML: (text: string) => text }),
    "a policy by default": () => types.createPolicy("default", { createHTML: (text: string) => text }),
  };
  const passes = (way: () => unknown) => {
    try {
      way();
      return true;
    } catch {
      return false;
    }
  };
  // In a turn of the page's own: what a debugger runs may evaluate text.
  return new Promise<string[]>((resolve) => {
    setTimeout(() => resolve(Object.entries(ways).flatMap(([name, way]) => (passes(way) ? [name] : []))));
  });
};

deepTest("no text becomes markup, a script or a script's address in the page", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  const { page, server } = opened;
  await page.getByText("● live").waitFor();
  const policy = (await page.goto(server.url))?.headers()["content-security-policy"] ?? "";
  assert.match(policy, /require-trusted-types-for 'script'; trusted-types countersign$/);
  await page.getByText("● live").waitFor();
  assert.deepEqual(await page.evaluate(TRY), []);

  // Where it goes round the types, the policy of sources holds: an inline script and a handler do nothing.
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.append("globalThis.evil = true");
    document.body.append(script);
    const image = document.createElementNS("http://www.w3.org/1999/xhtml", "img") as HTMLImageElement;
    document.body.append(image);
    image.src = "https://elsewhere.invalid/x.png";
  });
  assert.equal(await page.evaluate(() => "evil" in globalThis), false);
});
