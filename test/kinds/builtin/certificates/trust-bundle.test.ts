import { atOnce } from '../../../../src/foundation/work/work.js';
import { afterAll, describe, expect, it, test, vi } from 'vitest';
import type { StoredObject } from '../../../../src/foundation/objects/object.js';
import { encodePem, parsePem } from '../../../../src/security/pki/index.js';
import type { ResourceDefinition } from '../../../../src/registry/index.js';
import { ClusterTrustBundle } from '../../../../src/kinds/builtin/index.js';
import { authority, certificatePem } from '../../../support/certificates.js';
import { openssl } from '../../../security/tokens/openssl.js';
import { context } from '../support.js';
import { BUNDLES, world } from './world.js';

const running = await world();
afterAll(() => running[Symbol.asyncDispose]());
const { send } = running;
const first = (await authority('first')).certificatePem;
const second = (await authority('second')).certificatePem;
const leaf = await certificatePem();

const post = (name: string, spec: object) => send('POST', BUNDLES, { metadata: { name }, spec });
const merge = (name: string, patch: object) => send('PATCH', `${BUNDLES}/${name}`, patch);
let serial = 0;
const freshName = (): string => `bundle-${(serial += 1)}`;

describe('a bundle is accepted', () => {
  test.each<[string, string]>([
    ['with one anchor', first],
    ['with text around the anchors', `# one\n${first}# two\n${second}# that is all\n`],
    ['with foreign line endings', `${first}${second}`.replaceAll('\n', '\r\n')],
    ['with an unfinished block, which does not count', `-----BEGIN CERTIFICATE-----\nAAAA\n${first}`],
  ])('%s, and kept unchanged', async (_case, trustBundle) => {
    const name = freshName();
    expect((await post(name, { trustBundle })).object.spec).toEqual({ trustBundle });
    expect((await send('GET', `${BUNDLES}/${name}`)).object.spec).toEqual({ trustBundle });
  });

  test('from openssl', async () => {
    const made = openssl('req -x509 -newkey rsa:2048 -nodes -keyout /dev/null -subj /CN=root -days 1');
    expect((await post(freshName(), { trustBundle: made })).text).toBe('201');
  });
});

describe('a bundle is rejected', () => {
  const wrong = (why: string): string => `spec.trustBundle: Invalid value: "<value omitted>": ${why}`;
  test.each<[string, string | undefined, string[]]>([
    ['without contents', undefined, ['at least one trust anchor must be provided']],
    ['with text only', 'trust me', ['at least one trust anchor must be provided']],
    ['with a duplicate anchor', `${first}${second}${first}`, ['duplicate trust anchor (indices [0 2])']],
    [
      'with blocks of other types',
      `${first}${encodePem('PRIVATE KEY', Uint8Array.of(1))}`,
      ['entry 1 has bad block type: PRIVATE KEY'],
    ],
    ['with headers', first.replace('-----\n', '-----\nComment: hello\n\n'), ['entry 0 has PEM block headers']],
    ['with a certificate without CA rights', leaf, ['entry 0 does not have the CA bit set']],
    [
      'with an invalid certificate',
      encodePem('CERTIFICATE', Uint8Array.of(1, 2, 3)),
      ['entry 0 does not parse as X.509'],
    ],
    [
      'with all of these errors',
      `${leaf}${first}${first}${encodePem('X', Uint8Array.of(1))}`,
      ['entry 0 does not have the CA bit set', 'entry 3 has bad block type: X'],
    ],
  ])('%s', async (_case, trustBundle, why) => {
    expect((await post(freshName(), { trustBundle })).text).toBe(`422 ${why.map(wrong).join('; ')}`);
  });

  test('with ten thousand blocks of which the last is no CA', async () => {
    const one = parsePem(first).blocks[0]?.bytes ?? new Uint8Array();
    const short = encodePem('CERTIFICATE', Uint8Array.of(0x30, 0));
    const { text } = await post(freshName(), { trustBundle: `${short.repeat(9_999)}${encodePem('CERTIFICATE', one)}` });
    // The errors of an object are bounded; all are counted.
    expect(text.match(/does not parse as X\.509/g)).toHaveLength(1_000);
    expect(text).toContain('… and 8,999 more');
  });
});

