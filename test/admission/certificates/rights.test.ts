import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { certificateAdmission } from '../../../src/admission/index.js';
import { orch } from '../../../src/foundation/index.js';
import { CertificateSigningRequest } from '../../../src/kinds/builtin/index.js';
import { authority, base64, certificatePem, requestPem } from '../../support/certificates.js';
import { BUNDLES, condition, GROUP, SIGNER, world, type World } from '../../kinds/builtin/certificates/world.js';

const anchors = (await authority()).certificatePem;
const issued = await certificatePem();

/** A server in which alice and bob may write everything of the group, without rights on any signer. */
async function worldOfWriters(): Promise<World> {
  const made = await world();
  const resources = [
    'certificatesigningrequests',
    'certificatesigningrequests/approval',
    'certificatesigningrequests/status',
    'clustertrustbundles',
  ];
  await made.grant('writers', ['alice', 'bob'], [{ apiGroups: [GROUP], resources, verbs: ['*'] }]);
  return made;
}

/** A rule that grants a verb on signers. */
const signerRule = (verb: string, ...resourceNames: string[]): object => ({
  apiGroups: [GROUP],
  resources: ['signers'],
  verbs: [verb],
  ...(resourceNames.length === 0 ? {} : { resourceNames }),
});

const forbidden = (name: string, what: string, signer = SIGNER): string =>
  `403 certificatesigningrequests.${GROUP} "${name}" is forbidden: user not permitted to ${what} requests with signerName "${signer}"`;
const asAlice = { token: 'alice' };

describe('a user who may write /approval', () => {
  let running: World;
  beforeAll(async () => (running = await worldOfWriters()));
  afterAll(() => running[Symbol.asyncDispose]());

  it('needs the verb approve, also to approve their own request, to deny it, or to change nothing', async () => {
    await running.post('own', {}, asAlice);
    for (const type of ['Approved', 'Denied', 'Failed', 'Other'])
      expect((await running.conditions('own', 'approval', [condition(type)], asAlice)).text).toBe(
        forbidden('own', 'approve'),
      );
    expect((await running.merge('own', 'approval', {}, asAlice)).text).toBe(forbidden('own', 'approve'));
    expect((await running.get('own')).object.status).toEqual({});
  });

  it('cannot name another signer in the body to be checked for that one', async () => {
    await running.post('named', {}, asAlice);
    await running.grant('approves-other', ['alice'], [signerRule('approve', 'example.com/other')]);
    const approval = { spec: { signerName: 'example.com/other' }, status: { conditions: [condition('Approved')] } };
    expect((await running.merge('named', 'approval', approval, asAlice)).text).toBe(forbidden('named', 'approve'));
  });

  it.each([
    ['by the name of the signer', SIGNER, true],
    ['by its domain', 'example.com/*', true],
    ['by every domain, which is not a pattern', '*/*', false],
    ['by a longer domain', 'sub.example.com/*', false],
    ['by a part of the name', 'example.com/sho', false],
    ['by the domain only', 'example.com', false],
  ])('with the verb %s: %s is %s', async (_case, resourceName, allowed) => {
    await using own = await worldOfWriters();
    await own.grant('approves', ['alice'], [signerRule('approve', resourceName)]);
    await own.post('asked', {}, { token: 'bob' });
    expect((await own.conditions('asked', 'approval', [condition('Approved')], asAlice)).text).toBe(
      allowed ? '200' : forbidden('asked', 'approve'),
    );
    expect((await own.conditions('asked', 'approval', [condition('Approved')], { token: 'bob' })).text).toBe(
      forbidden('asked', 'approve'),
    );
  });

  it('with the verb on all signers may approve for any', async () => {
    await running.grant('approves-all', ['bob'], [signerRule('approve')]);
    await running.post('any', { signerName: 'far.away.example.org/x.y' });
    expect((await running.conditions('any', 'approval', [condition('Approved')], { token: 'bob' })).text).toBe('200');
  });

  it('first gets the errors of the object', async () => {
    await running.post('wrong', {}, asAlice);
    expect(
      (await running.conditions('wrong', 'approval', [condition('Approved', { status: 'False' })], asAlice)).text,
    ).toBe('422 status.conditions[0].status: Unsupported value: "False": supported values: "True"');
  });

  it('may not sign with that right', async () => {
    await using own = await worldOfWriters();
    await own.grant('approves', ['alice'], [signerRule('approve', SIGNER)]);
    await own.post('signed');
    expect((await own.conditions('signed', 'approval', [condition('Approved')], asAlice)).text).toBe('200');
    expect((await own.certificate('signed', issued, asAlice)).text).toBe(forbidden('signed', 'sign'));
    expect((await own.conditions('signed', 'status', [condition('Approved'), condition('Failed')], asAlice)).text).toBe(
      forbidden('signed', 'sign'),
    );
  });
});

describe('a user who may write /status', () => {
  it('needs the verb sign for the certificate and for conditions, and for nothing else', async () => {
    await using own = await worldOfWriters();
    await own.post('a');
    await own.conditions('a', 'approval', [condition('Approved')]);
    expect((await own.certificate('a', issued, asAlice)).text).toBe(forbidden('a', 'sign'));
    expect((await own.conditions('a', 'status', [condition('Approved'), condition('Failed')], asAlice)).text).toBe(
      forbidden('a', 'sign'),
    );
    expect((await own.merge('a', 'status', { metadata: { labels: { a: 'b' } } }, asAlice)).text).toBe('200');
    // Approved is restored, so nothing changes.
    expect((await own.conditions('a', 'status', [condition('Approved', { message: 'by alice' })], asAlice)).text).toBe(
      '200',
    );
    await own.grant('signs', ['alice'], [signerRule('sign', 'example.com/*')]);
    expect((await own.certificate('a', issued, asAlice)).text).toBe('200');
    expect((await own.conditions('a', 'approval', [condition('Approved')], asAlice)).text).toBe(
      forbidden('a', 'approve'),
    );
  });
});

