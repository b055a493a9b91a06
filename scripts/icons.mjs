// Draws the page's icons again from packages/web/public/icon.svg, after that has changed: `node scripts/icons.mjs`. Needs Chromium; what it
// draws is in the repository, so that a build needs none.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const at = (name) => fileURLToPath(new URL(`../packages/web/public/${name}`, import.meta.url));
const icon = readFileSync(at("icon.svg"), "utf8");
const ground = /<rect[^>]*\/>/.exec(icon)?.[0] ?? "";
const strokes = icon.slice(icon.indexOf(ground) + ground.length, icon.indexOf("</svg>"));
const svg = (inside) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${inside}</svg>`;
const square = ground.replace(/rx="[^"]*"/, "");

// A mask may cut away all but the inner 80 %: there the drawing stands smaller, on a ground that goes to the edge.
const smaller = `<g transform="translate(16 16) scale(.72) translate(-16 -16)">${strokes}</g>`;
// Phones show only where it is opaque, in a colour of theirs.
const white = strokes.replaceAll(/stroke="#[^"]*"/g, 'stroke="#fff"');
const DRAWN = [
  ["icon-192.png", 192, icon],
  ["icon-512.png", 512, icon],
  ["icon-maskable-512.png", 512, svg(square + smaller)],
  ["icon-180.png", 180, svg(square + smaller)],
  ["icon-badge.png", 96, svg(`<g transform="translate(16 16) scale(1.5) translate(-16 -15.4)">${white}</g>`)],
];

const executablePath = spawnSync("which", ["chromium"], { encoding: "utf8" }).stdout.trim();
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  for (const [name, size, drawing] of DRAWN) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${drawing}`);
    await page.screenshot({ path: at(name), omitBackground: true });
    await page.close();
  }
} finally {
  await browser.close();
}
