import { X509Certificate } from 'node:crypto';
import { ApiServer, ConfigMap } from 'orch-apiserver';
import { ClusterTrustBundle } from 'orch-apiserver/kinds';
import {
  CertificateAuthority,
  checkTrustBundle,
  encodePem,
  encodePublicKey,
  generateKeyPair,
  type KeyKind,
} from 'orch-apiserver/pki';
import { interleaved, type Measure } from './measure.js';

const ROOTS = 150;
const ROUNDS = 11;
const CHANGES = 200;
const DAY_MS = 86_400_000;
const START = Date.parse('2024-01-01T00:00:00Z');

/** Bundles as large as those of browsers and distributions. */
export async function trustBundles(): Promise<Measure[]> {
  const trustBundle = (await roots()).join('');
  await using server = new ApiServer({
    featureGates: { ClusterTrustBundle: true },
    runtimeConfig: 'certificates.orch.io/v1alpha1=true',
  });
  const bundles = server.client().resource(ClusterTrustBundle);
  const maps = server.client().resource(ConfigMap).namespace('default');
  await bundles.create({ metadata: { name: 'kept' }, spec: { trustBundle } });
  await maps.create({ metadata: { name: 'kept' }, data: { trustBundle } });
  let label = 0;
  const relabel = (): object => ({ metadata: { labels: { change: String((label += 1)) } } });
  const costs = await interleaved(ROUNDS, {
    floor: () => void readByThePlatform(trustBundle),
    check: () => {
      if (checkTrustBundle(trustBundle).length > 0) throw new Error('the bundle is not valid');
    },
    create: async () =>
      void (await bundles.create({ metadata: { name: 'new' }, spec: { trustBundle } }, { dryRun: true })),
    unchanged: async () => {
      for (let index = 0; index < CHANGES; index += 1) await bundles.patch('kept', relabel());
    },
    map: async () => {
      for (let index = 0; index < CHANGES; index += 1) await maps.patch('kept', relabel());
    },
  });
  const [floorMs, checkMs, createMs] = [
    costs.floor.wallUs / 1000,
    costs.check.wallUs / 1000,
    costs.create.wallUs / 1000,
  ];
  const [unchangedUs, mapUs] = [costs.unchanged.wallUs / CHANGES, costs.map.wallUs / CHANGES];
  const size = `${ROOTS} roots, ${Math.round(trustBundle.length / 1024)} KiB`;
  return [
    {
      name: `validating a trust bundle of ${ROOTS} roots`,
      value: checkMs,
      unit: 'ms',
      target: { sense: '<=', value: 60 },
      detail: `${size}; a whole create ${createMs.toFixed(1)} ms`,
    },
    {
      name: 'the same over base64 and X509Certificate of node:crypto',
      value: checkMs / floorMs,
      unit: '×',
      target: undefined,
      detail: `${checkMs.toFixed(1)} against ${floorMs.toFixed(1)} ms`,
    },
    {
      name: 'labelling an unchanged trust bundle over a ConfigMap of its size',
      value: unchangedUs / mapUs,
      unit: '×',
      target: { sense: '<=', value: 1.5 },
      detail: `${unchangedUs.toFixed(0)} against ${mapUs.toFixed(0)} µs: nothing is parsed again`,
    },
  ];
}

/** CA certificates with keys and signatures of the usual sizes. */
async function roots(): Promise<string[]> {
  const kinds: readonly KeyKind[] = ['RSA-4096', 'RSA-2048', 'ECDSA-P384', 'ECDSA-P256'];
  const keys = await Promise.all(kinds.map(async (kind) => encodePublicKey((await generateKeyPair(kind)).publicKey)));
  const authority = await CertificateAuthority.create({
    commonName: 'root of roots',
    keyKind: 'RSA-4096',
    notBefore: START,
    notAfter: START + 3650 * DAY_MS,
  });
  const issue = (index: number): Promise<Uint8Array> =>
    authority.issue({
      subject: {
        commonName: `Root Certification Authority ${index}`,
        organizations: ['Trust Services'],
        organizationalUnits: [`Division ${index}`],
      },
      publicKey: keys[index % keys.length] ?? new Uint8Array(),
      notBefore: START,
      notAfter: START + 3650 * DAY_MS,
      keyUsages: ['keyCertSign', 'cRLSign'],
      isCertificateAuthority: true,
    });
  return Promise.all(Array.from({ length: ROOTS }, async (_, index) => encodePem('CERTIFICATE', await issue(index))));
}

/** The platform's own cost of parsing the certificates of a bundle. */
function readByThePlatform(pem: string): number {
  let authorities = 0;
  for (const [, body = ''] of pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g))
    if (new X509Certificate(Buffer.from(body, 'base64')).ca) authorities += 1;
  if (authorities !== ROOTS) throw new Error('the platform reads it otherwise');
  return authorities;
}
