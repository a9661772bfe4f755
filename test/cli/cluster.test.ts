/** The commands that ask a running server: `who-can`, `crd-types --from-cluster`. */
import { describe, expect, it } from 'vitest';
import { WIDGETS } from '../kinds/custom/definitions.js';
import { asOwner, ServingTests, today, type Serving } from './serving.js';
import { command } from './stores.js';

const tests = new ServingTests();

const start = (dialect = 'kubernetes'): Promise<Serving> =>
  tests.start(['--secure-port=auto', `--dialect=${dialect}`], today());

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const create = (server: Serving, path: string, object: object) => asOwner(server, 'POST', `${RBAC}${path}`, object);

const robot = { kind: 'ServiceAccount', name: 'robot', namespace: 'default' };
const roleRef = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });

/** Roles of which one allows deletions of the pod `web`, and one of all pods and widgets. */
async function bind(server: Serving): Promise<void> {
  const rules = (resources: string[], resourceNames: string[] = []) => [
    { apiGroups: ['', 'shop.example'], verbs: ['delete'], resources, resourceNames },
  ];
  await create(server, '/namespaces/default/roles', { metadata: { name: 'one' }, rules: rules(['pods'], ['web']) });
  await create(server, '/clusterroles', { metadata: { name: 'all' }, rules: rules(['pods', 'widgets']) });
  await create(server, '/namespaces/default/rolebindings', {
    metadata: { name: 'ann' },
    subjects: [{ kind: 'User', name: 'ann\u001b[31m', apiGroup: 'rbac.authorization.k8s.io' }],
    roleRef: roleRef('Role', 'one'),
  });
  await create(server, '/namespaces/default/rolebindings', {
    metadata: { name: 'robots' },
    subjects: [robot],
    roleRef: roleRef('ClusterRole', 'all'),
  });
}

