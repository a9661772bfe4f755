import type { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import type { Library } from './library.js';
import type { Reached } from './reach.js';
import { requestCases } from './requests.js';
import { watchCases } from './watches.js';

/** The environment of a case. */
export interface CaseContext {
  readonly library: Library;
  readonly reached: Reached;
  readonly kubeConfig: KubeConfig;
  readonly core: CoreV1Api;
}

/** A use of the library, on a server of its own. */
export interface Case {
  readonly name: string;
  run(context: CaseContext): Promise<void>;
}

export const cases: readonly Case[] = [...requestCases, ...watchCases];
