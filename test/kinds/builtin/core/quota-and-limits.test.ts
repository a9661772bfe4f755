import { atOnce } from '../../../../src/foundation/work/work.js';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import type { StoredObject } from '../../../../src/foundation/objects/object.js';
import { LimitRange, ResourceQuota } from '../../../../src/kinds/builtin/index.js';
import {
  cells,
  changed,
  contextOf,
  create,
  decode,
  freeze,
  problems,
  subresourceStrategy,
  texts,
  updateProblems,
} from '../support.js';

const quota = (spec: JsonObject): JsonObject => ({ metadata: { name: 'q' }, spec });
const amount = (value: number, scale: number, text: string): string =>
  `resource.Quantity{i:resource.int64Amount{value:${value}, scale:${scale}}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"${text}", Format:"DecimalSI"}`;

describe('a ResourceQuota', () => {
  test.each<readonly [name: string, spec: JsonObject, errors: readonly string[]]>([
    [
      'known resources',
      {
        hard: {
          cpu: '1',
          'requests.storage': '1Gi',
          'limits.memory': '1Gi',
          pods: '3',
          'services.nodeports': '0',
          'count/deployments.apps': '3',
          'requests.example.com/gpu': '2',
          'hugepages-2Mi': '4Mi',
          'requests.hugepages-2Mi': '4Mi',
          'gold.storageclass.storage.orch.io/requests.storage': '1Gi',
        },
      },
      [],
    ],
    [
      'an unknown resource',
      { hard: { storage: '1', disks: '1' } },
      [
        'spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota',
        'spec.hard[disks]: Invalid value: "disks": must be a standard resource type or fully qualified',
        'spec.hard[disks]: Invalid value: "disks": must be a standard resource for quota',
      ],
    ],
    [
      'a negative amount',
      { hard: { cpu: '-1' } },
      ['spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
    ],
    [
      'half a pod',
      { hard: { pods: '500m' } },
      [`spec.hard[pods]: Invalid value: ${amount(500, -3, '500m')}: must be an integer`],
    ],
    [
      'an unknown scope',
      { hard: { pods: '1' }, scopes: ['Some'] },
      ['spec.scopes: Invalid value: []core.ResourceQuotaScope{"Some"}: unsupported scope'],
    ],
    [
      'a resource outside of a scope',
      { hard: { pods: '1', cpu: '1', secrets: '1' }, scopes: ['BestEffort'] },
      [
        'spec.scopes: Invalid value: []core.ResourceQuotaScope{"BestEffort"}: unsupported scope applied to resource',
        'spec.scopes: Invalid value: []core.ResourceQuotaScope{"BestEffort"}: unsupported scope applied to resource',
      ],
    ],
    [
      'opposite scopes',
      { hard: { pods: '1' }, scopes: ['Terminating', 'NotTerminating'] },
      ['spec.scopes: Invalid value: []core.ResourceQuotaScope{"Terminating", "NotTerminating"}: conflicting scopes'],
    ],
    [
      'a selector',
      {
        hard: { pods: '1' },
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
      },
      [],
    ],
    [
      'wrong operators',
      {
        scopeSelector: {
          matchExpressions: [
            { scopeName: 'Terminating', operator: 'In', values: ['a'] },
            { scopeName: 'PriorityClass', operator: 'In' },
            { scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] },
            { scopeName: 'Odd', operator: 'Near' },
          ],
        },
      },
      [
        'spec.scopeSelector.matchExpressions.operator: Invalid value: "In": must be \'Exist\' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity',
        "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        "spec.scopeSelector.matchExpressions.values: Invalid value: []string{\"a\"}: must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        'spec.scopeSelector.matchExpressions.scopeName: Invalid value: "Odd": unsupported scope',
        'spec.scopeSelector.matchExpressions.operator: Invalid value: "Near": not a valid selector operator',
      ],
    ],
    [
      'a resource outside of a selected scope',
      {
        hard: { services: '1' },
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists' }] },
      },
      [
        'spec.scopeSelector.matchExpressions: Invalid value: core.ScopeSelector{MatchExpressions:[]core.ScopedResourceSelectorRequirement{core.ScopedResourceSelectorRequirement{ScopeName:"PriorityClass", Operator:"Exists", Values:[]string(nil)}}}: unsupported scope applied to resource',
      ],
    ],
  ])('%s', (_name, spec, errors) => {
    expect(problems(ResourceQuota, quota(spec))).toEqual(errors);
  });

  test('its scopes do not change', () => {
    const old = create(ResourceQuota, quota({ hard: { pods: '1' }, scopes: ['Terminating'] }));
    expect(updateProblems(ResourceQuota, old, { 'spec.hard.pods': '2' })).toEqual([]);
    expect(updateProblems(ResourceQuota, old, { 'spec.scopes': ['BestEffort'] })).toEqual([
      'spec.scopes: Invalid value: []core.ResourceQuotaScope{"BestEffort"}: field is immutable',
    ]);
  });

  test('only its subresource writes the status, with valid amounts', () => {
    const old = create(ResourceQuota, { ...quota({ hard: { pods: '1' } }), status: { hard: { pods: '9' } } });
    expect(old['status']).toEqual({});
    const status = subresourceStrategy(ResourceQuota, 'status');
    const object = changed(old, {
      'spec.hard.pods': '7',
      'status.used': { pods: '-1' },
      'status.hard': { disks: '1' },
    });
    atOnce(status.prepareForUpdate(object, old, contextOf()));
    expect(object['spec']).toEqual({ hard: { pods: '1' } });
    expect(texts(status.validateUpdate?.(freeze(object as StoredObject), old, contextOf()))).toEqual([
      'status.hard[disks]: Invalid value: "disks": must be a standard resource type or fully qualified',
      'status.hard[disks]: Invalid value: "disks": must be a standard resource for quota',
      'status.used[pods]: Invalid value: "-1": must be greater than or equal to 0',
    ]);
  });

  test('its table row separates limits from requests', () => {
    const object = freeze({
      ...create(ResourceQuota, quota({})),
      status: { hard: { 'limits.cpu': '4', pods: '10', cpu: '2' }, used: { cpu: '500m', 'limits.cpu': '1' } },
    });
    expect(cells(ResourceQuota, object)).toMatchObject({
      Request: 'cpu: 500m/2, pods: 0/10',
      Limit: 'limits.cpu: 1/4',
    });
  });
});

const limits = (...items: JsonObject[]): JsonObject => ({ metadata: { name: 'l' }, spec: { limits: items } });

describe('a LimitRange', () => {
  test('completes the defaults of containers from the maximum and the minimum', () => {
    const range = decode(
      LimitRange,
      limits(
        {
          type: 'Container',
          max: { cpu: '2', memory: '1Gi' },
          min: { cpu: '1', 'hugepages-2Mi': '2Mi' },
          default: { memory: '512Mi' },
        },
        { type: 'Pod', max: { cpu: '2' } },
      ),
    );
    expect((range['spec'] as { limits: unknown }).limits).toEqual([
      {
        type: 'Container',
        max: { cpu: '2', memory: '1Gi' },
        min: { cpu: '1', 'hugepages-2Mi': '2Mi' },
        default: { cpu: '2', memory: '512Mi' },
        defaultRequest: { cpu: '2', memory: '512Mi', 'hugepages-2Mi': '2Mi' },
      },
      { type: 'Pod', max: { cpu: '2' } },
    ]);
  });

  test('gets a name when it has none', () => {
    expect(create(LimitRange, { spec: { limits: [] } }).metadata.name).toBe('00000000-0000-4000-8000-000000000000');
  });

  test.each<readonly [name: string, manifest: JsonObject, errors: readonly string[]]>([
    [
      'every type',
      limits(
        {
          type: 'Container',
          max: { cpu: '2' },
          min: { cpu: '1' },
          default: { cpu: '2' },
          defaultRequest: { cpu: '1' },
          maxLimitRequestRatio: { cpu: '2' },
        },
        { type: 'Pod', max: { memory: '1Gi' } },
        { type: 'PersistentVolumeClaim', min: { storage: '1Gi' } },
        { type: 'example.com/Any', max: { pods: '1' } },
      ),
      [],
    ],
    [
      'types',
      limits({ type: 'Disk' }, { type: 'Disk' }),
      [
        'spec.limits[0].type: Invalid value: "Disk": must be a standard limit type or fully qualified',
        'spec.limits[1].type: Invalid value: "Disk": must be a standard limit type or fully qualified',
        'spec.limits[1].type: Duplicate value: "Disk"',
      ],
    ],
    [
      'names of resources',
      limits(
        { type: 'Container', max: { pods: '1' } },
        { type: 'PersistentVolumeClaim', max: { storage: '1', odd: '1' } },
      ),
      [
        'spec.limits[0].max[pods]: Invalid value: "pods": must be a standard resource for containers',
        'spec.limits[0].default[pods]: Invalid value: "pods": must be a standard resource for containers',
        'spec.limits[0].defaultRequest[pods]: Invalid value: "pods": must be a standard resource for containers',
        'spec.limits[1].max[odd]: Invalid value: "odd": must be a standard resource type or fully qualified',
      ],
    ],
    [
      'defaults of pods',
      limits({ type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '1' } }),
      [
        "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
        "spec.limits[0].defaultRequest: Forbidden: may not be specified when `type` is 'Pod'",
      ],
    ],
    [
      'claims without an amount',
      limits({ type: 'PersistentVolumeClaim', max: { cpu: '1' } }),
      [
        'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
      ],
    ],
    [
      'a minimum above all else',
      limits({
        type: 'Container',
        min: { cpu: '4' },
        max: { cpu: '3' },
        default: { cpu: '2' },
        defaultRequest: { cpu: '1' },
      }),
      [
        `spec.limits[0].min[cpu]: Invalid value: ${amount(4, 0, '4')}: min value 4 is greater than max value 3`,
        `spec.limits[0].defaultRequest[cpu]: Invalid value: ${amount(1, 0, '1')}: min value 4 is greater than default request value 1`,
        `spec.limits[0].default[cpu]: Invalid value: ${amount(4, 0, '4')}: min value 4 is greater than default value 2`,
      ],
    ],
    [
      'defaults above the maximum',
      limits({ type: 'Container', max: { cpu: '1' }, default: { cpu: '2' }, defaultRequest: { cpu: '3' } }),
      [
        `spec.limits[0].defaultRequest[cpu]: Invalid value: ${amount(3, 0, '3')}: default request value 3 is greater than max value 1`,
        `spec.limits[0].defaultRequest[cpu]: Invalid value: ${amount(3, 0, '3')}: default request value 3 is greater than default limit value 2`,
        `spec.limits[0].default[cpu]: Invalid value: ${amount(1, 0, '1')}: default value 2 is greater than max value 1`,
      ],
    ],
    [
      'ratios',
      limits({
        type: 'Pod',
        min: { cpu: '2' },
        max: { cpu: '3' },
        maxLimitRequestRatio: { cpu: '1600m', memory: '500m' },
      }),
      [
        `spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: ${amount(1600, -3, '1600m')}: ratio 1600m is greater than max/min = 1.500000`,
        `spec.limits[0].maxLimitRequestRatio[memory]: Invalid value: ${amount(500, -3, '500m')}: ratio 500m is less than 1`,
      ],
    ],
    [
      'a resource that cannot be overcommitted',
      limits({ type: 'Container', default: { 'example.com/gpu': '2' }, defaultRequest: { 'example.com/gpu': '1' } }),
      [
        `spec.limits[0].defaultRequest[example.com/gpu]: Invalid value: ${amount(1, 0, '1')}: default value 2 must equal to defaultRequest value 1 in example.com/gpu`,
      ],
    ],
  ])('%s', (_name, manifest, errors) => {
    expect(problems(LimitRange, manifest)).toEqual(errors);
  });
});
