import type { JsonObject } from '../../../src/foundation/json/json.js';

/**
 * A valid object of each kind that needs no certificate, without its name: slightly corrupted objects test more than
 * completely corrupted ones.
 */
export const SAMPLES: Readonly<Record<string, JsonObject>> = {
  ConfigMap: { data: { a: 'b', c: 'd' }, binaryData: { e: 'YQ==' } },
  Secret: { data: { a: 'YQ==' }, type: 'Opaque' },
  ServiceAccount: { secrets: [{ name: 'a' }], imagePullSecrets: [{ name: 'b' }] },
  Namespace: { spec: { finalizers: ['kubernetes'] } },
  Node: {
    spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
    status: { capacity: { cpu: '1' }, conditions: [{ type: 'Ready', status: 'True' }] },
  },
  Pod: {
    spec: {
      serviceAccountName: 'default',
      containers: [
        {
          name: 'c',
          image: 'i',
          ports: [{ containerPort: 80 }],
          env: [{ name: 'A', value: 'b' }],
          resources: { limits: { cpu: '100m' } },
        },
      ],
      tolerations: [{ key: 'a', operator: 'Exists' }],
    },
  },
  Lease: { spec: { holderIdentity: 'a', leaseDurationSeconds: 15, acquireTime: '2024-01-01T00:00:00.000000Z' } },
  Role: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }] },
  ClusterRole: {
    rules: [
      { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
      { nonResourceURLs: ['/healthz'], verbs: ['get'] },
    ],
  },
  RoleBinding: {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' },
    subjects: [{ kind: 'User', name: 'jane' }],
  },
  ClusterRoleBinding: {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'a' },
    subjects: [{ kind: 'Group', name: 'g' }],
  },
  SubjectAccessReview: {
    spec: { user: 'jane', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } },
  },
  LocalSubjectAccessReview: {
    spec: { user: 'jane', groups: ['g'], resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } },
  },
  SelfSubjectAccessReview: { spec: { nonResourceAttributes: { path: '/healthz', verb: 'get' } } },
  SelfSubjectRulesReview: { spec: { namespace: 'default' } },
  TokenReview: { spec: { token: 'x' } },
  SelfSubjectReview: {},
  Widget: { spec: { free: [{ a: [[1]] }], size: 2, color: 'red', parts: [{ name: 'a', tags: ['t'] }] } },
  Gadget: { on: true, ratio: 0.5, more: { x: 1 } },
};

/** An event, which must refer to an object in its own namespace. */
export const eventSample = (namespace: string, isOld: boolean): JsonObject => {
  const about = { kind: 'Pod', name: 'a', namespace };
  return isOld
    ? { involvedObject: about, reason: 'Tried', message: 'm', type: 'Normal', firstTimestamp: '2024-01-01T00:00:00Z' }
    : {
        regarding: about,
        reason: 'Tried',
        note: 'm',
        type: 'Normal',
        action: 'a',
        reportingController: 'example.com/c',
        reportingInstance: 'i',
        eventTime: '2024-01-01T00:00:00.000000Z',
      };
};