describe('the name', () => {
  const signerName = 'example.com/shop';
  it('begins with the signer, with colons for slashes', async () => {
    expect((await post('example.com:shop:a', { signerName, trustBundle: first })).text).toBe('201');
    const refusal = (name: string): string =>
      `422 metadata.name: Invalid value: "${name}": ClusterTrustBundle for signerName ${signerName} must be named with prefix example.com:shop:`;
    for (const name of ['shop', 'example.com:shop', 'example.com:shopx:a', 'example.org:shop:a', 'xexample.com:shop:a'])
      expect((await post(name, { signerName, trustBundle: first })).text).toBe(refusal(name));
  });

  it('ends with a DNS subdomain', async () => {
    for (const rest of ['', 'A', 'b:c', '-'])
      expect((await post(`example.com:shop:${rest}`, { signerName, trustBundle: first })).text).toMatch(
        /^422 metadata.name: Invalid value: .*a lowercase RFC 1123 subdomain/,
      );
  });

  it('has no colons without a signer', async () => {
    expect((await post('example.com:shop:b', { trustBundle: first })).text).toBe(
      '422 metadata.name: Invalid value: "example.com:shop:b": ClusterTrustBundle without signer name must not have ":" in its name',
    );
    expect((await post('Not.A.Name', { trustBundle: first })).text).toMatch(
      /^422 metadata.name: .*a lowercase RFC 1123 subdomain/,
    );
  });

  it('may be generated', async () => {
    const made = await send('POST', BUNDLES, {
      metadata: { generateName: 'example.com:shop:g-' },
      spec: { signerName, trustBundle: first },
    });
    expect(made.object.metadata.name).toMatch(/^example\.com:shop:g-[a-z0-9]{5}$/);
    const refused = await send('POST', BUNDLES, {
      metadata: { generateName: 'other-' },
      spec: { signerName, trustBundle: first },
    });
    expect(refused.text).toContain('metadata.generateName: Invalid value: "other-": ClusterTrustBundle for signerName');
  });

  it('with a signer prefix requires a signer', async () => {
    expect((await post('nodomain:b', { signerName: 'nodomain', trustBundle: first })).text).toBe(
      `422 spec.signerName: Invalid value: "nodomain": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
    );
  });
});

describe('an update', () => {
  it('of the anchors is validated', async () => {
    const name = freshName();
    await post(name, { trustBundle: first });
    expect((await merge(name, { spec: { trustBundle: second } })).object.spec).toEqual({ trustBundle: second });
    expect((await merge(name, { spec: { trustBundle: leaf } })).text).toBe(
      '422 spec.trustBundle: Invalid value: "<value omitted>": entry 0 does not have the CA bit set',
    );
  });

  it('of the signer is rejected, also to and from an empty one', async () => {
    await post('example.com:fixed:a', { signerName: 'example.com/fixed', trustBundle: first });
    expect((await merge('example.com:fixed:a', { spec: { signerName: null } })).text).toBe(
      '422 metadata.name: Invalid value: "example.com:fixed:a": ClusterTrustBundle without signer name must not have ":" in its name; spec.signerName: Invalid value: "": field is immutable',
    );
    const name = freshName();
    await post(name, { trustBundle: first });
    expect((await merge(name, { spec: { signerName: 'example.com/fixed' } })).text).toMatch(
      /spec.signerName: Invalid value: "example.com\/fixed": field is immutable$/,
    );
  });

  it('must name a version', async () => {
    const name = freshName();
    const { object } = await post(name, { trustBundle: first });
    const { resourceVersion: _version, ...metadata } = object.metadata;
    expect((await send('PUT', `${BUNDLES}/${name}`, { ...object, metadata })).text).toBe(
      '422 metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
    );
    expect((await send('PUT', `${BUNDLES}/${name}`, object)).text).toBe('200');
    const missing = freshName();
    expect(
      (await send('PUT', `${BUNDLES}/${missing}`, { metadata: { name: missing }, spec: { trustBundle: first } })).code,
    ).toBe(404);
  });

  it('of other fields does not parse the anchors again', async () => {
    const name = freshName();
    await post(name, { trustBundle: `${first}${second}` });
    const check = vi.spyOn(ClusterTrustBundle.strategy ?? {}, 'validate');
    const stored = (trustBundle: string): StoredObject => ({
      apiVersion: '',
      kind: '',
      metadata: {},
      spec: { trustBundle },
    });
    // Invalid contents prove that they are not parsed.
    const { strategy }: ResourceDefinition = ClusterTrustBundle;
    expect(atOnce(strategy?.validate?.(stored('nothing'), context, stored('nothing')))).toEqual([]);
    expect(atOnce(strategy?.validate?.(stored('nothing'), context, stored('something')))?.map(String)).toEqual([
      'spec.trustBundle: Invalid value: "<value omitted>": at least one trust anchor must be provided',
    ]);
    check.mockClear();
    await merge(name, { metadata: { labels: { a: 'b' } } });
    expect(check).toHaveBeenCalledOnce();
    expect(check.mock.calls[0]?.[2]).toMatchObject({ metadata: { name } });
    check.mockRestore();
  });
});

describe('reading', () => {
  it('selects by signer', async () => {
    await post('example.com:select:a', { signerName: 'example.com/select', trustBundle: first });
    const { body } = await send('GET', `${BUNDLES}?fieldSelector=spec.signerName%3Dexample.com/select`);
    expect((body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)).toEqual([
      'example.com:select:a',
    ]);
  });

  it('shows name and signer in tables', async () => {
    await post('example.com:table:a', { signerName: 'example.com/table', trustBundle: first });
    await post('table', { trustBundle: first });
    const rowsOf = async (name: string): Promise<unknown> =>
      (
        await send('GET', `${BUNDLES}/${name}`, undefined, {
          headers: { accept: 'application/json;as=Table;v=v1;g=meta.orch.io' },
        })
      ).body['rows'];
    expect(await rowsOf('example.com:table:a')).toMatchObject([
      { cells: ['example.com:table:a', 'example.com/table'] },
    ]);
    expect(await rowsOf('table')).toMatchObject([{ cells: ['table', '<none>'] }]);
  });

  it('a DELETE returns a Status, also for the collection', async () => {
    const name = freshName();
    await post(name, { trustBundle: first });
    expect((await send('DELETE', `${BUNDLES}/${name}`)).body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { kind: 'clustertrustbundles', name },
    });
    expect((await send('DELETE', `${BUNDLES}?labelSelector=none%3Dhere`)).body).toMatchObject({
      kind: 'Status',
      status: 'Success',
    });
  });
});
