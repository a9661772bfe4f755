import { describe, expect, test } from 'vitest';
import { namespaceLifecycle, certificateSubjectRestriction } from '../../../src/admission/index.js';
import type { AdmissionPlugin } from '../../../src/registry/index.js';
import { ApiError, ConfigMap, defineAdmissionPlugin, Namespace, Pod } from '../../../src/entries/index.js';
import { errors } from '../../../src/foundation/errors/api-error.js';
import { kubernetes } from '../../../src/foundation/index.js';
import { CertificateSigningRequest } from '../../../src/kinds/builtin/index.js';
import { fake } from '../../../src/entries/testing.js';
import {
  admissionAttributes,
  admissionPluginCases,
  type AdmissionExample,
  type AdmissionPluginCasesOptions,
} from '../../../src/entries/suites.js';
import { brokenOnes, passes } from './support.js';

const map = (name: string, data: Record<string, string> = {}, labels = {}) => ({
  metadata: { name, namespace: 'default', labels },
  data,
});
const example = (
  name: string,
  operation: AdmissionExample['operation'],
  object?: object,
  oldObject?: object,
): AdmissionExample => ({ name, operation, kind: ConfigMap, object, oldObject });

const space = (name: string, deletionTimestamp?: string) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
});
passes('NamespaceLifecycle', () =>
  admissionPluginCases({
    dialect: 'kubernetes',
    create: () =>
      namespaceLifecycle(kubernetes, async (name) =>
        name === 'none' ? undefined : (space(name, name === 'ending' ? '2024-01-01T00:00:00Z' : undefined) as never),
      ),
    accepted: [
      example('a config map', 'CREATE', map('a')),
      { name: 'a namespace', operation: 'DELETE', kind: Namespace, oldObject: { metadata: { name: 'team' } } },
    ],
    refused: [
      { ...example('no namespace', 'CREATE', { metadata: { name: 'a' } }), namespace: 'none' },
      { ...example('a namespace that ends', 'CREATE', { metadata: { name: 'a' } }), namespace: 'ending' },
      {
        name: 'the default namespace',
        operation: 'DELETE',
        kind: Namespace,
        oldObject: { metadata: { name: 'default' } },
      },
    ],
  }),
);

const request = await fake(CertificateSigningRequest, { dialect: 'kubernetes' });
passes('CertificateSubjectRestriction', () => {
  const signerName = kubernetes.signers.apiServerClient;
  const csr = (name: string, spec: object): AdmissionExample => ({
    name,
    operation: 'CREATE',
    kind: CertificateSigningRequest,
    object: { ...request, spec: { ...request.spec, ...spec } },
  });
  return admissionPluginCases({
    dialect: 'kubernetes',
    create: () => certificateSubjectRestriction(kubernetes),
    accepted: [csr('a client', { signerName }), csr('another signer', { request: 'AAAA' })],
    refused: [csr('no request', { signerName, request: 'AAAA' })],
  });
});

const labelled = defineAdmissionPlugin({
  name: 'TeamLabel',
  kinds: [ConfigMap],
  operations: ['CREATE', 'UPDATE'],
  mutate({ object }) {
    object.metadata.labels = { team: 'none', ...object.metadata.labels };
  },
  validate({ info, name, object }) {
    if (object.data?.['forbidden'] !== undefined) throw errors.forbidden(info, name, 'no such key');
  },
});
const options = (create: AdmissionPluginCasesOptions['create']): AdmissionPluginCasesOptions => ({
  create,
  accepted: [
    example('a new map', 'CREATE', map('a')),
    example('a labelled map', 'CREATE', map('b', {}, { team: 'x' })),
    example('a changed map', 'UPDATE', map('a', { x: '2' }), map('a', { x: '1' })),
  ],
  refused: [example('a forbidden key', 'CREATE', map('c', { forbidden: '1' }))],
});
passes('a plugin of a program', () => admissionPluginCases(options(() => labelled)));

