import { createPublicKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  CertificatePool,
  ExtendedKeyUsage,
  parseCertificate,
  verifyCertificate,
  type VerifyOptions,
} from '../../../src/security/pki/index.js';
import { der, nothing, sequence } from './support/der-writer.js';
import {
  alternativeNames,
  authority,
  basicConstraints,
  client,
  clientAuth,
  DAY,
  dnsName,
  emailName,
  extendedKeyUsage,
  extension,
  intermediate,
  ipName,
  issue,
  keyUsage,
  nameConstraints,
  newKey,
  NOW,
  serverAuth,
  signings,
  uriName,
  type Identity,
  type Signing,
} from './support/issue.js';

const root = authority('root');
const middle = intermediate('middle', root);

/** The names of every chain, or the message of the error. */
async function verify(
  leaf: Identity,
  intermediates: readonly Identity[] = [],
  roots: readonly Identity[] = [root],
  options: Partial<VerifyOptions> = {},
): Promise<string[] | string> {
  const result = await verifyCertificate(parseCertificate(leaf.der), {
    authorities: new CertificatePool(roots.map((identity) => parseCertificate(identity.der))),
    intermediates: intermediates.map((identity) => parseCertificate(identity.der)),
    now: NOW,
    ...options,
  });
  return result.error === undefined
    ? result.chains.map((chain) => chain.map(({ subject }) => subject.commonName).join(' < '))
    : result.error.message;
}

const UNKNOWN = 'x509: certificate signed by unknown authority';
const EXPIRED = 'x509: certificate has expired or is not yet valid: current time';
const because = (why: string, who: string): string =>
  `${UNKNOWN} (possibly because of "${why}" while trying to verify candidate authority certificate "${who}")`;

describe('chains', () => {
  test('lead from a leaf to its authority, through the presented certificates', async () => {
    expect(await verify(client('a', root))).toEqual(['a < root']);
    expect(await verify(client('a', middle), [middle])).toEqual(['a < middle < root']);
    expect(await verify(client('a', middle), [root, middle, client('b', root)])).toEqual(['a < middle < root']);
  });

  test('are all found, through several authorities and cross-signed ones', async () => {
    const other = authority('other');
    const crossed = intermediate('middle', other, { key: keyOf(middle) });
    expect(await verify(client('a', middle), [crossed, middle], [root, other])).toEqual(
      expect.arrayContaining(['a < middle < root', 'a < middle < other']),
    );
    const first = authority('first');
    const second = intermediate('second', first);
    const circle = intermediate('first', second, { key: keyOf(first) });
    expect(await verify(client('a', second), [second, circle], [root])).toMatch(UNKNOWN);
    expect(await verify(client('a', second), [second, circle], [first])).toEqual(['a < second < first']);
  });

  test('may end at an authority that is not self-signed, or at a trusted leaf', async () => {
    expect(await verify(client('a', middle), [], [middle])).toEqual(['a < middle']);
    const own = issue({ subject: 'own', extensions: [clientAuth] });
    expect(await verify(own, [], [own])).toEqual(['own']);
  });

  test('are not found if a link is missing', async () => {
    expect(await verify(client('a', middle))).toBe(UNKNOWN);
    expect(await verify(client('a', middle), [], [])).toBe(UNKNOWN);
  });

  test('do not include an authority of the same name with another key', async () => {
    const impostor = authority('root');
    expect(await verify(client('a', impostor), [impostor])).toBe(because('x509: ECDSA verification failure', 'root'));
    expect(await verify(impostor)).toBe(because('x509: ECDSA verification failure', 'root'));
  });

  test('use key identifiers only as hints', async () => {
    const wrong = issue({
      subject: 'a',
      by: { ...root, keyIdentifier: Uint8Array.of(1, 2, 3) },
      extensions: [clientAuth],
    });
    expect(await verify(wrong)).toEqual(['a < root']);
    expect(await verify(client('a', root, { withoutIdentifiers: true }))).toEqual(['a < root']);
  });

  test('match names byte by byte', async () => {
    expect(await verify(client('a', root, { issuer: authority('ROOT').subject }))).toBe(UNKNOWN);
  });
});

