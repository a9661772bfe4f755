import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/foundation/json/json.js';
import { UNBOUNDED_WORK, type MaybeSteps, type Work } from '../../../src/foundation/work/work.js';
import {
  ConfigMap,
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  EndpointSlice,
  Ingress,
  Job,
  NetworkPolicy,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PodTemplate,
  ReplicaSet,
  ReplicationController,
  Secret,
  StatefulSet,
} from '../../../src/kinds/builtin/index.js';
import { semanticallyEqual, semanticallyEqualSteps } from '../../../src/kinds/builtin/shared/go/semantic-equal.js';
import type { ResourceDefinition } from '../../../src/registry/definition/definition.js';
import type { RequestContext } from '../../../src/registry/store/context.js';
import { hookResult } from '../../../src/registry/writes/hook-steps.js';
import { takeSteps } from '../../support/steps.js';
import { contextOf, create, kubernetes } from './support.js';

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
const large = (work: Work): Work => ({ ...work, isLarge: true });

test('values of a large request are compared in steps, with the same results', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      const copy = JSON.parse(JSON.stringify(a)) as JsonValue;
      for (const other of [copy, b, [a], { a }, { a: [] }, []]) {
        const { result } = takeSteps((work) => semanticallyEqualSteps(a, other, large(work)));
        expect(result).toBe(semanticallyEqual(a, other));
      }
    }),
    { numRuns: 300 },
  );
});

test.each<[JsonValue, JsonValue, boolean]>([
  [{ a: [] }, {}, true],
  [{}, { a: null }, true],
  [{ a: [] }, { a: [1] }, false],
  [{}, { constructor: 1 }, false],
])('%j and %j: %j', (a, b, expected) => {
  expect(semanticallyEqual(a, b)).toBe(expected);
  expect(takeSteps((work) => semanticallyEqualSteps(a, b, large(work))).result).toBe(expected);
});

const COUNT = 300;
const many = <Item>(make: (index: number) => Item): Item[] => Array.from({ length: COUNT }, (_, index) => make(index));
const members = Object.fromEntries(many((index) => [`k${index}`, 'v']));
const labels = { app: 'a' };
const selector = { matchLabels: labels };
const template = {
  metadata: { labels },
  spec: { containers: [{ name: 'c', image: 'i' }], nodeSelector: members, restartPolicy: 'Always' },
};
const once = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
const spec = { selector, template };

/** Objects with a large part that a change is compared with. */
const LARGE: Readonly<Record<string, readonly [kind: ResourceDefinition, fields: JsonObject]>> = {
  ConfigMap: [ConfigMap, { immutable: true, data: members }],
  ControllerRevision: [ControllerRevision, { revision: 1, data: members }],
  CronJob: [CronJob, { spec: { schedule: '0 0 * * *', jobTemplate: { spec: { template: once } } } }],
  DaemonSet: [DaemonSet, { spec }],
  Deployment: [Deployment, { spec }],
  EndpointSlice: [
    EndpointSlice,
    { addressType: 'IPv4', endpoints: many((index) => ({ addresses: [`10.0.${index >> 8}.${index & 255}`] })) },
  ],
  Ingress: [Ingress, { spec: { rules: many((index) => ({ host: `h${index}.example.com` })) } }],
  Job: [Job, { spec: { template: once } }],
  NetworkPolicy: [NetworkPolicy, { spec: { podSelector: { matchLabels: members } } }],
  PersistentVolumeClaim: [
    PersistentVolumeClaim,
    {
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1' } },
        selector: { matchLabels: members },
      },
    },
  ],
  Pod: [Pod, { spec: template.spec }],
  PodDisruptionBudget: [PodDisruptionBudget, { spec: { selector: { matchLabels: members } } }],
  PodTemplate: [PodTemplate, { template }],
  ReplicaSet: [ReplicaSet, { spec }],
  ReplicationController: [ReplicationController, { spec: { selector: labels, template } }],
  Secret: [Secret, { immutable: true, stringData: members }],
  StatefulSet: [StatefulSet, { spec: { ...spec, serviceName: 's' } }],
};

describe('a large object is compared with its former state in steps', () => {
  test.each(Object.entries(LARGE))('%s', async (_name, [kind, fields]) => {
    const object = create(kind, { metadata: { name: 'a' }, ...fields }, kubernetes);
    const compared = async (isLarge: boolean): Promise<{ pauses: number; result: unknown }> => {
      const copy = structuredClone(object);
      let pauses = 0;
      const next = (): Promise<void> => Promise.resolve(void (pauses += 1));
      const context: RequestContext = {
        ...contextOf(kubernetes),
        work: { ...UNBOUNDED_WORK, isLarge, spend: () => true, next },
      };
      const run = <Result>(steps: MaybeSteps<Result> | Promise<Result> | undefined): Promise<Result> =>
        Promise.resolve(hookResult(steps as MaybeSteps<Result>, context));
      await run(kind.strategy?.prepareForUpdate?.(copy, object, context));
      const errors = await run(kind.strategy?.validateUpdate?.(copy, object, context));
      return { pauses, result: { copy, errors: (errors ?? []).map(String) } };
    };
    const small = await compared(false);
    const large = await compared(true);
    expect(large.result).toEqual(small.result);
    expect(large.pauses).toBeGreaterThanOrEqual(small.pauses + COUNT);
  });
});
