/** Objects of every kind, good as they are, for a fuzzer to spoil. By kind, without type and name. */
export const bodies: Readonly<Record<string, object>> = {
  Namespace: { spec: { finalizers: ['kubernetes'] } },
  ConfigMap: { immutable: false, data: { a: 'b' }, binaryData: { c: 'AAEC' } },
  Secret: { type: 'Opaque', data: { a: 'AAEC' }, stringData: { b: 'c' } },
  ServiceAccount: { secrets: [{ name: 's' }], imagePullSecrets: [{ name: 'p' }], automountServiceAccountToken: true },
  Pod: {
    spec: {
      containers: [{
        name: 'c', image: 'i', command: ['x'], env: [{ name: 'E', value: 'v' }, { name: 'F', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        ports: [{ containerPort: 80, protocol: 'TCP' }], resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: 0.5 } },
        livenessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 3 }, volumeMounts: [{ name: 'v', mountPath: '/v' }],
      }],
      volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }], tolerations: [{ key: 'k', operator: 'Exists', tolerationSeconds: 3, effect: 'NoExecute' }],
      nodeSelector: { a: 'b' }, restartPolicy: 'Always',
    },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2024-01-01T00:00:00Z' }], startTime: '2024-01-01T00:00:00Z', podIPs: [{ ip: '10.0.0.1' }], containerStatuses: [{ name: 'c', image: 'i', imageID: '', ready: true, restartCount: 1, state: { running: { startedAt: '2024-01-01T00:00:00Z' } } }] },
  },
  Node: { spec: { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'], taints: [{ key: 'k', effect: 'NoSchedule', timeAdded: '2024-01-01T00:00:00Z' }] }, status: { capacity: { cpu: '4' }, addresses: [{ type: 'InternalIP', address: '10.0.0.1' }], conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2024-01-01T00:00:00Z' }] } },
  Event: { involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' }, regarding: { kind: 'Pod', name: 'p', namespace: 'default' }, reason: 'R', message: 'm', type: 'Normal', count: 1, firstTimestamp: '2024-01-01T00:00:00Z', eventTime: '2024-01-01T00:00:00.000000Z', action: 'A', reportingController: 'e.x/c', reportingInstance: 'i', series: { count: 2, lastObservedTime: '2024-01-01T00:00:00.000000Z' } },
  Lease: { spec: { holderIdentity: 'h', leaseDurationSeconds: 10, acquireTime: '2024-01-01T00:00:00.000000Z', renewTime: '2024-01-01T00:00:00.000000Z', leaseTransitions: 1 } },
  Role: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: ['a'] }] },
  ClusterRole: { rules: [{ nonResourceURLs: ['/x/*'], verbs: ['get'] }], aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' }, matchExpressions: [{ key: 'k', operator: 'In', values: ['v'] }] }] } },
  RoleBinding: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' }, subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'u' }] },
  ClusterRoleBinding: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' }, subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'u' }] },
  CertificateSigningRequest: { spec: { request: 'AAEC', signerName: 'example.com/s', usages: ['client auth'], expirationSeconds: 3600 }, status: { conditions: [{ type: 'Approved', status: 'True', reason: 'r', lastUpdateTime: '2024-01-01T00:00:00Z' }], certificate: 'AAEC' } },
  ClusterTrustBundle: { spec: { signerName: 'example.com/s', trustBundle: '-----BEGIN CERTIFICATE-----\nAAEC\n-----END CERTIFICATE-----\n' } },
  TokenReview: { spec: { token: 't', audiences: ['a'] } },
  TokenRequest: { spec: { audiences: ['a'], expirationSeconds: 3600, boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 's', uid: 'u' } } },
  SubjectAccessReview: { spec: { user: 'u', groups: ['g'], extra: { k: ['v'] }, resourceAttributes: { verb: 'get', resource: 'pods', labelSelector: { requirements: [{ key: 'k', operator: 'In', values: ['v'] }] } } } },
  LocalSubjectAccessReview: { spec: { user: 'u', resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods', fieldSelector: { rawSelector: 'a=b' } } } },
  SelfSubjectAccessReview: { spec: { nonResourceAttributes: { path: '/x', verb: 'get' } } },
  SelfSubjectRulesReview: { spec: { namespace: 'default' } },
  SelfSubjectReview: {},
  Thing: { free: { list: [{ a: 1 }, [2]] }, set: ['a', 'b'], keyed: [{ name: 'a', port: 1, value: 'v' }], plain: ['x'], status: { conditions: [{ type: 't', status: 's' }] } },
};

/** Metadata with everything in it. */
export const metadata: object = {
  labels: { 'example.com/a': 'b' }, annotations: { k: 'v' }, finalizers: ['example.com/f'], generateName: 'g-', resourceVersion: '1', uid: 'u', generation: 1, creationTimestamp: '2024-01-01T00:00:00Z',
  deletionTimestamp: null, deletionGracePeriodSeconds: 3, selfLink: '/x', namespace: 'default',
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u', controller: true, blockOwnerDeletion: false }],
  managedFields: [{ manager: 'm', operation: 'Apply', apiVersion: 'v1', time: '2024-01-01T00:00:00Z', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:a': {} } } }],
};
