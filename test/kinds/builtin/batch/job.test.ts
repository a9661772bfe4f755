import { atOnce } from '../../../../src/foundation/work/work.js';
import { describe, expect, it } from 'vitest';
import { Job } from '../../../../src/kinds/builtin/batch/kinds.js';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import { kubernetes } from '../../../../src/foundation/dialect/dialect.js';
import { cells, contextOf, create, decode, problems, type Changes } from '../support.js';
import { KindTests, storedTemplate, template, UID, withChanges } from '../workloads.js';

await Job.prepare?.();

const spec = { template: template({ restartPolicy: 'Never' }) };
const tests = new KindTests(Job, { spec });

const generated = {
  'job-name': 'web',
  'batch.orch.io/job-name': 'web',
  'controller-uid': UID,
  'batch.orch.io/controller-uid': UID,
};
const indexed = { 'spec.completionMode': 'Indexed', 'spec.completions': 4, 'spec.parallelism': 2 };

describe('defaults', () => {
  it('fills in counts, policies, labels and pods', () => {
    const object = decode(Job, { spec });
    expect(object['spec']).toEqual({
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      manualSelector: false,
      template: storedTemplate({ labels: { app: 'web' } }, { restartPolicy: 'Never' }),
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: 'TerminatingOrFailed',
    });
    expect(object.metadata.labels).toEqual({ app: 'web' });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['no completions with a parallelism', { parallelism: 3 }, { parallelism: 3, completions: undefined }],
    ['a parallelism with completions', { completions: 3 }, { parallelism: 1, completions: 3 }],
    ['no limit for all indexes', { backoffLimitPerIndex: 1 }, { backoffLimit: 2_147_483_647 }],
    [
      'the replacement of failed pods and the status of conditions',
      { podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] } },
      {
        podReplacementPolicy: 'Failed',
        podFailurePolicy: {
          rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
        },
      },
    ],
  ])('are %s', (_name, given, expected) => {
    const object = decode(Job, { spec: { ...spec, ...given } })['spec'] as JsonObject;
    for (const [field, value] of Object.entries(expected)) expect(object[field]).toEqual(value);
  });
});

describe('the generated selector', () => {
  it('selects the uid, and the pods have the labels of both generations', () => {
    expect(tests.stored()['spec']).toMatchObject({
      selector: { matchLabels: { 'batch.orch.io/controller-uid': UID } },
      template: { metadata: { labels: { ...generated, app: 'web' } } },
    });
    expect(tests.problems({})).toEqual([]);
  });

  it('has the names of the dialect', () => {
    const stored = create(Job, tests.manifest, kubernetes);
    expect(stored['spec']).toMatchObject({
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': UID } },
      template: { metadata: { labels: { 'batch.kubernetes.io/job-name': 'web' } } },
    });
    expect(problems(Job, tests.manifest, kubernetes)).toEqual([]);
  });

  it('is not generated for a manual selector', () => {
    const changes = { 'spec.manualSelector': true, 'spec.selector': { matchLabels: { app: 'web' } } };
    expect(tests.stored(changes)['spec']).toMatchObject({
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } } },
    });
    expect(tests.problems(changes)).toEqual([]);
    expect(tests.problems({ 'spec.manualSelector': true })).toEqual([
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: `selector` does not match template `labels`',
    ]);
  });

  it('refuses labels of another Job', () => {
    const shown = `map[string]string{"batch.orch.io/controller-uid":"${UID}", "batch.orch.io/job-name":"db", "controller-uid":"${UID}", "job-name":"web"}`;
    expect(tests.problems({ 'spec.template.metadata.labels': { 'batch.orch.io/job-name': 'db' } })).toEqual([
      `spec.template.metadata.labels[batch.orch.io/job-name]: Invalid value: ${shown}: must be 'web'`,
    ]);
  });

  it('refuses a selector of the client', () => {
    expect(tests.problems({ 'spec.selector': { matchLabels: { app: 'web' } } })).toEqual([
      `spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"web", "batch.orch.io/controller-uid":"${UID}"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: \`selector\` not auto-generated`,
    ]);
  });
});

