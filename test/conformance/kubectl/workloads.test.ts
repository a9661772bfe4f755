/** The commands of the real command-line tool about workloads, on simulated nodes. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Kubectl, rowsOf, toolMinor } from './kubectl.js';
import { startServer, type ServerProcess } from './server.js';

const chart = (name: string): string => fileURLToPath(new URL(`charts/${name}.yaml`, import.meta.url));

describe.skipIf(toolMinor === undefined)('kubectl, with simulated nodes', { timeout: 300_000 }, () => {
  let server: ServerProcess;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startServer(['--dialect=kubernetes', '--insecure-loopback-port=0', '--simulate-nodes=3']);
    kubectl = new Kubectl(server);
  }, 300_000);

  afterAll(async () => {
    if (kubectl !== undefined) expect(await server.stop()).toBe(0);
  }, 300_000);

  /** Values of a JSONPath in an object, as text. */
  const read = (object: string, path: string): Promise<string> =>
    kubectl.ok(['get', ...object.split(' '), '-o', `jsonpath=${path}`]);

  it('get nodes', async () => {
    await kubectl.ok('wait --for=condition=Ready node --all --timeout=20s');
    const rows = rowsOf(await kubectl.ok('get nodes'));
    expect(rows.map(([name, status, , , version]) => [name, status, version])).toEqual([
      ['node-1', 'Ready', 'v1.31.0'],
      ['node-2', 'Ready', 'v1.31.0'],
      ['node-3', 'Ready', 'v1.31.0'],
    ]);
  });

  it('get the service of the server, its endpoints and its lease', async () => {
    const waits = 'wait service/kubernetes --for=jsonpath={.spec.type}=ClusterIP --timeout=20s';
    await expect.poll(() => kubectl.run(waits.split(' ')).then(({ code }) => code), { timeout: 60_000 }).toBe(0);
    const [service] = rowsOf(await kubectl.ok('get service kubernetes'));
    expect([service?.[0], service?.[1], service?.[4]]).toEqual(['kubernetes', 'ClusterIP', '443/TCP']);
    expect(await read('service kubernetes', '{.metadata.labels.component}')).toBe('apiserver');
    expect(await kubectl.ok('get endpoints kubernetes')).toContain('kubernetes');
    expect(await kubectl.ok('get lease -n kube-system -o name')).toMatch(/^lease.coordination.k8s.io\/apiserver-/m);
  });

  it('create deployment, rollout status, wait', async () => {
    expect(await kubectl.ok('create deployment web --image=web:1 --replicas=3 --port=8080')).toBe(
      'deployment.apps/web created\n',
    );
    expect(await kubectl.ok('rollout status deployment/web --timeout=20s')).toMatch(
      /deployment "web" successfully rolled out\n$/,
    );
    expect(await kubectl.ok('wait --for=condition=Available deployment/web --timeout=20s')).toBe(
      'deployment.apps/web condition met\n',
    );
    const [row] = rowsOf(await kubectl.ok('get deployment web'));
    expect(row?.slice(0, 4)).toEqual(['web', '3/3', '3', '3']);
    const pods = rowsOf(await kubectl.ok('get pods -l app=web -o wide'));
    expect(pods.map(([, ready, status, restarts]) => [ready, status, restarts])).toEqual(
      Array(3).fill(['1/1', 'Running', '0']),
    );
    expect(new Set(pods.map((cells) => cells[6])).size).toBe(3);
  });

  it('logs and top', async () => {
    const pods = rowsOf(await kubectl.ok('top pods -l app=web'));
    expect(pods.map(([, cpu, memory]) => [cpu, memory])).toEqual(Array(3).fill(['0m', '0Mi']));
    const nodes = rowsOf(await kubectl.ok('top nodes'));
    expect(nodes.map(([name, cpu]) => [name, cpu])).toEqual(['node-1', 'node-2', 'node-3'].map((name) => [name, '0m']));
    expect(await kubectl.ok('logs deployment/web')).toBe('');
  });

  it('set image, rollout history, undo and restart', async () => {
    await kubectl.ok('set image deployment/web web=web:2');
    await kubectl.ok('rollout status deployment/web --timeout=20s');
    await kubectl.ok('annotate deployment/web kubernetes.io/change-cause=second');
    const history = await kubectl.ok('rollout history deployment/web');
    expect(rowsOf(history.replace(/^deployment.*\n/, '').trimEnd()).map(([revision]) => revision)).toEqual(['1', '2']);
    expect(await kubectl.ok('rollout history deployment/web --revision=1')).toMatch(/Image:\s+web:1\n/);
    expect(await kubectl.ok('rollout undo deployment/web')).toBe('deployment.apps/web rolled back\n');
    await kubectl.ok('rollout status deployment/web --timeout=20s');
    expect(await read('deployment web', '{.spec.template.spec.containers[0].image}')).toBe('web:1');
    expect(await read('deployment web', '{.metadata.annotations.deployment\\.kubernetes\\.io/revision}')).toBe('3');
    expect(await kubectl.ok('rollout restart deployment/web')).toBe('deployment.apps/web restarted\n');
    await kubectl.ok('rollout status deployment/web --timeout=20s');
    expect(await read('pods -l app=web', '{.items[*].metadata.annotations}')).toContain('restartedAt');
  });

  it('rollout pause and resume', async () => {
    await kubectl.ok('rollout pause deployment/web');
    await kubectl.ok('set image deployment/web web=web:3');
    expect(await kubectl.fails('rollout undo deployment/web')).toContain('you cannot rollback a paused deployment');
    expect(await read('replicasets -l app=web', '{.items[*].spec.template.spec.containers[0].image}')).not.toContain(
      'web:3',
    );
    await kubectl.ok('rollout resume deployment/web');
    await kubectl.ok('rollout status deployment/web --timeout=20s');
    expect(await read('pods -l app=web', '{.items[*].spec.containers[0].image}')).toBe('web:3 web:3 web:3');
  });

  it('set resources and set env', async () => {
    await kubectl.ok('set resources deployment/web --requests=cpu=50m --limits=memory=64Mi');
    await kubectl.ok('set env deployment/web MODE=dark');
    await kubectl.ok('rollout status deployment/web --timeout=20s');
    expect(await read('pods -l app=web', '{.items[0].spec.containers[0].resources}')).toBe(
      '{"limits":{"memory":"64Mi"},"requests":{"cpu":"50m","memory":"64Mi"}}',
    );
  });

  it('scale and autoscale', async () => {
    expect(await kubectl.ok('scale deployment/web --replicas=5 --current-replicas=3')).toBe(
      'deployment.apps/web scaled\n',
    );
    await kubectl.ok('rollout status deployment/web --timeout=20s');
    expect(await read('deployment web', '{.status.availableReplicas}')).toBe('5');
    expect(await kubectl.fails('scale deployment/web --replicas=5 --current-replicas=3')).toContain(
      'Expected replicas to be 3, was 5',
    );
    expect(await kubectl.ok('autoscale deployment web --min=2 --max=7 --cpu-percent=80')).toBe(
      'horizontalpodautoscaler.autoscaling/web autoscaled\n',
    );
    const [row] = rowsOf(await kubectl.ok('get hpa web'));
    expect(row?.slice(0, 5)).toEqual(['web', 'Deployment/web', expect.stringContaining('<unknown>/80%'), '2', '7']);
  });

  it('expose', async () => {
    expect(await kubectl.ok('expose deployment web --port=80 --target-port=8080')).toBe('service/web exposed\n');
    expect(await read('service web', '{.spec.selector}')).toBe('{"app":"web"}');
    const addresses = async (): Promise<number> =>
      (await read('endpoints web', '{.subsets[*].addresses[*].ip}'))
        .split(' ')
        .filter((address) => address.startsWith('10.244.')).length;
    await expect.poll(addresses, { timeout: 60_000 }).toBe(5);
  });

  it('create job, and wait for it', async () => {
    await kubectl.ok('create job once --image=batch:1 -- work hard');
    expect(await kubectl.ok('wait --for=condition=Complete job/once --timeout=20s')).toBe(
      'job.batch/once condition met\n',
    );
    const [row] = rowsOf(await kubectl.ok('get job once'));
    expect(row?.slice(0, 3)).toEqual(['once', 'Complete', '1/1']);
    expect(rowsOf(await kubectl.ok('get pods -l job-name=once')).map(([, ready, status]) => [ready, status])).toEqual([
      ['0/1', 'Completed'],
    ]);
    expect(await kubectl.ok('describe job once')).toContain('Job completed');
  });

  it('create cronjob, and a job from it', async () => {
    await kubectl.ok(
      'create cronjob nightly --image=batch:1 --schedule=0\u00a03\u00a0*\u00a0*\u00a0*'
        .split(' ')
        .map((word) => word.replaceAll('\u00a0', ' ')),
    );
    const [row] = rowsOf(await kubectl.ok('get cronjob nightly'));
    expect(row?.slice(0, 6)).toEqual(['nightly', '0 3 * * *', '<none>', 'False', '0', '<none>']);
    expect(await kubectl.ok('create job now --from=cronjob/nightly')).toBe('job.batch/now created\n');
    await kubectl.ok('wait --for=condition=Complete job/now --timeout=20s');
    expect(await read('job now', '{.metadata.ownerReferences[0].name}')).toBe('nightly');
  });

  it('describe pod', async () => {
    const name = await read('pods -l app=web', '{.items[0].metadata.name}');
    const text = await kubectl.ok(`describe pod ${name}`);
    expect(text).toMatch(/^Status: +Running$/m);
    expect(text).toMatch(/^ +State: +Running$/m);
    expect(text).toMatch(/^ +Ready +True *$/m);
  });

  it('top shows no usage, since no rule gives any', async () => {
    const pods = (await kubectl.ok('top pods --no-headers')).trim().split('\n');
    expect(pods.map((line) => line.trim().split(/ +/).slice(1))).toEqual(pods.map(() => ['0m', '0Mi']));
    expect(await kubectl.ok('top nodes')).toContain('node-1');
  });

  it('cordon and uncordon', async () => {
    await kubectl.ok('cordon node-1 node-2 node-3');
    await kubectl.ok('run late --image=web:1');
    await expect
      .poll(() => read('pod late', '{.status.conditions[0].message}'), { timeout: 60_000 })
      .toContain('3 node(s) were unschedulable');
    await kubectl.ok('uncordon node-2');
    await kubectl.ok('wait --for=condition=Ready pod/late --timeout=20s');
    expect(await read('pod late', '{.spec.nodeName}')).toBe('node-2');
    await kubectl.ok('uncordon node-1 node-3');
    await kubectl.ok('delete pod late --timeout=20s');
  });

  it('delete deployment, with its pods', async () => {
    await kubectl.ok('delete deployment web --timeout=20s');
    await expect
      .poll(() => read('replicasets,pods -l app=web', '{.items[*].metadata.name}'), { timeout: 60_000 })
      .toBe('');
  });

  describe('apply a chart', () => {
    const install = async (name: string): Promise<string> => {
      await kubectl.ok(`create namespace ${name}`);
      return kubectl.ok(`apply -n ${name} -f ${chart(name)}`);
    };

    it('of a web shop', async () => {
      const said = await install('web-shop');
      expect(said.trimEnd().split('\n')).toHaveLength(12);
      for (const name of ['shop-storefront', 'shop-api'])
        await kubectl.ok(`rollout status deployment/${name} -n web-shop --timeout=20s`);
      await kubectl.ok('wait --for=condition=Complete job/shop-migrate -n web-shop --timeout=20s');
      const nodes = await read(
        'pods -n web-shop -l app.kubernetes.io/component=storefront',
        '{.items[*].spec.nodeName}',
      );
      expect(nodes.split(' ').sort()).toEqual(['node-1', 'node-2', 'node-3']);
      const api = rowsOf(await kubectl.ok('get pods -n web-shop -l app.kubernetes.io/component=api'));
      expect(api.map(([, ready, status]) => [ready, status])).toEqual([
        ['2/2', 'Running'],
        ['2/2', 'Running'],
      ]);
      await expect
        .poll(() => read('pdb shop-storefront -n web-shop', '{.status.disruptionsAllowed}'), { timeout: 60_000 })
        .toBe('1');
      await expect
        .poll(
          async () =>
            (
              await read(
                'endpointslices -n web-shop -l kubernetes.io/service-name=shop-api',
                '{.items[*].endpoints[*].conditions.ready}',
              )
            ).split(' '),
          { timeout: 20_000 },
        )
        .toEqual(['true', 'true']);
      // The tool always sends stringData, selectors of budgets, and lists without their defaults.
      const again = (await kubectl.ok(`apply -n web-shop -f ${chart('web-shop')}`)).trimEnd().split('\n');
      expect(again.filter((line) => !line.endsWith(' unchanged'))).toEqual([
        'secret/shop-payment configured',
        'poddisruptionbudget.policy/shop-storefront configured',
        'networkpolicy.networking.k8s.io/shop-api configured',
      ]);
      expect(await kubectl.ok(`diff -n web-shop -f ${chart('web-shop')}`)).toBe('');
    });

    it('of a database', async () => {
      await install('database');
      await kubectl.ok('rollout status statefulset/db -n database --timeout=20s');
      const pods = rowsOf(await kubectl.ok('get pods -n database -o wide'));
      expect(pods.map(([name]) => name)).toEqual(['db-0', 'db-1', 'db-2']);
      expect(new Set(pods.map((cells) => cells[6])).size).toBe(3);
      expect(await read('pvc -n database', '{.items[*].metadata.name}')).toBe('data-db-0 data-db-1 data-db-2');
      await kubectl.ok('create job backup --from=cronjob/db-backup -n database');
      await kubectl.ok('wait --for=condition=Complete job/backup -n database --timeout=20s');
      await kubectl.ok('set image statefulset/db server=registry.example/db:16.4 -n database');
      await kubectl.ok('rollout status statefulset/db -n database --timeout=20s');
      expect(
        await read('pods -n database -l app.kubernetes.io/component=server', '{.items[*].spec.containers[0].image}'),
      ).toBe(Array(3).fill('registry.example/db:16.4').join(' '));
      await kubectl.ok('scale statefulset/db --replicas=1 -n database');
      await expect
        .poll(() => read('pods -n database -l app.kubernetes.io/component=server', '{.items[*].metadata.name}'), {
          timeout: 20_000,
        })
        .toBe('db-0');
    });

    it('of a batch pipeline', async () => {
      await install('batch-pipeline');
      await kubectl.ok('wait --for=condition=Complete job/transform -n batch-pipeline --timeout=20s');
      expect(await read('job transform -n batch-pipeline', '{.status.completedIndexes}')).toBe('0-3');
      await kubectl.ok('rollout status daemonset/log-agent -n batch-pipeline --timeout=20s');
      expect(await read('daemonset log-agent -n batch-pipeline', '{.status.numberAvailable}')).toBe('3');
      expect(rowsOf(await kubectl.ok('get job report -n batch-pipeline'))[0]?.slice(0, 3)).toEqual([
        'report',
        'Suspended',
        '0/1',
      ]);
      await kubectl.ok([
        'patch',
        'job',
        'report',
        '-n',
        'batch-pipeline',
        '--type=merge',
        '-p',
        '{"spec":{"suspend":false}}',
      ]);
      await kubectl.ok('wait --for=condition=Complete job/report -n batch-pipeline --timeout=20s');
      await kubectl.ok('delete namespace batch-pipeline --timeout=20s');
    });
  });
});
