/** The text of all expressions of a policy, and of all match conditions of webhooks, is bounded. */
import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import {
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingWebhookConfiguration,
} from '../../../../src/kinds/builtin/index.js';
import type { RequestContext, ResourceDefinition } from '../../../../src/registry/index.js';
import { changed, context, create, freeze, texts, unlessWaiting } from '../support.js';

const KINDS = [ValidatingAdmissionPolicy, MutatingWebhookConfiguration, ValidatingWebhookConfiguration];

/** `true`, in some characters. */
const trueOf = (length: number): string => 'true'.padEnd(length);

const condition = (expression: string, index = 0): JsonObject => ({ name: `c${index}`, expression });
const policy = (spec: JsonObject): JsonObject => ({
  metadata: { name: 'a' },
  spec: {
    matchConstraints: {
      resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
    },
    validations: [{ expression: 'true' }],
    ...spec,
  },
});
const webhook = (name: string, ...matchConditions: JsonObject[]): JsonObject => ({
  ...{ name, clientConfig: { url: 'https://example.com/check' }, sideEffects: 'None', admissionReviewVersions: ['v1'] },
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
  matchConditions,
});
const webhooks = (...members: JsonObject[]): JsonObject => ({ metadata: { name: 'a' }, webhooks: members });

beforeAll(async () => {
  for (const kind of KINDS) await kind.prepare?.();
  await ValidatingAdmissionPolicy.strategy?.load?.({ apiVersion: '', kind: '', metadata: {} });
  const conditioned = webhooks(webhook('a.example.com', condition('1')));
  await MutatingWebhookConfiguration.strategy?.load?.(create(MutatingWebhookConfiguration, conditioned));
});

const errorsOf = (kind: ResourceDefinition, manifest: JsonObject, limits: RequestContext = context): string[] =>
  texts(unlessWaiting(kind.strategy?.validateNew?.(freeze(create(kind, manifest)), limits)));

/** Manifests of each kind whose expressions have a length together: each member that has expressions counts. */
const ROWS: readonly (readonly [string, ResourceDefinition, string, (length: number) => JsonObject])[] = [
  [
    'the validations of a policy',
    ValidatingAdmissionPolicy,
    'spec',
    (length) => policy({ validations: [{ expression: trueOf(length) }] }),
  ],
  [
    'the messages of a policy',
    ValidatingAdmissionPolicy,
    'spec',
    (length) => policy({ validations: [{ expression: 'true', messageExpression: "'a'".padEnd(length - 4) }] }),
  ],
  [
    'the variables of a policy',
    ValidatingAdmissionPolicy,
    'spec',
    (length) => policy({ variables: [{ name: 'a', expression: trueOf(length - 4) }] }),
  ],
  [
    'the audit annotations of a policy',
    ValidatingAdmissionPolicy,
    'spec',
    (length) => policy({ auditAnnotations: [{ key: 'a', valueExpression: "'a'".padEnd(length - 4) }] }),
  ],
  [
    'the conditions of a policy',
    ValidatingAdmissionPolicy,
    'spec',
    (length) => policy({ matchConditions: [condition(trueOf(length - 4))] }),
  ],
  ...[MutatingWebhookConfiguration, ValidatingWebhookConfiguration].map(
    (kind) =>
      [
        `the conditions of ${kind.kind}`,
        kind,
        'webhooks',
        (length: number) =>
          webhooks(
            webhook('a.example.com', condition(trueOf(10)), condition(trueOf(10), 1)),
            webhook('b.example.com', condition(trueOf(length - 20))),
          ),
      ] as const,
  ),
];

const LIMIT = 100;
const limited: RequestContext = { ...context, definitionLimits: { ruleCharacters: LIMIT } };

test.each(ROWS)('%s may be as long as the limit, not longer', (_, kind, path, manifestOf) => {
  expect(errorsOf(kind, manifestOf(LIMIT), limited)).toEqual([]);
  expect(errorsOf(kind, manifestOf(LIMIT + 1), limited)).toEqual([`${path}: Too long: must have at most 100 bytes`]);
});

test.each(ROWS)('%s have the limit of the rules of a definition by default', (_, kind, path, manifestOf) => {
  expect(errorsOf(kind, manifestOf(1_000))).toEqual([]);
  expect(errorsOf(kind, manifestOf(262_145))).toEqual([`${path}: Too long: must have at most 262144 bytes`]);
});

test.each(ROWS)('%s that are longer stay valid in an update, until they grow', (_, kind, path, manifestOf) => {
  const old = freeze(create(kind, manifestOf(LIMIT + 20)));
  const field = path === 'spec' ? 'spec' : 'webhooks';
  const updated = (length: number): string[] => {
    const object = changed(old, { [field]: create(kind, manifestOf(length))[field] as JsonObject });
    return texts(unlessWaiting(kind.strategy?.validateChange?.(freeze(object) as typeof old, old, limited)));
  };
  expect(updated(LIMIT + 20)).toEqual([]);
  expect(updated(LIMIT + 10)).toEqual([]);
  expect(updated(LIMIT + 21)).toEqual([`${path}: Too long: must have at most 100 bytes`]);
});