const NOT_NEGATIVE = 'must be greater than or equal to 0';
const rule = (more: JsonObject): Changes => ({ 'spec.podFailurePolicy': { rules: [{ action: 'FailJob', ...more }] } });
const RULE = 'spec.podFailurePolicy.rules[0]';
const success = (...rules: JsonObject[]): Changes => ({ ...indexed, 'spec.successPolicy': { rules } });

describe('validation', () => {
  it.each<[string, Changes, string[]]>([
    [
      'negative numbers',
      {
        'spec.parallelism': -1,
        'spec.completions': -1,
        'spec.activeDeadlineSeconds': -1,
        'spec.backoffLimit': -1,
        'spec.ttlSecondsAfterFinished': -1,
      },
      ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'].map(
        (field) => `spec.${field}: Invalid value: -1: ${NOT_NEGATIVE}`,
      ),
    ],
    [
      'pods that always restart, as is the default',
      { 'spec.template.spec.restartPolicy': undefined },
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    [
      'an unknown mode',
      { 'spec.completionMode': 'Random' },
      ['spec.completionMode: Unsupported value: "Random": supported values: "NonIndexed", "Indexed"'],
    ],
    [
      'an Indexed Job without completions',
      { 'spec.completionMode': 'Indexed', 'spec.parallelism': 100_001 },
      [
        'spec.completions: Required value: when completion mode is Indexed',
        'spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed',
      ],
    ],
    [
      'limits for indexes of a Job without indexes',
      { 'spec.backoffLimitPerIndex': 1, 'spec.maxFailedIndexes': 1 },
      [
        'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode',
        'spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode',
      ],
    ],
    [
      'failed indexes without a limit for each',
      { ...indexed, 'spec.maxFailedIndexes': 5 },
      [
        'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
        'spec.maxFailedIndexes: Invalid value: 5: must be less than or equal to completions',
      ],
    ],
    [
      'very many indexes',
      { ...indexed, 'spec.completions': 100_001, 'spec.parallelism': 10_001, 'spec.backoffLimitPerIndex': 1 },
      [
        'spec.maxFailedIndexes: Required value: must be specified when completions is above 100000',
        'spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
      ],
    ],
    [
      'very many failed indexes',
      {
        ...indexed,
        ...{ 'spec.completions': 200_000, 'spec.maxFailedIndexes': 100_001, 'spec.backoffLimitPerIndex': 1 },
      },
      [
        'spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 100000',
        'spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
      ],
    ],
    [
      'a name too long for the host names of the pods',
      { ...indexed, 'metadata.name': 'a'.repeat(62) },
      [
        `metadata.name: Invalid value: "${'a'.repeat(62)}": will not able to create pod with invalid DNS label: ${'a'.repeat(62)}-3`,
      ],
    ],
    [
      'an unknown replacement policy',
      { 'spec.podReplacementPolicy': 'Never' },
      ['spec.podReplacementPolicy: Unsupported value: "Never": supported values: "Failed", "TerminatingOrFailed"'],
    ],
    [
      'the replacement of terminating pods with a failure policy',
      { ...rule({ onPodConditions: [{ type: 'A' }] }), 'spec.podReplacementPolicy': 'TerminatingOrFailed' },
      ['spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"'],
    ],
    [
      'a failure policy of pods that restart',
      { ...rule({ onPodConditions: [{ type: 'A' }] }), 'spec.template.spec.restartPolicy': 'OnFailure' },
      [
        'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
      ],
    ],
    [
      'a rule without requirement',
      rule({}),
      [`${RULE}: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`],
    ],
    [
      'a rule with both requirements',
      rule({ onExitCodes: { operator: 'NotIn', values: [0] }, onPodConditions: [{ type: 'A' }] }),
      [`${RULE}: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported`],
    ],
    [
      'an unknown action',
      rule({ action: 'Panic', onPodConditions: [{ type: 'A' }] }),
      [`${RULE}.action: Unsupported value: "Panic": supported values: "Count", "FailIndex", "FailJob", "Ignore"`],
    ],
    [
      'no action',
      rule({ action: '', onPodConditions: [{ type: 'A' }] }),
      [`${RULE}.action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]`],
    ],
    [
      'the failure of an index without a limit for it',
      rule({ action: 'FailIndex', onPodConditions: [{ type: 'A' }] }),
      [`${RULE}.action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set`],
    ],
    [
      'exit codes',
      rule({ onExitCodes: { operator: 'In', containerName: 'db', values: [3, 0, 3] } }),
      [
        `${RULE}.onExitCodes.containerName: Invalid value: "db": must be one of the container or initContainer names in the pod template`,
        `${RULE}.onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator`,
        `${RULE}.onExitCodes.values[2]: Duplicate value: 3`,
        `${RULE}.onExitCodes.values: Invalid value: []int32{3, 0, 3}: must be ordered`,
      ],
    ],
    [
      'no exit codes',
      rule({ onExitCodes: { operator: '' } }),
      [
        `${RULE}.onExitCodes.operator: Required value: valid values: ["In" "NotIn"]`,
        `${RULE}.onExitCodes.values: Invalid value: []int32{}: at least one value is required`,
      ],
    ],
    [
      'too many exit codes',
      rule({ onExitCodes: { operator: 'NotIn', values: Array.from({ length: 256 }, (_, code) => code) } }),
      [`${RULE}.onExitCodes.values: Too many: 256: must have at most 255 items`],
    ],
    [
      'conditions',
      rule({ onPodConditions: [{ type: 'A', status: 'Maybe' }] }),
      [`${RULE}.onPodConditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"`],
    ],
    [
      'too many rules',
      {
        'spec.podFailurePolicy': {
          rules: Array.from({ length: 21 }, () => ({ action: 'Count', onPodConditions: [{ type: 'A' }] })),
        },
      },
      ['spec.podFailurePolicy.rules: Too many: 21: must have at most 20 items'],
    ],
    [
      'a success policy of a Job without indexes',
      { 'spec.successPolicy': { rules: [{ succeededCount: 1 }] } },
      ['spec.successPolicy: Invalid value: {"rules":[{"succeededCount":1}]}: requires indexed completion mode'],
    ],
    [
      'a success policy without rules',
      success(),
      [
        'spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified',
      ],
    ],
    [
      'rules of success',
      success({}, { succeededCount: 5 }, { succeededIndexes: '0-2', succeededCount: 4 }, { succeededIndexes: '3,1' }),
      [
        'spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified',
        'spec.successPolicy.rules[1].succeededCount: Invalid value: 5: must be less than or equal to 4 (the number of specified completions)',
        'spec.successPolicy.rules[2].succeededCount: Invalid value: 4: must be less than or equal to 3 (the number of indexes in the specified succeededIndexes field)',
        'spec.successPolicy.rules[3].succeededIndexes: Invalid value: "3,1": error parsing succeededIndexes: non-increasing order, previous: 3, current: 1',
      ],
    ],
    [
      'invalid indexes',
      success(
        { succeededIndexes: '1-2-3' },
        { succeededIndexes: 'x' },
        { succeededIndexes: '4' },
        { succeededIndexes: '2-1' },
      ),
      [
        `spec.successPolicy.rules[0].succeededIndexes: Invalid value: "1-2-3": error parsing succeededIndexes: the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by '-'`,
        'spec.successPolicy.rules[1].succeededIndexes: Invalid value: "x": error parsing succeededIndexes: cannot convert string to integer for index: "x"',
        'spec.successPolicy.rules[2].succeededIndexes: Invalid value: "4": error parsing succeededIndexes: too large index: "4"',
        'spec.successPolicy.rules[3].succeededIndexes: Invalid value: "2-1": error parsing succeededIndexes: non-increasing order, previous: 2, current: 1',
      ],
    ],
  ])('refuses %s', (_name, changes, errors) => {
    expect(tests.problems(changes)).toEqual(errors);
  });

  it('checks managedBy while its feature is on', () => {
    const managed = (value: string) => tests.problems({ 'spec.managedBy': value }, { JobManagedBy: true });
    expect(managed('shop.example/runner')).toEqual([]);
    expect(managed('runner')).toEqual([
      'spec.managedBy: Invalid value: "runner": must be a domain-prefixed path (such as "acme.io/foo")',
    ]);
    expect(managed(`shop.example/${'a'.repeat(60)}`)).toEqual(['spec.managedBy: Too long: may not be longer than 63']);
    expect(managed('Shop/ ')).toEqual([
      "spec.managedBy: Invalid value: \"Shop\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      `spec.managedBy: Invalid value: " ": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`,
    ]);
  });
});

