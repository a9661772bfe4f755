import { describe, expect, test } from 'vitest';
import { errors } from '../../src/foundation/errors/api-error.js';
import { FieldPath } from '../../src/foundation/errors/field-path.js';
import { finalizerWarnings } from '../../src/foundation/objects/finalizers.js';
import { dnsSubdomain, namespaceName } from '../../src/foundation/objects/names.js';
import type { ObjectMeta } from '../../src/foundation/objects/object.js';
import { dedupOwnerReferences } from '../../src/foundation/objects/owner-references.js';
import { validateFieldManager } from '../../src/foundation/objects/validate-managed-fields.js';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../src/foundation/objects/validate-object-meta.js';
import { kubernetes, orch } from '../../src/foundation/dialect/dialect.js';

const UID_A = '11111111-2222-4333-8444-555555555555';
const UID_B = '22222222-3333-4444-8555-666666666666';
const QUALIFIED =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

function check(meta: ObjectMeta, rules: Partial<Parameters<typeof validateObjectMeta>[1]> = {}): string[] {
  const whole = { name: 'a', namespace: 'ns', ...meta };
  return validateObjectMeta(whole, { namespaced: true, nameRule: dnsSubdomain, dialect: kubernetes, ...rules }).map(
    String,
  );
}

describe('a new object', () => {
  test('simple and full metadata are valid', () => {
    expect(check({})).toEqual([]);
    expect(
      check({
        generateName: 'job-',
        generation: 7,
        labels: { 'example.com/role': 'a_b.c-D9', empty: '' },
        annotations: { 'Example.com/Note': 'Ünïcode, spaces\nand lines' },
        finalizers: ['example.com/a', 'orphan', 'kubernetes'],
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'Thing', name: 'x', uid: UID_A, controller: true, blockOwnerDeletion: true },
        ],
        managedFields: [
          { manager: 'golden', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
        ],
      }),
    ).toEqual([]);
  });

  test.each<[string, ObjectMeta, string[]]>([
    ['no name', { name: '' }, ['metadata.name: Required value: name or generateName is required']],
    ['no namespace', { namespace: '' }, ['metadata.namespace: Required value']],
    [
      'negative generation',
      { generation: -1 },
      ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    ],
    ['annotation key', { annotations: { '-bad': 'x' } }, [`metadata.annotations: Invalid value: "-bad": ${QUALIFIED}`]],
    [
      'invalid finalizer name',
      { finalizers: ['not valid!'] },
      [
        `metadata.finalizers: Invalid value: "not valid!": ${QUALIFIED}`,
        'metadata.finalizers[0]: Invalid value: "not valid!": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
    [
      'finalizer without a domain',
      { finalizers: ['example.com/ok', 'plain'] },
      [
        'metadata.finalizers[1]: Invalid value: "plain": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
    [
      'orphan and foregroundDeletion',
      { finalizers: ['orphan', 'foregroundDeletion'] },
      [
        'metadata.finalizers: Invalid value: []string{"orphan", "foregroundDeletion"}: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
    [
      'empty owner',
      { ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] },
      [
        'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": kind must not be empty',
        'metadata.ownerReferences.name: Invalid value: "": name must not be empty',
        'metadata.ownerReferences.uid: Invalid value: "": uid must not be empty',
      ],
    ],
    [
      'owner with an apiVersion of three parts',
      { ownerReferences: [{ apiVersion: 'a/b/c', kind: 'K', name: 'n', uid: UID_A }] },
      ['metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty'],
    ],
    [
      'managed fields',
      {
        managedFields: [
          { manager: `m${'x'.repeat(128)}`, operation: 'Guess', fieldsType: 'V2', subresource: 's'.repeat(257) },
          { operation: 'Apply', manager: 'tab\there' },
        ],
      },
      [
        'metadata.managedFields[0].operation: Invalid value: "Guess": must be `Apply` or `Update`',
        'metadata.managedFields[0].fieldsType: Invalid value: "V2": must be `FieldsV1`',
        'metadata.managedFields[0].manager: Too long: must have at most 128 bytes',
        'metadata.managedFields[0].subresource: Too long: must have at most 256 bytes',
        'metadata.managedFields[1].manager: Invalid value: "tab\\there": invalid character U+0009 (at position 3)',
      ],
    ],
  ])('%s', (_, meta, expected) => {
    expect(check(meta)).toEqual(expected);
  });

  test('an invalid generateName is reported beside the name generated from it', () => {
    const fields = validateObjectMeta(
      { name: 'Bad_b8kzz', generateName: 'Bad_', namespace: 'ns' },
      { namespaced: true, nameRule: dnsSubdomain, dialect: orch },
    );
    expect(fields.map(({ field, value }) => [field, value])).toEqual([
      ['metadata.generateName', 'Bad_'],
      ['metadata.name', 'Bad_b8kzz'],
    ]);
  });

  test('a cluster-scoped kind has no namespace, and the namespace of others is a DNS label', () => {
    expect(check({}, { namespaced: false })).toEqual(['metadata.namespace: Forbidden: not allowed on this type']);
    expect(check({ namespace: '' }, { namespaced: false, nameRule: namespaceName })).toEqual([]);
    expect(check({ namespace: 'a.b' })).toEqual(['metadata.namespace: Invalid value: "a.b": must not contain dots']);
  });

  test('labels: every key and every value is reported under the map', () => {
    const found = check({ labels: { 'a/b/c': 'x', ok: 'v'.repeat(64) } });
    expect(found).toHaveLength(2);
    expect(found[0]).toContain('metadata.labels: Invalid value: "a/b/c": a qualified name must consist of');
    expect(found[1]).toBe(`metadata.labels: Invalid value: "${'v'.repeat(64)}": must be no more than 63 characters`);
  });

  test('annotations together have at most 256 KiB, counted in bytes', () => {
    const half = 131_072;
    expect(check({ annotations: { a: 'x'.repeat(half - 1), b: 'y'.repeat(half - 1) } })).toEqual([]);
    const tooLong = ['metadata.annotations: Too long: must have at most 262144 bytes'];
    expect(check({ annotations: { a: 'x'.repeat(half - 1), b: 'y'.repeat(half) } })).toEqual(tooLong);
    expect(check({ annotations: { a: 'é'.repeat(half) } })).toEqual(tooLong);
  });

  test('only one owner is the controller, and an event cannot be an owner', () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', controller: true };
    const two = validateObjectMeta(
      {
        name: 'a',
        namespace: 'ns',
        ownerReferences: [
          { ...owner, name: 'a', uid: UID_A },
          { ...owner, name: 'b', uid: UID_B },
        ],
      },
      { namespaced: true, nameRule: dnsSubdomain, dialect: kubernetes },
    );
    expect(two.map(({ field, detail }) => [field, detail])).toEqual([
      [
        'metadata.ownerReferences',
        'Only one reference can have Controller set to true. Found "true" in references for ConfigMap/a and ConfigMap/b',
      ],
    ]);
    const [event] = validateObjectMeta(
      { name: 'a', namespace: 'ns', ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'a', uid: UID_A }] },
      { namespaced: true, nameRule: dnsSubdomain, dialect: kubernetes },
    );
    expect(event?.detail).toBe('/v1, Kind=Event is disallowed from being an owner');
  });

  test('errors are in the order of the fields in Kubernetes', () => {
    const found = validateObjectMeta(
      {
        generateName: 'X',
        namespace: 'N',
        generation: -1,
        labels: { '': '' },
        annotations: { '': '' },
        finalizers: ['', 'plain'],
        ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: '' }],
        managedFields: [{ operation: 'x' }],
      },
      { namespaced: true, nameRule: dnsSubdomain, dialect: kubernetes },
    );
    expect([...new Set(found.map(({ field }) => field))]).toEqual([
      'metadata.generateName',
      'metadata.name',
      'metadata.namespace',
      'metadata.generation',
      'metadata.labels',
      'metadata.annotations',
      'metadata.ownerReferences.uid',
      'metadata.finalizers',
      'metadata.managedFields[0].operation',
      'metadata.finalizers[0]',
      'metadata.finalizers[1]',
    ]);
  });

  test('the path is that of the metadata, at any position', () => {
    expect(check({ name: '' }, { path: FieldPath.of('spec', 'template', 'metadata') })).toEqual([
      'spec.template.metadata.name: Required value: name or generateName is required',
    ]);
  });

  test('standard finalizers follow the dialect; custom kinds accept any', () => {
    expect(check({ finalizers: ['orch'] }, { dialect: orch })).toEqual([]);
    expect(check({ finalizers: ['kubernetes'] }, { dialect: orch })).toHaveLength(1);
    expect(check({ finalizers: ['plain'] }, { finalizerDomains: 'any' })).toEqual([]);
  });
});

