/** The commands of the real command-line tool about the current user and its rights. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Kubectl, toolMinor } from './kubectl.js';
import { startServer, type ServerProcess } from './server.js';

describe.skipIf(toolMinor === undefined)('kubectl', () => {
  const minor = toolMinor ?? 0;
  let folder: string;
  let server: ServerProcess;
  let kubectl: Kubectl;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'access-'));
    writeFileSync(join(folder, 'tokens.csv'), 'token-of-alice,alice,7,"dev,ops"\ntoken-of-bob,bob,8\n');
    server = await startServer([
      '--dialect=kubernetes',
      '--insecure-loopback-port=0',
      `--token-auth-file=${join(folder, 'tokens.csv')}`,
    ]);
    kubectl = new Kubectl(server);
    await kubectl.ok('create namespace shop');
  }, 300_000);

  afterAll(async () => {
    if (kubectl !== undefined) expect(await server.stop()).toBe(0);
    await rm(folder, { recursive: true });
  }, 300_000);

  const asBob = '--token=token-of-bob';

  it('is denied what no role allows, in the words of Kubernetes', async () => {
    const said = await kubectl.fails('get configmaps -n shop --as bob');
    expect(said).toBe(
      'Error from server (Forbidden): configmaps is forbidden: User "bob" cannot list resource "configmaps" in API group "" in the namespace "shop"\n',
    );
  });

  it('create role and rolebinding: a right takes effect at once', async () => {
    await kubectl.ok('create role reader -n shop --verb=get,list,watch --resource=configmaps');
    await kubectl.ok('create rolebinding readers -n shop --role=reader --user=bob --group=dev');
    expect(await kubectl.ok('auth can-i list configmaps -n shop --as bob')).toBe('yes\n');
    expect(await kubectl.ok('auth can-i watch configmaps -n shop --as carol --as-group dev')).toBe('yes\n');
    expect(await kubectl.run('auth can-i delete configmaps -n shop --as bob')).toMatchObject({
      code: 1,
      stdout: 'no\n',
    });
    expect(await kubectl.run('auth can-i list configmaps -n default --as bob')).toMatchObject({
      code: 1,
      stdout: 'no\n',
    });
    expect(await kubectl.ok('get configmaps -n shop --as bob -o name')).not.toContain('error');
    await kubectl.ok('delete rolebinding readers -n shop');
    expect(await kubectl.run('auth can-i list configmaps -n shop --as bob')).toMatchObject({ code: 1 });
  });

  it('auth can-i of resources with names, of subresources, and of paths', async () => {
    await kubectl.ok('create role named -n shop --verb=get --resource=secrets --resource-name=one');
    await kubectl.ok('create role tokens -n shop --verb=create --resource=serviceaccounts/token');
    for (const role of ['named', 'tokens'])
      await kubectl.ok(`create rolebinding ${role} -n shop --role=${role} --serviceaccount=shop:robot`);
    const robot = '-n shop --as system:serviceaccount:shop:robot';
    expect(await kubectl.ok(`auth can-i get secrets/one ${robot}`)).toBe('yes\n');
    expect(await kubectl.run(`auth can-i get secrets/two ${robot}`)).toMatchObject({ code: 1 });
    expect(await kubectl.ok(`auth can-i create serviceaccounts --subresource=token ${robot}`)).toBe('yes\n');
    expect(await kubectl.ok('auth can-i get /version --as bob')).toBe('yes\n');
    expect(await kubectl.run('auth can-i get /metrics --as bob')).toMatchObject({ code: 1 });
  });

  it('auth can-i --list', async () => {
    const list = await kubectl.ok('auth can-i --list -n shop --as system:serviceaccount:shop:robot');
    expect(list).toMatch(/^Resources +Non-Resource URLs +Resource Names +Verbs$/m);
    expect(list).toMatch(/^secrets +\[\] +\[one\] +\[get\]$/m);
    expect(list).toMatch(/^serviceaccounts\/token +\[\] +\[\] +\[create\]$/m);
    expect(list).toMatch(/^selfsubjectaccessreviews\.authorization\.k8s\.io +\[\] +\[\] +\[create\]$/m);
    expect(list).toMatch(/^ +\[\/api\/\*\] +\[\] +\[get\]$/m);
    expect(await kubectl.ok('auth can-i --list')).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m);
  });

  it('auth reconcile creates missing objects, and restores removed rules', async () => {
    const manifest = (verbs: readonly string[]): string =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: [
          {
            apiVersion: 'rbac.authorization.k8s.io/v1',
            kind: 'ClusterRole',
            metadata: { name: 'watcher' },
            rules: [{ apiGroups: [''], resources: ['nodes'], verbs }],
          },
          {
            apiVersion: 'rbac.authorization.k8s.io/v1',
            kind: 'ClusterRoleBinding',
            metadata: { name: 'watcher' },
            roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'watcher' },
            subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'bob' }],
          },
        ],
      });
    await kubectl.ok('auth reconcile -f -', { input: manifest(['get']) });
    expect(await kubectl.ok('auth can-i get nodes --as bob')).toBe('yes\n');
    expect(await kubectl.run('auth can-i list nodes --as bob')).toMatchObject({ code: 1 });
    await kubectl.ok('auth reconcile -f -', { input: manifest(['get', 'list']) });
    expect(await kubectl.ok('auth can-i list nodes --as bob')).toBe('yes\n');
  });

  it('create clusterrole with an aggregation rule: the role is aggregated', async () => {
    await kubectl.ok(['create', 'clusterrole', 'sum', '--aggregation-rule=example.com/sum=true']);
    await kubectl.ok(['create', 'clusterrole', 'part', '--verb=get', '--resource=configmaps']);
    await kubectl.ok('label clusterrole part example.com/sum=true');
    await kubectl.ok('create clusterrolebinding sum --clusterrole=sum --user=erin');
    // The aggregation controller works in the background.
    await vi.waitFor(
      async () => expect(await kubectl.run('auth can-i get configmaps --as erin')).toMatchObject({ code: 0 }),
      { timeout: 10_000 },
    );
  });

  it('cannot grant rights beyond its own', async () => {
    await kubectl.ok('create role editor -n shop --verb=create,update --resource=roles.rbac.authorization.k8s.io');
    await kubectl.ok('create rolebinding editor -n shop --role=editor --user=dave');
    const said = await kubectl.fails('create role grabbed -n shop --verb=get --resource=secrets --as dave');
    expect(said).toContain(
      'user "dave" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
    );
  });

  it('--as, --as-group: impersonation without the right is denied', async () => {
    const said = await kubectl.fails(`get nodes --as carol ${asBob}`);
    expect(said).toContain(
      'users "carol" is forbidden: User "bob" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
  });

  it('describe and get show roles and bindings as tables', async () => {
    expect(await kubectl.ok('get clusterrole view')).toMatch(/^NAME +CREATED AT\nview /);
    expect(await kubectl.ok('get clusterrolebinding cluster-admin -o wide')).toMatch(
      /^NAME +ROLE +AGE +USERS +GROUPS +SERVICEACCOUNTS\ncluster-admin +ClusterRole\/cluster-admin .* system:masters/,
    );
    expect(await kubectl.ok('describe clusterrole system:basic-user')).toContain(
      'selfsubjectaccessreviews.authorization.k8s.io',
    );
  });

  it.skipIf(minor < 24)('create token: a working token of an account', async () => {
    await kubectl.ok('create serviceaccount robot -n shop');
    const token = (
      await kubectl.ok(
        'create token robot -n shop --duration=20m --audience=https://kubernetes.default.svc.cluster.local',
      )
    ).trim();
    const [, payload = ''] = token.split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      sub: 'system:serviceaccount:shop:robot',
      'kubernetes.io': { namespace: 'shop' },
    });
    expect(await kubectl.ok(['auth', 'can-i', 'get', 'secrets/one', '-n', 'shop', `--token=${token}`])).toBe('yes\n');
    expect(await kubectl.fails('create token robot -n shop --duration=1m')).toContain(
      'may not specify a duration less than 10 minutes',
    );
  });

  it.skipIf(minor < 28)('auth whoami', async () => {
    const said = await kubectl.ok('auth whoami --as carol --as-group dev --as-uid 42');
    expect(said).toMatch(/Username +carol/);
    expect(said).toMatch(/UID +42/);
    expect(said).toMatch(/Groups +\[dev system:authenticated\]/);
  });
});