describe('disabled features', () => {
  it('drops their fields from new Jobs', () => {
    expect(tests.stored({ 'spec.managedBy': 'a.example/b' })['spec']).not.toHaveProperty('managedBy');
    const changes: Changes = {
      ...indexed,
      'spec.backoffLimitPerIndex': 1,
      'spec.maxFailedIndexes': 1,
      'spec.successPolicy': { rules: [{ succeededCount: 1 }] },
      'spec.podFailurePolicy': {
        rules: ['FailIndex', 'Ignore'].map((action) => ({ action, onPodConditions: [{ type: 'A' }] })),
      },
    };
    const off = { JobBackoffLimitPerIndex: false, JobSuccessPolicy: false, JobPodReplacementPolicy: false };
    const stored = tests.stored(changes, off)['spec'] as JsonObject;
    for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy', 'podReplacementPolicy'])
      expect(stored).not.toHaveProperty(field);
    expect(stored['podFailurePolicy']).toMatchObject({ rules: [{ action: 'Ignore' }] });
  });

  it('keeps the fields that a Job has', () => {
    const old = tests.stored(success({ succeededCount: 1 }));
    const off = { JobSuccessPolicy: false, JobPodReplacementPolicy: false };
    const { after } = tests.update({ 'spec.suspend': true }, old, off);
    expect(after['spec']).toMatchObject({ successPolicy: {}, podReplacementPolicy: 'TerminatingOrFailed' });
  });
});