describe('an update', () => {
  const old: ObjectMeta = {
    name: 'a',
    namespace: 'ns',
    uid: UID_A,
    generation: 2,
    creationTimestamp: '2024-01-01T00:00:00Z',
    resourceVersion: '5',
  };

  function update(change: ObjectMeta, before: ObjectMeta = {}, rules = {}): string[] {
    return validateObjectMetaUpdate(
      { ...old, ...before, ...change },
      { ...old, ...before },
      { dialect: kubernetes, ...rules },
    ).map(String);
  }

  test('no change, and an equal time in another format, are valid', () => {
    expect(update({})).toEqual([]);
    expect(update({ creationTimestamp: '2024-01-01T01:00:00+01:00', generation: 3, labels: { a: 'b' } })).toEqual([]);
  });

  test.each<[string, ObjectMeta, string]>([
    ['name', { name: 'b' }, 'metadata.name: Invalid value: "b": field is immutable'],
    ['namespace', { namespace: '' }, 'metadata.namespace: Invalid value: "": field is immutable'],
    ['uid', { uid: UID_B }, `metadata.uid: Invalid value: "${UID_B}": field is immutable`],
    ['generation', { generation: 1 }, 'metadata.generation: Invalid value: 1: must not be decremented'],
    [
      'creationTimestamp',
      { creationTimestamp: '2001-01-01T00:00:00Z' },
      'metadata.creationTimestamp: Invalid value: 2001-01-01 00:00:00 +0000 UTC: field is immutable',
    ],
    [
      'creationTimestamp unset',
      { creationTimestamp: null },
      'metadata.creationTimestamp: Invalid value: 0001-01-01 00:00:00 +0000 UTC: field is immutable',
    ],
    [
      'deletionTimestamp',
      { deletionTimestamp: '2001-01-01T00:00:00Z' },
      'metadata.deletionTimestamp: Invalid value: 2001-01-01 00:00:00 +0000 UTC: field is immutable',
    ],
    [
      'deletionGracePeriodSeconds',
      { deletionGracePeriodSeconds: 30 },
      'metadata.deletionGracePeriodSeconds: Invalid value: 30: field is immutable',
    ],
    [
      'finalizer without a domain',
      { finalizers: ['plain'] },
      'metadata.finalizers[0]: Invalid value: "plain": name is neither a standard finalizer name nor is it fully qualified',
    ],
    ['label', { labels: { '': 'x' } }, `metadata.labels: Invalid value: "": name part must be non-empty`],
  ])('%s', (_, change, expected) => {
    expect(update(change)[0]).toBe(expected);
  });

  test('the resource version is required if configured', () => {
    expect(update({ resourceVersion: '' })).toEqual([]);
    expect(update({ resourceVersion: '' }, {}, { requireResourceVersion: true })).toEqual([
      'metadata.resourceVersion: Invalid value: "": must be specified for an update',
    ]);
  });

  test('an object that is being deleted accepts no new finalizers', () => {
    const deleting = {
      deletionTimestamp: '2024-02-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
      finalizers: ['example.com/b'],
    };
    expect(update({ finalizers: [] }, deleting)).toEqual([]);
    const found = validateObjectMetaUpdate(
      { ...old, ...deleting, finalizers: ['example.com/new', 'example.com/b', 'example.com/more'] },
      { ...old, ...deleting },
      { dialect: kubernetes },
    );
    expect(errors.invalid({ group: '', kind: 'ConfigMap' }, 'two-phase', found).message).toBe(
      'ConfigMap "two-phase" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more", "example.com/new"}',
    );
  });
});

