import { describe, expect, test } from 'vitest';
import { maxSurge, maxUnavailable } from '../../../src/controllers/workloads/deployment/limits.js';
import { inDeletionOrder } from '../../../src/controllers/workloads/shared/pod-rank.js';
import { sameStatus } from '../../../src/controllers/workloads/shared/same-status.js';
import { scaledValue } from '../../../src/controllers/workloads/shared/scaled-value.js';
import { slowStart } from '../../../src/controllers/workloads/shared/slow-start.js';
import { templateHash } from '../../../src/controllers/workloads/shared/template-hash.js';
import { UnseenWrites } from '../../../src/controllers/runtime/unseen-writes.js';
import type { JsonValue } from '../../../src/foundation/json/json.js';
import { formatTime } from '../../../src/foundation/time/time.js';
import { atOnce, UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import { kubernetes } from '../../../src/foundation/index.js';
import { turnsDuring } from '../../support/turns.js';
import { deployment, template, type DeploymentObject, type PodObject } from './support.js';

const hashOf = (value: JsonValue, collisions = 0): string => atOnce(templateHash(value, collisions, UNBOUNDED_WORK));

const NOW = Date.parse('2024-05-01T12:00:00Z');
const ago = (seconds: number): string => formatTime(NOW - seconds * 1000);

interface Facts {
  readonly node?: string;
  readonly phase?: string;
  readonly ready?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly age?: number;
}

function pod(name: string, { node = 'n', phase = 'Running', ready, cost, restarts = 0, age = 100 }: Facts): PodObject {
  const annotations = cost === undefined ? {} : { 'controller.kubernetes.io/pod-deletion-cost': cost };
  const conditions = ready === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: ago(ready) }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, uid: name, annotations, creationTimestamp: ago(age) },
    spec: { ...template().spec, ...(node === '' ? {} : { nodeName: node }) },
    status: {
      phase,
      conditions,
      containerStatuses: [{ name: 'main', image: '', imageID: '', ready: true, restartCount: restarts }],
    },
  };
}

function inOrder(pods: readonly PodObject[], related: readonly PodObject[]): PodObject[] {
  return atOnce(inDeletionOrder(pods, { related, nowMs: NOW, dialect: kubernetes }, UNBOUNDED_WORK));
}

describe('the order of deletion', () => {
  test.each<[rule: string, first: Facts, second: Facts]>([
    ['unscheduled pods', { node: '', ready: 9 }, { phase: 'Pending' }],
    ['pending pods', { phase: 'Pending' }, { phase: 'Unknown' }],
    ['pods in an unknown state', { phase: 'Unknown' }, { phase: 'Running' }],
    ['pods that are not ready', {}, { ready: 9, cost: '-5' }],
    ['pods of a lower cost', { ready: 500, cost: '-5' }, { ready: 5, cost: '1' }],
    ['pods without a valid cost count as zero', { ready: 500, cost: '01' }, { ready: 5, cost: '1' }],
    ['pods that became ready later', { ready: 5, restarts: 0 }, { ready: 500, restarts: 9 }],
    ['pods with more restarts', { ready: 9, restarts: 2, age: 1000 }, { ready: 9, restarts: 1, age: 10 }],
    ['younger pods', { ready: 9, age: 10 }, { ready: 9, age: 1000 }],
    ['of pods with a similar age, the one with the lower uid', { age: 1001 }, { age: 1000 }],
  ])('puts %s first', (_rule, first, second) => {
    const [a, b] = [pod('a', first), pod('b', second)];
    for (const pods of [
      [a, b],
      [b, a],
    ])
      expect(inOrder(pods, []).map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  });

  test('puts pods on crowded nodes first', () => {
    const pods = [pod('a', { node: 'alone', ready: 5 }), pod('b', { node: 'crowded', ready: 500 })];
    const related = [...pods, pod('c', { node: 'crowded', ready: 5 })];
    expect(inOrder(pods, related)[0]?.metadata.name).toBe('b');
  });
});

describe('the hash of a template', () => {
  test('is stable, safe, and independent of the order of keys', () => {
    const hash = hashOf({ a: 1, b: { c: 'x' } });
    expect(hashOf({ b: { c: 'x' }, a: 1, d: undefined, e: null })).toBe(hash);
    expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
    // FNV-32a of the canonical JSON: 3043495174.
    expect(hash).toBe('74878f95c8');
  });

  test('differs with the value and the number of collisions', () => {
    const hashes = [hashOf({ a: 1 }), hashOf({ a: 2 }), hashOf({ a: 1 }, 1), hashOf({ a: 1 }, 2)];
    expect(new Set(hashes).size).toBe(4);
  });
});

test.each([
  ['25%', 10, 'up', 3],
  ['25%', 10, 'down', 2],
  ['100%', 7, 'up', 7],
  [4, 10, 'up', 4],
] as const)('%s of %i rounded %s is %i', (value, total, round, expected) => {
  expect(scaledValue(value, total, round)).toBe(expected);
});

test('another text than a percentage has no value', () => {
  expect(() => scaledValue('many', 1, 'up')).toThrow(/not a percentage/);
});

test.each([
  [10, '25%', '25%', 3, 2],
  [1, '25%', '25%', 1, 0],
  [3, 0, 0, 0, 1],
  [2, 1, 5, 1, 2],
  [0, 1, 1, 1, 0],
])('%i replicas with the surge %s and %s unavailable', (replicas, surge, unavailable, pods, missing) => {
  const rollingUpdate = { maxSurge: surge, maxUnavailable: unavailable };
  const web: DeploymentObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    ...deployment('web', { replicas, strategy: { type: 'RollingUpdate', rollingUpdate } }),
  };
  expect([maxSurge(web), maxUnavailable(web)]).toEqual([pods, missing]);
});

