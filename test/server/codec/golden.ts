import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordingsDirectory } from '../../conformance/golden/recordings.js';

/** A recorded step of a real server. */
export interface GoldenStep {
  readonly name: string;
  readonly request?: {
    readonly path: string;
    readonly text?: string;
    readonly base64?: string;
    readonly headers?: Record<string, string>;
    readonly query?: Record<string, string>;
  };
  readonly recorded?: {
    readonly status: number;
    readonly headers?: Record<string, string | string[]>;
    readonly body?: unknown;
  };
}

/** The step of that name in a recorded family. @throws Error when there is none */
export function goldenStep(family: string, name: string): GoldenStep {
  const { steps } = JSON.parse(readFileSync(join(recordingsDirectory(), 'cases', `${family}.json`), 'utf8')) as {
    steps: GoldenStep[];
  };
  const step = steps.find((candidate) => candidate.name === name);
  if (step === undefined) throw new Error(`no step ${name} in ${family}`);
  return step;
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
