/**
 * Requests of users who may write roles, flow schemas, certificate requests or reviews: later requests of everybody read
 * much of it again.
 */
import type { Request } from '../client.js';
import { configMap, MAPS } from '../kinds.js';
import type { Row } from '../row.js';
import { filled, once } from '../texts.js';
import type { World } from '../world.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const FLOWS = '/apis/flowcontrol.apiserver.k8s.io/v1';
const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const AUTHORIZATION = '/apis/authorization.k8s.io/v1';

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
const post = (path: string, body: () => string): Request => ({ method: 'POST', path, body: once(body) });

/** Gives the attacker the right to write everything of these rows, without the rights that roles may not exceed. */
async function granted({ owner }: World): Promise<void> {
  const all = ['*'];
  const groups = ['rbac.authorization.k8s.io', 'flowcontrol.apiserver.k8s.io', 'certificates.k8s.io'];
  const verbs = ['get', 'list', 'create', 'update', 'patch', 'delete'];
  const rules = [
    { apiGroups: groups, resources: all, verbs },
    { apiGroups: ['authorization.k8s.io', 'authentication.k8s.io'], resources: all, verbs: ['create'] },
    { apiGroups: [''], resources: ['serviceaccounts', 'serviceaccounts/token'], verbs },
    // Rights that the rules of a role of the attacker are compared with.
    ...times(2_000, (i) => ({ apiGroups: [`held${i}`], resources: ['r'], verbs: ['get'] })),
  ];
  await owner.must(post(`${RBAC}/clusterroles`, () => JSON.stringify({ metadata: { name: 'more' }, rules })));
  await owner.must(
    post(`${RBAC}/clusterrolebindings`, () =>
      JSON.stringify({
        metadata: { name: 'more' },
        subjects: [{ kind: 'User', name: 'definer', apiGroup: 'rbac.authorization.k8s.io' }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'more' },
      }),
    ),
  );
}

const rule = (group: string): string => `{"apiGroups":["${group}"],"resources":["r"],"verbs":["get"]}`;
const rules = (make: (index: number) => string, bytes = 2_500_000): string => filled(make, ',', bytes);
const subject = (index: number): string => `{"kind":"User","name":"u${index}","apiGroup":"rbac.authorization.k8s.io"}`;
const ROLE_REF = '"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"attack-viewer"}';

/** Small requests of the attacker after the object is there: what they cost shows in the waits of others, too. */
const after = (
  count: number,
): readonly { readonly request: Request; readonly times: number; readonly atOnce: number }[] => [
  { request: { method: 'GET', path: `${MAPS}/absent` }, times: count, atOnce: 8 },
];

interface Written {
  readonly path: string;
  readonly body: () => string;
  readonly times?: number;
}

/** Objects that decide about requests. */
const DECIDING: Readonly<Record<string, Written>> = {
  'a role of rules that the attacker holds': {
    path: `${RBAC}/clusterroles`,
    body: () => `{"metadata":{"name":"a"},"rules":[${rules((i) => rule(`held${i % 2_000}`))}]}`,
  },
  'a role of rules that the attacker does not hold': {
    path: `${RBAC}/clusterroles`,
    body: () => `{"metadata":{"name":"a"},"rules":[${rules((i) => rule(`other${i}`))}]}`,
  },
  'a role whose rule has 100,000 groups and resources': {
    path: `${RBAC}/clusterroles`,
    body: () =>
      `{"metadata":{"name":"a"},"rules":[{"apiGroups":[${filled((i) => `"held${i}"`, ',', 600_000)}],"resources":[${filled((i) => `"r${i}"`, ',', 600_000)}],"verbs":["get"]}]}`,
  },
  'a role of 30,000 selectors': {
    path: `${RBAC}/clusterroles`,
    body: () =>
      `{"metadata":{"name":"a"},"aggregationRule":{"clusterRoleSelectors":[${rules((i) => `{"matchLabels":{"l":"${i}"}}`, 1_000_000)}]}}`,
  },
  'a binding of 25,000 subjects': {
    path: `${RBAC}/namespaces/attack/rolebindings`,
    body: () => `{"metadata":{"name":"a"},"subjects":[${rules(subject, 1_500_000)}],${ROLE_REF}}`,
  },
  'a binding of wrong subjects': {
    path: `${RBAC}/namespaces/attack/rolebindings`,
    body: () => `{"metadata":{"name":"a"},"subjects":[${rules(() => '{"kind":"Nobody"}')}],${ROLE_REF}}`,
  },
  'a flow schema of 20,000 users': {
    path: `${FLOWS}/flowschemas`,
    body: () => flowSchema('a', `[${rules((i) => `{"kind":"User","user":{"name":"u${i}"}}`, 1_200_000)}]`, '["*"]'),
  },
  'a flow schema of 60,000 resources': {
    path: `${FLOWS}/flowschemas`,
    body: () =>
      flowSchema('a', '[{"kind":"Group","group":{"name":"*"}}]', `[${filled((i) => `"r${i}"`, ',', 600_000)}]`),
  },
  'flow schemas, 400 of them': {
    path: `${FLOWS}/flowschemas`,
    body: () => flowSchema('', '[{"kind":"User","user":{"name":"u"}}]', '["*"]'),
    times: 400,
  },
  'priority levels, 400 of them': {
    path: `${FLOWS}/prioritylevelconfigurations`,
    body: () =>
      '{"metadata":{"generateName":"a"},"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":1000,"limitResponse":{"type":"Queue","queuing":{"queues":1000,"handSize":8,"queueLengthLimit":10000}}}}}',
    times: 400,
  },
};

