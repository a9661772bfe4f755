import { atOnce } from '../../../../src/foundation/work/work.js';
import { describe, expect, it } from 'vitest';
import { isJsonObject } from '../../../../src/foundation/json/json.js';
import { beginNamespaceDeletion, isNamespaceFinalized } from '../../../../src/kinds/builtin/core/namespace.js';
import { ConfigMap, Lease, Namespace, Secret, ServiceAccount } from '../../../../src/kinds/builtin/index.js';
import {
  cells,
  changed,
  context,
  contextOf,
  create,
  decode,
  freeze,
  kubernetes,
  problems,
  subresourceStrategy,
  texts,
  updateProblems,
  type Changes,
} from '../support.js';

const MIB = 1024 * 1024;
const KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const SEALED = 'Forbidden: field is immutable when `immutable` is set';

describe('ConfigMap', () => {
  it.each([
    [{ data: { 'a b': '1' } }, [`data[a b]: Invalid value: "a b": ${KEY}`]],
    [
      { data: { '.': '1', '..': '2' } },
      [`data[.]: Invalid value: ".": must not be '.'`, `data[..]: Invalid value: "..": must not be '..'`],
    ],
    [{ binaryData: { '..x': 'MQ==' } }, [`binaryData[..x]: Invalid value: "..x": must not start with '..'`]],
    [
      { data: { k: '1' }, binaryData: { k: 'MQ==' } },
      ['data[k]: Invalid value: "k": duplicate of key present in binaryData'],
    ],
    [{ data: { k: 'x'.repeat(MIB) } }, []],
    [{ data: { k: 'x'.repeat(MIB - 1), l: 'é' } }, ['[]: Too long: must have at most 1048576 bytes']],
    [
      { data: { ['k'.repeat(254)]: '1' } },
      [`data[${'k'.repeat(254)}]: Invalid value: "${'k'.repeat(254)}": must be no more than 253 characters`],
    ],
  ])('%#: the rules of keys and size', (fields, expected) => {
    expect(problems(ConfigMap, fields)).toEqual(expected);
  });

  it('cannot change if it is immutable', () => {
    const old = create(ConfigMap, { data: { k: '1' }, immutable: true });
    expect(
      updateProblems(ConfigMap, old, { data: { k: '2' }, binaryData: { l: 'MQ==' }, immutable: undefined }),
    ).toEqual([`immutable: ${SEALED}`, `data: ${SEALED}`, `binaryData: ${SEALED}`]);
    expect(updateProblems(ConfigMap, old, { 'metadata.labels': { a: 'b' } })).toEqual([]);
  });

  it('counts its keys', () => {
    expect(
      cells(
        ConfigMap,
        create(ConfigMap, {
          metadata: { name: 'c', creationTimestamp: '2024-05-01T11:55:00Z' },
          data: { a: '1' },
          binaryData: { b: 'MQ==' },
        }),
      ),
    ).toEqual({ Name: 'c', Data: 2, Age: '5m' });
  });
});

