import type { PathRule } from "./paths.ts";

const all = (paths: string): readonly PathRule[] =>
  paths
    .trim()
    .split("\n")
    .map((path) => ({ path: path.trim() }));

/** Files whose contents are a credential. */
export const SECRETS: readonly PathRule[] = [
  { path: "~/.ssh" },
  { path: "~/.ssh/**", except: ["*.pub", "config", "known_hosts*", "authorized_keys*", "allowed_signers"] },
  { path: "~/.aws" },
  { path: "~/.aws/**", except: ["config"] },
  // Clouds and clusters.
  ...all(`
    ~/.azure/**
    ~/.config/gcloud/**
    ~/.boto
    ~/.oci/**
    ~/.aliyun/**
    ~/.bluemix/**
    ~/.config/doctl/**
    ~/.config/hcloud/**
    ~/.config/linode-cli
    ~/.config/scw/**
    ~/.config/flyctl/**
    ~/.fly/**
    ~/.config/heroku/**
    ~/.config/configstore/**
    ~/.vercel/**
    ~/.local/share/com.vercel.cli/**
    ~/.config/netlify/**
    ~/.wrangler/**
    ~/.config/.wrangler/**
    ~/.railway/**
    ~/.supabase/**
    ~/.pulumi/credentials.json
    ~/.terraform.d/credentials*
    ~/.terraformrc
    ~/.s3cfg
    ~/.passwd-s3fs
    ~/.mc/config.json
    ~/.config/rclone/**
    ~/.rclone.conf
    ~/.kube
    ~/.kube/**
    ~/.config/k9s/**
    ~/.minikube/**
    ~/.vault-token
    ~/.config/argocd/**
    ~/.docker/config.json
    ~/.docker/contexts/**
    ~/.config/containers/auth.json
    ~/.snowflake/**
    ~/.databrickscfg
    ~/.config/stripe/**`),
  // Forges, registries and package managers.
  ...all(`
    ~/.config/gh/**
    ~/.config/glab-cli/**
    ~/.config/hub
    ~/.git-credentials
    ~/.config/git/credentials
    ~/.netrc
    ~/_netrc
    ~/.authinfo*
    ~/.npmrc
    ~/.npm-global/etc/npmrc
    ~/.bunfig.toml
    ~/.local/share/uv/credentials/**
    ~/.yarnrc.yml
    ~/.pypirc
    ~/.config/pypoetry/**
    ~/.cargo/credentials*
    ~/.gem/credentials
    ~/.bundle/config
    ~/.composer/auth.json
    ~/.config/composer/auth.json
    ~/.m2/settings.xml
    ~/.m2/settings-security.xml
    ~/.gradle/gradle.properties
    ~/.nuget/NuGet/**
    ~/.hex/hex.config
    ~/.huggingface/**
    ~/.cache/huggingface/token
    ~/.kaggle/**
    ~/.config/wandb/**
    ~/.jupyter/**
    ~/.jira.d/**
    ~/.config/jira/**
    ~/.slack/**`),
  // Databases and mail.
  ...all(`
    ~/.pgpass
    ~/.pg_service.conf
    ~/.my.cnf
    ~/.mylogin.cnf
    ~/.mongorc.js
    ~/.dbshell
    ~/.config/redis/**
    ~/.msmtprc
    ~/.mutt/**
    ~/.muttrc
    ~/.fetchmailrc
    ~/.offlineimaprc
    ~/.mbsyncrc
    ~/.smbcredentials`),
  // Keys, password managers, browsers and other personal data.
  ...all(`
    ~/.gnupg/**
    ~/.password-store/**
    ~/.config/op/**
    ~/.op/**
    ~/.config/bitwarden*/**
    ~/.config/keepassxc/**
    ~/.config/sops/**
    ~/.config/age/**
    ~/.age/**
    ~/.local/share/keyrings/**
    ~/.local/share/kwalletd/**
    ~/.mozilla/**
    ~/.thunderbird/**
    ~/.config/google-chrome*/**
    ~/.config/chromium/**
    ~/.config/bravesoftware/**
    ~/.config/microsoft-edge*/**
    ~/.config/opera/**
    ~/.config/vivaldi/**
    ~/snap/firefox/**
    ~/Library/Keychains/**
    ~/Library/Cookies/**
    ~/Library/Safari/**
    ~/Library/Messages/**
    ~/Library/Mail/**
    ~/Library/Application Support/Google/Chrome/**
    ~/Library/Application Support/Firefox/**
    ~/Library/Application Support/BraveSoftware/**
    ~/Library/Application Support/Slack/**
    ~/Library/Application Support/com.apple.TCC/**
    ~/Library/Group Containers/**
    ~/.config/Slack/**
    ~/.config/discord/**
    ~/.config/Signal/**
    ~/.bitcoin/**
    ~/.ethereum/**
    ~/.electrum/**
    ~/.config/solana/**
    ~/.tor/**
    ~/.wireguard/**
    ~/.config/ngrok/**
    ~/.ngrok2/**
    ~/.cloudflared/**
    ~/.config/sshuttle/**
    ~/.putty/**`),
  // Agents and editors.
  ...all(`
    ~/.claude/.credentials.json
    ~/.claude.json
    ~/.codex/auth.json
    ~/.gemini/oauth_creds.json
    ~/.gemini/google_accounts.json
    ~/.config/github-copilot/**
    ~/.cursor/mcp.json
    ~/.config/openai/**
    ~/.openai/**
    ~/.config/anthropic/**
    ~/.anthropic/**
    ~/.config/io.datasette.llm/keys.json
    ~/.aider.conf.yml`),
  // Typed text.
  ...all(`
    ~/.*_history
    ~/.history
    ~/.local/share/fish/fish_history
    ~/.local/share/atuin/**
    ~/.zsh_sessions/**
    ~/.bash_sessions/**`),
  // The machine's own credentials.
  ...all(`
    /etc/shadow*
    /etc/gshadow*
    /etc/master.passwd
    /etc/sudoers
    /etc/sudoers.d/**
    /etc/security/opasswd
    /etc/ssl/private/**
    /etc/pki/tls/private/**
    /etc/letsencrypt/**
    /etc/ssh/ssh_host_*_key
    /etc/krb5.keytab
    /etc/ipsec.secrets
    /etc/ppp/*-secrets
    /etc/wireguard/**
    /etc/openvpn/**
    /etc/wpa_supplicant/**
    /etc/NetworkManager/system-connections/**
    /etc/kubernetes/**
    /etc/rancher/**
    /etc/docker/key.json
    /etc/mysql/debian.cnf
    /etc/gitlab/**
    /etc/netplan/**
    /var/backups/*shadow*
    /var/db/dslocal/**
    /var/db/SystemKey
    /var/lib/kubelet/**
    /var/lib/jenkins/secrets/**
    /var/lib/docker/**
    /var/spool/cron/**
    /Library/Keychains/**
    /private/etc/master.passwd
    /private/var/db/dslocal/**
    /proc/*/environ
    /proc/*/task/*/environ
    /proc/*/mem
    /proc/kcore
    /dev/mem
    /dev/kmem
    /dev/port
    /dev/input/**
    /run/secrets/**
    /var/run/secrets/**
    /run/credentials/**`),
];

