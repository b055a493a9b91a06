import { createHash } from "node:crypto";
import type { Block, ReportSections, Section } from "./section.ts";
import { STYLE } from "./style.ts";

/**
 * One file that needs nothing else and may do nothing: no script, no address, its only style is the one whose hash it
 * names. Names in it were chosen by others, so that even an escape that was missed couldn't act.
 */
export function reportHtml({ title, span, verdict, sections, madeAt }: ReportSections): string {
  const hash = createHash("sha256").update(STYLE).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(`${title} ${span}`)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${escaped(title)}</h1>
<p class="span">${escaped(span)}</p>
<div class="verdict ${verdict.tone}"><strong>${escaped(verdict.words)}</strong>
${verdict.details.map((detail) => `<p>${escaped(detail)}</p>`).join("\n")}</div>
</header>
<main>
${sections.map(sectionHtml).join("\n")}
</main>
<footer><p>${escaped(madeAt)}</p></footer>
</body>
</html>
`;
}

function sectionHtml({ title, blocks }: Section): string {
  return `<section>\n<h2>${escaped(title)}</h2>\n${blocks.map(blockHtml).join("\n")}\n</section>`;
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case "facts": {
      const rows = block.rows.map(([what, count, parts]) => {
        return `<tr><th scope="row">${escaped(what)}</th><td class="n">${count}</td><td>${parts ? escaped(`= ${parts}`) : ""}</td></tr>`;
      });
      return `<div class="wide"><table class="facts">${rows.join("\n")}</table></div>`;
    }
    case "table": {
      const kindOf = (column: number) =>
        block.numbers.includes(column) ? ' class="n"' : block.long === column ? ' class="long"' : "";
      const head = block.head.map((name, at) => `<th scope="col"${kindOf(at)}>${escaped(name)}</th>`).join("");
      const rows = block.rows.map(
        (row) => `<tr>${row.map((cell, at) => `<td${kindOf(at)}>${escaped(cell)}</td>`).join("")}</tr>`,
      );
      return `<div class="wide"><table><thead><tr>${head}</tr></thead>\n<tbody>${rows.join("\n")}</tbody></table></div>`;
    }
    case "list":
      return `<ul>${block.items.map((item) => `<li>${escaped(item)}</li>`).join("\n")}</ul>`;
    case "note":
      return `<p>${escaped(block.text)}</p>`;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => ESCAPES[character] ?? "");
}
