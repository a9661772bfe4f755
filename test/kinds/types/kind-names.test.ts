/** A built-in kind is a definition and a type under one name. */
import * as root from 'orch-apiserver';
import { Deployment as RootDeployment } from 'orch-apiserver';
import * as kinds from 'orch-apiserver/kinds';
import {
  CustomResourceDefinition,
  Deployment,
  EventEventsV1,
  HorizontalPodAutoscalerV1,
  Pod,
  type PodSpec,
} from 'orch-apiserver/kinds';
import { expect, test } from 'vitest';
import { startTestServer } from 'orch-apiserver/testing';
import { groupOrder } from '../../../src/kinds/facts/groups.js';
import { kubernetes, groupName } from '../../../src/foundation/index.js';
import type { ResourceDefinition } from '../../../src/registry/index.js';

const { builtinResources, ...exported } = kinds;
const definitions = Object.entries<object>(exported).filter(
  (entry): entry is [string, ResourceDefinition] => 'plural' in entry[1],
);

test('a name is usable as the kind and as the type of its objects', async () => {
  await using server = await startTestServer();
  const pods = server.client.resource(Pod).namespace('default');
  const spec: PodSpec = { containers: [{ name: 'app', image: 'app:1' }] };
  const pod: Pod = { metadata: { name: 'web' }, spec };
  const made: Pod = await pods.create(pod);
  expect(made.spec?.containers[0]?.image).toBe('app:1');
  const nameOf = ({ metadata }: Pod): string | undefined => metadata.name;
  expect((await pods.list()).items.map(nameOf)).toEqual(['web']);
});

test('the type of a definition of a custom kind is that of its kind, too', async () => {
  await using server = await startTestServer();
  const definition: CustomResourceDefinition = {
    metadata: { name: 'shelves.shop.example' },
    spec: {
      group: 'shop.example',
      scope: 'Namespaced',
      names: { plural: 'shelves', kind: 'Shelf' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
  const made: CustomResourceDefinition = await server.client.resource(CustomResourceDefinition).create(definition);
  expect(made.metadata.uid).toBeDefined();
});

test('types of other versions and groups have the suffix of their kind', () => {
  const autoscaler: HorizontalPodAutoscalerV1 = { metadata: { name: 'a' } };
  const event: EventEventsV1 = { metadata: { name: 'e' }, eventTime: '2026-01-01T00:00:00.000000Z' };
  expect([autoscaler.metadata.name, event.metadata.name]).toEqual(['a', 'e']);
});

test('what differs from the plain name of a kind is its suffix', () => {
  const places = new Map(groupOrder.map((group, index) => [groupName(group, kubernetes), index]));
  const placeOf = ({ group }: ResourceDefinition): number => places.get(groupName(group, kubernetes)) ?? Infinity;
  const stages = ['', 'beta', 'alpha'];
  const rank = ({ version }: ResourceDefinition): number[] => {
    const [, major = '', stage = '', minor = '0'] = /^v(\d+)([a-z]*)(\d*)$/.exec(version) ?? [];
    return [stages.indexOf(stage), -Number(major), -Number(minor)];
  };
  const isBefore = (one: ResourceDefinition, other: ResourceDefinition): boolean => {
    const [a, b] = [one, other].map((each) => [placeOf(each), ...rank(each)]);
    const differing = a?.findIndex((value, index) => value !== b?.[index]) ?? -1;
    return differing >= 0 && (a?.[differing] ?? 0) < (b?.[differing] ?? 0);
  };
  const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const nameOf = (definition: ResourceDefinition): string => {
    const { kind, version, group } = definition;
    const same = definitions.map(([, other]) => other).filter((other) => other.kind === kind);
    const first = same.reduce((best, other) => (isBefore(other, best) ? other : best), definition);
    if (first === definition) return kind;
    const [ownGroup = ''] = groupName(group, kubernetes).split('.');
    return `${kind}${placeOf(first) === placeOf(definition) ? '' : capitalized(ownGroup)}${capitalized(version)}`;
  };
  const exportedKinds = definitions.map(([, definition]) => definition);
  expect(builtinResources.filter((definition) => !exportedKinds.includes(definition))).toEqual([]);
  expect(definitions.map(([name]) => name)).toEqual(definitions.map(([, definition]) => nameOf(definition)));
});

test('the root has kinds of /kinds, and no name of a global', () => {
  expect(RootDeployment).toBe(Deployment);
  expect(Object.keys(root).filter((name) => name in globalThis)).toEqual([]);
  const own = definitions.filter(([name]) => name in root).map(([name]) => name);
  expect(own.length).toBeGreaterThanOrEqual(12);
  expect(own.length).toBeLessThanOrEqual(20);
});
