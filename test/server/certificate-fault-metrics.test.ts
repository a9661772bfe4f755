/** Webhooks whose certificates are not accepted, in the metrics of Kubernetes. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { countingCertificateFaults } from '../../src/server/metrics/certificate-fault-metrics.js';
import { Metrics } from '../../src/server/metrics/metrics.js';
import { nodeHttpClient } from '../../src/transport/node/index.js';
import { alternativeNames, authority, DAY, dnsName, issue, newKey, signings } from '../security/pki/support/issue.js';

const validity = { notBefore: Date.now() - DAY, notAfter: Date.now() + DAY };

/** A server with a certificate for localhost of that signature; returns its URL and its authority. */
async function serve(signing: keyof typeof signings) {
  const root = authority('root', { ...validity, key: newKey('RSA'), signing: signings.rsaSha256 });
  const order = { ...validity, by: root, key: newKey('RSA'), signing: signings[signing] };
  const leaf = issue({ ...order, subject: 'localhost', extensions: [alternativeNames(dnsName('localhost'))] });
  const tls = { cert: leaf.pem, key: leaf.keyPem, ciphers: 'DEFAULT@SECLEVEL=0' };
  const server = createServer(tls, (_request, response) => void response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const http = nodeHttpClient();
  onTestFinished(() => {
    http.close();
    server.close();
  });
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
  return { http, request: { url, tls: { certificateAuthority: root.pem }, maxBytes: 1000 } };
}

function linesOf(metrics: Metrics): string[] {
  return String(metrics)
    .split('\n')
    .filter((line) => line.startsWith('apiserver_webhooks_'));
}

test('a certificate that is signed with SHA-1', async () => {
  const metrics = new Metrics();
  const { http, request } = await serve('rsaSha1');
  await expect(countingCertificateFaults(http, metrics)(request)).rejects.toThrow('digest algorithm too weak');
  expect(linesOf(metrics)).toEqual([
    'apiserver_webhooks_x509_insecure_sha1_total 1',
    'apiserver_webhooks_x509_missing_san_total 0',
  ]);
});

test('a good certificate, and failures of another kind', async () => {
  const metrics = new Metrics();
  const { http, request } = await serve('rsaSha256');
  const send = countingCertificateFaults(http, metrics);
  expect((await send(request)).status).toBe(200);
  await expect(send({ ...request, tls: {} })).rejects.toThrow();
  await expect(countingCertificateFaults(() => Promise.reject(new Error('no')), metrics)()).rejects.toThrow('no');
  expect(linesOf(metrics)).toEqual([
    'apiserver_webhooks_x509_insecure_sha1_total 0',
    'apiserver_webhooks_x509_missing_san_total 0',
  ]);
});
