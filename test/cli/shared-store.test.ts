import { readFile } from 'node:fs/promises';
import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { EtcdProcess, etcdVersion } from '../storage/etcd/etcd-process.js';
import { http1Fetch } from '../transport/support/node-fetch.js';
import { authorityOf, runningHost, ServingTests, stop, type Serving } from './serving.js';

const tests = new ServingTests();

describe.skipIf(etcdVersion === undefined)('servers that share a store in etcd', { timeout: 60_000 }, () => {
  let etcd: EtcdProcess;
  let stores = 0;
  let storeFlags: string[];
  beforeAll(async () => {
    etcd = await EtcdProcess.start();
  });
  afterAll(() => etcd.remove());
  beforeEach(() => {
    storeFlags = ['--storage=etcd', `--etcd-servers=${etcd.url}`, `--etcd-prefix=/shared-${(stores += 1)}`];
  });

  const start = (name: string, ...flags: string[]): Promise<Serving> =>
    tests.start(
      [
        '--secure-port=auto',
        `--cert-dir=${tests.directory}/${name}`,
        `--kubeconfig-out=${tests.directory}/${name}.kubeconfig`,
        ...storeFlags,
        ...flags,
      ],
      runningHost(),
    );
  const certificateOf = async (name: string): Promise<X509Certificate> =>
    new X509Certificate(await readFile(`${tests.directory}/${name}/apiserver.crt`));

  it('have certificates of one authority, so whoever trusts one reaches each', async () => {
    const one = await start('one');
    const two = await start('two');
    const ca = authorityOf(one);
    expect(authorityOf(two)).toBe(ca);
    expect((await certificateOf('one')).fingerprint).not.toBe((await certificateOf('two')).fingerprint);
    const send = http1Fetch({ ca });
    for (const { https } of [one, two]) expect((await send(`${https}/livez`)).status).toBe(200);
    send.close();

    // A restart keeps the certificate; a directory from another store does not decide.
    const before = (await certificateOf('two')).fingerprint;
    await stop(two);
    expect(authorityOf(await start('two'))).toBe(ca);
    expect((await certificateOf('two')).fingerprint).toBe(before);
    storeFlags = storeFlags.map((flag) => flag.replace('/shared-', '/other-'));
    expect(authorityOf(await start('one'))).not.toBe(ca);
  });

  it('are refused when they differ, before they serve or write anything', async () => {
    const one = await start('one');
    const host = runningHost();
    const words = ['serve', '--secure-port=auto', '--insecure-loopback-port=0', `--cert-dir=${tests.directory}/two`];
    const different = [...words, `--kubeconfig-out=`, ...storeFlags, '--service-cluster-ip-range=10.1.0.0/16'];
    expect(await run(different, host)).toBe(1);
    expect(host.err()).toContain(
      'network.clusterIPRange (--service-cluster-ip-range) is 10.1.0.0/16 here and 10.0.0.0/24 there',
    );
    expect(await run([...different, '--replace-agreement'], runningHost())).toBe(1);
    await stop(one);
    expect(await stop(await start('one', '--service-cluster-ip-range=10.1.0.0/16', '--replace-agreement'))).toBe(0);
  });
});