describe('update', () => {
  it('may change the parallelism and the suspension, which is counted', () => {
    const { after, errors } = tests.update({ 'spec.parallelism': 3, 'spec.suspend': true, 'spec.backoffLimit': 1 });
    expect(errors).toEqual([]);
    expect(after.metadata.generation).toBe(2);
  });

  it.each<[string, Changes, string[]]>([
    ['the completions', { 'spec.completions': 2 }, ['spec.completions: Invalid value: 2: field is immutable']],
    [
      'the mode',
      { 'spec.completionMode': 'Indexed' },
      ['spec.completionMode: Invalid value: "Indexed": field is immutable'],
    ],
    [
      'the failure policy',
      { ...rule({ onPodConditions: [{ type: 'A', status: 'True' }] }), 'spec.podReplacementPolicy': 'Failed' },
      [
        'spec.podFailurePolicy: Invalid value: {"rules":[{"action":"FailJob","onPodConditions":[{"type":"A","status":"True"}]}]}: field is immutable',
      ],
    ],
  ])('does not change %s', (_name, changes, errors) => {
    expect(tests.update(changes).errors).toEqual(errors);
  });

  it('does not change the pods', () => {
    const [error = '', ...others] = tests.update({ 'spec.template.spec.priority': 1 }).errors;
    expect(error).toMatch(/^spec\.template: Invalid value: \{.*\}: field is immutable$/);
    expect(others).toEqual([]);
  });

  it('moves the pods of a suspended Job that has not started', () => {
    const old = tests.stored({ 'spec.suspend': true });
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } };
    const moves: Changes = {
      'spec.template.spec.nodeSelector': { disk: 'ssd' },
      'spec.template.spec.tolerations': [{ operator: 'Exists' }],
      'spec.template.spec.schedulingGates': [{ name: 'a.example/b' }],
      'spec.template.spec.affinity': affinity,
      'spec.template.metadata.annotations': { a: 'b' },
    };
    expect(tests.update(moves, old).errors).toEqual([]);
    expect(tests.update(moves).errors).toHaveLength(1);
    const started = tests.updateStatus({ 'status.startTime': '2024-05-01T12:00:00Z' }, old).after;
    expect(tests.update(moves, started).errors).toHaveLength(1);
    expect(tests.update({ 'spec.template.spec.affinity': { podAffinity: {} } }, old).errors).toHaveLength(1);
  });

  it('scales an Indexed Job', () => {
    const old = tests.stored(indexed);
    expect(tests.update({ 'spec.completions': 2, 'spec.parallelism': 2 }, old).errors).toEqual([]);
    expect(tests.update({ 'spec.completions': 3 }, old).errors).toEqual([
      'spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism',
    ]);
  });

  it('does not require the labels with a domain of Jobs that never had them', () => {
    const old = tests.stored();
    const legacy = { app: 'web', 'job-name': 'web', 'controller-uid': UID };
    const before = JSON.parse(JSON.stringify(old)) as typeof old;
    const without = withChanges(before, {
      'spec.template.metadata.labels': legacy,
      'spec.selector.matchLabels': { 'controller-uid': UID },
    }) as typeof old;
    expect(tests.update({ 'spec.parallelism': 2 }, without).errors).toEqual([]);
  });
});

