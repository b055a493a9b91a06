/**
 * What of a home a jail may show, read-only: toolchains, and settings without which tools misbehave. Anything else stays
 * absent, known or not. Secrets inside are hidden by the policy's table; where a tool mixes settings with credentials in one
 * file (`.npmrc`, `pip.conf`, mise's and direnv's settings) the file isn't listed.
 */
export const HOME_ALLOWLIST: readonly string[] = `
  .gitconfig .gitignore .gitignore_global .gitattributes .gitmessage .config/git .editorconfig
  .tool-versions .asdfrc .nvmrc .node-version .python-version .ruby-version .java-version .hushlogin .terminfo

  bin .local/bin .local/lib .local/opt
  .local/share/pnpm .local/share/uv .local/share/mise .local/share/rtx .local/share/fnm .local/share/nvm .local/share/pipx
  .local/share/virtualenvs .local/share/gem .local/share/man .local/share/bash-completion .local/share/zinit .local/pipx

  .nvm .volta .fnm .nodenv .n n .npm-global .npm-packages .bun .deno .yarn/berry .yarn/releases .pnpm-store .corepack
  .pyenv .virtualenvs .poetry .rye miniconda3 anaconda3 miniforge3 mambaforge .conda/envs micromamba
  .cargo .rustup go .go .goenv sdk .rbenv .rvm .gem/ruby .asdf .sdkman .jenv .jabba .m2/repository .m2/wrapper
  .gradle/wrapper .gradle/caches .gradle/native .ivy2/cache .sbt/boot .cache/coursier
  .ghcup .cabal/bin .cabal/store .stack/programs .opam .elan .juliaup .julia/packages .julia/artifacts
  .dotnet .nuget/packages .pub-cache flutter .swiftly .foundry .tfenv .tgenv .krew .arkade/bin .nix-profile .nix-defexpr
  .cache/ms-playwright .cache/puppeteer .cache/Cypress .cache/electron .cache/node/corepack
`
  .trim()
  .split(/\s+/);

/** A toolchain that lies where homes do. */
export const BESIDE_HOMES: readonly string[] = ["/home/linuxbrew/.linuxbrew"];
