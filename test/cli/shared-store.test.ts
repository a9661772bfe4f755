import { readFile } from 'node:fs/promises';
import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { run } from '../../src/cli/run.js';
import { EtcdProcess, etcdVersion } from '../storage/etcd/etcd-process.js';
import { http1Fetch } from '../transport/support/node-fetch.js';
import { asOwner, authorityOf, runningHost, ServingTests, stop, type Serving } from './serving.js';
import { command } from './stores.js';

const tests = new ServingTests();

describe.skipIf(etcdVersion === undefined)('servers that share a store in etcd', { timeout: 300_000 }, () => {
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

  const CREATED = '/api/v1/namespaces/default/serviceaccounts/default/token';
  const tokenOf = async (server: Serving): Promise<string> => {
    const { status } = await asOwner<{ status: { token: string } }>(server, 'POST', CREATED, { spec: {} });
    return status.token;
  };
  const keyOf = (token: string): unknown =>
    (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;
  /** 403 for a user who may do nothing, 401 for a token that is refused. */
  const statusOf = async ({ http }: Serving, token: string): Promise<number> => {
    const answer = await fetch(`${http}/api/v1/secrets`, { headers: { authorization: `Bearer ${token}` } });
    await answer.arrayBuffer();
    return answer.status;
  };

  it('follow an exchange of their signing key', async () => {
    const [one, two] = [await start('one'), await start('two')];
    await vi.waitFor(() => tokenOf(one), { timeout: 30_000 });
    const before = await tokenOf(one);
    const { code, out } = await command(['rotate-signing-key', '--sign-after=0s', ...storeFlags], runningHost());
    expect(code).toBe(0);
    for (const [signing, other] of [
      [one, two],
      [two, one],
    ] as const) {
      // A server signs with the new key when it has seen the event.
      const token = await vi.waitFor(
        async () => {
          const made = await tokenOf(signing);
          expect(keyOf(made)).not.toBe(keyOf(before));
          return made;
        },
        { timeout: 30_000 },
      );
      expect(out).toContain(`The key ${String(keyOf(token))} is accepted now`);
      expect(await statusOf(other, token)).toBe(403);
      expect(await statusOf(other, before)).toBe(403);
    }
    expect(await command(['rotate-signing-key', ...storeFlags], runningHost())).toMatchObject({ code: 0 });
    expect(await command(['rotate-signing-key', ...storeFlags], runningHost())).toMatchObject({
      code: 1,
      err: expect.stringContaining('the signing key is being exchanged') as unknown,
    });
  });

  it('refuse an owner token that was revoked, and its server makes another one', async () => {
    const [one, two] = [await start('one'), await start('two')];
    const flags = [`--kubeconfig=${tests.directory}/one.kubeconfig`, ...storeFlags];
    await vi.waitFor(async () => expect(await statusOf(two, one.token)).toBe(200), { timeout: 30_000 });
    expect(await command(['revoke-owner-token', ...flags], runningHost())).toMatchObject({ code: 0 });
    for (const server of [one, two])
      await vi.waitFor(async () => expect(await statusOf(server, one.token)).toBe(401), { timeout: 30_000 });
    expect(await statusOf(two, two.token)).toBe(200);
    await stop(one);
    const again = await start('one');
    expect(again.token).not.toBe(one.token);
    expect(await statusOf(again, again.token)).toBe(200);
    await vi.waitFor(async () => expect(await statusOf(two, again.token)).toBe(200), { timeout: 30_000 });
  });
});
