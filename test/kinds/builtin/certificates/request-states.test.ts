import { afterAll, beforeEach, describe, expect, it, test } from 'vitest';
import { certificatePem } from '../../../support/certificates.js';
import { condition, goodSpec, REQUESTS, world, type Condition } from './world.js';

const running = await world();
afterAll(() => running[Symbol.asyncDispose]());
const { merge, conditions, certificate, send } = running;
const issued = await certificatePem();

let name = '';
let serial = 0;
beforeEach(async () => {
  name = `state-${(serial += 1)}`;
  (await running.post(name)).object;
});

const approved = condition('Approved');
const denied = condition('Denied');
const failed = condition('Failed');
const typesNow = async (): Promise<string[]> =>
  ((await running.get(name)).object.status.conditions ?? []).map(({ type = '' }) => type);
const certificateNow = async (): Promise<string | undefined> => (await running.get(name)).object.status.certificate;
const EXCLUSIVE = 'Approved and Denied conditions are mutually exclusive';

describe('state transitions', () => {
  test('undecided: /approval approves', async () => {
    expect((await conditions(name, 'approval', [approved])).text).toBe('200');
    expect(await typesNow()).toEqual(['Approved']);
  });

  test('undecided: /approval denies, and no certificate is ever issued', async () => {
    expect((await conditions(name, 'approval', [denied])).text).toBe('200');
    expect(await typesNow()).toEqual(['Denied']);
    expect((await certificate(name, issued)).text).toBe(
      '422 status.certificate: Forbidden: updates may not set certificate content with a condition of type "Denied"; status.certificate: Forbidden: updates may not set certificate content without a condition of type "Approved"',
    );
    expect(await certificateNow()).toBeUndefined();
  });

  test('approved: /status writes the certificate, once', async () => {
    await conditions(name, 'approval', [approved]);
    expect((await certificate(name, issued)).text).toBe('200');
    expect(atob((await certificateNow()) ?? '')).toBe(issued);
    expect((await certificate(name, issued)).text).toBe('200');
    expect((await certificate(name, `${issued}${issued}`)).text).toBe(
      '422 status.certificate: Forbidden: updates may not modify existing certificate content',
    );
    expect((await merge(name, 'status', { status: { certificate: null } })).text).toBe(
      '422 status.certificate: Forbidden: updates may not modify existing certificate content',
    );
  });

  test.each([
    ['approved', [approved]],
    ['undecided', []],
  ] as const)('%s: /status fails the request, and there is no certificate', async (_case, before) => {
    await conditions(name, 'approval', before);
    expect((await conditions(name, 'status', [...before, failed])).text).toBe('200');
    expect(await typesNow()).toEqual([...before.map(({ type }) => type), 'Failed']);
    expect((await certificate(name, issued)).text).toContain(
      '422 status.certificate: Forbidden: updates may not set certificate content with a condition of type "Failed"',
    );
    expect(await certificateNow()).toBeUndefined();
  });

  test('a failed request may be approved, without effect', async () => {
    await conditions(name, 'status', [failed]);
    expect((await conditions(name, 'approval', [failed, approved])).text).toBe('200');
    expect((await certificate(name, issued)).text).toBe(
      '422 status.certificate: Forbidden: updates may not set certificate content with a condition of type "Failed"',
    );
  });
});

