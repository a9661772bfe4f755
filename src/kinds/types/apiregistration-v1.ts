// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { ListMeta } from './meta-v1.js';

/** APIService of version v1 of the group apiregistration. */
export type APIService = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: APIServiceSpec | undefined;
  status?: APIServiceStatus | undefined;
};

export type APIServiceCondition = {
  type: string;
  status: string;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

/** APIServiceList of version v1 of the group apiregistration. */
export type APIServiceList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: APIService[];
};

export type APIServiceSpec = {
  service?: ServiceReference | undefined;
  group?: string | undefined;
  version?: string | undefined;
  insecureSkipTLSVerify?: boolean | undefined;
  caBundle?: string | undefined;
  groupPriorityMinimum: number;
  versionPriority: number;
};

export type APIServiceStatus = {
  conditions?: APIServiceCondition[] | undefined;
};

export type ServiceReference = {
  namespace?: string | undefined;
  name?: string | undefined;
  port?: number | undefined;
};
