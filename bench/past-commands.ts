/** Made up, and the same each time: commands as agents write them, most of them distinct. */
export function* pastCommands(): Generator<string, never> {
  const random = numbers();
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const name = () => `${pick(NOUNS)}-${pick(NOUNS)}${Math.floor(random() * 1_000)}`;
  const path = () => `packages/${pick(NOUNS)}/src/${pick(NOUNS)}/${name()}.${pick(["ts", "tsx", "py", "md", "css"])}`;
  const forms: (() => string)[] = [
    () => pick(["git status", "npm test", "ls -la", "git diff --stat", "npm run build", "pwd"]),
    () => `cat ${path()}`,
    () => `sed -n '${Math.floor(random() * 400)},${Math.floor(random() * 900)}p' ${path()}`,
    () => `grep -rn "${name()}" packages/${pick(NOUNS)} --include='*.ts' | head -${Math.floor(random() * 50)}`,
    () => `npm test -- ${path()} --grep '${pick(NOUNS)} ${pick(NOUNS)}'`,
    () => `git add ${path()} ${path()} && git commit -m "${pick(NOUNS)}: ${pick(NOUNS)} the ${name()}"`,
    () =>
      `cd ~/src/${pick(NOUNS)} && npm run ${pick(["lint", "build", "check"])} 2>&1 | tail -${Math.floor(random() * 99)}`,
    () => `curl -s https://api.example.org/v1/${name()} | jq '.${pick(NOUNS)}'`,
    () => `node -e "const x = require('./${path()}'); console.log(x.${pick(NOUNS)}('${name()}'))"`,
    () => `cat > ${path()} <<'EOF'\nexport function ${pick(NOUNS)}() {\n  return "${name()}";\n}\nEOF`,
    () => `rm -rf dist/${name()}`,
  ];
  for (;;) yield pick(forms)();
}

const NOUNS =
  "server client button session parser router cache token header footer modal worker queue buffer socket ledger widget report policy approval render layout config module stream filter search history".split(
    " ",
  );

/** A linear congruential generator: no bench should differ from the one before by chance. */
export function numbers(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}