describe('who-can', () => {
  const rowsOf = (out: string): string[] => out.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '));
  const ofRobot = 'ServiceAccount | robot | default | RoleBinding robots, ClusterRole all';

  it('lists subjects with the bindings that allow them', async () => {
    const server = await start();
    await bind(server);
    const who = async (...words: string[]): Promise<string[]> => {
      const { code, out, err } = await command(['who-can', ...words, `--kubeconfig=${server.path}`], today());
      expect({ code, err }).toEqual({ code: 0, err: '' });
      return rowsOf(out);
    };
    const all = await who('delete', 'po');
    expect(all[0]).toBe('KIND | NAME | NAMESPACE | BY');
    expect(all).toContain('Group | system:masters | the server itself');
    expect(all).toContain(ofRobot);
    expect(all.some((row) => row.includes('ann'))).toBe(false);
    expect(await who('delete', 'pods', 'web')).toContain('User | ann?[31m | RoleBinding ann, Role one');
    expect(await who('delete', 'pods', '--namespace=kube-system')).not.toContain(ofRobot);
    expect(await who('delete', 'pods', '-A')).not.toContain(ofRobot);
    expect(await who('delete', 'pods/log')).not.toContain(ofRobot);
    const foreign = await command(
      ['who-can', 'delete', 'widgets.shop.example', `--kubeconfig=${server.path}`],
      today(),
    );
    expect(rowsOf(foreign.out)).toContain(ofRobot);
    expect(await who('get', '/healthz')).toContain(
      'Group | system:unauthenticated | ClusterRoleBinding system:public-info-viewer, ClusterRole system:public-info-viewer',
    );
  });

  it('knows the names of the dialect orch', async () => {
    const server = await start('orch');
    const { out } = await command(
      ['who-can', 'get', 'leases', `--kubeconfig=${server.path}`, '--dialect=orch'],
      today(),
    );
    expect(rowsOf(out)).toContain('Group | system:masters | the server itself');
  });

  it('says how to ask a server of another dialect', async () => {
    const server = await start('orch');
    const { code, err } = await command(['who-can', 'get', 'pods', `--kubeconfig=${server.path}`], today());
    expect(code).toBe(1);
    expect(err).toMatch(
      /no kind "CustomResourceDefinition" .*; the server may have names of another dialect: --dialect=orch\n$/,
    );
  });

  it.each<[words: string[], message: string]>([
    [[], 'who-can needs VERB RESOURCE [NAME], such as get pods/log, or get /healthz'],
    [['get'], 'who-can needs VERB RESOURCE [NAME], such as get pods/log, or get /healthz'],
    [['get', 'pods', '-A', '-n', 'x'], '--namespace and --all-namespaces exclude each other'],
  ])('refuses %j', async (words, message) => {
    expect(await command(['who-can', ...words])).toEqual({ code: 2, out: '', err: `orch-apiserver: ${message}\n` });
  });

  it('names the nearest resources, and a missing kubeconfig', async () => {
    const server = await start();
    const wrong = await command(['who-can', 'get', 'podz', `--kubeconfig=${server.path}`], today());
    expect(wrong.code).toBe(2);
    expect(wrong.err).toMatch(/no resource "podz" is served; nearest are "pods".*needs its group: RESOURCE\.GROUP/);
    const missing = await command(['who-can', 'get', 'pods', '--kubeconfig=/nowhere/config']);
    expect(missing.code).toBe(2);
    expect(missing.err).toContain('--kubeconfig: ');
  });

  it('warns of what is probably a mistake, and answers', async () => {
    const server = await start();
    await bind(server);
    await create(server, '/clusterroles', {
      metadata: { name: 'deployers' },
      rules: [{ apiGroups: ['shop.example'], resources: ['widgets'], verbs: ['deploy'] }],
    });
    const warned = async (...words: string[]): Promise<string> => {
      const { code, out, err } = await command(['who-can', ...words, `--kubeconfig=${server.path}`], today());
      expect(code).toBe(0);
      expect(rowsOf(out)).toContain('Group | system:masters | the server itself');
      return err;
    };
    const noVerb = (verb: string, of: string, hint: string): string =>
      `warning: "${verb}" is not a verb of requests for a ${of}, and no role that counts here names it${hint}\n`;
    expect(await warned('delte', 'pods')).toBe(noVerb('delte', 'resource', ' (did you mean delete?)'));
    // A verb of requests for resources, which many roles name for those.
    expect(await warned('update', '/healthz')).toBe(noVerb('update', 'path', ''));
    expect(await warned('ge\u001b[31mt', 'pods')).not.toContain('\u001b');
    // A verb of its own, of a role; verbs that the server itself asks for; a path's own.
    expect(await warned('deploy', 'pods')).toBe('');
    expect(await warned('impersonate', 'users')).toBe('');
    expect(await warned('impersonate', 'userextras/scopes', 'view')).toBe('');
    expect(await warned('approve', 'signers', 'example.com/own')).toBe('');
    expect(await warned('escalate', 'clusterroles')).toBe('');
    expect(await warned('*', 'pods')).toBe('');
    expect(await warned('head', '/healthz')).toBe('');
    expect(await warned('delete', 'widgets.shop.example')).toBe(
      'warning: "widgets.shop.example" is not a resource that the server has\n',
    );
    expect(await warned('get', 'nodes', '--namespace=shop')).toBe(
      'warning: "nodes" has no namespace: --namespace has no effect\n',
    );
    expect(await warned('get', '/healthz', '--namespace=shop')).toBe(
      'warning: "/healthz" has no namespace: --namespace has no effect\n',
    );
  });

  it('says that the server refuses', async () => {
    const server = await start();
    await tests.replace(
      server.path,
      JSON.stringify({ ...server.kubeconfig, users: server.kubeconfig.users.map((user) => ({ ...user, user: {} })) }),
    );
    const { code, err } = await command(['who-can', 'get', 'pods', `--kubeconfig=${server.path}`], today());
    expect(code).toBe(1);
    expect(err).toMatch(/^orch-apiserver: the server refused: .*cannot list resource "customresourcedefinitions"/);
  });
});

describe('crd-types --from-cluster', () => {
  it('prints the types of the definitions of a server, or of some by name', async () => {
    const path = await tests.file('widgets.yaml', WIDGETS);
    const server = await tests.start(
      ['--secure-port=auto', '--dialect=kubernetes', `--crd-dir=${tests.directory}`],
      today(),
    );
    const from = ['crd-types', '--from-cluster', `--kubeconfig=${server.path}`];
    const { code, out, err } = await command(from, today());
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe((await command(['crd-types', path])).out);
    expect((await command([...from, 'widgets.shop.example'], today())).out).toBe(out);
    expect(await command([...from, 'others.shop.example'], today())).toMatchObject({
      code: 1,
      err: expect.stringContaining('"others.shop.example" not found'),
    });
  });

  it('is required for flags of a server', async () => {
    expect(await command(['crd-types', 'x.yaml', '--context=a'])).toMatchObject({
      code: 2,
      err: 'orch-apiserver: --kubeconfig and --context are for --from-cluster\n',
    });
  });
});
