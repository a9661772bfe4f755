import type { JsonObject } from '../../../../src/foundation/json/json.js';

/** The fields of a valid webhook. */
export const webhookFields: JsonObject = {
  timeout: '3s',
  subjectAccessReviewVersion: 'v1',
  matchConditionSubjectAccessReviewVersion: 'v1',
  failurePolicy: 'NoOpinion',
  connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/etc/webhook.kubeconfig' },
};

/** A webhook that is valid except for some fields; undefined removes one. */
export const webhookEntry = (fields: JsonObject = {}, name = 'directory'): JsonObject => ({
  type: 'Webhook',
  name,
  webhook: { ...webhookFields, ...fields },
});

/** The path of the file. */
export const configurationOf = (authorizers: readonly JsonObject[], version = 'v1beta1'): JsonObject => ({
  apiVersion: `apiserver.config.orch.io/${version}`,
  kind: 'AuthorizationConfiguration',
  authorizers,
});

export const NODE: JsonObject = { type: 'Node', name: 'node' };
export const RBAC: JsonObject = { type: 'RBAC', name: 'rbac' };
