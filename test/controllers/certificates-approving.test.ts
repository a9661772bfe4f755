import { describe, expect, test } from 'vitest';
import type { ApiServerOptions } from '../../src/apiserver/options/api-server-options.js';
import { ALLOW, NO_OPINION } from '../../src/security/authz/authorizer.js';
import type { UserInfo } from '../../src/foundation/objects/object.js';
import { kubernetes, orch, type Dialect } from '../../src/foundation/index.js';
import { ClusterRoleBinding } from '../../src/kinds/builtin/index.js';
import { ask, conditionsOf, decide, HOUR_MS, MINUTE_MS, requestsOf, world, type World } from './signing.js';

const NODE = { commonName: 'system:node:n1', organizations: ['system:nodes'] };
const CLIENT = ['digital signature', 'client auth'];
const bootstrapper: UserInfo = {
  username: 'system:bootstrap:abcdef',
  groups: ['system:bootstrappers', 'system:authenticated'],
};
const node: UserInfo = { username: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };

/** A server that approves requests, and does not sign them. */
const start = (dialect: Dialect = kubernetes, options: ApiServerOptions = {}): World =>
  world({ dialect, ...options, controllers: { disable: ['csrsigning'], ...options.controllers } });

/** Gives a group one of the default roles. */
async function grant({ server, client }: World, role: string, group: string): Promise<void> {
  const apiGroup = `rbac.authorization.${server.dialect.groupSuffix}`;
  await client.resource(ClusterRoleBinding).create({
    metadata: { name: `${role}-${group}` },
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup, kind: 'Group', name: group }],
  });
}

const roleFor = ({ server }: World, subresource: 'nodeclient' | 'selfnodeclient'): string =>
  `system:certificates.${server.dialect.groupSuffix}:certificatesigningrequests:${subresource}`;

/** Posts a request as a user, and returns its state once the controllers are idle. */
async function outcome(
  w: World,
  user: UserInfo | undefined,
  fields: Parameters<typeof ask>[2] = {},
): Promise<string[]> {
  const client = user === undefined ? w.client : w.server.client({ user });
  const { metadata } = await ask(client, `r-${(asked += 1)}`, {
    subject: NODE,
    usages: CLIENT,
    signerName: w.server.dialect.signers.apiServerClientNodeAgent,
    ...fields,
  });
  await w.server.settled();
  return conditionsOf(await requestsOf(w.client).get(metadata.name ?? ''));
}

let asked = 0;

