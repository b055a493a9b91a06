import { ARCHIVE_TOOLS } from "./archives.ts";
import { AWS_TOOLS } from "./aws.ts";
import { AZ_TOOLS } from "./az.ts";
import { BINARY_TOOLS } from "./binaries.ts";
import { CLUSTER_TOOLS } from "./clusters.ts";
import { DATABASE_TOOLS } from "./databases.ts";
import { DOCKER_TOOLS } from "./docker.ts";
import { PROGRAM_TOOLS } from "./filters.ts";
import { GCLOUD_TOOLS } from "./gcloud.ts";
import { GH_TOOLS } from "./gh.ts";
import { GIT_TOOLS } from "./git.ts";
import { HELM_TOOLS } from "./helm.ts";
import { INFRA_TOOLS } from "./infrastructure.ts";
import { KUBECTL_TOOLS } from "./kubectl.ts";
import { LANGUAGE_TOOLS } from "./languages.ts";
import { LINT_TOOLS } from "./linters.ts";
import { LIST_TOOLS } from "./listing.ts";
import { MACHINE_TOOLS } from "./machine.ts";
import { NEWER_TOOLS } from "./modern-listing.ts";
import { PLATFORM_TOOLS } from "./platforms.ts";
import { PODMAN_TOOLS } from "./podman.ts";
import { REDIS_TOOLS } from "./redis.ts";
import { SEARCH_TOOLS } from "./search.ts";
import { STORAGE_TOOLS } from "./storage.ts";
import { SYSTEM_TOOLS } from "./system.ts";
import { TEXT_TOOLS } from "./text.ts";
import type { Tool } from "./tool.ts";

export const TOOLS: readonly Tool[] = [
  ...LIST_TOOLS,
  ...TEXT_TOOLS,
  ...PROGRAM_TOOLS,
  ...DATABASE_TOOLS,
  ...SEARCH_TOOLS,
  ...SYSTEM_TOOLS,
  ...GIT_TOOLS,
  ...LANGUAGE_TOOLS,
  ...LINT_TOOLS,
  ...MACHINE_TOOLS,
  ...ARCHIVE_TOOLS,
  ...BINARY_TOOLS,
  ...NEWER_TOOLS,
  ...GH_TOOLS,
  ...DOCKER_TOOLS,
  ...PODMAN_TOOLS,
  ...KUBECTL_TOOLS,
  ...HELM_TOOLS,
  ...CLUSTER_TOOLS,
  ...INFRA_TOOLS,
  ...AWS_TOOLS,
  ...GCLOUD_TOOLS,
  ...AZ_TOOLS,
  ...STORAGE_TOOLS,
  ...REDIS_TOOLS,
  ...PLATFORM_TOOLS,
];
