import { z } from 'zod';
import { defineResource, statusSubresource } from '../../../src/entries/index.js';
import { mapList, setList } from '../../../src/machinery/schema/define/vocabulary.js';

/** A custom kind with every type of list. */
export const Thing = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
  schema: () =>
    z.object({
      free: z.unknown(),
      set: setList(z.string()).optional(),
      keyed: mapList(z.object({ name: z.string(), port: z.number(), value: z.string() }), ['name', 'port']).optional(),
      plain: z.array(z.string()).optional(),
      status: z
        .object({ conditions: mapList(z.object({ type: z.string(), status: z.string() }), ['type']).optional() })
        .optional(),
    }),
  subresources: { status: statusSubresource },
});

type Fields = Readonly<Record<string, unknown>>;

/** Objects of one kind with a given number of items. */
export interface Shape {
  /** The item that is repeated. */
  readonly name: string;
  readonly collection: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** The subresource that writes the items. */
  readonly subresource?: 'status';
  /** An object without a name: `count` items, each containing `value`. */
  object(count: number, value: string): Fields & { readonly metadata?: Fields };
  /** Path of one item. */
  pointer(index: number): string;
  /** A single item. */
  item(index: number, value: string): unknown;
}

const list = (count: number, item: (index: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, index) => item(index));
const map = (count: number, item: (index: number) => unknown): Fields =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, item(index)]));
const inDefault = (plural: string): string => `/api/v1/namespaces/default/${plural}`;
const RBAC = 'rbac.authorization.k8s.io';

const configMaps = { collection: inDefault('configmaps'), apiVersion: 'v1', kind: 'ConfigMap' };
const pods = { collection: inDefault('pods'), apiVersion: 'v1', kind: 'Pod' };
const nodes = { collection: '/api/v1/nodes', apiVersion: 'v1', kind: 'Node' };
const things = {
  collection: '/apis/example.com/v1/namespaces/default/things',
  apiVersion: 'example.com/v1',
  kind: 'Thing',
};
const clusterRoles = { collection: `/apis/${RBAC}/v1/clusterroles`, apiVersion: `${RBAC}/v1`, kind: 'ClusterRole' };

type Kind = Pick<Shape, 'collection' | 'apiVersion' | 'kind' | 'subresource'>;
type Item = Shape['item'];

/** A map at a path; `wrap` puts it into the object. */
const mapShape = (name: string, kind: Kind, path: string, item: Item, wrap: (entries: Fields) => Fields): Shape => ({
  ...kind,
  name,
  item,
  object: (count, value) => wrap(map(count, (index) => item(index, value))),
  pointer: (index) => `${path}/key-${index}`,
});
/** A list at a path. */
const listShape = (name: string, kind: Kind, path: string, item: Item, wrap: (items: unknown[]) => Fields): Shape => ({
  ...kind,
  name,
  item,
  object: (count, value) => wrap(list(count, (index) => item(index, value))),
  pointer: (index) => `${path}/${index}`,
});

const text: Item = (_index, value) => value;
const bytes: Item = (_index, value) => btoa(value);
const domainName: Item = (index, value) => `example.com/${value}-${index}`;
const condition: Item = (index, value) => ({ type: `example.com/t${index}`, status: 'True', message: value });
const first = { name: 'first', image: 'i' };
const podOf = (spec: Fields): Fields => ({ spec: { containers: [first], ...spec } });
const containerOf = (fields: Fields): Fields => podOf({ containers: [{ ...first, ...fields }] });