/** The same key again, for a certificate signed by another authority. */
function keyOf({ key }: Identity): { privateKey: Identity['key']; publicKey: Identity['key'] } {
  return { privateKey: key, publicKey: createPublicKey(key) };
}

describe('validity periods', () => {
  test('are checked for the leaf, the intermediates, and the authority', async () => {
    const late = client('a', root, { notAfter: NOW - 1000 });
    expect(await verify(late)).toBe(`${EXPIRED} 2030-01-01T00:00:00Z is after 2029-12-31T23:59:59Z`);
    expect(await verify(client('a', root, { notBefore: NOW + 1000 }))).toBe(
      `${EXPIRED} 2030-01-01T00:00:00Z is before 2030-01-01T00:00:01Z`,
    );
    const over = intermediate('over', root, { notAfter: NOW - 1000 });
    expect(await verify(client('a', over), [over])).toBe(
      `${EXPIRED} 2030-01-01T00:00:00Z is after 2029-12-31T23:59:59Z`,
    );
    const old = authority('old', { notAfter: NOW - 1000 });
    expect(await verify(client('a', old), [], [old])).toBe(
      `${EXPIRED} 2030-01-01T00:00:00Z is after 2029-12-31T23:59:59Z`,
    );
  });

  test('include their first and last second', async () => {
    const short = client('a', root, { notBefore: NOW, notAfter: NOW + 1000 });
    expect(await verify(short, [], [root], { now: NOW })).toEqual(['a < root']);
    expect(await verify(short, [], [root], { now: NOW + 1000 })).toEqual(['a < root']);
    expect(await verify(short, [], [root], { now: NOW + 1001 })).toMatch(EXPIRED);
    expect(await verify(short, [], [root], { now: NOW - 1 })).toMatch(EXPIRED);
  });

  test('cause an error that says whether another time might help', async () => {
    const ask = async (leaf: Identity): Promise<unknown> =>
      verifyCertificate(parseCertificate(leaf.der), {
        authorities: new CertificatePool([parseCertificate(root.der)]),
        now: NOW,
      });
    expect(await ask(client('a', root, { notBefore: NOW + DAY / 2 }))).toMatchObject({
      dependsOnTime: true,
      error: { problem: 'Expired' },
    });
    expect(await ask(client('a', middle))).toMatchObject({
      dependsOnTime: false,
      error: { problem: 'UnknownAuthority' },
    });
  });
});

describe('the right to sign', () => {
  const PARENT = 'x509: invalid signature: parent certificate cannot sign this kind of certificate';

  test('is missing from an intermediate without the CA flag', async () => {
    const plain = client('plain', root);
    expect(await verify(client('a', plain), [plain])).toBe(because(PARENT, 'plain'));
    const denied = issue({ subject: 'denied', by: root, extensions: [basicConstraints(false)] });
    expect(await verify(client('a', denied), [denied])).toBe(because(PARENT, 'denied'));
  });

  test('is missing from an authority whose key has other usages only; one without usages has it', async () => {
    const signer = authority('signer', { extensions: [basicConstraints(true), keyUsage(0x80)] });
    expect(await verify(client('a', signer), [], [signer])).toBe(because(PARENT, 'signer'));
    const silent = authority('silent', { extensions: [basicConstraints(true), keyUsage(0)] });
    expect(await verify(client('a', silent), [], [silent])).toEqual(['a < silent']);
  });

  test('is held by a version 1 certificate as an authority, and not as an intermediate', async () => {
    const old = issue({ subject: 'old', version: undefined });
    expect(await verify(client('a', old), [], [old])).toEqual(['a < old']);
    const between = issue({ subject: 'between', by: root, version: undefined });
    expect(await verify(client('a', between), [between])).toBe(
      'x509: certificate is not authorized to sign other certificates',
    );
  });

  test('is limited by the path length', async () => {
    const narrow = authority('narrow', { extensions: [basicConstraints(true, 0)] });
    const below = intermediate('below', narrow);
    expect(await verify(client('a', narrow), [], [narrow])).toEqual(['a < narrow']);
    expect(await verify(client('a', below), [below], [narrow])).toBe(
      'x509: too many intermediates for path length constraint',
    );
    const one = authority('one', { extensions: [basicConstraints(true, 1)] });
    const two = intermediate('two', one, { extensions: [basicConstraints(true, 5)] });
    const three = intermediate('three', two);
    expect(await verify(client('a', two), [two], [one])).toEqual(['a < two < one']);
    expect(await verify(client('a', three), [three, two], [one])).toBe(
      'x509: too many intermediates for path length constraint',
    );
  });

  test('is missing with an unknown critical extension anywhere', async () => {
    const odd = extension('1.2.3.4', nothing(), true);
    expect(await verify(client('a', root, { extensions: [clientAuth, odd] }))).toBe(
      'x509: unhandled critical extension',
    );
    const strange = intermediate('strange', root, { extensions: [basicConstraints(true), odd] });
    expect(await verify(client('a', strange), [strange])).toBe('x509: unhandled critical extension');
  });
});