describe('Secret', () => {
  it('stores stringData as data, overriding data', () => {
    const secret = decode(Secret, {
      data: { user: 'cm9vdA==', password: 'eA==' },
      stringData: { password: 's3cret', e: 'é' },
    });
    expect(secret).toMatchObject({ data: { user: 'cm9vdA==', password: 'czNjcmV0', e: 'w6k=' }, type: 'Opaque' });
    expect(secret).not.toHaveProperty('stringData');
  });

  const redacted = (why: string) => `Invalid value: "<secret contents redacted>": ${why}`;
  const json = (text: string) => btoa(text);
  it.each([
    ['service-account-token', {}, ['metadata.annotations[kubernetes.io/service-account.name]: Required value']],
    ['dockercfg', {}, ['data[.dockercfg]: Required value']],
    ['dockercfg', { '.dockercfg': json('{"a":1}') }, []],
    [
      'dockerconfigjson',
      { '.dockerconfigjson': json('not json') },
      [`data[.dockerconfigjson]: ${redacted("invalid character 'o' in literal null (expecting 'u')")}`],
    ],
    [
      'dockerconfigjson',
      { '.dockerconfigjson': json('') },
      [`data[.dockerconfigjson]: ${redacted('unexpected end of JSON input')}`],
    ],
    [
      'dockerconfigjson',
      { '.dockerconfigjson': json('[1]') },
      [
        `data[.dockerconfigjson]: ${redacted('json: cannot unmarshal array into Go value of type map[string]interface {}')}`,
      ],
    ],
    [
      'dockerconfigjson',
      { '.dockerconfigjson': json('{"a":1,}') },
      [`data[.dockerconfigjson]: ${redacted("invalid character '}' looking for beginning of object key string")}`],
    ],
    ['basic-auth', {}, ['data[username]: Required value', 'data[password]: Required value']],
    ['basic-auth', { username: '' }, []],
    ['ssh-auth', { 'ssh-privatekey': '' }, ['data[ssh-privatekey]: Required value']],
    ['tls', { 'tls.crt': '' }, ['data[tls.key]: Required value']],
  ])('of type %s requires its keys (%#)', (type, data, expected) => {
    expect(problems(Secret, { type: `kubernetes.io/${type}`, data }, kubernetes)).toEqual(expected);
  });

  it('checks the keys of a bootstrap token, and knows only the types of its own dialect', () => {
    const token = { 'token-id': btoa('abc123'), 'token-secret': btoa('0123456789abcdef') };
    const type = 'bootstrap.kubernetes.io/token';
    expect(problems(Secret, { type, data: token }, kubernetes)).toEqual([]);
    expect(problems(Secret, { type }, kubernetes)).toEqual([
      'data[token-id]: Required value',
      'data[token-secret]: Required value',
    ]);
    const rules: readonly (readonly [string, string, string])[] = [
      ['token-id', 'ABC123', 'must be six characters of a-z and 0-9'],
      ['token-secret', 'short', 'must be sixteen characters of a-z and 0-9'],
      ['expiration', 'tomorrow', 'must be an RFC 3339 time'],
      [
        'auth-extra-groups',
        'system:bootstrappers:a,system:masters',
        'each group must start with system:bootstrappers:',
      ],
    ];
    for (const [key, text, rule] of rules) {
      expect(problems(Secret, { type, data: { ...token, [key]: btoa(text) } }, kubernetes)).toEqual([
        `data[${key}]: Invalid value: "<secret contents redacted>": ${rule}`,
      ]);
    }
    const free = {
      expiration: btoa('2030-01-01T00:00:00Z'),
      'auth-extra-groups': btoa('system:bootstrappers:a,system:bootstrappers:b'),
      'usage-bootstrap-authentication': btoa('true'),
    };
    expect(problems(Secret, { type, data: { ...token, ...free } }, kubernetes)).toEqual([]);
    expect(problems(Secret, { type: 'kubernetes.io/tls' })).toEqual([]);
    expect(problems(Secret, { type: 'orch.io/tls' })).toHaveLength(2);
  });

  it('keeps its type, and cannot change if it is immutable', () => {
    const old = create(Secret, { data: { key: 'djE=' }, immutable: true });
    expect(updateProblems(Secret, old, { type: 'example.com/custom', data: { key: 'djI=' } })).toEqual([
      'type: Invalid value: "example.com/custom": field is immutable',
      `data: ${SEALED}`,
    ]);
  });

  it('has at most 1 MiB, and a type column and selector', () => {
    const old = create(Secret, { metadata: { name: 's' }, data: { key: btoa('x') } });
    expect(problems(Secret, { data: { key: btoa('x'.repeat(MIB)) } })).toEqual([]);
    expect(problems(Secret, { data: { key: btoa('x'.repeat(MIB + 1)) } })).toEqual([
      'data: Too long: must have at most 1048576 bytes',
    ]);
    expect(Secret.selectableFields?.['type']?.(old)).toBe('Opaque');
    expect(cells(Secret, old)).toEqual({ Name: 's', Type: 'Opaque', Data: 1, Age: '<unknown>' });
  });
});