describe('a slow start', () => {
  test('doubles its batches', async () => {
    const sizes: number[] = [];
    let running = 0;
    const result = await slowStart(10, 1, async () => {
      running += 1;
      await Promise.resolve();
      if (running > 0) sizes.push(running);
      running = 0;
    });
    expect(result).toEqual({ succeeded: 10 });
    expect(sizes).toEqual([1, 2, 4, 3]);
  });

  test('gives way to others, and has at most 16 calls in flight', async () => {
    let [running, most, called] = [0, 0, 0];
    const turns = await turnsDuring(() =>
      slowStart(500, 1, async () => {
        running += 1;
        called += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        running -= 1;
      }),
    );
    expect(called).toBe(500);
    expect(most).toBeLessThanOrEqual(16);
    // A turn takes at most three of the milliseconds that pass with each look at the time.
    expect(turns).toBeGreaterThan(100);
  });

  test('ends with the batch that has a failure', async () => {
    const calls: number[] = [];
    const result = await slowStart(10, 1, async (index) => {
      calls.push(index);
      if (index === 1) throw new Error('no');
    });
    expect(calls).toEqual([0, 1, 2]);
    expect(result).toEqual({ succeeded: 2, error: new Error('no') });
  });
});

describe('unseen writes', () => {
  const object = (resourceVersion: string, extra = {}) => ({
    metadata: { namespace: 'd', name: 'a', uid: 'u', resourceVersion, ...extra },
  });
  const informer = (revision: number, cached?: ReturnType<typeof object>) => ({ revision, get: () => cached });

  test.each([
    ['the cache has it', informer(1, object('5')), true],
    ['the cache has a newer state', informer(1, object('6')), true],
    ['the informer is past it', informer(5), true],
    ['the cache is older', informer(4, object('4')), false],
    ['the cache lacks it', informer(4), false],
  ])('a write when %s', (_case, seen, expected) => {
    const writes = new UnseenWrites();
    writes.written('k', seen, object('5'));
    expect(writes.allSeen('k')).toBe(expected);
    expect(writes.allSeen('other')).toBe(true);
  });

  test.each([
    ['is gone', informer(1), true],
    ['was replaced', informer(1, object('9', { uid: 'other' })), true],
    ['is being deleted', informer(1, object('4', { deletionTimestamp: ago(1) })), true],
    ['is there', informer(9, object('4')), false],
  ])('a deletion when the object %s', (_case, seen, expected) => {
    const writes = new UnseenWrites();
    writes.deleted('k', seen, object('4'));
    expect(writes.allSeen('k')).toBe(expected);
    writes.forget('k');
    expect(writes.allSeen('k')).toBe(true);
  });
});

test('zero, empty and absent fields of a status are equal', () => {
  expect(sameStatus({ replicas: 0, conditions: [] }, undefined)).toBe(true);
  expect(sameStatus({ replicas: 1 }, { replicas: 1, readyReplicas: 0 })).toBe(true);
  expect(sameStatus({ replicas: 1 }, { replicas: 2 })).toBe(false);
});