/** Names of templates to copy and fill in, which contain no secret. */
const EXAMPLES: readonly string[] = ["example", "sample", "template"].flatMap((word) => [
  `*.${word}`,
  ...["env", "json", "yml", "yaml", "pem", "key"].map((ending) => `*.${word}.${ending}`),
]);

/** The same in repositories, where such files are ordinary: only reading their contents is dangerous. */
export const PROJECT_SECRETS: readonly PathRule[] = [
  { path: "**/.env" },
  {
    path: "**/.env.*",
    except: [
      "*.example",
      "*.sample",
      "*.template",
      "*.tmpl",
      "*.dist",
      "*.defaults",
      "*.default",
      "*.schema",
      "*.md",
      "*.d.ts",
    ],
  },
  { path: "**/*.env", except: ["example.env", "sample.env", "template.env", "default.env", ...EXAMPLES] },
  {
    path: "**/*.pem",
    except: ["*cert*", "*chain*", "ca.pem", "*public*", "*pub.pem", "*-ca.pem", "*ca-*", ...EXAMPLES],
  },
  { path: "**/*.key", except: ["*public*", "*.pub.key", ...EXAMPLES] },
  ...all(`
    **/*.p12
    **/*.pfx
    **/*.pkcs12
    **/*.p8
    **/*.jks
    **/*.keystore
    **/*.kdbx
    **/*.kdb
    **/*.ppk
    **/*.ovpn
    **/*.agilekeychain
    **/*.psafe3
    **/id_rsa*
    **/id_ed25519*
    **/id_ecdsa*
    **/id_dsa*
    **/.git-credentials
    **/.netrc
    **/.pgpass
    **/.pypirc
    **/.htpasswd
    **/.dockerconfigjson
    **/.dockercfg
    **/.vault-token
    **/.vault_pass*
    **/.vault-password*
    **/master.key
    **/credentials.yml.enc
    **/secrets.json
    **/secrets.yml
    **/secrets.yaml
    **/secrets.toml
    **/secrets.env
    **/secret.json
    **/secret.yaml
    **/secret.yml
    **/credentials.json
    **/credentials.yml
    **/credentials.yaml
    **/credentials.csv
    **/client_secret*.json
    **/service-account*.json
    **/service_account*.json
    **/serviceaccount*.json
    **/gcp-key*.json
    **/application_default_credentials.json
    **/token.json
    **/kubeconfig
    **/kubeconfig.y*ml
    **/terraform.tfstate
    **/terraform.tfstate.backup
    **/wallet.dat
    **/keystore.json
    **/cookies.sqlite
    **/logins.json
    **/key4.db
    **/Login Data`).map((rule) => ({
    ...rule,
    except: rule.path.startsWith("**/id_") ? ["*.pub", ...EXAMPLES] : EXAMPLES,
  })),
];

