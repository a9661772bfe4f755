import { atOnce } from '../../../../../src/foundation/work/work.js';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/foundation/json/json.js';
import { Node } from '../../../../../src/kinds/builtin/index.js';
import {
  cells,
  changed,
  context,
  contextOf,
  create,
  decode,
  kubernetes,
  orch,
  problems,
  subresourceStrategy,
  texts,
  updateProblems,
} from '../../support.js';

const spec = (fields: JsonObject): string[] => problems(Node, { metadata: { name: 'n' }, spec: fields });

describe('the annotation with the pods to avoid', () => {
  const key = 'scheduler.alpha.kubernetes.io/preferAvoidPods';
  const entry = (podSignature: JsonObject): string => JSON.stringify({ preferAvoidPods: [{ podSignature }] });
  const owner = { apiVersion: 'v1', kind: 'ReplicationController', name: 'foo', uid: 'u' };
  const unreadable = (why: string): string[] => [`metadata.annotations.AvoidPods: Invalid value: "${key}": ${why}`];
  const path = `metadata.annotations.${key}[0].PodSignature`;

  it.each<[string, string, string[]]>([
    ['a controller', entry({ podController: { ...owner, controller: true } }), []],
    ['no value', '', []],
    ['no entries', '{}', []],
    ['null', 'null', []],
    ['no controller', entry({}), [`${path}: Required value`]],
    ['no signature', '{"preferAvoidPods":[{}]}', [`${path}: Required value`]],
    [
      'an owner that is no controller',
      entry({ podController: { ...owner, controller: false } }),
      [`${path}.PodController.Controller: Invalid value: false: must point to a controller`],
    ],
    ['no JSON', '{', unreadable('unexpected end of JSON input')],
    ['another text', 'x', unreadable("invalid character 'x' looking for beginning of value")],
    ['a list', '[]', unreadable('json: cannot unmarshal array into Go value of type v1.AvoidPods')],
    [
      'entries of another type',
      '{"preferAvoidPods":1}',
      unreadable(
        'json: cannot unmarshal number into Go struct field AvoidPods.preferAvoidPods of type []v1.PreferAvoidPodsEntry',
      ),
    ],
  ])('%s', (_name, value, errors) => {
    const node = { metadata: { name: 'n', annotations: { [key]: value } } };
    expect(problems(Node, node, kubernetes)).toEqual(errors);
    expect(problems(Node, node, orch)).toEqual([]);
    const old = decode(Node, { metadata: { name: 'n' } }, kubernetes);
    const changes = subresourceStrategy(Node, 'status').validateUpdate?.(
      decode(Node, node, kubernetes) as never,
      old as never,
      contextOf(kubernetes),
    );
    expect(texts(changes)).toEqual(errors);
  });
});

describe('rules', () => {
  it.each<[JsonObject, string[]]>([
    [
      {
        taints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a', effect: 'NoExecute' },
        ],
      },
      [],
    ],
    [
      {
        taints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a', value: 'b', effect: 'NoSchedule' },
        ],
      },
      [
        'metadata.taints[1]: Duplicate value: {"key":"a","value":"b","effect":"NoSchedule"}: taints must be unique by key and effect pair',
      ],
    ],
    [{ taints: [{ key: 'a' }] }, ['metadata.taints[0].effect: Required value']],
    [
      { taints: [{ key: 'a', effect: 'X' }] },
      [
        'metadata.taints[0].effect: Unsupported value: "X": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      ],
    ],
    [
      { podCIDR: '10.0.0.0/33' },
      [
        'spec.podCIDRs[0]: Invalid value: "10.0.0.0/33": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      ],
    ],
    [
      { podCIDRs: ['10.0.0.0/24', '10.1.0.0/24'] },
      [
        'spec.podCIDRs: Invalid value: []string{"10.0.0.0/24", "10.1.0.0/24"}: may specify no more than one CIDR for each IP family',
      ],
    ],
    [{ podCIDRs: ['10.0.0.0/24', '2001:db8::/64'] }, []],
  ])('%j', (fields, expected) => expect(spec(fields)).toEqual(expected));

  it('keep fields that can be set only once', () => {
    const old = create(Node, { metadata: { name: 'n' }, spec: { podCIDR: '10.0.0.0/24', providerID: 'a://b' } });
    expect(
      updateProblems(Node, old, {
        spec: {
          podCIDR: '10.1.0.0/24',
          podCIDRs: ['10.1.0.0/24'],
          providerID: 'x',
          externalID: 'y',
          unschedulable: true,
        },
      }),
    ).toEqual([
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
      'spec.externalID: Forbidden: may not be updated',
    ]);
    const bare = create(Node, { metadata: { name: 'n' } });
    expect(
      updateProblems(Node, bare, { spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'], providerID: 'x' } }),
    ).toEqual([]);
  });
});

describe('state', () => {
  it('has defaults: podCIDR and podCIDRs in step, allocatable from capacity', () => {
    expect(decode(Node, { spec: { podCIDR: '10.0.0.0/24' }, status: { capacity: { cpu: '4' } } })).toMatchObject({
      spec: { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] },
      status: {
        allocatable: { cpu: '4' },
        daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
        nodeInfo: { machineID: '' },
      },
    });
  });

  it('is kept by a PUT, and the spec by a PUT of the status', () => {
    const old = create(Node, { metadata: { name: 'n' }, status: { phase: 'Running' } });
    const object = changed(old, { status: {}, spec: { unschedulable: true, configSource: {} } });
    atOnce(Node.strategy?.prepareForUpdate?.(object, old, context));
    expect(object).toMatchObject({ spec: { unschedulable: true }, status: { phase: 'Running' } });
    expect(object).not.toHaveProperty('spec.configSource');
    const viaStatus = changed(old, { spec: { unschedulable: true }, status: { phase: 'X' } });
    atOnce(subresourceStrategy(Node, 'status').prepareForUpdate(viaStatus, old, context));
    expect(viaStatus).toMatchObject({ spec: {}, status: { phase: 'X' } });
    expect(viaStatus).not.toHaveProperty('spec.unschedulable');
  });
});

describe('columns', () => {
  it('show state, roles and addresses', () => {
    const node = create(Node, {
      metadata: {
        name: 'n',
        labels: { 'node-role.orch.io/worker': '', 'node-role.orch.io/control-plane': '', 'kubernetes.io/role': 'edge' },
      },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
        nodeInfo: { kubeletVersion: 'v1.31.0', osImage: 'Linux' },
      },
    });
    expect(cells(Node, node)).toMatchObject({
      Status: 'Ready,SchedulingDisabled',
      Roles: 'control-plane,edge,worker',
      Version: 'v1.31.0',
      'Internal-IP': '10.0.0.1',
      'External-IP': '<none>',
      'OS-Image': 'Linux',
      'Kernel-Version': '<unknown>',
    });
    expect(Node.selectableFields?.['spec.unschedulable']?.(node)).toBe('true');
    expect(cells(Node, create(Node, {}))).toMatchObject({ Status: 'Unknown', Roles: '<none>' });
  });
});
