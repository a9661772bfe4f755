import type { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import type { Library } from './library.js';
import type { Reached } from './reach.js';
import { requestCases } from './requests.js';
import { watchCases } from './watches.js';

/** What a case works with. */
export interface CaseContext {
  readonly library: Library;
  readonly reached: Reached;
  readonly kubeConfig: KubeConfig;
  readonly core: CoreV1Api;
}

/** Something that the library does, on a server of its own. */
export interface Case {
  readonly name: string;
  run(context: CaseContext): Promise<void>;
}

export const cases: readonly Case[] = [...requestCases, ...watchCases];
