/**
 * The credentials that a program needs to act as its user, lent to a run by name. `~` is the home; `$NAME` is the path
 * in that variable of the hub's own environment.
 */
export interface Credential {
  readonly programs: readonly string[];
  /** For a card: "Lends …". */
  readonly words: string;
  /** Files and directories, read-only. */
  readonly files?: readonly string[];
  readonly sockets?: readonly string[];
  readonly variables?: readonly string[];
  /** Its service is on this machine, behind a socket, so it is lent without the network too. */
  readonly local?: true;
  /**
   * Settings of the workspace decide where the program sends it, so it is lent only if somebody allowed exactly that.
   */
  readonly onlyAsked?: true;
}

const KUBERNETES = ["kubectl", "helm", "k9s", "kustomize", "kubectx", "kubens", "oc", "argocd", "flux"];
const GOOGLE = ["gcloud", "gsutil", "bq"];

export const CREDENTIALS: readonly Credential[] = [
  {
    programs: ["gh"],
    words: "gh's login",
    files: ["~/.config/gh"],
    variables: ["GH_TOKEN", "GITHUB_TOKEN", "GH_HOST"],
  },
  {
    programs: ["glab"],
    words: "glab's login",
    files: ["~/.config/glab-cli"],
    variables: ["GITLAB_TOKEN", "GITLAB_HOST"],
  },
  {
    programs: ["git"],
    words: "git's logins and the ssh agent",
    files: ["~/.git-credentials", "~/.config/git/credentials", "~/.ssh/known_hosts", "~/.ssh/config"],
    sockets: ["$SSH_AUTH_SOCK"],
  },
  {
    programs: ["ssh", "scp", "sftp", "rsync"],
    words: "the ssh agent",
    files: ["~/.ssh/known_hosts", "~/.ssh/config"],
    sockets: ["$SSH_AUTH_SOCK"],
  },
  { programs: KUBERNETES, words: "the cluster's login", files: ["~/.kube"], variables: ["KUBECONFIG"] },
  {
    programs: ["docker", "docker-compose"],
    words: "docker's socket and logins",
    files: ["~/.docker/config.json", "~/.docker/contexts"],
    sockets: ["/run/docker.sock", "/var/run/docker.sock"],
    variables: ["DOCKER_HOST"],
    local: true,
  },
  {
    programs: ["podman"],
    words: "podman's socket and logins",
    files: ["~/.config/containers/auth.json"],
    sockets: ["$XDG_RUNTIME_DIR/podman/podman.sock"],
    local: true,
  },
  {
    programs: ["aws", "sam", "cdk"],
    words: "the login of AWS",
    files: ["~/.aws"],
    variables: [
      ...["AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION"],
      ...["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
    ],
  },
  {
    programs: GOOGLE,
    words: "the login of Google Cloud",
    files: ["~/.config/gcloud", "~/.boto"],
    variables: ["CLOUDSDK_CORE_PROJECT", "GOOGLE_APPLICATION_CREDENTIALS"],
  },
  { programs: ["az"], words: "the login of Azure", files: ["~/.azure"] },
  { programs: ["doctl"], words: "doctl's login", files: ["~/.config/doctl"] },
  { programs: ["fly", "flyctl"], words: "fly's login", files: ["~/.fly"], variables: ["FLY_API_TOKEN"] },
  { programs: ["heroku"], words: "heroku's login", files: ["~/.netrc"] },
  { programs: ["vercel"], words: "vercel's login", files: ["~/.local/share/com.vercel.cli"] },
  {
    programs: ["npm", "pnpm", "npx"],
    words: "the registry's login",
    files: ["~/.npmrc"],
    variables: ["NPM_TOKEN"],
    onlyAsked: true,
  },
  { programs: ["yarn"], words: "the registry's login", files: ["~/.npmrc", "~/.yarnrc.yml"], onlyAsked: true },
  {
    programs: ["cargo"],
    words: "the registry's login",
    files: ["~/.cargo/credentials.toml", "~/.cargo/credentials"],
    onlyAsked: true,
  },
  { programs: ["psql", "pg_dump", "pg_isready"], words: "PostgreSQL's passwords", files: ["~/.pgpass"] },
  { programs: ["mysql", "mysqldump", "mysqladmin"], words: "MySQL's passwords", files: ["~/.my.cnf"] },
  {
    programs: ["terraform", "tofu"],
    words: "terraform's login",
    files: ["~/.terraform.d/credentials.tfrc.json", "~/.terraformrc"],
    onlyAsked: true,
  },
  { programs: ["vault"], words: "vault's token", files: ["~/.vault-token"], variables: ["VAULT_ADDR"] },
];
