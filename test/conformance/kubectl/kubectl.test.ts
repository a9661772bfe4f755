/** The real command-line tool against a server in its own process, over TLS. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EngineHome, engines, enginesHere } from '../engines.js';
import { Kubectl, rowsOf, toolMinor } from './kubectl.js';
import { startServer, type ServerProcess } from './server.js';

const AGE = expect.stringMatching(/^\d+[sm]/) as string;

const manifest = JSON.stringify({
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', labels: { app: 'web', tier: 'front' } },
      data: { colour: 'blue' },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'nginx:1.27', ports: [{ containerPort: 80 }] }] },
    },
  ],
});

const configMap = (name: string, data: object): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { kind: 'test' } }, data });

for (const engine of engines)
  describe.skipIf(toolMinor === undefined || !enginesHere.includes(engine))(`kubectl on the engine ${engine}`, () => {
    const minor = toolMinor ?? 0;
    let home: EngineHome;
    let server: ServerProcess;
    let kubectl: Kubectl;

    beforeAll(async () => {
      home = await EngineHome.make(engine);
      server = await startServer(['--dialect=kubernetes', '--insecure-loopback-port=0', '--v=3', ...home.flags()]);
      kubectl = new Kubectl(server);
    }, 300_000);

    afterAll(async () => {
      // Undefined if it did not start.
      if (kubectl !== undefined) expect(await server.stop()).toBe(0);
      await home.remove();
    }, 300_000);

    /** A namespace for one test. */
    async function namespaced(name: string): Promise<string> {
      expect(await kubectl.ok(`create namespace ${name}`)).toBe(`namespace/${name} created\n`);
      return `-n ${name}`;
    }

    describe('the server', () => {
      it('version', async () => {
        const { clientVersion, serverVersion } = JSON.parse(await kubectl.ok('version -o json')) as Record<
          'clientVersion' | 'serverVersion',
          Record<string, string>
        >;
        expect(serverVersion).toMatchObject({
          major: '1',
          minor: '31',
          gitVersion: expect.stringMatching(/^v1\.31\.0\+kubernetes\./) as string,
        });
        expect(clientVersion?.['major']).toBe('1');
      });

      it('api-resources', async () => {
        const rows = rowsOf(await kubectl.ok('api-resources --no-headers=false'));
        const byName = new Map(rows.map((cells) => [`${cells[0]} ${cells.at(-3)}`, cells]));
        expect(byName.get('configmaps v1')).toEqual(['configmaps', 'cm', 'v1', 'true', 'ConfigMap']);
        expect(byName.get('namespaces v1')).toEqual(['namespaces', 'ns', 'v1', 'false', 'Namespace']);
        expect(byName.get('leases coordination.k8s.io/v1')).toEqual([
          'leases',
          'coordination.k8s.io/v1',
          'true',
          'Lease',
        ]);
        expect((await kubectl.ok('api-resources --namespaced=false -o name')).split('\n')).toEqual(
          expect.arrayContaining(['namespaces', 'nodes']),
        );
        expect(await kubectl.ok('api-resources --api-group=coordination.k8s.io -o name')).toBe(
          'leases.coordination.k8s.io\n',
        );
      });

      it('api-versions', async () => {
        expect((await kubectl.ok('api-versions')).trimEnd().split('\n')).toEqual(
          expect.arrayContaining(['coordination.k8s.io/v1', 'events.k8s.io/v1', 'v1']),
        );
      });

      it('get --raw', async () => {
        expect(await kubectl.ok('get --raw /livez')).toBe('ok');
        expect(await kubectl.ok('get --raw /readyz?verbose')).toMatch(/^\[\+\]ping ok\n[^]*readyz check passed\n$/);
        expect(JSON.parse(await kubectl.ok('get --raw /api/v1/namespaces/default'))).toMatchObject({
          kind: 'Namespace',
          metadata: { name: 'default' },
        });
        expect(await kubectl.fails('get --raw /nowhere')).toContain('Error from server (NotFound)');
      });

      it('explain', async () => {
        const containers = await kubectl.ok('explain pod.spec.containers');
        expect(containers).toMatch(/^KIND: +Pod\nVERSION: +v1\n/);
        expect(containers).toMatch(/\n +image\t<string>\n/);
        expect(containers).toMatch(/\n +name\t<string> -required-\n/);
        const lease = await kubectl.ok('explain leases.spec --api-version=coordination.k8s.io/v1');
        expect(lease).toMatch(/\n +holderIdentity\t<string>\n/);
        expect(await kubectl.ok('explain configmap --recursive')).toMatch(/\n +data\t<map\[string\]string>\n/);
        const strategy = await kubectl.ok('explain deployment.spec.strategy');
        expect(strategy).toMatch(/DESCRIPTION:\s+How pods are replaced after the template has changed\.\n/);
        expect(strategy.replace(/\s+/g, ' ')).toContain(
          'rollingUpdate <RollingUpdateDeployment> The pace of RollingUpdate.',
        );
        expect(strategy.replace(/\s+/g, ' ')).toMatch(/type <string> .*Default RollingUpdate\. Possible enum values:/);
        expect(await kubectl.fails('explain pod.spec.nothing')).toContain('field "nothing" does not exist');
      });
    });

    describe('create', () => {
      it('-f, twice, and with a field that does not exist', async () => {
        const n = await namespaced('create-file');
        expect(await kubectl.ok(`create ${n} -f -`, { input: manifest })).toBe(
          'configmap/settings created\npod/web created\n',
        );
        expect(await kubectl.fails(`create ${n} -f -`, { input: manifest })).toMatch(
          /^Error from server \(AlreadyExists\): .*configmaps "settings" already exists\n/,
        );
        const unknown = await kubectl.fails(`create ${n} -f -`, {
          input: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad"},"dato":{}}',
        });
        expect(unknown).toContain('unknown field "dato"');
        expect(await kubectl.fails(`create ${n} -f -`, { input: configMap('Bad_Name', {}) })).toContain(
          'metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain must consist of',
        );
        expect(await kubectl.ok(`create ${n} -f - --dry-run=server`, { input: configMap('dry', {}) })).toBe(
          'configmap/dry created (server dry run)\n',
        );
        expect(await kubectl.fails(`get ${n} configmap dry`)).toBe(
          'Error from server (NotFound): configmaps "dry" not found\n',
        );
      });

      it('with generators', async () => {
        const n = await namespaced('create-generated');
        expect(await kubectl.ok(`create ${n} configmap c --from-literal=a=1 --from-literal=b=2`)).toBe(
          'configmap/c created\n',
        );
        expect(await kubectl.ok(`create ${n} secret generic s --from-literal=password=hunter2`)).toBe(
          'secret/s created\n',
        );
        expect(
          await kubectl.ok(
            `create ${n} secret docker-registry r --docker-server=example.com --docker-username=u --docker-password=p`,
          ),
        ).toBe('secret/r created\n');
        expect(await kubectl.ok(`create ${n} serviceaccount robot`)).toBe('serviceaccount/robot created\n');
        expect(rowsOf(await kubectl.ok(`get ${n} secrets`))).toEqual([
          ['r', 'kubernetes.io/dockerconfigjson', '1', AGE],
          ['s', 'Opaque', '1', AGE],
        ]);
        expect(await kubectl.ok(`get ${n} secret s -o jsonpath={.data.password}`)).toBe(
          Buffer.from('hunter2').toString('base64'),
        );
        expect(rowsOf(await kubectl.ok(`get ${n} serviceaccounts robot`))).toEqual([['robot', '0', AGE]]);
      });

      it('run', async () => {
        const n = await namespaced('run');
        expect(await kubectl.ok(`run ${n} web --image=nginx --labels=app=web`)).toBe('pod/web created\n');
        expect(rowsOf(await kubectl.ok(`get ${n} pods`))).toEqual([['web', '0/1', 'Pending', '0', AGE]]);
        expect(rowsOf(await kubectl.ok(`get ${n} pods -o wide`))).toEqual([
          ['web', '0/1', 'Pending', '0', AGE, '<none>', '<none>', '<none>', '<none>'],
        ]);
        expect(
          await kubectl.ok(`get ${n} pod web -o jsonpath={.status.phase},{.status.qosClass},{.spec.restartPolicy}`),
        ).toBe('Pending,BestEffort,Always');
      });
    });

    describe('get', () => {
      let n = '';
      beforeAll(async () => {
        n = await namespaced('get');
        await kubectl.ok(`create ${n} -f -`, { input: manifest });
      });

      it('tables', async () => {
        expect(rowsOf(await kubectl.ok('get namespaces default kube-system'))).toEqual([
          ['default', 'Active', AGE],
          ['kube-system', 'Active', AGE],
        ]);
        const both = await kubectl.ok(`get ${n} configmaps,pods`);
        expect(both).toMatch(/configmap\/settings +1 +/);
        expect(both).toMatch(/pod\/web +0\/1 +Pending +0 +/);
        expect(
          rowsOf(await kubectl.ok('get configmaps -A --show-labels')).find(
            ([namespace, name]) => namespace === 'get' && name === 'settings',
          ),
        ).toEqual(['get', 'settings', '1', AGE, 'app=web,tier=front']);
        expect(await kubectl.ok(`get ${n} all -o name`)).toBe('pod/web\n');
        expect((await kubectl.run(`get ${n} secrets`)).stderr).toBe('No resources found in get namespace.\n');
        expect(await kubectl.fails(`get ${n} pods nothing`)).toBe(
          'Error from server (NotFound): pods "nothing" not found\n',
        );
        expect(await kubectl.fails(`get ${n} gadgets`)).toBe(
          'error: the server doesn\'t have a resource type "gadgets"\n',
        );
      });

      it('label selectors', async () => {
        expect(await kubectl.ok(`get ${n} configmaps,pods -l app=web -o name`)).toBe('configmap/settings\npod/web\n');
        expect(
          await kubectl.ok([
            'get',
            '-n',
            'get',
            'configmaps,pods',
            '-l',
            'app in (web,db),tier notin (back),tier',
            '-o',
            'name',
          ]),
        ).toBe('configmap/settings\n');
        expect(await kubectl.ok(`get ${n} configmaps,pods -l !tier -o name`)).toBe(
          'configmap/kube-root-ca.crt\npod/web\n',
        );
        expect(await kubectl.fails(`get ${n} pods -l a==b==c`)).toContain(
          "found '==', expected: ',' or 'end of string'",
        );
      });

      it('field selectors', async () => {
        expect(await kubectl.ok(`get ${n} pods --field-selector status.phase=Pending -o name`)).toBe('pod/web\n');
        expect(await kubectl.ok(`get ${n} pods --field-selector status.phase!=Pending -o name`)).toBe('');
        expect(await kubectl.ok('get namespaces --field-selector metadata.name=default -o name')).toBe(
          'namespace/default\n',
        );
        expect(await kubectl.fails(`get ${n} pods --field-selector spec.nothing=1`)).toContain(
          'field label not supported: spec.nothing',
        );
      });

      it('output formats', async () => {
        const object = JSON.parse(await kubectl.ok(`get ${n} configmap settings -o json`)) as Record<string, unknown>;
        expect(object).toMatchObject({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'settings', namespace: 'get' },
          data: { colour: 'blue' },
        });
        expect(JSON.parse(await kubectl.ok(`get ${n} configmaps -o json`))).toMatchObject({
          kind: 'List',
          items: [{ metadata: { name: 'kube-root-ca.crt' } }, { metadata: { name: 'settings' } }],
        });
        expect(await kubectl.ok(`get ${n} configmap settings -o yaml`)).toMatch(
          /^apiVersion: v1\ndata:\n {2}colour: blue\nkind: ConfigMap\nmetadata:\n/,
        );
        expect(await kubectl.ok(`get ${n} configmap settings -o name`)).toBe('configmap/settings\n');
        expect(await kubectl.ok(`get ${n} pods -o jsonpath={.items[*].spec.containers[0].image}`)).toBe('nginx:1.27');
        expect(
          rowsOf(
            await kubectl.ok(`get ${n} pods -o custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[*].image`),
          ),
        ).toEqual([['web', 'nginx:1.27']]);
        expect(await kubectl.ok(`get ${n} pod web -o go-template={{.metadata.name}}`)).toBe('web');
      });

      it('in chunks', async () => {
        const names = (await kubectl.ok('get namespaces -o name')).split('\n');
        expect((await kubectl.ok('get namespaces --chunk-size=2 -o name')).split('\n')).toEqual(names);
        expect(rowsOf(await kubectl.ok('get namespaces --chunk-size=1')).length).toBe(names.length - 1);
      });

      it('get events, describe', async () => {
        const pod = JSON.parse(await kubectl.ok(`get ${n} pod web -o json`)) as { metadata: { uid: string } };
        const event = {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'web.1' },
          type: 'Warning',
          reason: 'Unlucky',
          message: 'No luck today',
          count: 3,
          source: { component: 'fate' },
          involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'web', namespace: 'get', uid: pod.metadata.uid },
          firstTimestamp: new Date(Date.now() - 60_000).toISOString().replace(/\.\d+/, ''),
          lastTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
        };
        expect(await kubectl.ok(`create ${n} -f -`, { input: JSON.stringify(event) })).toBe('event/web.1 created\n');
        expect(rowsOf(await kubectl.ok(`get ${n} events`))).toEqual([
          [AGE, 'Warning', 'Unlucky', 'pod/web', 'No luck today'],
        ]);
        const described = await kubectl.ok(`describe ${n} pod web`);
        expect(described).toMatch(/^Name: +web\nNamespace: +get\n/);
        expect(described).toMatch(/\n +Image: +nginx:1\.27\n/);
        expect(described).toMatch(/\nEvents:\n[^]*Warning +Unlucky +.* +fate +No luck today\n/);
        expect(await kubectl.ok(`describe ${n} configmap settings`)).toMatch(/\nData\n====\ncolour:\n----\nblue\n/);
        expect(await kubectl.ok('describe namespace get')).toMatch(/\nStatus: +Active\n/);
      });
    });

    describe('replace, delete', () => {
      it('replace', async () => {
        const n = await namespaced('replace');
        await kubectl.ok(`create ${n} -f -`, { input: configMap('c', { a: '1' }) });
        expect(await kubectl.ok(`replace ${n} -f -`, { input: configMap('c', { a: '2' }) })).toBe(
          'configmap/c replaced\n',
        );
        const read = await kubectl.ok(`get ${n} configmap c -o json`);
        expect(JSON.parse(read)).toMatchObject({ data: { a: '2' } });
        await kubectl.ok(`replace ${n} -f -`, { input: configMap('c', { a: '3' }) });
        expect(await kubectl.fails(`replace ${n} -f -`, { input: read })).toContain(
          'Error from server (Conflict): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "c": the object has been modified',
        );
        expect(await kubectl.fails(`replace ${n} -f -`, { input: configMap('nothing', {}) })).toContain(
          'configmaps "nothing" not found',
        );
        expect(await kubectl.ok(`replace ${n} --force -f -`, { input: configMap('c', { a: '4' }) })).toContain(
          'configmap/c replaced\n',
        );
      });

      it('delete', async () => {
        const n = await namespaced('delete');
        await kubectl.ok(`create ${n} -f -`, { input: manifest });
        await kubectl.ok(`create ${n} configmap other`);
        expect(await kubectl.ok(`delete ${n} --wait -f -`, { input: manifest })).toMatch(
          /^configmap "settings" deleted.*\npod "web" deleted.*\n$/,
        );
        expect(await kubectl.ok(`get ${n} configmaps,pods -o name`)).toBe(
          'configmap/kube-root-ca.crt\nconfigmap/other\n',
        );
        expect(await kubectl.fails(`delete ${n} configmap settings`)).toBe(
          'Error from server (NotFound): configmaps "settings" not found\n',
        );
        expect(await kubectl.ok(`delete ${n} configmap settings --ignore-not-found`)).toBe('');
        expect(await kubectl.ok(`delete ${n} configmaps --all`)).toMatch(/\nconfigmap "other" deleted/);
      });

      it('a namespace and its contents', async () => {
        const n = await namespaced('doomed');
        await kubectl.ok(`create ${n} -f -`, { input: manifest });
        expect(await kubectl.ok('delete namespace doomed --timeout=15s')).toBe('namespace "doomed" deleted\n');
        expect(await kubectl.fails('get namespace doomed')).toBe(
          'Error from server (NotFound): namespaces "doomed" not found\n',
        );
        expect(await kubectl.fails(`create ${n} configmap c`)).toContain('namespaces "doomed" not found');
        expect(await kubectl.fails('delete namespace default')).toContain(
          'Error from server (Forbidden): namespaces "default" is forbidden: this namespace may not be deleted',
        );
      });
    });

    describe('watch', () => {
      it('get -w shows every change', async () => {
        const n = await namespaced('watch');
        await kubectl.ok(`create ${n} -f -`, { input: configMap('c', { a: '1' }) });
        const { lines, end } = kubectl.follow(`get ${n} configmaps -w --no-headers -l kind=test --output-watch-events`);
        const next = async (): Promise<string[]> =>
          String((await lines.next()).value)
            .split(/ +/)
            .slice(0, 3);
        expect(await next()).toEqual(['ADDED', 'c', '1']);
        await kubectl.ok(`replace ${n} -f -`, { input: configMap('c', { a: '1', b: '2' }) });
        expect(await next()).toEqual(['MODIFIED', 'c', '2']);
        await kubectl.ok(`create ${n} -f -`, { input: configMap('d', {}) });
        expect(await next()).toEqual(['ADDED', 'd', '0']);
        await kubectl.ok(`delete ${n} configmap c`);
        expect(await next()).toEqual(['DELETED', 'c', '2']);
        end();
      });

      it('wait', async () => {
        const n = await namespaced('wait');
        await kubectl.ok(`run ${n} web --image=nginx`);
        expect(await kubectl.fails(`wait ${n} --for=condition=Ready pod/web --timeout=1s`)).toContain(
          'timed out waiting for the condition on pods/web',
        );
        // The first watch was the one for the condition.
        let watches = 0;
        const waited = kubectl.ok(`wait ${n} --for=delete pod/web --timeout=15s`);
        await server.logged(
          (line) => line.includes('/api/v1/namespaces/wait/pods?') && line.includes('watch=true') && ++watches === 2,
        );
        await kubectl.ok(`delete ${n} pod web --now`);
        expect(await waited).toBe('pod/web condition met\n');
      });

      it.skipIf(minor < 23)('wait for a value', async () => {
        const n = await namespaced('wait-value');
        await kubectl.ok(`run ${n} web --image=nginx`);
        expect(await kubectl.ok(`wait ${n} --for=jsonpath={.status.phase}=Pending pod/web --timeout=15s`)).toBe(
          'pod/web condition met\n',
        );
      });
    });
  });