describe('purposes', () => {
  const WRONG = 'x509: certificate specifies an incompatible key usage';
  const any = extendedKeyUsage(ExtendedKeyUsage.any);

  test.each([
    ['for clients', [clientAuth], undefined],
    [
      'for servers and clients',
      [extendedKeyUsage(ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth)],
      undefined,
    ],
    ['for any', [any], undefined],
    ['without purposes, which means any', [], undefined],
    ['for an empty list, which means any', [extendedKeyUsage()], undefined],
    ['for servers', [serverAuth], WRONG],
    ['for an unknown purpose', [extendedKeyUsage('1.2.3')], WRONG],
  ])('of a leaf %s', async (_name, extensions, error) => {
    expect(await verify(client('a', root, { extensions }))).toEqual(error ?? ['a < root']);
  });

  test('nest: an authority for servers only cannot sign for clients', async () => {
    const forServers = intermediate('s', root, { extensions: [basicConstraints(true), serverAuth] });
    expect(await verify(client('a', forServers), [forServers])).toBe(WRONG);
    expect(await verify(client('a', forServers, { extensions: [any] }), [forServers])).toBe(WRONG);
    const forAny = intermediate('y', root, { extensions: [basicConstraints(true), any] });
    expect(await verify(client('a', forAny), [forAny])).toEqual(['a < y < root']);
    const serverRoot = authority('server root', { extensions: [basicConstraints(true), serverAuth] });
    expect(await verify(client('a', serverRoot), [], [serverRoot])).toBe(WRONG);
  });

  test('are the requested ones', async () => {
    const server = client('a', root, { extensions: [serverAuth] });
    expect(await verify(server, [], [root], { extendedKeyUsages: [ExtendedKeyUsage.serverAuth] })).toEqual([
      'a < root',
    ]);
    expect(await verify(server, [], [root], { extendedKeyUsages: [ExtendedKeyUsage.any] })).toEqual(['a < root']);
  });
});