/** A flow schema that is asked first. */
const flowSchema = (name: string, subjects: string, resources: string): string =>
  `{"metadata":{${name === '' ? '"generateName":"a"' : `"name":"${name}"`}},"spec":{"priorityLevelConfiguration":{"name":"global-default"},"matchingPrecedence":2,"rules":[{"subjects":${subjects},"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":${resources},"clusterScope":true,"namespaces":["*"]}]}]}}`;

const deciding = Object.entries(DECIDING).map(([name, { path, body, times: count = 1 }]): Row => ({
  name: `${name}, and 200 requests after it`,
  rights: 'define',
  prepare: granted,
  sends: [{ request: post(path, body), times: count, atOnce: Math.min(count, 8) }, ...after(200)],
  statuses: [200, 201, 400, 403, 404, 409, 413, 422],
  keepsMb: 64,
}));

const pem = (bytes: Uint8Array): string =>
  Buffer.from(
    `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(bytes)
      .toString('base64')
      .replaceAll(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE REQUEST-----\n`,
  ).toString('base64');

const signing = (request: string, more = ''): string =>
  `{"metadata":{"generateName":"a"},"spec":{"request":"${request}","signerName":"example.com/a","usages":["client auth"]${more}}}`;

/** Lists of DER within each other. */
function nestedDer(depth: number): Uint8Array {
  let bytes = Buffer.from([0x05, 0x00]);
  for (let level = 0; level < depth && bytes.length < 1_000_000; level += 1) {
    const { length } = bytes;
    const head = length < 128 ? [length] : [0x83, length >> 16, (length >> 8) & 0xff, length & 0xff];
    bytes = Buffer.concat([Buffer.from([0x30, ...head]), bytes]);
  }
  return bytes;
}

const account = '/api/v1/namespaces/attack/serviceaccounts/default/token';
const review = (spec: string): string => `{"spec":${spec}}`;
const ACCESS = '"resourceAttributes":{"verb":"get","resource":"configmaps","namespace":"attack"}';

/** Operations, with the number of requests. */
const OPERATIONS: Readonly<Record<string, readonly [count: number, request: Request]>> = {
  'certificate requests of 1.5 MB': [8, post(REQUESTS, () => signing(pem(new Uint8Array(1_100_000).fill(0x30))))],
  'certificate requests nested 2,000 deep': [8, post(REQUESTS, () => signing(pem(nestedDer(2_000))))],
  'certificate requests of 20,000 blocks': [
    8,
    post(REQUESTS, () =>
      signing(Buffer.from('-----BEGIN A-----\nAAAA\n-----END A-----\n'.repeat(30_000)).toString('base64')),
    ),
  ],
  'certificate requests of broken base64': [8, post(REQUESTS, () => signing('A-'.repeat(1_300_000)))],
  'certificate requests of 150,000 usages': [
    8,
    post(REQUESTS, () => signing('QUFB', `,"usages":[${filled((i) => `"usage ${i}"`, ',', 2_500_000)}]`)),
  ],
  'token requests for 200,000 audiences': [
    8,
    post(account, () => review(`{"audiences":[${filled((i) => `"a${i}"`, ',', 2_500_000)}]}`)),
  ],
  'token reviews of 2.5 MB': [
    8,
    post('/apis/authentication.k8s.io/v1/tokenreviews', () => review(`{"token":"${'a.'.repeat(1_250_000)}"}`)),
  ],
  'token reviews for 200,000 audiences': [
    8,
    post('/apis/authentication.k8s.io/v1/tokenreviews', () =>
      review(`{"token":"nobody","audiences":[${filled((i) => `"a${i}"`, ',', 2_500_000)}]}`),
    ),
  ],
  'access reviews with 200,000 groups': [
    8,
    post(`${AUTHORIZATION}/subjectaccessreviews`, () =>
      review(`{${ACCESS},"user":"u","groups":[${filled((i) => `"g${i}"`, ',', 2_500_000)}]}`),
    ),
  ],
  'access reviews with 100,000 extra values': [
    8,
    post(`${AUTHORIZATION}/subjectaccessreviews`, () =>
      review(`{${ACCESS},"user":"u","extra":{${filled((i) => `"k${i}":["v"]`, ',', 2_500_000)}}}`),
    ),
  ],
  'local access reviews of a user of 2 MB': [
    8,
    post(`${AUTHORIZATION}/namespaces/attack/localsubjectaccessreviews`, () =>
      review(`{${ACCESS},"user":"${'u'.repeat(2_000_000)}"}`),
    ),
  ],
  'service accounts with 150,000 secrets': [
    4,
    post(
      '/api/v1/namespaces/attack/serviceaccounts',
      () => `{"metadata":{"generateName":"a"},"secrets":[${filled((i) => `{"name":"s${i}"}`, ',', 2_500_000)}]}`,
    ),
  ],
};

