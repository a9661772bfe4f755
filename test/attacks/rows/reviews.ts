/** Requests that every user may send: reviews, discovery, documents, wrong paths, refused requests. */
import type { Request } from '../client.js';
import { define, definition, MAPS } from '../kinds.js';
import type { Row } from '../row.js';
import { filled, once } from '../texts.js';
import type { World } from '../world.js';

const review = (resource: string, spec: () => string): Request => ({
  ...{ method: 'POST', path: `/apis/authorization.k8s.io/v1/${resource}` },
  body: once(() => `{"spec":${spec()}}`),
});

/** Many roles, all bound to the attacker. */
async function manyRoles({ owner }: World): Promise<void> {
  const base = '/apis/rbac.authorization.k8s.io/v1';
  for (let role = 0; role < 40; role += 1) {
    const rules = Array.from({ length: 500 }, (_, i) => ({
      apiGroups: [`g${role}-${i}`],
      resources: ['r'],
      verbs: ['get'],
      resourceNames: [`n${i}`],
    }));
    await owner.must({
      method: 'POST',
      path: `${base}/clusterroles`,
      body: JSON.stringify({ metadata: { name: `many-${role}` }, rules }),
    });
    const subjects = [{ kind: 'User', name: 'nobody', apiGroup: 'rbac.authorization.k8s.io' }];
    const roleRef = { kind: 'ClusterRole', name: `many-${role}`, apiGroup: 'rbac.authorization.k8s.io' };
    await owner.must({
      method: 'POST',
      path: `${base}/clusterrolebindings`,
      body: JSON.stringify({ metadata: { name: `many-${role}` }, subjects, roleRef }),
    });
  }
}

/** Kinds whose documents are long. */
async function manyKinds(world: World): Promise<void> {
  for (let kind = 0; kind < 20; kind += 1) {
    const properties = Object.fromEntries(
      Array.from({ length: 1_500 }, (_, i) => [`f${i}`, { type: 'string', description: 'd'.repeat(100) }]),
    );
    await define(world, definition({ type: 'object', properties }, {}, `kind${kind}s`), `kind${kind}s`);
  }
}

const GETS: Readonly<Record<string, Request>> = {
  discovery: {
    method: 'GET',
    path: '/apis',
    accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  },
  'OpenAPI 2': { method: 'GET', path: '/openapi/v2' },
  'OpenAPI 2 as protobuf': {
    method: 'GET',
    path: '/openapi/v2',
    accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  },
  'OpenAPI 3 of a group': { method: 'GET', path: '/openapi/v3/apis/attack.example.com/v1' },
  'OpenAPI 3 of the core': { method: 'GET', path: '/openapi/v3/api/v1' },
};

const documents = Object.entries(GETS).flatMap(([name, request]): Row[] =>
  [1, 32].map((times): Row => ({
    name: `${name}, ${times} at once, with 20 large kinds`,
    rights: 'none',
    prepare: manyKinds,
    sends: [{ request, times }],
    statuses: [200, 406],
    keepsMb: 64,
  })),
);

/** The rows. */
export const reviews: readonly Row[] = [
  ...documents,
  ...[1, 32].map((times): Row => ({
    name: `rules of a subject with 20,000, ${times} reviews`,
    rights: 'none',
    prepare: manyRoles,
    sends: [{ request: review('selfsubjectrulesreviews', () => '{"namespace":"attack"}'), times }],
    statuses: [201],
  })),
  ...[1, 16].flatMap((times): Row[] => [
    {
      name: `accesses of a subject with 20,000 rules, ${times * 50} reviews`,
      rights: 'none',
      prepare: manyRoles,
      sends: [
        {
          request: review('selfsubjectaccessreviews', () => '{"resourceAttributes":{"verb":"get","resource":"none"}}'),
          times: times * 50,
          atOnce: times,
        },
      ],
      statuses: [201],
    },
    {
      name: `field requirements of a review, ${times}`,
      rights: 'none',
      sends: [
        {
          request: review(
            'selfsubjectaccessreviews',
            () =>
              `{"resourceAttributes":{"verb":"list","resource":"pods","fieldSelector":{"requirements":[${filled((i) => `{"key":"k${i}","operator":"In","values":["a"]}`, ',', 2_500_000)}]}}}`,
          ),
          times,
        },
      ],
      statuses: [201, 400, 413, 422],
    },
    {
      name: `operators of a review that every object inherits, ${times}`,
      rights: 'none',
      sends: [
        {
          request: review(
            'selfsubjectaccessreviews',
            () =>
              `{"resourceAttributes":{"verb":"list","resource":"pods","labelSelector":{"requirements":[{"key":"a","operator":"constructor","values":["a"]},{"key":"a","operator":"__proto__","values":["a"]}]}}}`,
          ),
          times,
        },
      ],
      statuses: [201, 400, 422],
    },
    {
      name: `a long path of a review, ${times}`,
      rights: 'none',
      sends: [
        {
          request: review(
            'selfsubjectaccessreviews',
            () => `{"nonResourceAttributes":{"verb":"get","path":"${'/a'.repeat(1_400_000)}"}}`,
          ),
          times,
        },
      ],
      statuses: [201, 400, 413, 422],
    },
    {
      name: `a list without the right, ${times * 200} times`,
      rights: 'none',
      sends: [{ request: { method: 'GET', path: MAPS }, times: times * 200, atOnce: times * 8 }],
      statuses: [403],
    },
    {
      name: `bodies of 2.9 MB without the right, ${times * 4}`,
      rights: 'none',
      sends: [
        {
          request: { method: 'POST', path: MAPS, body: once(() => ' '.repeat(2_900_000)) },
          times: times * 4,
          atOnce: times,
        },
      ],
      statuses: [403],
    },
    {
      name: `groups of impersonation without the right, ${times}`,
      rights: 'none',
      sends: [
        {
          request: {
            method: 'GET',
            path: '/api',
            headers: {
              'impersonate-user': 'x',
              ...Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`impersonate-extra-k${i}`, 'v'])),
            },
          },
          times,
        },
      ],
      statuses: [403, 400, 431],
    },
  ]),
];