describe('a user who may write trust bundles', () => {
  const refused = (name: string): string =>
    `403 clustertrustbundles.${GROUP} "${name}" is forbidden: user not permitted to attest for signerName "${SIGNER}"`;
  const bundle = (name: string, signerName?: string) => ({
    metadata: { name },
    spec: { trustBundle: anchors, ...(signerName === undefined ? {} : { signerName }) },
  });

  it('needs the verb attest for those of a signer', async () => {
    await using own = await worldOfWriters();
    const name = 'example.com:shop:a';
    expect((await own.send('POST', BUNDLES, bundle('free'), asAlice)).text).toBe('201');
    expect((await own.send('POST', BUNDLES, bundle(name, SIGNER), asAlice)).text).toBe(refused(name));
    expect(
      (
        await own.send(
          'POST',
          BUNDLES,
          { metadata: { generateName: 'example.com:shop:' }, spec: bundle('', SIGNER).spec },
          asAlice,
        )
      ).text,
    ).toMatch(/^(422|403) /);
    await own.send('POST', BUNDLES, bundle(name, SIGNER));
    for (const patch of [{ spec: { trustBundle: `${anchors}#` } }, { metadata: { labels: { a: 'b' } } }])
      expect((await own.send('PATCH', `${BUNDLES}/${name}`, patch, asAlice)).text).toBe(refused(name));
    // A change for the garbage collector attests nothing; the right to delete is enough to delete.
    expect(
      (await own.send('PATCH', `${BUNDLES}/${name}`, { metadata: { finalizers: ['example.com/wait'] } }, asAlice)).text,
    ).toBe('200');
    expect((await own.send('PATCH', `${BUNDLES}/${name}`, { metadata: { finalizers: null } }, asAlice)).text).toBe(
      '200',
    );
    await own.grant('attests', ['alice'], [signerRule('attest', SIGNER)]);
    expect(
      (await own.send('PATCH', `${BUNDLES}/${name}`, { spec: { trustBundle: `${anchors}#` } }, asAlice)).text,
    ).toBe('200');
    expect((await own.send('DELETE', `${BUNDLES}/${name}`, undefined, { token: 'bob' })).code).toBe(200);
  });
});

describe('the in-process client of the server', () => {
  it('is not checked, even if no user may do anything', async () => {
    await using own = await world({ authorization: { authorizer: () => ({ decision: 'Deny', reason: 'no' }) } });
    const requests = own.server.client().resource(CertificateSigningRequest);
    const made = await requests.create({
      metadata: { name: 'owned' },
      spec: { request: base64(await requestPem()), signerName: SIGNER, usages: ['any'] },
    });
    const approved = await requests.updateSubresource('approval', {
      ...made,
      status: { conditions: [{ type: 'Approved', status: 'True' }] },
    });
    expect(approved.status?.conditions).toHaveLength(1);
    const other = own.server
      .client({ user: { username: 'system:apiserver', groups: ['system:masters'] } })
      .resource(CertificateSigningRequest);
    await expect(other.updateSubresource('approval', approved)).rejects.toMatchObject({ code: 403 });
  });
});

describe('for members of system:masters', () => {
  const request = async (organizations: string[]): Promise<string> =>
    base64(await requestPem({ subject: { commonName: 'mallory', organizations } }));

  it('the signer of API clients gets no requests, at any position of the group', async () => {
    await using own = await world();
    const refusal = (name: string): string =>
      `403 certificatesigningrequests.${GROUP} "${name}" is forbidden: use of orch.io/orch-apiserver-client signer with system:masters group is not allowed`;
    for (const organizations of [['system:masters'], ['dev', 'system:masters', 'ops']]) {
      expect(
        (await own.post('m', { signerName: orch.signers.apiServerClient, request: await request(organizations) })).text,
      ).toBe(refusal('m'));
    }
    const generated = await own.send('POST', `/apis/${GROUP}/v1/certificatesigningrequests`, {
      metadata: { generateName: 'm-' },
      spec: { signerName: orch.signers.apiServerClient, usages: ['any'], request: await request(['system:masters']) },
    });
    expect(generated.text).toMatch(
      /^403 certificatesigningrequests\.certificates\.orch\.io "m-[a-z0-9]{5}" is forbidden: use of /,
    );
    const applied = await own.send(
      'PATCH',
      `/apis/${GROUP}/v1/certificatesigningrequests/m?fieldManager=m`,
      {
        apiVersion: `${GROUP}/v1`,
        kind: 'CertificateSigningRequest',
        metadata: { name: 'm' },
        spec: { signerName: orch.signers.apiServerClient, usages: ['any'], request: await request(['system:masters']) },
      },
      { type: 'application/apply-patch+yaml' },
    );
    expect(applied.text).toBe(refusal('m'));
  });

  it('other signers may get them, and other groups are up to the approver', async () => {
    await using own = await world();
    expect((await own.post('a', { request: await request(['system:masters']) })).text).toBe('201');
    for (const [index, group] of ['system:masters ', 'System:Masters', 'system:nodes'].entries())
      expect(
        (await own.post(`b${index}`, { signerName: orch.signers.apiServerClient, request: await request([group]) }))
          .text,
      ).toBe('201');
  });
});

test('the plugins have the names of Kubernetes, in its order', () => {
  expect(certificateAdmission(orch, () => true).map(({ name }) => name)).toEqual([
    'CertificateApproval',
    'CertificateSigning',
    'ClusterTrustBundleAttest',
    'CertificateSubjectRestriction',
  ]);
});