const operations = Object.entries(OPERATIONS).map(([name, [count, request]]): Row => ({
  name: `${name}, ${count} times`,
  rights: 'define',
  prepare: granted,
  sends: [{ request, times: count }],
  statuses: [200, 201, 400, 403, 404, 409, 413, 422],
  keepsMb: 64,
}));

/** A document, and a list of tags of which none is its own. */
const TAGS = filled((index) => `"tag-${index}"`, ', ', 60_000);
const ACCEPTS = filled((index) => `application/x${index};q=0.${(index % 9) + 1}`, ',', 60_000);

/** Requests of documents with long header fields. */
const DOCUMENTS: Readonly<Record<string, Request>> = {
  'OpenAPI 2 with 5,000 tags': { method: 'GET', path: '/openapi/v2', headers: { 'if-none-match': TAGS } },
  'OpenAPI 3 with 5,000 tags': {
    ...{ method: 'GET', path: '/openapi/v3/api/v1', headers: { 'if-none-match': TAGS } },
  },
  'OpenAPI 3 with a wrong hash': { method: 'GET', path: `/openapi/v3/api/v1?hash=${'A'.repeat(50_000)}` },
  'OpenAPI 2 with 3,000 accepted types': { method: 'GET', path: '/openapi/v2', accept: ACCEPTS },
  'discovery with 5,000 tags': {
    ...{ method: 'GET', path: '/apis', headers: { 'if-none-match': TAGS } },
    accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  },
  'discovery with 3,000 accepted types': {
    ...{ method: 'GET', path: '/apis' },
    accept: `${ACCEPTS},application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`,
  },
  'a path of escapes': {
    method: 'GET',
    path: `/api/v1/namespaces/${'%25'.repeat(10_000)}/configmaps/${'%2F'.repeat(8_000)}`,
  },
  'a path of broken escapes': { method: 'GET', path: `/api/v1/namespaces/${'%C0%80'.repeat(8_000)}` },
};

const documents = Object.entries(DOCUMENTS).map(([name, request]): Row => ({
  name: `${name}, 400 times`,
  rights: 'none',
  sends: [{ request, times: 400, atOnce: 40 }],
  statuses: [200, 301, 304, 400, 403, 404, 406, 414, 431],
  keepsMb: 32,
}));

/** Roles that are bound to everybody. */
const everybody: Row = {
  name: '40 bindings of roles of 500 rules for all users, and 400 requests',
  rights: 'define',
  prepare: async (world) => {
    await granted(world);
    for (let role = 0; role < 40; role += 1) {
      await world.owner.must(
        post(`${RBAC}/clusterroles`, () =>
          JSON.stringify({
            metadata: { name: `everybody-${role}` },
            rules: times(500, (i) => ({ apiGroups: [`g${role}-${i}`], resources: ['r'], verbs: ['get'] })),
          }),
        ),
      );
      await world.owner.must(
        post(`${RBAC}/clusterrolebindings`, () =>
          JSON.stringify({
            metadata: { name: `everybody-${role}` },
            subjects: [{ kind: 'Group', name: 'system:authenticated', apiGroup: 'rbac.authorization.k8s.io' }],
            roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `everybody-${role}` },
          }),
        ),
      );
    }
  },
  sends: [
    {
      request: (index) => ({ method: 'POST', path: MAPS, body: configMap(`m${index}`, { a: 'b' }) }),
      ...{ times: 400, atOnce: 16 },
    },
  ],
  statuses: [201],
};

/** The rows. */
export const rights: readonly Row[] = [...deciding, ...operations, ...documents, everybody];
