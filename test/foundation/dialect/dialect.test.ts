import { describe, expect, test } from 'vitest';
import {
  defineDialect,
  dialects,
  groupName,
  kubernetes,
  orch,
  systemGroup,
  type Dialect,
} from '../../../src/foundation/index.js';

/** The identifiers in the contract, with the member of a dialect that must contain each. */
const CONTRACT: readonly (readonly [identifier: string, read: (dialect: Dialect) => string])[] = [
  ['orch-system', (dialect) => dialect.namespaces.system],
  ['orch-public', (dialect) => dialect.namespaces.public],
  ['default', (dialect) => dialect.namespaces.default],
  ['orch.io/orch-apiserver-client', (dialect) => dialect.signers.apiServerClient],
  ['orch.io/orch-apiserver-client-orchlet', (dialect) => dialect.signers.apiServerClientNodeAgent],
  ['orch.io/orchlet-serving', (dialect) => dialect.signers.nodeAgentServing],
  ['orch.io/legacy-unknown', (dialect) => dialect.signers.legacyUnknown],
  ['bootstrap.orch.io/token', (dialect) => dialect.secretTypes.bootstrapToken],
  ['application/vnd.orch.protobuf', (dialect) => dialect.protobufMediaType],
  ['orch.io', (dialect) => dialect.labelDomain],
  ['orch.io', (dialect) => dialect.groupSuffix],
  ['rbac.authorization.orch.io', (dialect) => groupName(systemGroup('rbac.authorization'), dialect)],
  ['certificates.orch.io', (dialect) => groupName(systemGroup('certificates'), dialect)],
  ['meta.orch.io', (dialect) => groupName(systemGroup('meta'), dialect)],
];

describe('orch', () => {
  test.each(CONTRACT.map(([identifier, read]) => [identifier, read] as const))(
    'has %s as in the contract',
    (identifier, read) => {
      expect(read(orch)).toBe(identifier);
    },
  );

  test('the protobuf envelope starts with the bytes of the contract', () => {
    expect([...orch.protobufMagic]).toEqual([0x6b, 0x38, 0x73, 0x00]);
  });

  test('the standard finalizers are its own and those of garbage collection', () => {
    expect(orch.standardFinalizers).toEqual(['orch', 'orphan', 'foregroundDeletion']);
  });
});

test('the kubernetes dialect has the names that existing clients expect', () => {
  expect(kubernetes.namespaces).toEqual({
    default: 'default',
    system: 'kube-system',
    public: 'kube-public',
    nodeLease: 'kube-node-lease',
  });
  expect(kubernetes.signers).toEqual({
    apiServerClient: 'kubernetes.io/kube-apiserver-client',
    apiServerClientNodeAgent: 'kubernetes.io/kube-apiserver-client-kubelet',
    nodeAgentServing: 'kubernetes.io/kubelet-serving',
    legacyUnknown: 'kubernetes.io/legacy-unknown',
  });
  expect(kubernetes.secretTypes).toEqual({
    serviceAccountToken: 'kubernetes.io/service-account-token',
    dockercfg: 'kubernetes.io/dockercfg',
    dockerConfigJson: 'kubernetes.io/dockerconfigjson',
    basicAuth: 'kubernetes.io/basic-auth',
    sshAuth: 'kubernetes.io/ssh-auth',
    tls: 'kubernetes.io/tls',
    bootstrapToken: 'bootstrap.kubernetes.io/token',
  });
  expect(kubernetes.protobufMediaType).toBe('application/vnd.kubernetes.protobuf');
  expect(kubernetes.tokenClaim).toBe('kubernetes.io');
  expect(kubernetes.execInfoVariable).toBe('KUBERNETES_EXEC_INFO');
  expect(kubernetes.namespaceNameLabel).toBe('kubernetes.io/metadata.name');
  expect(kubernetes.initialEventsEndAnnotation).toBe('k8s.io/initial-events-end');
  expect(kubernetes.webSocketBearerPrefix).toBe('base64url.bearer.authorization.k8s.io.');
  expect(kubernetes.standardFinalizers).toEqual(['kubernetes', 'orphan', 'foregroundDeletion']);
  expect(groupName(systemGroup('coordination'), kubernetes)).toBe('coordination.k8s.io');
});

test('no identifier of one dialect contains names of the other', () => {
  expect(JSON.stringify(orch)).not.toMatch(/kube|k8s/);
  expect(JSON.stringify(kubernetes)).not.toMatch(/orch/);
});

test('the included dialects are found by name and are immutable', () => {
  expect([...dialects]).toEqual([
    ['orch', orch],
    ['kubernetes', kubernetes],
  ]);
  expect(Object.isFrozen(orch) && Object.isFrozen(kubernetes) && Object.isFrozen(orch.signers)).toBe(true);
});

describe('defineDialect', () => {
  const words = { name: 'acme', product: 'acme', groupSuffix: 'acme.example', labelDomain: 'labels.acme.example' };

  test('derives every identifier, and accepts overrides', () => {
    const acme = defineDialect({ ...words, nodeAgentName: 'agent' });
    expect(acme.namespaces.nodeLease).toBe('acme-node-lease');
    expect(acme.signers.nodeAgentServing).toBe('labels.acme.example/agent-serving');
    expect(acme.signers.apiServerClientNodeAgent).toBe('labels.acme.example/acme-apiserver-client-agent');
    expect(acme.initialEventsEndAnnotation).toBe('acme.example/initial-events-end');
    expect(defineDialect({ ...words, tokenClaim: 'claim' }).tokenClaim).toBe('claim');
  });

  test('derives an identifier that is undefined', () => {
    expect(defineDialect({ ...words, nodeAgentName: undefined, tokenClaim: undefined })).toEqual(defineDialect(words));
  });

  test.each([
    ['name', 'Acme'],
    ['product', ''],
    ['product', '9lives'],
    ['groupSuffix', 'acme..example'],
    ['labelDomain', 'Acme.example'],
  ])('rejects %s %j', (field, value) => {
    expect(() => defineDialect({ ...words, [field]: value })).toThrow(TypeError);
  });
});

test('custom groups keep their names', () => {
  expect(groupName('shop.example.com', kubernetes)).toBe('shop.example.com');
  expect(groupName('', orch)).toBe('');
});