describe('name constraints', () => {
  const NOT = 'x509: a root or intermediate certificate is not authorized to sign for this name: ';
  const bound = (permitted: readonly Uint8Array[], excluded: readonly Uint8Array[] = []): Identity =>
    intermediate('bound', root, { extensions: [basicConstraints(true), nameConstraints(permitted, excluded)] });
  const named = async (by: Identity, ...names: readonly Uint8Array[]): Promise<string[] | string> =>
    verify(client('a', by, { extensions: [clientAuth, ...(names.length === 0 ? [] : [alternativeNames(...names)])] }), [
      by,
    ]);
  const GOOD = ['a < bound < root'];

  test.each([
    ['a certificate without names', [dnsName('example.com')], [], [], GOOD],
    ['the host itself', [dnsName('example.com')], [], [dnsName('Example.com')], GOOD],
    ['a subdomain of the host', [dnsName('example.com')], [], [dnsName('a.b.example.com')], GOOD],
    [
      'a host with the same suffix only',
      [dnsName('example.com')],
      [],
      [dnsName('notexample.com')],
      `${NOT}DNS name "notexample.com" is not permitted by any constraint`,
    ],
    [
      'the host itself, if only subdomains are permitted',
      [dnsName('.example.com')],
      [],
      [dnsName('example.com')],
      `${NOT}DNS name "example.com" is not permitted by any constraint`,
    ],
    [
      'an excluded host',
      [],
      [dnsName('bad.example.com')],
      [dnsName('x.bad.example.com')],
      `${NOT}DNS name "x.bad.example.com" is excluded by constraint "bad.example.com"`,
    ],
    [
      'a wildcard that matches an excluded host',
      [],
      [dnsName('bad.example.com')],
      [dnsName('*.example.com')],
      `${NOT}DNS name "*.example.com" is excluded by constraint "bad.example.com"`,
    ],
    [
      'an invalid host',
      [dnsName('example.com')],
      [],
      [dnsName('a..example.com')],
      `${NOT}x509: cannot parse dnsName "a..example.com"`,
    ],
    ['a host if all are permitted', [dnsName('')], [], [dnsName('a')], GOOD],
    ['an address inside', [ipName(10, 0, 0, 0, 255, 0, 0, 0)], [], [ipName(10, 9, 8, 7)], GOOD],
    [
      'an address outside',
      [ipName(10, 0, 0, 0, 255, 0, 0, 0)],
      [],
      [ipName(11, 0, 0, 1)],
      `${NOT}IP address "11.0.0.1" is not permitted by any constraint`,
    ],
    [
      'an excluded address',
      [],
      [ipName(10, 0, 0, 0, 255, 0, 0, 0)],
      [ipName(10, 0, 0, 1)],
      `${NOT}IP address "10.0.0.1" is excluded by constraint "10.0.0.0/8"`,
    ],
    [
      'an address of the other family',
      [ipName(10, 0, 0, 0, 255, 0, 0, 0)],
      [],
      [ipName(...Array.from({ length: 15 }, () => 0), 1)],
      `${NOT}IP address "::1" is not permitted by any constraint`,
    ],
    ['a mailbox', [emailName('me@example.com')], [], [emailName('me@EXAMPLE.com')], GOOD],
    [
      'another mailbox',
      [emailName('me@example.com')],
      [],
      [emailName('you@example.com')],
      `${NOT}email address "you@example.com" is not permitted by any constraint`,
    ],
    ['a mailbox of a host', [emailName('example.com')], [], [emailName('you@example.com')], GOOD],
    [
      'a quoted mailbox, which is not parsed',
      [emailName('example.com')],
      [],
      [emailName('"y"@example.com')],
      `${NOT}x509: cannot parse rfc822Name "\\"y\\"@example.com"`,
    ],
    ['a URI in a subdomain', [uriName('.example.com')], [], [uriName('https://u@a.example.com:1/x')], GOOD],
    [
      'a URI on another host',
      [uriName('example.com')],
      [],
      [uriName('https://a.org/example.com')],
      `${NOT}URI "https://a.org/example.com" is not permitted by any constraint`,
    ],
    [
      'a URI without a host',
      [],
      [uriName('example.com')],
      [uriName('urn:example.com')],
      `${NOT}URI with empty host or IP ("urn:example.com") cannot be matched against constraints`,
    ],
    [
      'a URI with an address',
      [],
      [uriName('example.com')],
      [uriName('https://10.0.0.1/')],
      `${NOT}URI with empty host or IP ("https://10.0.0.1/") cannot be matched against constraints`,
    ],
    [
      'names of another type than the constrained ones',
      [dnsName('example.com')],
      [],
      [emailName('a@b.c'), ipName(1, 1, 1, 1)],
      GOOD,
    ],
  ])('%s', async (_name, permitted, excluded, names, expected) => {
    expect(await named(bound(permitted, excluded), ...names)).toEqual(expected);
  });

  test('apply to everything below, not only to directly signed certificates', async () => {
    const top = authority('top', { extensions: [basicConstraints(true), nameConstraints([dnsName('example.com')])] });
    const below = intermediate('below', top);
    const leaf = client('a', below, { extensions: [clientAuth, alternativeNames(dnsName('evil.org'))] });
    expect(await verify(leaf, [below], [top])).toBe(`${NOT}DNS name "evil.org" is not permitted by any constraint`);
  });

  test('on directory names are rejected if critical', async () => {
    const strange = bound([der(0xa4, sequence())]);
    expect(await named(strange)).toBe('x509: unhandled critical extension');
  });

  test('have a bounded cost', async () => {
    const many = (count: number, of: (index: number) => Uint8Array): Uint8Array[] =>
      Array.from({ length: count }, (_, index) => of(index));
    const heavy = bound(
      [],
      many(2_000, (index) => dnsName(`h${index}.org`)),
    );
    expect(await named(heavy, ...many(2_000, (index) => dnsName(`n${index}.com`)))).toBe(
      'x509: too many name constraints to check',
    );
  });
});

