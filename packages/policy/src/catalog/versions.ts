/**
 * Programs that print about themselves and exit if such a word is their only one. The program's own entry counts first.
 * Without a jail only those in `LOADS_NOTHING` are safe.
 */
export interface Teller {
  readonly names: string;
  readonly words: readonly string[];
}

export const TELLERS: readonly Teller[] = [
  {
    words: ["--version", "--help"],
    names: `node nodejs npm npx pnpm yarn bun deno corepack python python2 python3 pip pip3 pipx pipenv poetry pdm hatch uv uvx virtualenv conda mamba
      perl ruby gem bundle bundler rake rails irb php composer lua luajit kotlin kotlinc scala sbt swift swiftc gcc g++ cc c++ cpp clang clang++
      clang-format clang-tidy clangd ld gold lld as ar make gmake cmake ctest ninja meson bazel bazelisk buck2 scons automake autoconf pkg-config
      rustc rustup rustfmt cargo tsc ts-node tsx eslint prettier biome stylelint jest vitest mocha ava webpack vite esbuild rollup parcel swc babel turbo nx
      lerna next nuxt astro ng vue svelte-kit playwright cypress storybook pytest mypy pyright ruff black flake8 pylint isort bandit tox nox coverage
      jupyter ipython mvn gradle ant lein clojure dotnet nuget R Rscript julia ghc ghci cabal stack hlint elixir mix iex ocaml opam dune zig nim
      crystal dart flutter racket sbcl guile docker docker-compose podman buildah skopeo nerdctl kubectl helm minikube kind kustomize k3d skaffold
      argocd flux istioctl terraform tofu terragrunt packer vault consul nomad pulumi ansible ansible-playbook vagrant aws gcloud gsutil bq az
      doctl heroku flyctl fly vercel netlify wrangler railway supabase firebase gh glab git git-lfs hg svn jj psql pg_dump mysql mariadb sqlite3
      mongod mongosh redis-server redis-cli memcached nginx apache2 httpd caddy haproxy curl wget ssh rsync gpg tar gtar zip gzip bzip2 xz zstd
      ffmpeg ffprobe convert magick identify pandoc pdflatex xelatex latex tmux screen vim nvim emacs nano code cursor codex claude gemini opencode
      jq yq rg fd fdfind fzf bat ag ack eza exa tree tokei cloc scc hyperfine entr watchexec direnv just task pre-commit shellcheck shfmt hadolint
      actionlint protoc buf grpcurl http httpie xh k6 wrk ab hey openssl bash sh zsh fish dash ksh sed awk gawk grep find xargs sort less man make
      systemctl journalctl brew apt apt-get dpkg rpm dnf yum pacman apk snap flatpak nix chromium google-chrome firefox java javac mise asdf
      rm cp mv ln mkdir rmdir touch chmod chown dd tee split truncate install sudo env timeout nice nohup stat ls cat head tail wc cut tr uniq diff date du df ps top
      pyenv rbenv fnm volta nvm sdk solc forge anvil cast foundryup hardhat anchor solana wasm-pack wasmtime wasmer emcc trunk`,
  },
  {
    words: ["-V"],
    names:
      "python python2 python3 pip pip3 cargo rustc rustup ssh tmux vim rg fd bat less clang-format perl gcc ruff black mypy pytest psql",
  },
  {
    words: ["-v"],
    names:
      "node nodejs npm npx pnpm yarn bun deno perl ruby gem php lua julia ghc tsc jest vite gcc clang mvn gradle helm docker go nginx httpd apache2 bundle git make shellcheck",
  },
  { words: ["-version", "-fullversion"], names: "java javac scala ant ffmpeg ffprobe convert magick" },
  {
    words: ["version", "help"],
    names:
      "go zig nim terraform tofu kubectl helm docker podman hugo caddy vault consul nomad packer openssl pulumi k9s",
  },
  { words: ["-h"], names: "docker kubectl helm gh go cargo rustc npm pip pip3 uv node rg fd jq tsc psql nginx" },
];

/**
 * Programs that certainly print and exit before they open a file of their directory or read their input. Others may
 * load code or settings of the workspace first: a toolchain file, a plugin, a copy of themselves in node_modules.
 */
export const LOADS_NOTHING = `node nodejs python python2 python3 pip pip3 uv ruff perl ruby php lua luajit java javac zig
  gcc g++ cc c++ cpp clang clang++ clang-format ld gold lld as ar make gmake cmake ctest ninja pkg-config
  bash sh zsh fish dash ksh vim nvim emacs nano screen tmux less man openssl ssh rsync gpg wget
  docker podman buildah skopeo kubectl helm minikube kind kustomize vault consul nomad aws gh git svn
  psql pg_dump mysql mariadb sqlite3 redis-server redis-cli memcached nginx apache2 httpd caddy haproxy
  tar gtar zip gzip bzip2 xz zstd ffmpeg ffprobe jq yq rg fd fdfind fzf bat ag eza exa tree hyperfine shellcheck shfmt
  sed awk gawk grep find xargs sort systemctl journalctl apt apt-get dpkg rpm pacman apk snap flatpak
  rm cp mv ln mkdir rmdir touch chmod chown dd tee split truncate install sudo env timeout nice nohup stat ls cat head tail wc
  cut tr uniq diff date du df ps top`;
