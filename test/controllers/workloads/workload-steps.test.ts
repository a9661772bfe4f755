/** Controllers of workloads look at the parts of large objects and at many dependents in steps. */
import { describe, expect, test } from 'vitest';
import { podsByNode } from '../../../src/controllers/workloads/daemon-set/node-pods.js';
import { inDeletionOrder } from '../../../src/controllers/workloads/shared/pod-rank.js';
import { lastRevisionOf, revisionData } from '../../../src/controllers/workloads/shared/revisions.js';
import { templateHash } from '../../../src/controllers/workloads/shared/template-hash.js';
import { storageMatches } from '../../../src/controllers/workloads/statefulset/identity.js';
import { countsOf, firstUnhealthy, slotsOf } from '../../../src/controllers/workloads/statefulset/slots.js';
import { atOnce, kubernetes, UNBOUNDED_WORK } from '../../../src/foundation/index.js';
import { takeSteps } from '../../support/steps.js';
import { selector, template, type PodObject } from './support.js';

const COUNT = 200;

const many = <Item>(make: (index: number) => Item, count = COUNT): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

const podOf = (index: number, spec: Partial<PodObject['spec']> = {}): PodObject => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: `db-${index}` } },
  spec: { containers: [{ name: 'c', image: 'i' }], nodeName: `n${index % 2}`, ...spec },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
});

const statefulSet = (claims: number) => ({
  ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'db' } },
  spec: {
    ...{ replicas: COUNT, selector, serviceName: 'db', template: template() },
    volumeClaimTemplates: many((index) => ({ metadata: { name: `v${index}` }, spec: {} }), claims),
  },
});

const large = (value: string) => ({
  ...template(),
  metadata: { annotations: Object.fromEntries(many((index) => [`k${index}`, value.repeat(64)], 4 * COUNT)) },
});

describe('there is a pause', () => {
  const pods = many((index) => podOf(index));

  test('at each pod that is ranked for deletion', () => {
    const { result, pauses } = takeSteps((work) =>
      inDeletionOrder(pods, { related: pods, nowMs: 0, dialect: kubernetes }, work),
    );
    expect(new Set(result)).toEqual(new Set(pods));
    expect(pauses).toBeGreaterThanOrEqual(2 * COUNT);
  });

  test('at each pod of a daemon set', () => {
    const { result, pauses } = takeSteps((work) => podsByNode(pods, work));
    expect([...result].map(([node, found]) => [node, found.length])).toEqual([
      ['n0', COUNT / 2],
      ['n1', COUNT / 2],
    ]);
    expect(pauses).toBeGreaterThanOrEqual(COUNT);
  });

  test('at each pod of a stateful set that is given its slot, examined and counted', () => {
    const { result: slots, pauses } = takeSteps((work) => slotsOf(statefulSet(0), pods, work));
    expect(slots.replicas.size).toBe(COUNT);
    expect(pauses).toBeGreaterThanOrEqual(COUNT);
    const unhealthy = takeSteps((work) => firstUnhealthy(slots, work));
    expect(unhealthy.result).toBeUndefined();
    expect(unhealthy.pauses).toBeGreaterThanOrEqual(COUNT);
    const counts = takeSteps((work) => countsOf(slots, { current: 'a', update: 'b' }, 0, 0, work));
    expect(counts.result).toMatchObject({ replicas: COUNT, readyReplicas: COUNT, updatedReplicas: 0 });
    expect(counts.pauses).toBeGreaterThanOrEqual(COUNT);
  });

  test('at each claim of a pod and each template of its set', () => {
    const set = statefulSet(COUNT);
    const volumes = many((index) => ({ name: `v${index}`, persistentVolumeClaim: { claimName: `v${index}-db-3` } }));
    const matching = takeSteps((work) => storageMatches(set, podOf(3, { volumes }), 3, work));
    expect(matching.result).toBe(true);
    expect(matching.pauses).toBeGreaterThanOrEqual(2 * COUNT);
    expect(atOnce(storageMatches(set, podOf(3, { volumes: volumes.slice(1) }), 3, UNBOUNDED_WORK))).toBe(false);
  });

  test('within the hash of a large template', () => {
    const { result, pauses } = takeSteps((work) => templateHash(large('a'), 0, work));
    expect(result).toBe(atOnce(templateHash(large('a'), 0, UNBOUNDED_WORK)));
    expect(pauses).toBeGreaterThan(COUNT);
  });

  test('within the comparison of a large template with each revision', () => {
    const revision = (number: number, value: string) => ({
      ...{ apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: `r${number}` }, revision: number },
      data: revisionData(large(value)),
    });
    const stored = [revision(1, 'a'), revision(2, 'a'), revision(3, 'b')];
    const { result, pauses } = takeSteps((work) => lastRevisionOf(stored, { data: revisionData(large('a')) }, work));
    expect(result).toBe(stored[1]);
    expect(pauses).toBeGreaterThan(COUNT);
  });
});
