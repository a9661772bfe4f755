import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClusterRole, ClusterRoleBinding, ConfigMap, Namespace, Role, type UserInfo } from '../../src/entries/index.js';
import { controllerNames } from '../../src/entries/controllers.js';
import { startTestServer } from '../../src/entries/testing.js';
import {
  allowedFor,
  anyRule,
  anyWanted,
  anyWrite,
  GROUP,
  ME,
  mayGrant,
  orRefused,
  reachable,
  write,
  writeAll,
  type Wanted,
} from './access-world.js';
import { ask } from './ask.js';

const disabledControllers = controllerNames.filter((name) => name !== 'clusterrole-aggregation');
const masters: UserInfo = { username: 'admin', groups: ['system:masters'] };
const tokens = [
  { token: 'admin', user: masters },
  { token: 'me', user: { ...ME, groups: ['dev'] } },
];

/** Lets the user write the four kinds, everywhere or in one namespace. Otherwise nothing would ever be written. */
const writer = (everywhere: boolean): readonly Wanted[] => [
  {
    kind: 'ClusterRole',
    metadata: { name: 'writer' },
    body: {
      rules: [
        {
          verbs: ['create', 'update', 'patch', 'delete', 'get'],
          apiGroups: [GROUP],
          resources: ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'],
        },
      ],
    },
  },
  {
    kind: everywhere ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name: 'writer', ...(everywhere ? {} : { namespace: 'x' }) },
    body: {
      subjects: [{ kind: 'User', name: 'me', apiGroup: GROUP }],
      roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: 'writer' },
    },
  },
];

/** Rights that the user may grant, so that not every write is refused. */
const holder = (rules: readonly object[]): readonly Wanted[] => [
  { kind: 'ClusterRole', metadata: { name: 'held' }, body: { rules } },
  {
    kind: 'ClusterRoleBinding',
    metadata: { name: 'held' },
    body: {
      subjects: [{ kind: 'Group', name: 'dev', apiGroup: GROUP }],
      roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: 'held' },
    },
  },
];

describe('the rights of a user', () => {
  it("never grow through the user's own writes, for any roles, bindings and aggregated roles", async () => {
    const count = { cases: 0, writes: 0, done: 0, changed: 0, impersonating: 0 };
    const policy = fc.array(anyWanted, { minLength: 2, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(true, true, false),
        fc.array(anyRule, { minLength: 1, maxLength: 4 }),
        policy,
        fc.array(anyWrite, { minLength: 4, maxLength: 16 }),
        async (everywhere, held, objects, writes) => {
          await using test = await startTestServer({
            controllers: { disable: disabledControllers },
            authentication: { tokens },
          });
          const { server, client } = test;
          for (const name of ['x', 'y']) await client.resource(Namespace).create({ metadata: { name } });
          await writeAll(client, [...writer(everywhere), ...holder(held), ...objects]);
          await test.settled();
          const own = await allowedFor(server, ME);
          const people = [ME, ...reachable(own)];
          const before = new Set(own);
          for (const user of people.slice(1)) for (const words of await allowedFor(server, user)) before.add(words);
          // A user who may grant rights beyond their own may come to have everything; so may one who may impersonate a
          // user outside this world.
          if (mayGrant(before) || reachable(before).length >= people.length) return;
          count.cases += 1;
          if (people.length > 1) count.impersonating += 1;
          for (const [index, one] of writes.entries()) {
            const user = people[index % people.length] ?? ME;
            count.writes += 1;
            if (await orRefused(() => write(server.client({ user }), one))) count.done += 1;
            if (index % 3 === 0) await test.settled();
          }
          await test.settled();
          const now = await allowedFor(server, ME);
          const after = new Set(now);
          for (const user of reachable(now)) for (const words of await allowedFor(server, user)) after.add(words);
          if (after.size !== before.size) count.changed += 1;
          expect([...after].filter((words) => !before.has(words))).toEqual([]);
        },
      ),
      { numRuns: 250, seed: 6 },
    );
    // The property would also hold for a server that refuses everything.
    expect(count.cases, JSON.stringify(count)).toBeGreaterThan(100);
    expect(count.done / count.writes, JSON.stringify(count)).toBeGreaterThan(0.1);
  }, 300_000);

  it('do not grow through impersonation', async () => {
    await using test = await startTestServer({
      controllers: { disable: disabledControllers },
      authentication: { tokens },
    });
    await writeAll(test.client, writer(true));
    const before = await allowedFor(test.server, ME);
    const binding = JSON.stringify({
      metadata: { name: 'up' },
      subjects: [{ kind: 'User', name: 'me', apiGroup: GROUP }],
      roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: 'cluster-admin' },
    });
    const masks: Readonly<Record<string, string>>[] = [
      { 'impersonate-user': 'admin' },
      { 'impersonate-user': 'me', 'impersonate-group': 'system:masters' },
      { 'impersonate-user': 'system:serviceaccount:orch-system:default' },
      { 'impersonate-user': 'me' },
      { 'impersonate-user': 'me', 'impersonate-uid': '1' },
      { 'impersonate-group': 'system:masters' },
      { 'impersonate-user': 'system:anonymous', 'impersonate-group': 'system:masters' },
      {},
    ];
    for (const headers of masks)
      expect([400, 403]).toContain(
        (
          await ask(test.server, 'POST', `/apis/${GROUP}/v1/clusterrolebindings`, {
            token: 'me',
            headers,
            body: binding,
          })
        ).status,
      );
    await test.settled();
    expect([...(await allowedFor(test.server, ME))]).toEqual([...before]);
  });
});

