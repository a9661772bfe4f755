import { describe, expect, it } from 'vitest';
import { changedKeys } from '../../../src/admission/node-restriction/node-labels.js';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import type { ApiObject } from '../../../src/foundation/objects/object.js';
import { defineDialect, kubernetes, orch } from '../../../src/foundation/index.js';
import { objectOf, ownedBy, pluginFor, type Outcome } from './support.js';

const other = defineDialect({
  name: 'other',
  product: 'acme',
  groupSuffix: 'api.acme.example',
  labelDomain: 'acme.example',
  nodeAgentName: 'acme-agent',
});

describe.each([orch, kubernetes, other])('nodes in the dialect $name', (dialect) => {
  const { labelDomain, groupSuffix, nodeAgentName } = dialect;
  const { ask } = pluginFor(dialect);
  const node = (metadata: ApiObject['metadata'] = {}, spec: JsonObject = {}) =>
    objectOf({ name: 'mynode', uid: 'mynode-uid', ...metadata }, { spec });
  const refused = (why: string) => `403 nodes "mynode" is forbidden: ${why}`;

  const allowed = [
    'foo',
    'example.com/foo',
    `${labelDomain}/hostname`,
    `${labelDomain}/os`,
    `${labelDomain}/arch`,
    `topology.${labelDomain}/zone`,
    `topology.${labelDomain}/region`,
    `failure-domain.beta.${labelDomain}/zone`,
    `failure-domain.beta.${labelDomain}/region`,
    `beta.${labelDomain}/instance-type`,
    `beta.${labelDomain}/os`,
    `beta.${labelDomain}/arch`,
    `node.${labelDomain}/instance-type`,
    `node.${labelDomain}/foo`,
    `foo.node.${labelDomain}/foo`,
    `${nodeAgentName}.${labelDomain}/foo`,
    `foo.${nodeAgentName}.${labelDomain}/foo`,
    // Only the domain is compared: it must be the built-in one or below it.
    labelDomain,
    `my${labelDomain}/foo`,
    `node-restriction.${labelDomain}.example/foo`,
    `foo/${labelDomain}/bar`,
  ];
  // In the dialect with a single domain both are the same.
  const forbidden = [
    ...new Set([
      `node-restriction.${labelDomain}/foo`,
      `foo.node-restriction.${labelDomain}/foo`,
      `node.node-restriction.${labelDomain}/foo`,
      `other.${labelDomain}/foo`,
      `other.${groupSuffix}/foo`,
      `${labelDomain}/role`,
      `${groupSuffix}/foo`,
      `topology.${labelDomain}/rack`,
      `my-node.${labelDomain}/foo`,
      `${labelDomain}/hostname/x`,
    ]),
  ].sort();
  const labels = (keys: readonly string[], value = 'value') => ({
    labels: Object.fromEntries(keys.map((key) => [key, value])),
  });
  const all = [...allowed, ...forbidden];
  const cannotModify = `is not allowed to modify labels: ${forbidden.join(', ')}`;

  const A: JsonObject = { taints: [{ key: 'k', value: 'A', effect: 'NoSchedule' }] };
  const B: JsonObject = { taints: [{ key: 'k', value: 'B', effect: 'NoSchedule' }] };
  const source = (name: string): JsonObject => ({
    configSource: { configMap: { namespace: 'bar', name, kubeletConfigKey: 'key' } },
  });
  const noTaints = 'node "mynode" is not allowed to modify taints';
  const noOwners = 'node "mynode" is not allowed to modify ownerReferences';
  const noSource = 'node "mynode" is not allowed to update configSource to a new non-nil configSource';
  const owner = { ownerReferences: [ownedBy('rack')] };

  it.each<[string, ApiObject, Outcome]>([
    ['unchanged', node(), true],
    ['with taints', node({}, A), true],
    ['with an owner', node(owner), true],
    ['with labels', node(labels(allowed)), true],
    [
      'with other labels',
      node(labels(all)),
      `node "mynode" is not allowed to set the following labels: ${forbidden.join(', ')}`,
    ],
    [
      'with a config source',
      node({}, source('foo')),
      'node "mynode" is not allowed to create pods with a non-nil configSource',
    ],
    [
      'with an empty config source',
      node({}, { configSource: {} }),
      'node "mynode" is not allowed to create pods with a non-nil configSource',
    ],
  ])('may create its own Node: %s', async (_case, object, outcome) => {
    expect(await ask('CREATE', 'nodes', { object })).toBe(outcome === true ? true : refused(outcome));
  });

  describe.each(['nodes', 'nodes/status'])('%s', (resource) => {
    it.each<[string, before: ApiObject & ReturnType<typeof node>, after: ApiObject, Outcome]>([
      ['nothing', node(), node(), true],
      [
        'other fields',
        node(),
        node({ annotations: { a: 'b' } }, { podCIDR: '10.0.0.0/24', unschedulable: true }),
        true,
      ],
      ['no taint', node({}, A), node({}, A), true],
      ['an equivalent form without taints', node(), node({}, { taints: [] }), true],
      ['taints: adds', node(), node({}, A), noTaints],
      ['taints: removes', node({}, A), node(), noTaints],
      ['taints: changes', node({}, A), node({}, B), noTaints],
      ['owners: none', node(owner), node(owner), true],
      ['owners: adds', node(), node(owner), noOwners],
      ['owners: removes', node(owner), node(), noOwners],
      ['owners: changes', node(owner), node({ ownerReferences: [ownedBy('rack', { uid: 'x' })] }), noOwners],
      ['the config source: sets', node(), node({}, source('foo')), noSource],
      ['the config source: changes', node({}, source('foo')), node({}, source('bar')), noSource],
      ['the config source: keeps', node({}, source('foo')), node({}, source('foo')), true],
      ['the config source: drops', node({}, source('foo')), node(), true],
      ['labels: adds allowed ones', node(), node(labels(allowed)), true],
      ['labels: removes allowed ones', node(labels(allowed)), node(), true],
      ['labels: changes allowed ones', node(labels(allowed, 'old')), node(labels(allowed, 'new')), true],
      ['labels: keeps all', node(labels(all)), node(labels(all)), true],
      ['labels: adds allowed ones beside forbidden ones', node(labels(forbidden)), node(labels(all)), true],
      ['labels: removes allowed ones beside forbidden ones', node(labels(all)), node(labels(forbidden)), true],
      ['labels: adds forbidden ones', node(), node(labels(all)), cannotModify],
      ['labels: removes forbidden ones', node(labels(all)), node(), cannotModify],
      ['labels: changes forbidden ones', node(labels(all, 'old')), node(labels(all, 'new')), cannotModify],
      ['labels: empties forbidden ones', node(labels(forbidden)), node(labels(forbidden, '')), cannotModify],
    ])('changes %s', async (_case, oldObject, object, outcome) => {
      expect(await ask('UPDATE', resource, { object, oldObject })).toBe(outcome === true ? true : refused(outcome));
    });
  });

  it('may delete its own Node', async () => {
    expect(await ask('DELETE', 'nodes', { oldObject: node() })).toBe(true);
  });

  it.each(['CREATE', 'UPDATE', 'DELETE'] as const)('may not %s others', async (operation) => {
    const othernode = objectOf({ name: 'othernode' });
    const facts =
      operation === 'DELETE'
        ? { oldObject: othernode }
        : operation === 'CREATE'
          ? { object: othernode }
          : { object: othernode, oldObject: othernode };
    const text = '403 nodes "othernode" is forbidden: node "mynode" is not allowed to modify node "othernode"';
    expect(await ask(operation, 'nodes', facts)).toBe(text);
    expect(await ask(operation, 'nodes/status', facts)).toBe(text);
  });

  it('may not create one without a name', async () => {
    expect(await ask('CREATE', 'nodes', { object: objectOf({ generateName: 'mynode' }) })).toBe(
      '403 nodes "mynode" is forbidden: node "mynode" is not allowed to modify node ""',
    );
  });
});

describe('the keys that differ between two maps', () => {
  it.each<[string, Record<string, string> | undefined, Record<string, string> | undefined, string[]]>([
    ['none', undefined, undefined, []],
    ['no change', { x: '1', y: '2', z: '3' }, { z: '3', y: '2', x: '1' }, []],
    ['added', {}, { a: '0' }, ['a']],
    ['removed', { z: '3' }, {}, ['z']],
    ['changed', { z: '3' }, { z: '4' }, ['z']],
    ['added empty', {}, { a: '' }, ['a']],
    ['removed empty', { z: '' }, {}, ['z']],
    ['changed to empty', { z: '3' }, { z: '' }, ['z']],
    ['changed from empty', { z: '' }, { z: '3' }, ['z']],
    ['added, removed and changed', { a: '1', b: '2' }, { a: '2', c: '3' }, ['a', 'b', 'c']],
    ['names that every object inherits', { constructor: '1' }, {}, ['constructor']],
  ])('%s', (_case, a, b, keys) => {
    expect(changedKeys(a, b)).toEqual(keys);
    expect(changedKeys(b, a)).toEqual(keys);
  });
});