describe('the cases', () => {
  const forbids = (data: unknown): boolean => typeof data === 'object' && data !== null && 'forbidden' in data;
  const refuse = (): never => {
    throw new ApiError({ code: 403, reason: 'Forbidden', message: 'no such key' });
  };
  const base: AdmissionPlugin = {
    name: 'Good',
    operations: ['CREATE', 'UPDATE'],
    validate: ({ object }) => (forbids(object?.['data']) ? refuse() : undefined),
  };
  let calls = 0;
  const broken: readonly (readonly [string, string, AdmissionPlugin])[] = [
    [
      'has a name with a dash',
      'has a name in CamelCase, operations, and something to do',
      { ...base, name: 'not-good' },
    ],
    [
      'does nothing',
      'has a name in CamelCase, operations, and something to do',
      { name: 'Idle', operations: ['CREATE'] },
    ],
    [
      'has an operation without a test',
      'is tested by requests that it handles, of each of its operations',
      { ...base, operations: ['CREATE', 'UPDATE', 'DELETE'] },
    ],
    [
      'handles another kind',
      'is tested by requests that it handles, of each of its operations',
      { ...base, kinds: [Pod] },
    ],
    ['refuses everything', 'lets pass what must be accepted', { ...base, validate: refuse }],
    ['refuses nothing', 'refuses what must be refused, with an ApiError', { ...base, validate: () => undefined }],
    [
      'throws another error',
      'refuses what must be refused, with an ApiError',
      {
        ...base,
        validate: ({ object }) => {
          if (forbids(object?.['data'])) throw new Error('no');
        },
      },
    ],
    [
      'refuses with a failure of the server',
      'refuses what must be refused, with an ApiError',
      {
        ...base,
        validate: ({ object }) => {
          if (forbids(object?.['data'])) throw new ApiError({ code: 500, message: 'no' });
        },
      },
    ],
    [
      'lets dry runs pass',
      'decides the same in a dry run',
      { ...base, validate: (attributes) => (attributes.dryRun ? undefined : base.validate?.(attributes)) },
    ],
    [
      'counts',
      'decides the same for concurrent requests',
      {
        ...base,
        validate: async (attributes) => {
          calls += 1;
          await Promise.resolve();
          if (calls > 6) refuse();
          await base.validate?.(attributes);
        },
      },
    ],
    [
      'appends',
      'changes nothing more when mutate runs again',
      {
        ...base,
        mutate: ({ object }) => {
          if (object !== undefined) object.metadata.labels = { ...object.metadata.labels, [`run-${(calls += 1)}`]: '' };
        },
      },
    ],
    [
      'renames',
      'changes neither the stored object nor what identifies the new one',
      {
        ...base,
        mutate: ({ object }) => {
          if (object !== undefined) object.metadata.name = 'other';
        },
      },
    ],
    [
      'changes the stored object',
      'changes neither the stored object nor what identifies the new one',
      {
        ...base,
        mutate: ({ oldObject }) => {
          if (oldObject !== undefined) Object.assign(oldObject.metadata, { name: 'other' });
        },
      },
    ],
    [
      'writes a date',
      'leaves objects that are JSON',
      {
        ...base,
        mutate: ({ object }) => {
          if (object !== undefined) Object.assign(object, { at: new Date(0) });
        },
      },
    ],
    [
      'changes the object in validate',
      'changes nothing in validate',
      {
        ...base,
        validate: (attributes) => {
          if (attributes.object !== undefined) attributes.object.metadata.labels = {};
          return base.validate?.(attributes);
        },
      },
    ],
  ];
  brokenOnes(
    admissionPluginCases(options(() => base)).map(({ name }) => name),
    broken,
    (plugin) => {
      calls = 0;
      return admissionPluginCases(options(() => plugin));
    },
  );

  passes('on one that works', () => admissionPluginCases(options(() => base)));

  test('refuse what tests nothing', () => {
    expect(() => admissionPluginCases({ ...options(() => base), accepted: [] })).toThrow(
      'the option accepted must have a request',
    );
  });

  test('make attributes as the server does', () => {
    const made = admissionAttributes(example('x', 'UPDATE', map('a'), map('a')), kubernetes);
    expect(made).toMatchObject({
      namespace: 'default',
      name: 'a',
      requestName: 'a',
      object: { apiVersion: 'v1', kind: 'ConfigMap' },
      dryRun: false,
    });
    expect(made.options?.()).toMatchObject({ kind: 'UpdateOptions' });
    expect(admissionAttributes(example('x', 'CREATE', map('a'))).requestName).toBe('');
  });
});