describe('the client of a user', () => {
  it('asks for create when an update creates the object', async () => {
    await using test = await startTestServer({ controllers: { disable: disabledControllers } });
    await writeAll(test.client, [
      {
        kind: 'ClusterRole',
        metadata: { name: 'changes' },
        body: { rules: [{ verbs: ['update', 'patch'], apiGroups: [GROUP], resources: ['clusterroles'] }] },
      },
    ]);
    await test.client.resource(ClusterRoleBinding).create({
      metadata: { name: 'changes' },
      subjects: [{ kind: 'User', name: 'me' }],
      roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: 'changes' },
    });
    const roles = test.server.client({ user: ME }).resource(ClusterRole);
    await expect(roles.update({ metadata: { name: 'new' }, rules: [] })).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining('cannot create resource "clusterroles"') as string,
    });
    await expect(roles.apply({ metadata: { name: 'new' } }, { fieldManager: 'm' })).rejects.toMatchObject({
      code: 403,
    });
    await expect(test.client.resource(ClusterRole).get('new')).rejects.toMatchObject({ code: 404 });
  });

  it('cannot reach cluster-scoped objects through rights in one namespace', async () => {
    await using test = await startTestServer({ controllers: { disable: disabledControllers } });
    await test.client.resource(Namespace).create({ metadata: { name: 'x' } });
    await test.client
      .resource(Role)
      .namespace('x')
      .create({ metadata: { name: 'all' }, rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] });
    await writeAll(test.client, [
      {
        kind: 'RoleBinding',
        metadata: { name: 'all', namespace: 'x' },
        body: {
          subjects: [{ kind: 'User', name: 'me', apiGroup: GROUP }],
          roleRef: { apiGroup: GROUP, kind: 'Role', name: 'all' },
        },
      },
    ]);
    const client = test.server.client({ user: ME });
    await expect(client.resource(ConfigMap).namespace('x').list()).resolves.toMatchObject({ items: [] });
    await expect(client.resource(ClusterRole).namespace('x').list()).rejects.toMatchObject({ code: 403 });
    await expect(
      client
        .resource(ClusterRole)
        .namespace('x')
        .create({ metadata: { name: 'made' }, rules: [] }),
    ).rejects.toMatchObject({ code: 403 });
    await expect(client.resource(Namespace).namespace('x').delete('default')).rejects.toMatchObject({ code: 403 });
    await expect(client.resource(Namespace).namespace('x').list()).rejects.toMatchObject({ code: 403 });
  });
});