/** Whole names that a glob may spell. */
export const SPELLED_SECRETS: readonly string[] =
  `/etc/shadow /etc/gshadow /etc/sudoers ~/.ssh/id_rsa ~/.ssh/id_ed25519 ~/.ssh/id_ecdsa ~/.aws/credentials ~/.netrc ~/.npmrc ~/.pypirc ~/.pgpass ~/.my.cnf
  ~/.git-credentials ~/.kube/config ~/.docker/config.json ~/.config/gh/hosts.yml ~/.vault-token`.split(/\s+/);

/** Options with which a program uses a key or login without showing or sending it. */
export const USES_SECRETS: readonly { readonly names: readonly string[]; readonly options: readonly string[] }[] = [
  {
    names: ["ssh", "scp", "sftp", "sshfs", "mosh", "autossh", "ssh-copy-id", "ssh-keyscan", "git"],
    options: ["-i", "-F", "-oIdentityFile", "IdentityFile"],
  },
  {
    names: ["ansible", "ansible-playbook", "knife", "fab", "vagrant"],
    options: ["--private-key", "--key-file", "-i", "--vault-password-file"],
  },
  {
    names: ["kubectl", "oc", "helm", "k9s", "kubectx", "kustomize", "flux", "argocd", "istioctl", "velero", "stern"],
    options: ["--kubeconfig", "--client-key", "--client-certificate", "--certificate-authority"],
  },
  {
    names: ["curl", "curlie"],
    options: ["--key", "--cert", "-E", "--cacert", "--netrc-file", "--proxy-key", "--proxy-cert"],
  },
  {
    names: ["wget", "http", "https", "xh"],
    options: ["--private-key", "--certificate", "--ca-certificate", "--cert", "--cert-key"],
  },
  {
    names: ["docker", "podman", "nerdctl", "docker-compose"],
    options: ["--config", "--tlskey", "--tlscert", "--env-file", "--authfile"],
  },
  {
    names: ["gcloud", "gsutil", "bq", "terraform"],
    options: ["--key-file", "--credential-file-override", "-var-file"],
  },
  { names: ["openssl"], options: ["-key", "-inkey", "-CAkey", "-signkey", "-sign", "-cert"] },
  { names: ["npm", "pnpm", "yarn"], options: ["--userconfig"] },
  { names: ["rsync", "rclone", "restic", "borg"], options: ["--config", "--password-file"] },
  {
    names: [
      "grpcurl",
      "mosquitto_pub",
      "mosquitto_sub",
      "etcdctl",
      "consul",
      "vault",
      "nats",
      "redis-cli",
      "mysql",
      "mongosh",
    ],
    options: [
      "--key",
      "--cert",
      "--cacert",
      "-key",
      "-cert",
      "--ssl-key",
      "--tls-certificate-key-file",
      "--tlsCertificateKeyFile",
      "-client-key",
    ],
  },
];

/** Programs that load a key into an agent or print its fingerprint, with any option. */
export const HOLDS_KEYS: readonly string[] = ["ssh-add"];
