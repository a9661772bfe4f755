import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import { StorageVersion, StorageVersionMigration } from '../../../../src/kinds/builtin/index.js';
import {
  cells,
  changed,
  context,
  create,
  freeze,
  problems,
  subresourceStrategy,
  texts,
  updateProblems,
} from '../support.js';

beforeAll(async () => {
  await StorageVersion.prepare?.();
  await StorageVersionMigration.prepare?.();
});

const LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

test.each([
  ['deployments', ['name must be in the form of <group>.<resource>']],
  ['apps.deployments', []],
  ['apps.1', [`the resource segment ${LABEL}`]],
])('the name %s of a storage version is checked', (name, expected) => {
  expect(StorageVersion.strategy?.nameRule?.(name, false)).toEqual(expected);
});

const statusProblems = (
  definition: typeof StorageVersion | typeof StorageVersionMigration,
  status: JsonObject,
  before: JsonObject = {},
) => {
  const spec = definition.kind === 'StorageVersion' ? {} : { resource: { resource: 'pods', version: 'v1' } };
  const empty = create(definition, { metadata: { name: 'apps.deployments' }, spec });
  const old = freeze(changed(empty, { status: before })) as typeof empty;
  const object = freeze(changed(empty, { status })) as typeof empty;
  return texts(subresourceStrategy(definition, 'status').validateUpdate?.(object, old, context));
};

const server = (name: string, encodingVersion: string, ...decodableVersions: string[]) => ({
  apiServerID: name,
  encodingVersion,
  decodableVersions,
});

test.each<[string, JsonObject, string[]]>([
  ['of agreeing servers', { storageVersions: [server('a', 'v1', 'v1')], commonEncodingVersion: 'v1' }, []],
  [
    'without the common version',
    { storageVersions: [server('a', 'v1', 'v1')] },
    ['status.commonEncodingVersion: Invalid value: "null": the common encoding version is v1'],
  ],
  [
    'with another common version',
    { storageVersions: [server('a', 'v1', 'v1')], commonEncodingVersion: 'v2' },
    ['status.commonEncodingVersion: Invalid value: "v2": the actual common encoding version is v1'],
  ],
  [
    'of differing servers',
    { storageVersions: [server('a', 'v1', 'v1'), server('b', 'v2', 'v2')], commonEncodingVersion: 'v1' },
    [
      'status.commonEncodingVersion: Invalid value: "v1": should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet',
    ],
  ],
  [
    'with invalid versions',
    { storageVersions: [server('a', '/v1', 'apps/')], commonEncodingVersion: '/v1' },
    [
      'status.storageVersions[0].encodingVersion: Invalid value: "/v1": group part: must be non-empty',
      'status.storageVersions[0].decodableVersions[0]: Invalid value: "apps/": version part: must be non-empty',
      'status.storageVersions[0].decodableVersions: Invalid value: []string{"apps/"}: decodableVersions must include encodingVersion /v1',
    ],
  ],
  [
    'with conditions',
    {
      conditions: [
        { type: 'A', status: 'True', reason: '', message: '' },
        { type: 'A', status: 'True', reason: 'R', message: 'm' },
      ],
    },
    [
      'status[0].reason: Required value: reason cannot be empty',
      'status[0].message: Required value: message cannot be empty',
      'status[1].type: Invalid value: "A": the type of the condition is not unique, it also appears in conditions[0]',
    ],
  ],
])('the status %s is checked', (_, status, expected) =>
  expect(statusProblems(StorageVersion, status)).toEqual(expected),
);

test('a storage version shows three servers in tables', () => {
  const empty = create(StorageVersion, { metadata: { name: 'apps.deployments' }, spec: {} });
  expect(cells(StorageVersion, empty)).toMatchObject({ CommonEncodingVersion: '<unset>', StorageVersions: '' });
  const storageVersions = ['a', 'b', 'c', 'd'].map((name) => server(name, 'v1', 'v1'));
  const status = { storageVersions, commonEncodingVersion: 'v1' };
  expect(cells(StorageVersion, freeze(changed(empty, { status })) as typeof empty)).toMatchObject({
    CommonEncodingVersion: 'v1',
    StorageVersions: 'a=v1,b=v1,c=v1 + 1 more...',
  });
});

test('a migration names a resource, which it keeps', () => {
  const manifest = (resource: JsonObject): JsonObject => ({ metadata: { name: 'a' }, spec: { resource } });
  expect(problems(StorageVersionMigration, manifest({}))).toEqual([
    'spec.resource.resource: Required value: resource is required',
    'spec.resource.version: Required value: version is required',
  ]);
  const old = create(StorageVersionMigration, manifest({ resource: 'pods', version: 'v1' }));
  expect(
    updateProblems(StorageVersionMigration, old, { 'spec.resource': { group: 'a', resource: 'b', version: 'c' } }),
  ).toEqual([
    'group: Invalid value: "a": field is immutable',
    'version: Invalid value: "c": field is immutable',
    'resource: Invalid value: "b": field is immutable',
  ]);
  expect(cells(StorageVersionMigration, old)).toMatchObject({ Name: 'a', Resource: 'pods' });
});

const condition = (type: string, status = 'True') => ({
  type,
  status,
  reason: 'R',
  lastUpdateTime: '2024-05-01T12:00:00Z',
});

test.each<[string, JsonObject, JsonObject, string[]]>([
  ['that runs', { resourceVersion: '7', conditions: [condition('Running')] }, {}, []],
  [
    'with an invalid resource version',
    { resourceVersion: 'x' },
    {},
    [
      'status.resourceVersion: Invalid value: "x": failed to parse resource version "x": strconv.ParseInt: parsing "x": invalid syntax',
    ],
  ],
  [
    'with a negative resource version',
    { resourceVersion: '-1' },
    {},
    ['status.resourceVersion: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'with another resource version',
    { resourceVersion: '8' },
    { resourceVersion: '7' },
    ['status.resourceVersion: Invalid value: "8": cannot be updated'],
  ],
  [
    'with incomplete conditions',
    { conditions: [{ type: 'A', status: 'x' }] },
    {},
    [
      'status.conditions[0].status: Unsupported value: "x": supported values: "False", "True", "Unknown"',
      'status.conditions[0].lastTransitionTime: Required value: must be set',
      'status.conditions[0].reason: Required value: must be set',
    ],
  ],
])('the status of a migration %s is checked', (_, status, old, expected) =>
  expect(statusProblems(StorageVersionMigration, status, old)).toEqual(expected),
);

test('a migration succeeds or fails once', () => {
  const of = (types: string[], before: string[] = []) =>
    statusProblems(
      StorageVersionMigration,
      { conditions: types.map((type) => condition(type)) },
      { conditions: before.map((type) => condition(type)) },
    ).map((text) => text.replace(/^status.conditions: Invalid value: (\[.*\]|\[\]string\{\}): /, ''));
  expect(of(['Succeeded', 'Failed', 'Running'])).toEqual([
    'Both success and failed conditions cannot be true at the same time',
    'Running condition cannot be true when success condition is true',
    'Running condition cannot be true when failed condition is true',
  ]);
  expect(of([], ['Succeeded', 'Failed'])).toEqual([
    'Success condition cannot be set to false once it is true',
    'Failed condition cannot be set to false once it is true',
  ]);
});