describe('warnings', () => {
  it('are about names and very large Jobs', () => {
    expect(tests.warnings({ 'metadata.name': 'web.v1' })).toEqual([
      'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]',
    ]);
    const huge = { ...indexed, 'spec.completions': 100_001, 'spec.parallelism': 10_001 };
    expect(tests.warnings(huge)).toEqual([
      'spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Orch might not be able to track completedIndexes when a big number of indexes fail',
    ]);
    const stored = create(Job, withChanges(tests.manifest, huge), kubernetes);
    expect(atOnce(Job.strategy?.warnings?.(stored, undefined, contextOf(kubernetes)))?.[0]).toContain(
      'Kubernetes might not',
    );
  });
});

it('has cells', () => {
  const at = (minutes: number) => new Date(Date.parse('2024-05-01T11:00:00Z') + minutes * 60_000).toISOString();
  const row = (status: JsonObject, changes: Changes = {}) => {
    const { Status, Completions, Duration } = cells(Job, tests.updateStatus({ status }, tests.stored(changes)).after);
    return [Status, Completions, Duration];
  };
  const is = (...types: string[]) => ({ conditions: types.map((type) => ({ type, status: 'True' })) });
  expect(cells(Job, tests.stored())).toMatchObject({
    ...{ Name: 'web', Status: 'Running', Completions: '0/1', Duration: '' },
    ...{ Containers: 'web', Images: 'nginx:1', Selector: `batch.orch.io/controller-uid=${UID}` },
  });
  expect(row({ startTime: at(0) })).toEqual(['Running', '0/1', '60m']);
  expect(
    row({ ...is('SuccessCriteriaMet', 'Complete'), startTime: at(0), completionTime: at(5), succeeded: 1 }),
  ).toEqual(['Complete', '1/1', '5m']);
  expect(row(is('FailureTarget', 'Failed'))[0]).toBe('Failed');
  expect(row(is('FailureTarget'))[0]).toBe('FailureTarget');
  expect(row(is('Suspended'))[0]).toBe('Suspended');
  expect(row({ succeeded: 1 }, { 'spec.parallelism': 3 })[1]).toBe('1/1 of 3');
});
