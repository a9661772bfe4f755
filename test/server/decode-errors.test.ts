import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiServer, ConfigMap, Pod } from '../../src/entries/index.js';
import { controllerNames } from '../../src/entries/controllers.js';
import { ask, jsonOf } from './ask.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const NODES = '/api/v1/nodes';

let server: ApiServer;
beforeAll(async () => {
  server = new ApiServer({
    dialect: 'kubernetes',
    featureGates: { ClusterTrustBundle: true },
    runtimeConfig: 'certificates.k8s.io/v1alpha1=true',
    controllers: { disable: controllerNames },
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  await send('POST', MAPS, { metadata: { name: 'old' } });
  await send('POST', PODS, { metadata: { name: 'old' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  await send('POST', NODES, { metadata: { name: 'old' } });
});
afterAll(() => server.close());

async function send(method: string, path: string, body: unknown, type = 'application/json') {
  const answer = await ask(server, method, path, { headers: { 'content-type': type }, body: JSON.stringify(body) });
  return { status: answer.status, message: String(jsonOf(answer)['message']) };
}

/** A collection, a field with a wrong value in its objects, and Go's names for both. */
const CASES: readonly (readonly [path: string, field: string, value: unknown, words: string])[] = [
  [MAPS, 'metadata', 'x', 'string into Go struct field ConfigMap.metadata of type v1.ObjectMeta'],
  [
    MAPS,
    'metadata',
    { name: 'old', labels: 'x' },
    'string into Go struct field ObjectMeta.metadata.labels of type map[string]string',
  ],
  [MAPS, 'metadata', { name: 'old', uid: 1 }, 'number into Go struct field ObjectMeta.metadata.uid of type types.UID'],
  [MAPS, 'data', [], 'array into Go struct field ConfigMap.data of type map[string]string'],
  [MAPS, 'binaryData', { a: {} }, 'object into Go struct field ConfigMap.binaryData of type []uint8'],
  [
    PODS,
    'spec',
    { restartPolicy: 1 },
    'number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy',
  ],
  [PODS, 'spec', { overhead: [] }, 'array into Go struct field PodSpec.spec.overhead of type v1.ResourceList'],
  [
    PODS,
    'spec',
    { containers: [{ imagePullPolicy: true }] },
    'bool into Go struct field Container.spec.containers.imagePullPolicy of type v1.PullPolicy',
  ],
  [
    PODS,
    'spec',
    { containers: [{ resources: { limits: 'x' } }] },
    'string into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList',
  ],
  [
    PODS,
    'spec',
    { volumes: [{ hostPath: { type: {} } }] },
    'object into Go struct field HostPathVolumeSource.spec.volumes.hostPath.type of type v1.HostPathType',
  ],
  [
    PODS,
    'spec',
    { containers: [{ securityContext: { capabilities: { add: 'x' } } }] },
    'string into Go struct field Capabilities.spec.containers.securityContext.capabilities.add of type []v1.Capability',
  ],
  [
    PODS,
    'spec',
    { securityContext: { seccompProfile: { type: 1 } } },
    'number into Go struct field SeccompProfile.spec.securityContext.seccompProfile.type of type v1.SeccompProfileType',
  ],
  [
    NODES,
    'spec',
    { taints: [{ effect: 1 }] },
    'number into Go struct field Taint.spec.taints.effect of type v1.TaintEffect',
  ],
  [NODES, 'spec', { taints: {} }, 'object into Go struct field NodeSpec.spec.taints of type []v1.Taint'],
];

const kindOf = (path: string): string => ({ [MAPS]: 'ConfigMap', [PODS]: 'Pod' })[path] ?? 'Node';

describe.each(CASES)('%s: an error about a wrong %s %j names the Go types', (path, field, value, words) => {
  const object = { metadata: { name: 'old' }, [field]: value };
  const refused = {
    status: 400,
    message: `${kindOf(path)} in version "v1" cannot be handled as a ${kindOf(path)}: json: cannot unmarshal ${words}`,
  };

  test.each(['application/json', 'application/yaml'])('POST and PUT in %s', async (type) => {
    expect(await send('POST', path, object, type)).toEqual(refused);
    expect(await send('PUT', `${path}/old`, object, type)).toEqual(refused);
  });

  test.each([
    ['application/merge-patch+json', { [field]: value }],
    ['application/json-patch+json', [{ op: 'add', path: `/${field}`, value }]],
  ])('%s', async (type, body) => {
    const { status, message } = await send('PATCH', `${path}/old`, body, type);
    expect([status, message.slice(message.indexOf('": json: ') + 3)]).toEqual([422, `json: cannot unmarshal ${words}`]);
  });
});

test('the in-process client reports the same error', async () => {
  const maps = server.client().resource(ConfigMap).namespace('default');
  const pods = server.client().resource(Pod).namespace('default');
  // @ts-expect-error -- what a program in JavaScript may say
  const wrongMap: Parameters<typeof maps.create>[0] = { metadata: { name: 'old' }, data: 'x' };
  await expect(maps.create(wrongMap)).rejects.toThrow(
    'json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string',
  );
  // @ts-expect-error -- the same
  const wrongPod: Parameters<typeof pods.create>[0] = { metadata: { name: 'old' }, spec: { dnsPolicy: 1 } };
  await expect(pods.create(wrongPod)).rejects.toThrow(
    'json: cannot unmarshal number into Go struct field PodSpec.spec.dnsPolicy of type v1.DNSPolicy',
  );
});

test.each([
  [
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    { extra: { a: 'x' } },
    'string into Go struct field SubjectAccessReviewSpec.spec.extra of type v1.ExtraValue',
  ],
  [
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    { extra: 'x' },
    'string into Go struct field SubjectAccessReviewSpec.spec.extra of type map[string]v1.ExtraValue',
  ],
  [
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    { resourceAttributes: { fieldSelector: { requirements: [{ operator: 1 }] } } },
    'number into Go struct field FieldSelectorRequirement.spec.resourceAttributes.fieldSelector.requirements.operator of type v1.FieldSelectorOperator',
  ],
  [
    '/apis/certificates.k8s.io/v1/certificatesigningrequests',
    { usages: [1] },
    'number into Go struct field CertificateSigningRequestSpec.spec.usages of type v1.KeyUsage',
  ],
  [
    '/apis/certificates.k8s.io/v1alpha1/clustertrustbundles',
    [],
    'array into Go struct field ClusterTrustBundle.spec of type v1alpha1.ClusterTrustBundleSpec',
  ],
])('%s with the spec %j', async (path, spec, words) => {
  const { status, message } = await send('POST', path, { spec });
  expect([status, message.slice(message.indexOf(': json: ') + 2)]).toEqual([400, `json: cannot unmarshal ${words}`]);
});
