import { afterAll, describe, expect, test } from 'vitest';
import { orch } from '../../../src/foundation/index.js';
import { encodePem } from '../../../src/security/pki/index.js';
import {
  BUNDLES,
  condition,
  goodSpec,
  GROUP,
  REQUESTS,
  SIGNER,
  world,
} from '../../kinds/builtin/certificates/world.js';
import { authority, base64, certificatePem, requestPem } from '../../support/certificates.js';

const running = await world();
afterAll(() => running[Symbol.asyncDispose]());
const { post, get, merge, conditions, certificate, send, grant } = running;
await grant(
  'mallory',
  ['alice'],
  [
    {
      apiGroups: [GROUP],
      resources: [
        'certificatesigningrequests',
        'certificatesigningrequests/approval',
        'certificatesigningrequests/status',
        'clustertrustbundles',
      ],
      verbs: ['*'],
    },
  ],
);
const mallory = { token: 'alice' };
const issued = await certificatePem();
const anchors = (await authority()).certificatePem;

describe('an attacker who may write requests', () => {
  test('cannot set the requester', async () => {
    const claim = {
      username: 'system:apiserver',
      uid: '0',
      groups: ['system:masters'],
      extra: { 'authentication.orch.io/pod-name': ['trusted'] },
    };
    expect((await post('claim', claim, mallory)).object.spec).toEqual({
      ...goodSpec,
      username: 'alice',
      groups: ['dev', 'system:authenticated'],
    });
    for (const part of ['', 'approval', 'status'] as const) {
      await merge('claim', part, { spec: claim }, mallory);
      expect((await get('claim')).object.spec).toEqual({
        ...goodSpec,
        username: 'alice',
        groups: ['dev', 'system:authenticated'],
      });
    }
  });

  test('cannot approve their own request without the verb', async () => {
    await post('own', {}, mallory);
    for (const [method, target, body, type] of [
      [
        'PATCH',
        `${REQUESTS}/own/approval`,
        { status: { conditions: [condition('Approved')] } },
        'application/merge-patch+json',
      ],
      [
        'PATCH',
        `${REQUESTS}/own/approval`,
        { status: { conditions: [condition('Approved')] } },
        'application/strategic-merge-patch+json',
      ],
      [
        'PATCH',
        `${REQUESTS}/own/approval`,
        [{ op: 'add', path: '/status/conditions', value: [condition('Approved')] }],
        'application/json-patch+json',
      ],
      [
        'PATCH',
        `${REQUESTS}/own/approval?fieldManager=m&force=true`,
        {
          apiVersion: `${GROUP}/v1`,
          kind: 'CertificateSigningRequest',
          metadata: { name: 'own' },
          status: { conditions: [condition('Approved')] },
        },
        'application/apply-patch+yaml',
      ],
      [
        'PUT',
        `${REQUESTS}/own/approval`,
        { metadata: { name: 'own' }, spec: goodSpec, status: { conditions: [condition('Approved')] } },
        'application/json',
      ],
      [
        'PUT',
        `${REQUESTS}/own/approval?dryRun=All`,
        { metadata: { name: 'own' }, spec: goodSpec, status: { conditions: [condition('Approved')] } },
        'application/json',
      ],
    ] as const) {
      expect((await send(method, target, body, { ...mallory, type })).code, type).toBe(403);
    }
    expect((await get('own')).object.status).toEqual({});
  });

  test('cannot approve, nor write a certificate, through the main resource', async () => {
    const status = { conditions: [condition('Approved')], certificate: base64(issued) };
    expect(
      (await send('POST', REQUESTS, { metadata: { name: 'main' }, spec: goodSpec, status }, mallory)).object.status,
    ).toEqual({});
    for (const [method, body, type] of [
      ['PATCH', { status }, 'application/merge-patch+json'],
      ['PATCH', [{ op: 'replace', path: '/status', value: status }], 'application/json-patch+json'],
      ['PUT', { metadata: { name: 'main' }, spec: goodSpec, status }, 'application/json'],
    ] as const) {
      expect((await send(method, `${REQUESTS}/main`, body, { ...mallory, type })).object.status).toEqual({});
    }
    await send(
      'PATCH',
      `${REQUESTS}/main?fieldManager=m&force=true`,
      { apiVersion: `${GROUP}/v1`, kind: 'CertificateSigningRequest', metadata: { name: 'main' }, status },
      { ...mallory, type: 'application/apply-patch+yaml' },
    );
    expect((await get('main')).object.status).toEqual({});
  });

  test('cannot replace a certificate after it was issued, even as its signer', async () => {
    await grant(
      'signer',
      ['bob'],
      [
        { apiGroups: [GROUP], resources: ['certificatesigningrequests/status'], verbs: ['*'] },
        { apiGroups: [GROUP], resources: ['signers'], verbs: ['sign'], resourceNames: [SIGNER] },
      ],
    );
    const signer = { token: 'bob' };
    await post('swap');
    await conditions('swap', 'approval', [condition('Approved')]);
    expect((await certificate('swap', issued, signer)).text).toBe('200');
    const other = await certificatePem();
    for (const pem of [other, `${other}${issued}`, `${issued} `, ''])
      expect((await certificate('swap', pem, signer)).text).toBe(
        '422 status.certificate: Forbidden: updates may not modify existing certificate content',
      );
    expect(atob((await get('swap')).object.status.certificate ?? '')).toBe(issued);
  });

  test('cannot change the request once it is approved', async () => {
    await post('bait', {}, mallory);
    await conditions('bait', 'approval', [condition('Approved')]);
    const trap = base64(await requestPem({ subject: { commonName: 'root', organizations: ['system:masters'] } }));
    for (const part of ['', 'approval', 'status'] as const)
      await merge('bait', part, { spec: { request: trap, signerName: orch.signers.apiServerClient } }, mallory);
    expect((await get('bait')).object.spec).toMatchObject({ request: goodSpec.request, signerName: SIGNER });
  });

  test('cannot hide a second block behind other text in a request', async () => {
    const trap = await requestPem({ subject: { commonName: 'root', organizations: ['system:masters'] } });
    const good = atob(goodSpec.request);
    // The parsed block is the one used everywhere: the first.
    expect(
      (
        await post(
          'hidden',
          { signerName: orch.signers.apiServerClient, request: base64(`${trap}${'junk '.repeat(2000)}\n${good}`) },
          mallory,
        )
      ).code,
    ).toBe(403);
    expect(
      (await post('hidden', { request: base64(`-----BEGIN X-----\nAAAA\n-----END X-----\njunk\n${good}`) }, mallory))
        .code,
    ).toBe(422);
  });

  test('cannot hide a block behind other text in a certificate', async () => {
    await post('junk');
    await conditions('junk', 'approval', [condition('Approved')]);
    const key = encodePem('PRIVATE KEY', Uint8Array.of(1));
    for (const junk of [
      '\n'.repeat(5000),
      'x'.repeat(5000) + '\n',
      '-----BEGIN CERTIFICATE-----\n',
      '-----END CERTIFICATE-----\n',
      '\u0000\n',
    ]) {
      expect((await certificate('junk', `${issued}${junk}${key}`)).text).toBe(
        '422 status.certificate: Invalid value: "<certificate data>": only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"',
      );
    }
  });

  test('cannot request system:masters', async () => {
    const request = base64(
      await requestPem({ subject: { commonName: 'alice', organizations: ['dev', 'system:masters'] } }),
    );
    expect((await post('masters', { signerName: orch.signers.apiServerClient, request }, mallory)).text).toBe(
      `403 certificatesigningrequests.${GROUP} "masters" is forbidden: use of orch.io/orch-apiserver-client signer with system:masters group is not allowed`,
    );
  });
});

