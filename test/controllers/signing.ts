import { ApiServer } from '../../src/apiserver/api-server.js';
import type { ApiServerOptions } from '../../src/apiserver/options/api-server-options.js';
import type { Client } from '../../src/entries/client.js';
import type { CertificateSigningRequestObject } from '../../src/controllers/certificates/request-controller.js';
import { controllerNames } from '../../src/entries/controllers.js';
import { kubernetes } from '../../src/foundation/index.js';
import { CertificateAuthority, parseCertificateBundle, type Certificate } from '../../src/security/pki/index.js';
import { CertificateSigningRequest } from '../../src/kinds/builtin/index.js';
import { seededEntropy } from '../../src/testing/time/seeded-entropy.js';
import { ManualClock } from '../storage/manual-clock.js';
import { base64, requestPem } from '../support/certificates.js';

export const SIGNER = 'example.com/shop';
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A server whose clock stands still, without controllers. */
export interface World extends AsyncDisposable {
  readonly server: ApiServer;
  readonly client: Client;
  readonly clock: ManualClock;
}

export function world(options: ApiServerOptions = {}): World {
  const clock = new ManualClock();
  const server = new ApiServer({
    dialect: kubernetes,
    clock,
    controllers: { disable: [...controllerNames] },
    ...options,
  });
  return { server, client: server.client(), clock, [Symbol.asyncDispose]: () => server.close() };
}

type RequestFields = Parameters<typeof requestPem>[0];

/** An authority that is valid for a year around a time. */
export function authorityAt(
  now: number,
  validity: { notBefore?: number; notAfter?: number } = {},
): Promise<CertificateAuthority> {
  return CertificateAuthority.create({
    commonName: 'shop authority',
    notBefore: now - DAY_MS,
    notAfter: now + 1000 * DAY_MS,
    entropy: seededEntropy(1),
    ...validity,
  });
}

/** Requests of a server, as its administrator. */
export const requestsOf = (client: Client) => client.resource(CertificateSigningRequest);

/** Posts a request. */
export async function ask(
  client: Client,
  name: string,
  fields: RequestFields & {
    readonly signerName?: string;
    readonly usages?: string[];
    readonly expirationSeconds?: number;
  } = {},
) {
  const { signerName = SIGNER, usages = ['digital signature', 'client auth'], expirationSeconds, ...rest } = fields;
  const spec = {
    request: base64(await requestPem(rest)),
    signerName,
    usages,
    ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
  };
  return requestsOf(client).create({ metadata: { name }, spec });
}

/** Approves or denies a request, as an authorized user. */
export async function decide(client: Client, name: string, type: 'Approved' | 'Denied' = 'Approved') {
  const object = await requestsOf(client).get(name);
  const condition = { type, status: 'True', reason: 'ByTheTest', message: 'decided by the test' };
  return requestsOf(client).updateSubresource('approval', {
    ...object,
    status: { ...object.status, conditions: [...(object.status?.conditions ?? []), condition] },
  });
}

/** Posts a request and approves it. */
export async function askApproved(client: Client, name: string, fields: Parameters<typeof ask>[2] = {}) {
  await ask(client, name, fields);
  return decide(client, name);
}

/** The certificates of a request; undefined if there are none. */
export function chainOf({ status }: CertificateSigningRequestObject): Certificate[] | undefined {
  return status?.certificate === undefined
    ? undefined
    : parseCertificateBundle(Buffer.from(status.certificate, 'base64').toString());
}

/** The conditions of a request: type, reason, message. */
export function conditionsOf({ status }: CertificateSigningRequestObject): string[] {
  return (status?.conditions ?? []).map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}