describe('signatures', () => {
  const rsaKey = newKey('RSA');
  test.each<[string, ReturnType<typeof newKey>, Signing]>([
    ['ECDSA P-256, SHA-256', newKey('P-256'), signings.ecdsaSha256],
    ['ECDSA P-256, SHA-512', newKey('P-256'), signings.ecdsaSha512],
    ['ECDSA P-384, SHA-384', newKey('P-384'), signings.ecdsaSha384],
    ['ECDSA P-521, SHA-512', newKey('P-521'), signings.ecdsaSha512],
    ['Ed25519', newKey('Ed25519'), signings.ed25519],
    ['RSA, SHA-256', rsaKey, signings.rsaSha256],
    ['RSA, SHA-384', rsaKey, signings.rsaSha384],
    ['RSA, SHA-512', rsaKey, signings.rsaSha512],
    ['RSA-PSS', rsaKey, signings.rsaPssSha256],
  ])('with %s are verified, and one changed bit is detected', async (_name, key, signing) => {
    const signer = authority('signer', { key, signing });
    const leaf = client('a', signer, { signing });
    expect(await verify(leaf, [], [signer])).toEqual(['a < signer']);
    const broken = Uint8Array.from(leaf.der);
    const last = broken.length - 1;
    broken[last] = (broken[last] ?? 0) ^ 1;
    expect(await verify({ ...leaf, der: broken }, [], [signer])).toMatch(/verification (failure|error)/);
  });

  test.each<[string, ReturnType<typeof newKey>, Signing, string]>([
    ['ECDSA with SHA-1', newKey(), signings.ecdsaSha1, 'x509: cannot verify signature: insecure algorithm ECDSA-SHA1'],
    ['RSA with SHA-1', rsaKey, signings.rsaSha1, 'x509: cannot verify signature: insecure algorithm SHA1-RSA'],
    ['RSA with MD5', rsaKey, signings.rsaMd5, 'x509: cannot verify signature: insecure algorithm MD5-RSA'],
    [
      'an unknown curve',
      newKey('P-224'),
      signings.ecdsaSha256,
      'x509: cannot verify signature: algorithm unimplemented',
    ],
    [
      'another algorithm than that of the key',
      newKey(),
      { ...signings.ecdsaSha256, algorithm: signings.rsaSha256.algorithm },
      'x509: signature algorithm specifies an RSA public key, but have public key of type ECDSA',
    ],
  ])('with %s are rejected', async (_name, key, signing, why) => {
    const signer = authority('signer', { key });
    expect(await verify(client('a', signer, { signing }), [], [signer])).toBe(
      because(why.replaceAll('"', '\\"'), 'signer'),
    );
  });

  test('of a hundred equally named authorities are too many', async () => {
    const crowd = Array.from({ length: 120 }, () => authority('crowd'));
    expect(await verify(client('a', authority('crowd')), crowd)).toBe(
      'x509: signature check attempts limit reached while verifying certificate chain',
    );
  });
});
