import { expect, test } from 'vitest';
import { LONG_VALUE } from '../../../src/foundation/errors/shown-value.js';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { isSteps, UNBOUNDED_WORK, type Work } from '../../../src/foundation/work/work.js';
import {
  CronJob,
  DaemonSet,
  Deployment,
  Endpoints,
  Ingress,
  Job,
  NetworkPolicy,
  Pod,
  PodTemplate,
  ReplicaSet,
  ReplicationController,
  ResourceQuota,
  RoleBinding,
  Service,
} from '../../../src/kinds/builtin/index.js';
import type { ResourceDefinition } from '../../../src/registry/definition/definition.js';
import { stepsOfCell } from '../../../src/registry/definition/stepped-cell.js';
import { cells, create, decode, updateProblems } from './support.js';

const COUNT = 3_000;

const many = <Item>(make: (index: number) => Item): Item[] => Array.from({ length: COUNT }, (_, index) => make(index));
const labels = Object.fromEntries(many((index) => [`k${index}`, 'v']));
const selector = { matchExpressions: many((index) => ({ key: `k${index}`, operator: 'Exists' })) };
const template = {
  metadata: { labels },
  spec: { nodeSelector: labels, containers: many((index) => ({ name: `c${index}`, image: `i${index}` })) },
};
const addresses = many((index) => ({ ip: `10.0.${index >> 8}.${index & 255}` }));
const subjects = many((index) => ({ kind: 'User', name: `u${index}` }));

/** Kinds with an object whose lists are long, and the columns that show them. */
const OBJECTS: readonly (readonly [kind: ResourceDefinition, columns: readonly string[], fields: object])[] = [
  [Service, ['Port(s)', 'Selector'], { spec: { selector: labels, ports: many((index) => ({ port: index + 1 })) } }],
  [Service, ['External-IP'], { spec: { type: 'LoadBalancer' }, status: { loadBalancer: { ingress: addresses } } }],
  [Ingress, ['Address'], { status: { loadBalancer: { ingress: addresses } } }],
  [NetworkPolicy, ['Pod-Selector'], { spec: { podSelector: selector } }],
  [Deployment, ['Containers', 'Images', 'Selector'], { spec: { selector, template } }],
  [ReplicaSet, ['Containers', 'Images', 'Selector'], { spec: { selector, template } }],
  [ReplicationController, ['Containers', 'Images', 'Selector'], { spec: { selector: labels, template } }],
  [DaemonSet, ['Node Selector', 'Containers', 'Images', 'Selector'], { spec: { selector, template } }],
  [PodTemplate, ['Containers', 'Images', 'Pod Labels'], { template }],
  [Job, ['Containers', 'Images', 'Selector'], { spec: { selector, template } }],
  [CronJob, ['Containers', 'Images', 'Selector'], { spec: { jobTemplate: { spec: { selector, template } } } }],
  [ResourceQuota, ['Request'], { status: { hard: Object.fromEntries(many((index) => [`r${index}`, '1'])) } }],
  [RoleBinding, ['Users'], { roleRef: { kind: 'Role', name: 'r' }, subjects }],
];
const LONG = OBJECTS.map(([kind, ...rest]) => [kind.kind, kind, ...rest] as const);

test.each(LONG)('%s: the cells of a long object are made in steps', (_name, kind, shown, fields) => {
  const object = decode(kind, { metadata: { name: 'long' }, ...fields } as JsonObject) as never;
  const expected = cells(kind, object);
  for (const name of shown) {
    const column = kind.columns?.find((one) => one.name === name);
    if (column === undefined) continue;
    const work: Work = { ...UNBOUNDED_WORK, spend: () => true };
    const steps = stepsOfCell(column)?.(object, work);
    let pauses = 0;
    let next: IteratorResult<void, unknown> | undefined;
    if (steps !== undefined && isSteps(steps))
      for (next = steps.next(); next.done !== true; next = steps.next()) pauses += 1;
    expect(pauses, name).toBeGreaterThanOrEqual(4);
    expect(next?.value, name).toBe(expected[name]);
    expect(String(expected[name]).length, name).toBeGreaterThan(COUNT);
  }
});

test('the table of endpoints reads no more addresses than it shows', () => {
  let reads = 0;
  const address = {
    get ip(): string {
      reads += 1;
      return '10.0.0.1';
    },
  };
  const object = {
    metadata: { name: 'e' },
    subsets: [{ addresses: many(() => address), ports: many(() => ({ port: 1 })) }],
  };
  const column = Endpoints.columns?.find(({ name }) => name === 'Endpoints');
  expect(column?.cell(object as never)).toBe(`10.0.0.1:1,10.0.0.1:1,10.0.0.1:1 + ${COUNT ** 2 - 3} more...`);
  expect(reads).toBeLessThan(20);
});

test('errors show of long selectors, labels and fields of a pod only that they are long', () => {
  const old = create(ReplicaSet, {
    metadata: { name: 'r' },
    spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } } } },
  });
  expect(updateProblems(ReplicaSet, old, { 'spec.selector': selector })).toContain(
    `spec.selector: Invalid value: ${LONG_VALUE}: field is immutable`,
  );
  const pod = create(Pod, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  expect(updateProblems(Pod, pod, { 'spec.nodeSelector': labels }).join('')).toContain(
    `+ \tnodeSelector: ${LONG_VALUE},`,
  );
});

test.each([Deployment, ReplicaSet, ReplicationController])('the scale of a long object is shown in steps', (kind) => {
  const matched = kind === ReplicationController ? labels : selector;
  const object = decode(kind, { metadata: { name: 'long' }, spec: { selector: matched, template } } as JsonObject);
  const scale = kind.subresources?.['scale'];
  if (scale === undefined || !('view' in scale)) throw new Error('no scale');
  const steps = scale.showSteps?.(object as never, false, { ...UNBOUNDED_WORK, spend: () => true });
  if (steps === undefined || !isSteps(steps)) throw new Error('no steps');
  let pauses = 0;
  let next = steps.next();
  for (; next.done !== true; next = steps.next()) pauses += 1;
  expect(pauses).toBeGreaterThanOrEqual(4);
  expect(next.value).toEqual(scale.show(object as never, false));
});