describe('an attacker who may write trust bundles', () => {
  const bundle = (name: string, signerName?: string) =>
    send(
      'POST',
      BUNDLES,
      { metadata: { name }, spec: { trustBundle: anchors, ...(signerName === undefined ? {} : { signerName }) } },
      mallory,
    );

  test("cannot write a bundle under another signer's name", async () => {
    expect((await bundle('example.com:shop:mine')).text).toMatch(
      /^422 metadata.name: .*ClusterTrustBundle without signer name must not have ":" in its name$/,
    );
    await grant(
      'attests-own',
      ['alice'],
      [{ apiGroups: [GROUP], resources: ['signers'], verbs: ['attest'], resourceNames: ['mallory.example/own'] }],
    );
    expect((await bundle('example.com:shop:mine', 'mallory.example/own')).text).toMatch(
      /^422 metadata.name: .*must be named with prefix mallory.example:own:$/,
    );
    expect((await bundle('mallory.example:own:a', 'mallory.example/own')).text).toBe('201');
    expect((await bundle('example.com:shop:mine', SIGNER)).code).toBe(403);
    expect(
      (await send('PATCH', `${BUNDLES}/mallory.example:own:a`, { spec: { signerName: SIGNER } }, mallory)).text,
    ).toMatch(/^422 .*spec.signerName: Invalid value: "example.com\/shop": field is immutable$/);
  });

  test('cannot become an anchor with their own certificate', async () => {
    expect(
      (await send('POST', BUNDLES, { metadata: { name: 'leaf' }, spec: { trustBundle: issued } }, mallory)).text,
    ).toMatch(/entry 0 does not have the CA bit set$/);
  });
});