describe('Namespace', () => {
  const named = (fields = {}) =>
    create(Namespace, { metadata: { name: 'n', labels: { team: 'x', 'orch.io/metadata.name': 'forged' } }, ...fields });

  it('starts Active, with the finalizer and the label of the server', () => {
    expect(named()).toMatchObject({
      metadata: { labels: { team: 'x', 'orch.io/metadata.name': 'n' } },
      spec: { finalizers: ['orch'] },
      status: { phase: 'Active' },
    });
    expect(
      named({ spec: { finalizers: ['example.com/hold', 'orch'] }, status: { phase: 'Terminating' } }),
    ).toMatchObject({ spec: { finalizers: ['example.com/hold', 'orch'] }, status: { phase: 'Active' } });
  });

  it('keeps spec and status in a PUT', () => {
    const old = named();
    const object = changed(old, { spec: { finalizers: [] }, status: { phase: 'Terminating' } });
    atOnce(Namespace.strategy?.prepareForUpdate?.(object, old, context));
    expect(object).toMatchObject({ spec: { finalizers: ['orch'] }, status: { phase: 'Active' } });
  });

  it('has the phase that matches its deletion', () => {
    const old = named();
    const status = subresourceStrategy(Namespace, 'status');
    const check = (change: Changes) =>
      texts(status.validateUpdate?.(freeze(changed(old, change)) as typeof old, old, context));
    expect(check({ status: { phase: 'Terminating' } })).toEqual([
      'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ]);
    expect(check({ 'metadata.deletionTimestamp': '2024-01-01T00:00:00Z' })).toEqual([
      'status.Phase: Invalid value: "Active": may only be \'Terminating\' if `deletionTimestamp` is not empty',
    ]);
  });

  it('rejects finalizers that are not qualified names', () => {
    expect(problems(Namespace, { metadata: { name: 'n' }, spec: { finalizers: ['plain'] } })).toEqual([
      'spec.finalizers: Invalid value: "plain": name is neither a standard finalizer name nor is it fully qualified',
    ]);
    const old = named();
    const finalize = subresourceStrategy(Namespace, 'finalize');
    const object = changed(old, { spec: { finalizers: ['example.com/a', 'b c'] }, status: {} });
    atOnce(finalize.prepareForUpdate(object, old, context));
    expect(object['status']).toEqual({ phase: 'Active' });
    expect(texts(finalize.validateUpdate?.(freeze(object) as typeof old, old, context))).toEqual([
      expect.stringMatching(/^spec\.finalizers\[1\]: Invalid value: "b c": name part must consist/),
      'spec.finalizers[1]: Invalid value: "b c": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });

  it('is deleted in two phases', () => {
    const object = changed(named(), {});
    beginNamespaceDeletion(object, '2024-05-01T12:00:00Z');
    beginNamespaceDeletion(object, '2025-01-01T00:00:00Z');
    expect(object).toMatchObject({
      metadata: { deletionTimestamp: '2024-05-01T12:00:00Z' },
      status: { phase: 'Terminating' },
    });
    expect(isNamespaceFinalized(freeze(object) as ReturnType<typeof named>)).toBe(false);
    expect(isNamespaceFinalized(freeze({ apiVersion: 'v1', kind: 'Namespace', metadata: {}, spec: {} }))).toBe(true);
    expect(cells(Namespace, freeze(object) as ReturnType<typeof named>)).toMatchObject({ Status: 'Terminating' });
  });

  it('has a label with the domain of the dialect', () => {
    expect(create(Namespace, { metadata: { name: 'n' } }, kubernetes).metadata.labels).toEqual({
      'kubernetes.io/metadata.name': 'n',
    });
    expect(create(Namespace, { metadata: { name: 'n' } }, kubernetes)).toMatchObject({
      spec: { finalizers: ['kubernetes'] },
    });
  });
});

describe('ServiceAccount', () => {
  it('keeps only the names of its secrets', () => {
    const account = create(ServiceAccount, {
      metadata: { name: 'robot' },
      secrets: [{ name: 's1', kind: 'Secret', namespace: 'x' }],
      imagePullSecrets: [{ name: 'p' }],
      automountServiceAccountToken: false,
    });
    expect(account).toMatchObject({
      secrets: [{ name: 's1' }],
      imagePullSecrets: [{ name: 'p' }],
      automountServiceAccountToken: false,
    });
    expect(isJsonObject(account) && account['secrets']).toEqual([{ name: 's1' }]);
    expect(cells(ServiceAccount, account)).toEqual({ Name: 'robot', Secrets: 1, Age: '<unknown>' });
    expect(ServiceAccount.strategy).toMatchObject({ deleteReturnsObject: true, deleteCollectionReturnsStatus: true });
  });
});

describe('Lease', () => {
  it.each([
    [{ leaseDurationSeconds: 0 }, ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0']],
    [
      { leaseDurationSeconds: 1, leaseTransitions: -1 },
      ['spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      { holderIdentity: 'me', leaseDurationSeconds: 15, leaseTransitions: 0, renewTime: '2024-05-01T12:00:00.000000Z' },
      [],
    ],
    [{}, []],
  ])('%# has its bounds', (spec, expected) => {
    expect(problems(Lease, { spec })).toEqual(expected);
  });

  it('shows its holder, is created by PUT, and drops the alpha fields', () => {
    const lease = create(
      Lease,
      {
        metadata: { name: 'l' },
        spec: { holderIdentity: 'me', strategy: 'OldestEmulationVersion', preferredHolder: 'you' },
      },
      contextOf().dialect,
    );
    expect(lease['spec']).toEqual({ holderIdentity: 'me' });
    expect(cells(Lease, lease)).toEqual({ Name: 'l', Holder: 'me', Age: '<unknown>' });
    expect(Lease.strategy).toMatchObject({ allowCreateOnUpdate: true, allowUnconditionalUpdate: false });
  });
});