describe('invalid transitions', () => {
  test('denying an approved request', async () => {
    await conditions(name, 'approval', [approved]);
    expect((await conditions(name, 'approval', [approved, denied])).text).toBe(
      `422 status.conditions[1].type: Invalid value: "Denied": ${EXCLUSIVE}`,
    );
    expect((await conditions(name, 'approval', [denied])).text).toBe(
      '422 status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    );
    expect(await typesNow()).toEqual(['Approved']);
  });

  test('approving a denied request', async () => {
    await conditions(name, 'approval', [denied]);
    expect((await conditions(name, 'approval', [denied, approved])).text).toBe(
      `422 status.conditions[1].type: Invalid value: "Approved": ${EXCLUSIVE}`,
    );
    expect((await conditions(name, 'approval', [approved])).text).toBe(
      '422 status.conditions: Forbidden: updates may not remove a condition of type "Denied"',
    );
    expect(await typesNow()).toEqual(['Denied']);
  });

  test('approving and denying at once', async () => {
    expect((await conditions(name, 'approval', [approved, denied])).text).toBe(
      `422 status.conditions[1].type: Invalid value: "Denied": ${EXCLUSIVE}`,
    );
  });

  test.each(['Approved', 'Denied', 'Failed'])('removing %s', async (type) => {
    await conditions(name, 'approval', [condition(type)]);
    const refusal = `422 status.conditions: Forbidden: updates may not remove a condition of type "${type}"`;
    for (const part of ['approval', 'status'] as const) {
      expect((await conditions(name, part, [])).text).toBe(refusal);
      expect((await merge(name, part, { status: null })).text).toBe(refusal);
      expect((await conditions(name, part, [condition('Other')])).text).toBe(refusal);
    }
    expect(await typesNow()).toEqual([type]);
  });

  test.each(['Approved', 'Denied', 'Failed'])('setting %s to a status other than True', async (type) => {
    for (const [status, why] of [
      ['False', 'Unsupported value: "False": supported values: "True"'],
      ['Unknown', 'Unsupported value: "Unknown": supported values: "True"'],
      ['', 'Required value'],
      [undefined, 'Required value'],
    ] as const) {
      const wrong = [{ type, ...(status === undefined ? {} : { status }) }];
      expect((await conditions(name, 'approval', wrong)).text).toBe(`422 status.conditions[0].status: ${why}`);
    }
  });

  test('changing the status of a known decision', async () => {
    await conditions(name, 'approval', [approved]);
    expect((await conditions(name, 'approval', [condition('Approved', { status: 'False' })])).text).toBe(
      '422 status.conditions[0].status: Unsupported value: "False": supported values: "True"',
    );
  });

  test.each(['Approved', 'Denied'])('adding %s through /status', async (type) => {
    expect((await conditions(name, 'status', [condition(type)])).text).toBe(
      `422 status.conditions: Forbidden: updates may not add a condition of type "${type}"`,
    );
  });

  test('a duplicate type', async () => {
    expect((await conditions(name, 'approval', [failed, condition('Other'), failed])).text).toBe(
      '422 status.conditions[2].type: Duplicate value: "Failed"',
    );
  });

  test('an empty type', async () => {
    expect((await conditions(name, 'approval', [condition('')])).text).toBe(
      '422 status.conditions[0].type: Required value',
    );
  });

  test('a certificate before the approval, and both at once', async () => {
    const refusal =
      '422 status.certificate: Forbidden: updates may not set certificate content without a condition of type "Approved"';
    expect((await certificate(name, issued)).text).toBe(refusal);
    const both = await merge(name, 'status', { status: { certificate: btoa(issued), conditions: [approved] } });
    expect(both.text).toBe('422 status.conditions: Forbidden: updates may not add a condition of type "Approved"');
    expect(await certificateNow()).toBeUndefined();
  });

  test('a certificate and a failure at once', async () => {
    await conditions(name, 'approval', [approved]);
    expect(
      (await merge(name, 'status', { status: { certificate: btoa(issued), conditions: [approved, failed] } })).text,
    ).toBe(
      '422 status.certificate: Forbidden: updates may not set certificate content with a condition of type "Failed"',
    );
  });

  test('a failure of an issued request', async () => {
    await conditions(name, 'approval', [approved]);
    await certificate(name, issued);
    const refusal =
      '422 status.conditions: Forbidden: updates may not add a condition of type "Failed" once certificate content is set';
    for (const part of ['approval', 'status'] as const)
      expect((await conditions(name, part, [approved, failed])).text).toBe(refusal);
    expect((await conditions(name, 'status', [approved, condition('Other')])).text).toBe('200');
  });
});

describe('unknown condition types', () => {
  test.each(['True', 'False', 'Unknown'])(
    'may be %s, be added through both subresources, and be removed',
    async (status) => {
      for (const part of ['approval', 'status'] as const) {
        expect((await conditions(name, part, [condition('Other', { status })])).text).toBe('200');
        expect(await typesNow()).toEqual(['Other']);
        expect((await conditions(name, part, [])).text).toBe('200');
        expect(await typesNow()).toEqual([]);
      }
    },
  );

  test('have no other effect', async () => {
    expect((await conditions(name, 'approval', [condition('Other', { status: 'true' })])).text).toBe(
      '422 status.conditions[0].status: Unsupported value: "true": supported values: "False", "True", "Unknown"',
    );
    expect((await conditions(name, 'approval', [condition('Other', { status: '' })])).text).toBe(
      '422 status.conditions[0].status: Required value',
    );
  });
});

describe('the fields of each subresource', () => {
  const wrongSpec = {
    signerName: 'example.com/other',
    usages: ['any'],
    request: 'AAAA',
    username: 'mallory',
    uid: '0',
    groups: ['root'],
    extra: { a: ['b'] },
    expirationSeconds: 700,
  };

  it.each(['', 'approval', 'status'] as const)('the spec cannot be changed by "%s"', async (part) => {
    const before = (await running.get(name)).object.spec;
    expect((await merge(name, part, { spec: wrongSpec })).object.spec).toEqual(before);
    const { object } = await running.get(name);
    expect(
      (await send('PUT', `${REQUESTS}/${name}${part === '' ? '' : `/${part}`}`, { ...object, spec: wrongSpec })).object
        .spec,
    ).toEqual(before);
    expect((await running.get(name)).object.spec).toEqual(before);
  });

  it('a new request has no status, whatever is sent', async () => {
    const { object } = await send('POST', REQUESTS, {
      metadata: { name: `${name}-new` },
      spec: goodSpec,
      status: { conditions: [approved], certificate: btoa(issued) },
    });
    expect(object.status).toEqual({});
  });

  it('the main resource keeps the status', async () => {
    await conditions(name, 'approval', [approved]);
    const before = (await running.get(name)).object.status;
    for (const status of [null, {}, { conditions: [denied] }, { certificate: btoa(issued) }])
      expect((await merge(name, '', { status })).object.status).toEqual(before);
  });

  it('/approval writes no certificate, and keeps an existing one', async () => {
    expect(
      (await merge(name, 'approval', { status: { certificate: btoa(issued), conditions: [approved] } })).object.status
        .certificate,
    ).toBeUndefined();
    await certificate(name, issued);
    expect(
      (await merge(name, 'approval', { status: { certificate: null, conditions: [approved, condition('Other')] } }))
        .object.status.certificate,
    ).toBe(btoa(issued));
  });

  it('/status does not change conditions of /approval', async () => {
    await conditions(name, 'approval', [condition('Approved', { reason: 'Known', message: 'Alice is known' })]);
    const { object } = await conditions(name, 'status', [
      condition('Approved', { reason: 'Bribed', message: 'by Mallory', lastTransitionTime: '2000-01-01T00:00:00Z' }),
      failed,
    ]);
    expect(object.status.conditions?.[0]).toMatchObject({
      type: 'Approved',
      reason: 'Known',
      message: 'Alice is known',
      lastTransitionTime: '2024-01-01T00:00:00Z',
    });
    expect(object.status.conditions?.[1]).toMatchObject({ type: 'Failed' });
  });

  it('/approval may change the text of a decision', async () => {
    await conditions(name, 'approval', [approved]);
    expect(
      (await conditions(name, 'approval', [condition('Approved', { message: 'on second thought, still' })])).object
        .status.conditions?.[0]?.message,
    ).toBe('on second thought, still');
  });

  it('all of them write metadata', async () => {
    for (const part of ['', 'approval', 'status'] as const)
      await merge(name, part, { metadata: { annotations: { [`by${part}`]: 'yes' } } });
    expect((await running.get(name)).object.metadata['annotations']).toEqual({
      by: 'yes',
      byapproval: 'yes',
      bystatus: 'yes',
    });
  });

  it('there is no generation', async () => {
    expect((await running.get(name)).object.metadata).not.toHaveProperty('generation');
  });
});

describe('times of conditions', () => {
  const NOW = '2024-01-01T00:00:00Z';
  const LATER = '2024-01-01T01:00:00Z';
  const timesOf = (found: readonly Condition[] = []): (string | undefined)[][] =>
    found.map(({ lastUpdateTime, lastTransitionTime }) => [lastUpdateTime, lastTransitionTime]);

  test('are set by the server if missing', async () => {
    await using own = await world();
    await own.post('a');
    expect(timesOf((await own.conditions('a', 'approval', [approved])).object.status.conditions)).toEqual([[NOW, NOW]]);
    await own.clock.advance(3600_000);
    // An existing type keeps the time of its last transition; a new one gets the current time.
    const { object } = await own.conditions('a', 'status', [approved, failed]);
    expect(timesOf(object.status.conditions)).toEqual([
      [NOW, NOW],
      [LATER, LATER],
    ]);
    expect(
      timesOf(
        (await own.conditions('a', 'approval', [condition('Approved', { message: 'again' }), failed])).object.status
          .conditions,
      ),
    ).toEqual([
      [LATER, NOW],
      [LATER, LATER],
    ]);
  });

  test('a changed status gets the current time', async () => {
    await using own = await world();
    await own.post('a');
    await own.conditions('a', 'status', [condition('Other')]);
    await own.clock.advance(3600_000);
    expect(timesOf((await own.conditions('a', 'status', [condition('Other')])).object.status.conditions)).toEqual([
      [LATER, NOW],
    ]);
    expect(
      timesOf(
        (await own.conditions('a', 'status', [condition('Other', { status: 'False' })])).object.status.conditions,
      ),
    ).toEqual([[LATER, LATER]]);
  });

  test('are kept if given', async () => {
    const given = { lastUpdateTime: '2023-05-05T05:05:05Z', lastTransitionTime: '2023-04-04T04:04:04Z' };
    expect(
      (await conditions(name, 'approval', [condition('Approved', given)])).object.status.conditions?.[0],
    ).toMatchObject(given);
  });
});
