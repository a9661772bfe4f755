import { atOnce } from '../../../../src/foundation/work/work.js';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import type { ResourceDefinition } from '../../../../src/registry/definition/definition.js';
import { EndpointSlice as Kind } from '../../../../src/kinds/builtin/index.js';
import { FeatureGates } from '../../../../src/server/settings/feature-gates.js';
import { cells, changed, context, create, decode, problems, updateProblems } from '../support.js';

const EndpointSlice: ResourceDefinition = Kind;

beforeAll(async () => {
  await EndpointSlice.prepare?.();
});

const slice = (fields: JsonObject = {}): JsonObject => ({
  metadata: { name: 'web-abc' },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'] }],
  ...fields,
});

test('ports have a name and a protocol by default', () => {
  expect(decode(EndpointSlice, slice({ ports: [{ port: 80 }] }))['ports']).toEqual([
    { name: '', port: 80, protocol: 'TCP' },
  ]);
});

test.each<[JsonObject, string[]]>([
  [{}, []],
  [{ addressType: '' }, ['addressType: Required value']],
  [{ addressType: 'IP' }, ['addressType: Unsupported value: "IP": supported values: "FQDN", "IPv4", "IPv6"']],
  [{ endpoints: [{ addresses: [] }] }, ['endpoints[0].addresses: Required value: must contain at least 1 address']],
  [
    { endpoints: [{ addresses: ['fd00::1'] }, { addresses: ['127.0.0.1'] }] },
    [
      'endpoints[0].addresses[0]: Invalid value: "fd00::1": must be a valid IPv4 address',
      'endpoints[1].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ],
  ],
  [
    {
      addressType: 'FQDN',
      endpoints: [{ addresses: ['example.com.'] }, { addresses: ['local'] }, { addresses: [''] }],
    },
    [
      'endpoints[1].addresses[0]: Invalid value: "local": should be a domain with at least two segments separated by dots',
      'endpoints[2].addresses[0]: Required value',
    ],
  ],
  [
    { endpoints: [{ addresses: ['10.0.0.1'], hostname: 'a.b', nodeName: 'N' }] },
    [
      `endpoints[0].nodeName: Invalid value: "N": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      'endpoints[0].hostname: Invalid value: "a.b": must not contain dots',
    ],
  ],
  [
    { endpoints: [{ addresses: ['10.0.0.1'], hints: { forZones: [{ name: 'a' }, { name: 'a' }] } }] },
    ['endpoints[0].hints.forZones[1].name: Duplicate value: "a"'],
  ],
  [
    {
      endpoints: [
        {
          addresses: ['10.0.0.1'],
          hints: { forZones: Array.from({ length: 9 }, (_, index) => ({ name: `z${index}` })) },
        },
      ],
    },
    ['endpoints[0].hints.forZones: Too many: 9: must have at most 8 items'],
  ],
  [
    { endpoints: Array.from({ length: 1001 }, () => ({ addresses: ['10.0.0.1'] })) },
    ['endpoints: Too many: 1001: must have at most 1000 items'],
  ],
  [
    { ports: [{ name: 'a', protocol: 'X' }, { name: 'a' }] },
    [
      'ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
      'ports[1].name: Duplicate value: "a"',
    ],
  ],
])('%j is checked', (fields, expected) => {
  expect(problems(EndpointSlice, slice(fields))).toEqual(expected);
});

describe('a change', () => {
  test('keeps the type of the addresses', () => {
    expect(updateProblems(EndpointSlice, create(EndpointSlice, slice()), { addressType: 'IPv6' })).toEqual([
      'addressType: Invalid value: "IPv6": field is immutable',
    ]);
  });

  test('counts the generation when anything but annotations changes', () => {
    const old = create(EndpointSlice, slice());
    expect(old.metadata.generation).toBe(1);
    const generation = (change: Parameters<typeof changed>[1]): number | undefined => {
      const object = changed(old, change);
      atOnce(EndpointSlice.strategy?.prepareForUpdate?.(object, old, context));
      return object.metadata.generation;
    };
    expect(generation({ 'metadata.annotations.a': 'b' })).toBe(1);
    expect(generation({ 'metadata.labels.a': 'b' })).toBe(2);
    expect(generation({ endpoints: [] })).toBe(2);
  });
});

test('the older topology is dropped from new slices', () => {
  const endpoints = [{ addresses: ['10.0.0.1'], deprecatedTopology: { a: 'b' } }];
  expect(create(EndpointSlice, slice({ endpoints }))['endpoints']).toEqual([
    { addresses: ['10.0.0.1'], conditions: {} },
  ]);
});

test('hints are dropped while their feature is disabled', () => {
  const object = decode(
    EndpointSlice,
    slice({ endpoints: [{ addresses: ['10.0.0.1'], hints: { forZones: [{ name: 'a' }] } }] }),
  );
  const off = { ...context, featureGates: FeatureGates.from({ TopologyAwareHints: false }) };
  atOnce(EndpointSlice.strategy?.prepareForCreate?.(object, off));
  expect(object['endpoints']).toEqual([{ addresses: ['10.0.0.1'], conditions: {} }]);
});

test('domain names bring a warning', () => {
  const old = create(EndpointSlice, slice({ addressType: 'FQDN', endpoints: [] }));
  expect(atOnce(EndpointSlice.strategy?.warnings?.(old, undefined, context))).toEqual([
    'spec.addressType: FQDN endpoints are deprecated',
  ]);
});

test.each<[JsonObject, JsonObject]>([
  [{ endpoints: [] }, { AddressType: 'IPv4', Ports: '<unset>', Endpoints: '<unset>' }],
  [{ ports: [{ port: 80 }, { name: 'b' }] }, { Ports: '80,b', Endpoints: '10.0.0.1' }],
  [
    { endpoints: [{ addresses: ['10.0.0.1', '10.0.0.2'] }, { addresses: ['10.0.0.3'] }, { addresses: ['10.0.0.4'] }] },
    { Endpoints: '10.0.0.1,10.0.0.2,10.0.0.3 + 1 more...' },
  ],
])('the table shows %j', (fields, expected) => {
  expect(cells(EndpointSlice, create(EndpointSlice, slice(fields)))).toMatchObject(expected);
});
