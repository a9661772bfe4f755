/** Requests whose bodies and answers go to an audit log, and to a webhook that nobody serves. */
import { fileURLToPath } from 'node:url';
import { configMap, fill, MAPS } from '../kinds.js';
import type { Row } from '../row.js';
import type { World } from '../world.js';

const file = (name: string): string => fileURLToPath(new URL(`../files/${name}`, import.meta.url));
const POLICY = `--audit-policy-file=${file('audit-policy.yaml')}`;

/** The backends: a log, and a webhook that does not answer. */
const BACKENDS: Readonly<Record<string, readonly string[]>> = {
  'a log': [POLICY, '--audit-log-path=-'],
  'a dead webhook': [POLICY, `--audit-webhook-config-file=${file('audit-webhook.yaml')}`],
};

/** A buffer is full, and nobody takes its events: they are counted and lost. */
const LOST = /audit events were lost/;

const LONG = 'x'.repeat(900_000);
const KEYS = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`key-${index}`, 'value']));

const prepare = (world: World): Promise<void> => fill(world, MAPS, 40, (index) => configMap(`m-${index}`, { a: LONG }));

/** The rows. */
export const audit: readonly Row[] = Object.entries(BACKENDS).flatMap(([name, flags]): Row[] => [
  {
    ...{ name: `long objects in ${name}`, rights: 'edit', flags, heapMb: 256, mayLog: LOST },
    sends: [
      {
        request: { method: 'POST', path: `${MAPS}?dryRun=All`, body: () => configMap('long', { a: LONG }) },
        times: 64,
      },
    ],
    // Events that a dead webhook does not take stay in its buffer.
    keepsMb: 64,
  },
  {
    ...{ name: `objects of many keys in ${name}`, rights: 'edit', flags, heapMb: 256, mayLog: LOST },
    sends: [
      { request: { method: 'POST', path: `${MAPS}?dryRun=All`, body: () => configMap('long', KEYS) }, times: 32 },
    ],
    keepsMb: 64,
  },
  {
    ...{ name: `long lists in ${name}`, rights: 'view', flags, heapMb: 256, mayLog: LOST, prepare },
    sends: [{ request: { method: 'GET', path: MAPS }, times: 16 }],
    keepsMb: 128,
  },
]);