/** The items of which users can have many. */
export const shapes: readonly Shape[] = [
  mapShape('data', configMaps, '/data', text, (data) => ({ data })),
  mapShape('bytes', { ...configMaps, collection: inDefault('secrets'), kind: 'Secret' }, '/data', bytes, (data) => ({
    data,
  })),
  mapShape('labels', configMaps, '/metadata/labels', text, (labels) => ({ metadata: { labels } })),
  mapShape('annotations', configMaps, '/metadata/annotations', text, (annotations) => ({ metadata: { annotations } })),
  listShape('finalizers', configMaps, '/metadata/finalizers', domainName, (finalizers) => ({
    metadata: { finalizers },
  })),
  listShape(
    'owners',
    configMaps,
    '/metadata/ownerReferences',
    (index, value) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `${value}-${index}`, uid: `u-${index}` }),
    (ownerReferences) => ({ metadata: { ownerReferences } }),
  ),
  listShape(
    'field managers',
    configMaps,
    '/metadata/managedFields',
    (index, value) => ({
      manager: `${value}-${index}`,
      operation: index % 2 === 0 ? 'Update' : 'Apply',
      apiVersion: 'v1',
      time: '2024-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { [`f:k${index}`]: {} } },
    }),
    (managedFields) => ({ metadata: { managedFields } }),
  ),
  listShape(
    'references',
    { ...configMaps, collection: inDefault('serviceaccounts'), kind: 'ServiceAccount' },
    '/secrets',
    (index, value) => ({ name: `${value}-${index}` }),
    (secrets) => ({ secrets, imagePullSecrets: secrets }),
  ),
  listShape(
    'containers',
    pods,
    '/spec/containers',
    (index, value) => ({ name: `c${index}`, image: value }),
    (containers) => podOf({ containers: [...containers, first] }),
  ),
  listShape(
    'other containers',
    pods,
    '/spec/containers',
    (index, value) => ({ name: `${value}-${index}`, image: value }),
    (containers) => podOf({ containers: [...containers, first] }),
  ),
  listShape(
    'variables',
    pods,
    '/spec/containers/0/env',
    (index, value) => ({ name: `E${index}`, value }),
    (env) => containerOf({ env }),
  ),
  listShape(
    'ports',
    pods,
    '/spec/containers/0/ports',
    (index, value) => ({ name: `p${value}-${index}`, containerPort: index + 1 }),
    (ports) => containerOf({ ports }),
  ),
  listShape(
    'volumes',
    pods,
    '/spec/volumes',
    (index, value) => ({ name: `v${index}`, emptyDir: { medium: value === 'a' ? '' : 'Memory' } }),
    (volumes) =>
      podOf({
        volumes,
        containers: [
          { ...first, volumeMounts: volumes.map((_, index) => ({ name: `v${index}`, mountPath: `/${index}` })) },
        ],
      }),
  ),
  listShape(
    'tolerations',
    pods,
    '/spec/tolerations',
    (index, value) => ({ key: `${value}${index}`, operator: 'Exists' }),
    (tolerations) => podOf({ tolerations }),
  ),
  listShape('conditions', { ...pods, subresource: 'status' }, '/status/conditions', condition, (conditions) => ({
    ...podOf({}),
    status: { conditions },
  })),
  listShape(
    'taints',
    nodes,
    '/spec/taints',
    (index, value) => ({ key: `k${index}`, value, effect: 'NoSchedule' }),
    (taints) => ({ spec: { taints } }),
  ),
  listShape(
    'conditions of a node',
    { ...nodes, subresource: 'status' },
    '/status/conditions',
    condition,
    (conditions) => ({ status: { conditions, images: conditions.map((_, index) => ({ names: [`i${index}`] })) } }),
  ),
  listShape(
    'finalizers of a namespace',
    { ...nodes, collection: '/api/v1/namespaces', kind: 'Namespace' },
    '/spec/finalizers',
    domainName,
    (finalizers) => ({ spec: { finalizers } }),
  ),
  listShape(
    'rules',
    clusterRoles,
    '/rules',
    (index, value) => ({ apiGroups: [''], resources: [`${value}-${index}`], verbs: ['get'] }),
    (rules) => ({ rules }),
  ),
  listShape('words of a rule', clusterRoles, '/rules/0/verbs', domainName, (words) => ({
    rules: [{ apiGroups: [''], resources: ['pods', ...words], verbs: [...words, 'get'], resourceNames: words }],
  })),
  listShape(
    'selectors',
    clusterRoles,
    '/aggregationRule/clusterRoleSelectors',
    (index, value) => ({ matchLabels: { [`${value}${index}`]: 'x' } }),
    (selectors) => ({
      aggregationRule: {
        clusterRoleSelectors: [
          ...selectors,
          { matchExpressions: selectors.map((_, index) => ({ key: `k${index}`, operator: 'In', values: ['a'] })) },
          {
            matchExpressions: [
              { key: 'k', operator: 'NotIn', values: ['v', ...selectors.map((_, index) => `v${index}`)] },
            ],
          },
        ],
      },
    }),
  ),
  listShape(
    'subjects',
    { ...clusterRoles, collection: `/apis/${RBAC}/v1/clusterrolebindings`, kind: 'ClusterRoleBinding' },
    '/subjects',
    (index, value) => ({ kind: 'User', apiGroup: RBAC, name: `${value}-${index}` }),
    (subjects) => ({ roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' }, subjects }),
  ),
  mapShape('members of a free field', things, '/free/map', text, (entries) => ({
    free: { map: entries, list: Object.keys(entries).map((key) => ({ key, value: entries[key] })) },
  })),
  listShape(
    'items of a set',
    things,
    '/set',
    (index, value) => `${value}-${index}`,
    (set) => ({ set }),
  ),
  listShape(
    'items with two keys',
    things,
    '/keyed',
    (index, value) => ({ name: `k-${index}`, port: index, value }),
    (keyed) => ({ keyed }),
  ),
  listShape(
    'items of a plain list',
    things,
    '/plain',
    (index, value) => `${value}-${index}`,
    (plain) => ({ plain }),
  ),
  listShape(
    "conditions of a kind of one's own",
    { ...things, subresource: 'status' },
    '/status/conditions',
    (index, value) => ({ type: `t${index}`, status: value }),
    (conditions) => ({ status: { conditions } }),
  ),
];
