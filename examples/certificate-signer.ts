/**
 * A custom signer that issues certificates for the servers of one shop only. Requests of the shop's service accounts
 * are approved automatically; all others wait for an approver.
 */
import { ApiServer, createSigner, issuedBy } from 'orch-apiserver';
import { CertificateSigningRequest } from 'orch-apiserver/kinds';
import { CertificateAuthority, createCertificateRequest, encodePem, generateKeyPair } from 'orch-apiserver/pki';

const DAY_SECONDS = 86_400;
const now = Date.now();

const server = new ApiServer();
const authority = await CertificateAuthority.create({
  commonName: 'shop',
  notBefore: now,
  notAfter: now + 365 * DAY_SECONDS * 1000,
});

const signer = createSigner({
  client: server.client({ fieldManager: 'shop-signer' }),
  signerName: 'shop.example/serving',
  issue: issuedBy(authority),
  policy: {
    subject: ({ commonName }) => ({ commonName }),
    alternativeNames: ({ dnsNames }) =>
      dnsNames.length > 0 && dnsNames.every((name) => name.endsWith('.shop.example')) && { dnsNames },
    usages: { required: ['server auth'], permitted: ['digital signature'] },
    lifetime: { default: '168h', max: '720h' },
  },
  authorize: ({ requester }) => requester.groups.includes('system:serviceaccounts:shop') || undefined,
  approves: true,
});
signer.start();

/** Requests a certificate, as a server of the shop does. */
async function certificateFor(name: string, host: string): Promise<string> {
  const keyPair = await generateKeyPair();
  const request = encodePem(
    'CERTIFICATE REQUEST',
    await createCertificateRequest({ subject: { commonName: host }, alternativeNames: { dnsNames: [host] }, keyPair }),
  );
  // In production a role grants this permission; the example uses system:masters.
  const user = {
    username: 'system:serviceaccount:shop:web',
    groups: ['system:serviceaccounts:shop', 'system:masters'],
  };
  const requests = server.client({ user }).resource(CertificateSigningRequest);
  await requests.create({
    metadata: { name },
    spec: { request: btoa(request), signerName: 'shop.example/serving', usages: ['digital signature', 'server auth'] },
  });
  await signer.settled();
  const { conditions, certificate } = (await requests.get(name)).status ?? {};
  return certificate === undefined
    ? (conditions ?? []).map(({ type, message }) => `${type}: ${message}`).join('\n')
    : atob(certificate);
}

console.log(await certificateFor('web', 'web.shop.example'));
console.log(await certificateFor('bank', 'bank.example'));

await signer.stop();
await server.close();
