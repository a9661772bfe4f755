/** Requests whose bodies and answers go to an audit log, and to a webhook that nobody serves. */
import { fileURLToPath } from 'node:url';
import { configMap, fill, MAPS } from '../kinds.js';
import type { Row } from '../row.js';
import type { World } from '../world.js';
import { annotations } from './hooks.js';

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

const prepareKeys = (world: World): Promise<void> => fill(world, MAPS, 4, (index) => configMap(`k-${index}`, KEYS));

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
  {
    // One at a time has room in the memory budget: it is written, and not refused.
    ...{ name: `long lists with room in ${name}`, rights: 'view', flags, heapMb: 1024, mayLog: LOST, prepare },
    sends: [{ request: { method: 'GET', path: MAPS }, times: 6, atOnce: 1 }],
    keepsMb: 128,
  },
  {
    ...{ name: `patches of many keys in ${name}`, rights: 'edit', flags, mayLog: LOST, prepare: prepareKeys },
    sends: [
      {
        request: {
          ...{ method: 'PATCH', path: `${MAPS}/k-0?dryRun=All`, type: 'application/merge-patch+json' },
          body: JSON.stringify({ data: KEYS }),
        },
        times: 4,
      },
    ],
    keepsMb: 64,
  },
  ...['application/yaml', 'application/vnd.kubernetes.protobuf', 'application/json;as=Table;v=v1;g=meta.k8s.io'].map(
    (accept): Row => ({
      ...{ name: `answers of many keys in ${name}: ${accept}`, rights: 'view', flags, mayLog: LOST },
      prepare: prepareKeys,
      sends: [{ request: { method: 'GET', path: `${MAPS}/k-1?includeObject=Object`, accept }, times: 4 }],
      keepsMb: 64,
    }),
  ),
  { ...annotations, name: `60,000 annotations in ${name}`, flags, mayLog: LOST, keepsMb: 64 },
]);