describe('duplicate owner references', () => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'system', uid: UID_A };

  test('are removed, with a warning', () => {
    const meta: ObjectMeta = { ownerReferences: [owner, { ...owner }, { ...owner, name: 'other' }, { ...owner }] };
    expect(dedupOwnerReferences(meta)).toBe(
      `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${UID_A}, ${UID_A}`,
    );
    expect(meta.ownerReferences).toEqual([owner, { ...owner, name: 'other' }]);
  });

  test('differ if any field differs, and the text depends on the stage', () => {
    const meta: ObjectMeta = { ownerReferences: [owner, { ...owner, controller: false }] };
    expect(dedupOwnerReferences(meta)).toBeUndefined();
    expect(meta.ownerReferences).toHaveLength(2);
    expect(dedupOwnerReferences({})).toBeUndefined();
    expect(dedupOwnerReferences({ ownerReferences: [owner, owner] }, 'admission')).toContain(
      'duplicate entries after mutating admission happens; API server',
    );
  });
});

test('finalizers of custom kinds cause warnings when added', () => {
  const advice =
    'prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers';
  expect(finalizerWarnings(['plain', 'a.io/x', 'old', 'orphan'], ['old'])).toEqual([
    `metadata.finalizers: "plain": ${advice}`,
  ]);
  expect(finalizerWarnings(['not valid!'], undefined)).toEqual([
    `metadata.finalizers: "not valid!": ${QUALIFIED}`,
    `metadata.finalizers: "not valid!": ${advice}`,
  ]);
  expect(finalizerWarnings(undefined, ['old'])).toEqual([]);
});

test('field managers: length in bytes, positions in bytes', () => {
  expect(validateFieldManager('kubectl-client-side-apply', 'fieldManager')).toEqual([]);
  expect(validateFieldManager('é'.repeat(65), 'fieldManager').map(String)).toEqual([
    'fieldManager: Too long: must have at most 128 bytes',
  ]);
  expect(validateFieldManager('é\u200b', 'f').map(String)).toEqual([
    'f: Invalid value: "é\\u200b": invalid character U+200B (at position 2)',
  ]);
});
