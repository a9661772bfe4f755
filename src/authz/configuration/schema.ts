import type { StructuralSchema } from '../../schema/structural.js';

/*
 * Written as nodes, like metadata: the file is read where no kind is, and needs no zod.
 */

const text: StructuralSchema = Object.freeze({ type: 'string', presence: 'omit' });

const struct = (name: string, properties: Readonly<Record<string, StructuralSchema>>): StructuralSchema =>
  Object.freeze({ type: 'object', name, presence: 'keep', properties: new Map(Object.entries(properties)) });

const list = (items: StructuralSchema, presence: StructuralSchema['presence']): StructuralSchema =>
  Object.freeze({ type: 'array', presence, items });

const webhook = struct('WebhookConfiguration', {
  authorizedTTL: text,
  unauthorizedTTL: text,
  timeout: text,
  subjectAccessReviewVersion: text,
  matchConditionSubjectAccessReviewVersion: text,
  failurePolicy: text,
  connectionInfo: struct('WebhookConnectionInfo', { type: text, kubeConfigFile: text }),
  matchConditions: list(
    struct('WebhookMatchCondition', { expression: Object.freeze({ type: 'string', presence: 'always' }) }),
    'omit',
  ),
});

/** The fields of an AuthorizationConfiguration, of all its versions. */
export const authorizationConfigurationSchema: StructuralSchema = struct('AuthorizationConfiguration', {
  apiVersion: text,
  kind: text,
  authorizers: list(struct('AuthorizerConfiguration', { type: text, name: text, webhook }), 'always'),
});
