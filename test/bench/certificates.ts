import { ApiServer } from 'orch-apiserver';
import { CertificateSigningRequest } from 'orch-apiserver/kinds';
import { createCertificateRequest, encodePem, generateKeyPair, parseCertificateRequest } from 'orch-apiserver/pki';
import { interleaved, type Measure } from './measure.js';

const REQUESTS = 100;
const IN_FLIGHT = 32;
const ROUNDS = 11;
/** Measured code must be compiled beforehand, or its compilation is measured too: a request runs most of a server. */
const WARM_UP = 3000;

/** Certificates of node agents: requested, approved by the server, and signed. */
export async function certificates(): Promise<Measure[]> {
  await using server = new ApiServer();
  const requests = server.client().resource(CertificateSigningRequest);
  const der = await createCertificateRequest({
    subject: { commonName: 'system:node:bench', organizations: ['system:nodes'] },
    keyPair: await generateKeyPair(),
  });
  const spec = {
    request: Buffer.from(encodePem('CERTIFICATE REQUEST', der)).toString('base64'),
    signerName: server.dialect.signers.apiServerClientNodeAgent,
    usages: ['digital signature', 'client auth'],
  };
  const ending = new AbortController();
  const issued = new Map<string, () => void>();
  const watching = (async () => {
    for await (const { type, object } of requests.watch({ signal: ending.signal })) {
      if (type !== 'MODIFIED' || object.status?.certificate === undefined) continue;
      issued.get(object.metadata.name ?? '')?.();
      issued.delete(object.metadata.name ?? '');
    }
  })();
  let number = 0;
  const issue = async (): Promise<void> => {
    const name = `bench-${(number += 1)}`;
    const done = new Promise<void>((resolve) => issued.set(name, resolve));
    await requests.create({ metadata: { name }, spec });
    await done;
  };
  const raw = await rawOperations(der);
  await times(WARM_UP, IN_FLIGHT, issue);
  const costs = await interleaved(ROUNDS, {
    rawAlone: () => times(REQUESTS, 1, raw),
    issueAlone: () => times(REQUESTS, 1, issue),
    rawTogether: () => times(REQUESTS, IN_FLIGHT, raw),
    issueTogether: () => times(REQUESTS, IN_FLIGHT, issue),
  });
  ending.abort();
  await watching;
  const measure = (name: string, issuing: number, operations: number): Measure => ({
    name: `CSR to issued certificate over its raw key operations, ${name}`,
    value: issuing / operations,
    unit: '×',
    target: { sense: '<=', value: 5 },
    detail: `${(issuing / REQUESTS).toFixed(0)} against ${(operations / REQUESTS).toFixed(0)} µs; ECDSA P-256`,
  });
  return [
    measure('one after the other', costs.issueAlone.wallUs, costs.rawAlone.wallUs),
    measure(`${IN_FLIGHT} in flight`, costs.issueTogether.wallUs, costs.rawTogether.wallUs),
  ];
}

/**
 * The key operations of a request, by WebCrypto: import its key and verify its signature, export its key into the
 * certificate, and sign the certificate.
 */
async function rawOperations(der: Uint8Array): Promise<() => Promise<void>> {
  const { publicKey, signed } = parseCertificateRequest(der);
  const [spki, message] = [Uint8Array.from(publicKey.raw), Uint8Array.from(signed)];
  const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const own = await generateKeyPair();
  const authority = await generateKeyPair();
  const ownSpki = new Uint8Array(await crypto.subtle.exportKey('spki', own.publicKey));
  const signature = new Uint8Array(await crypto.subtle.sign(ecdsa, own.privateKey, message));
  return async () => {
    const key = await crypto.subtle.importKey('spki', ownSpki, ecdsa, false, ['verify']);
    if (!(await crypto.subtle.verify(ecdsa, key, signature, message))) throw new Error('nothing was measured');
    await crypto.subtle.digest('SHA-1', spki);
    await crypto.subtle.sign(ecdsa, authority.privateKey, message);
  };
}

/** Runs a task the given number of times, with limited concurrency. */
async function times(count: number, atOnce: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while ((left -= 1) >= 0) await work();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