describe('automatic approval by requester', () => {
  test.each([
    [kubernetes, 'kubelet'],
    [orch, 'orchlet'],
  ] as const)('a bootstrap user with the role for node clients, in the dialect $name', async (dialect, agent) => {
    await using w = start(dialect);
    await grant(w, 'system:node-bootstrapper', 'system:bootstrappers');
    expect(await outcome(w, bootstrapper)).toEqual([]);
    await grant(w, roleFor(w, 'nodeclient'), 'system:bootstrappers');
    expect(await outcome(w, bootstrapper)).toEqual([
      `Approved AutoApproved: Auto approving ${agent} client certificate after SubjectAccessReview.`,
    ]);
  });

  test('a node with the role for its own certificate, for its own name only', async () => {
    await using w = start(kubernetes, { authorization: { modes: ['Node', 'RBAC'] } });
    await grant(w, roleFor(w, 'selfnodeclient'), 'system:nodes');
    expect(await outcome(w, node)).toEqual([
      'Approved AutoApproved: Auto approving self kubelet client certificate after SubjectAccessReview.',
    ]);
    // Admission denies another node's name before that; the same for a user that admission does not restrict.
    await expect(outcome(w, node, { subject: { ...NODE, commonName: 'system:node:n2' } })).rejects.toMatchObject({
      reason: 'Forbidden',
    });
    await grant(w, 'system:node-bootstrapper', 'operators');
    await grant(w, roleFor(w, 'selfnodeclient'), 'operators');
    const operator: UserInfo = { username: 'system:node:n3', groups: ['operators', 'system:authenticated'] };
    expect(await outcome(w, operator, { subject: { ...NODE, commonName: 'system:node:n2' } })).toEqual([]);
    expect(await outcome(w, operator, { subject: { ...NODE, commonName: 'system:node:n3' } })).toHaveLength(1);
  });

  test('with both roles, the one for its own certificate takes precedence', async () => {
    await using w = start(kubernetes, { authorization: { modes: ['Node', 'RBAC'] } });
    await grant(w, roleFor(w, 'nodeclient'), 'system:nodes');
    expect(await outcome(w, node)).toEqual([
      'Approved AutoApproved: Auto approving kubelet client certificate after SubjectAccessReview.',
    ]);
    await grant(w, roleFor(w, 'selfnodeclient'), 'system:nodes');
    expect(await outcome(w, node)).toEqual([
      'Approved AutoApproved: Auto approving self kubelet client certificate after SubjectAccessReview.',
    ]);
  });

  test('the right is checked with all attributes of the requester', async () => {
    const reviews: object[] = [];
    await using w = start(kubernetes, {
      authorization: {
        authorizer: (attributes) => {
          if (attributes.subresource === 'nodeclient') reviews.push(attributes);
          return ALLOW;
        },
      },
    });
    await outcome(w, { username: 'carol', uid: '42', groups: ['dev'], extra: { team: ['north'] } });
    expect(reviews).toEqual([
      expect.objectContaining({
        user: { username: 'carol', uid: '42', groups: ['dev'], extra: { team: ['north'] } },
        verb: 'create',
        apiGroup: 'certificates.k8s.io',
        apiVersion: '*',
        resource: 'certificatesigningrequests',
        subresource: 'nodeclient',
      }),
    ]);
  });

  test('a requester that receives the right later is approved later', async () => {
    const errors: unknown[] = [];
    await using w = start(kubernetes, {
      observability: { logger: { info: () => undefined, error: (message) => void errors.push(message) } },
    });
    await grant(w, 'system:node-bootstrapper', 'system:bootstrappers');
    await ask(w.server.client({ user: bootstrapper }), 'early', {
      subject: NODE,
      usages: CLIENT,
      signerName: w.server.dialect.signers.apiServerClientNodeAgent,
    });
    await w.server.settled();
    await grant(w, roleFor(w, 'nodeclient'), 'system:bootstrappers');
    await w.server.settled();
    expect(conditionsOf(await requestsOf(w.client).get('early'))).toEqual([]);
    w.clock.advance(200);
    await w.server.settled();
    expect(conditionsOf(await requestsOf(w.client).get('early'))).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  test('a requester without the right is checked less and less often', async () => {
    let reviews = 0;
    await using w = start(kubernetes, {
      authorization: {
        authorizer: (attributes) => {
          if (attributes.subresource !== 'nodeclient') return ALLOW;
          reviews += 1;
          return NO_OPINION;
        },
      },
    });
    await outcome(w, bootstrapper);
    expect(reviews).toBe(1);
    for (let second = 0; second < 60; second += 1) {
      w.clock.advance(1000);
      await w.server.settled();
    }
    expect(reviews).toBeGreaterThan(4);
    expect(reviews).toBeLessThan(11);
  });
});

describe('automatic approval by content', () => {
  const approved = ['Approved AutoApproved: Auto approving kubelet client certificate after SubjectAccessReview.'];

  test.each<readonly [string, Parameters<typeof ask>[2]]>([
    ['the key usages without encipherment', {}],
    ['the key usages with encipherment', { usages: ['client auth', 'key encipherment', 'digital signature'] }],
    ['a node without a name', { subject: { ...NODE, commonName: 'system:node:' } }],
    ['further attributes in the subject', { subject: { ...NODE, countries: ['XX'], organizationalUnits: ['a', 'b'] } }],
    ['a short duration', { expirationSeconds: 600 }],
  ])('%s', async (_case, fields) => {
    await using w = start();
    expect(await outcome(w, undefined, fields)).toEqual(approved);
  });

  test.each<readonly [string, Parameters<typeof ask>[2]]>([
    ['no organization', { subject: { commonName: NODE.commonName } }],
    ['another organization', { subject: { ...NODE, organizations: ['system:masters'] } }],
    ['an additional organization', { subject: { ...NODE, organizations: ['system:nodes', 'dev'] } }],
    ['a duplicate organization', { subject: { ...NODE, organizations: ['system:nodes', 'system:nodes'] } }],
    ['another common name', { subject: { ...NODE, commonName: 'n1' } }],
    ['no common name', { subject: { organizations: NODE.organizations } }],
    ['a DNS name', { alternativeNames: { dnsNames: ['n1'] } }],
    ['an address', { alternativeNames: { ipAddresses: ['10.0.0.1'] } }],
    ['a mailbox', { alternativeNames: { emailAddresses: ['n1@example.com'] } }],
    ['a URI', { alternativeNames: { uris: ['spiffe://n1'] } }],
    ['no client', { usages: ['digital signature'] }],
    ['client auth missing from the usages', { usages: ['client auth'] }],
    ['a server', { usages: ['digital signature', 'server auth'] }],
    ['server auth in addition', { usages: ['digital signature', 'client auth', 'server auth'] }],
    ['an authority', { usages: ['digital signature', 'client auth', 'cert sign'] }],
    ['everything', { usages: ['any'] }],
    ['the signer of serving certificates', { signerName: kubernetes.signers.nodeAgentServing }],
    ['the signer of all clients', { signerName: kubernetes.signers.apiServerClient }],
    ['a custom signer', { signerName: 'example.com/kubelet' }],
  ])('not with %s', async (_case, fields) => {
    await using w = start();
    expect(await outcome(w, undefined, fields)).toEqual([]);
    // Nothing is retried either.
    w.clock.advance(HOUR_MS);
    await w.server.settled();
    expect((await requestsOf(w.client).list()).items.map(conditionsOf)).toEqual([[]]);
  });

  test('a denied request stays denied', async () => {
    await using w = start(kubernetes, {
      authorization: {
        authorizer: ({ subresource }) => (subresource === 'nodeclient' && w.clock.now() < allowed ? NO_OPINION : ALLOW),
      },
    });
    const allowed = w.clock.now() + MINUTE_MS;
    await outcome(w, bootstrapper);
    const {
      items: [request],
    } = await requestsOf(w.client).list();
    await decide(w.client, request?.metadata.name ?? '', 'Denied');
    w.clock.advance(HOUR_MS / 2);
    await w.server.settled();
    expect((await requestsOf(w.client).list()).items.map(conditionsOf)).toEqual([
      ['Denied ByTheTest: decided by the test'],
    ]);
  });

  test('no request, if the controller is disabled', async () => {
    await using w = start(kubernetes, { controllers: { disable: ['csrapproving'] } });
    expect(await outcome(w, undefined)).toEqual([]);
  });
});
